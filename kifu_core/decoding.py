"""Decode bytes to text, and locate offsets in lines.

In real files, extensions and declared encodings are often wrong, so the bytes decide: first a byte order
mark, then strict decoding in every encoding that Japanese programs use, then the result most like a game
record.
"""

from __future__ import annotations

import codecs
import re
from bisect import bisect_right
from contextlib import suppress
from itertools import accumulate
from typing import Final

from kifu_core import legacy
from kifu_core.errors import LEFT_OUT, SOURCE_LINE_LIMIT, DecodeError, Issue, Severity
from kifu_core.limits import UNLIMITED, Limits
from kifu_core.mojibake import is_doubtful, misread, repair

MAX_BYTES: Final = 16 * 1024 * 1024
"""Larger sources are refused; a source is held in memory as a whole."""

MAX_ISSUES: Final = 1000
"""Issues per game; one more issue counts the rest."""

_BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig", "utf-8-bom"),
    (codecs.BOM_UTF32_LE, "utf-32", "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32", "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16", "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16", "utf-16"),
)
"""UTF-32 comes before UTF-16, whose mark is a prefix of it."""

_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")

BREAKS: Final = re.compile(r"[\x00-\x08\x0a-\x1f\x7f\x85\u2028\u2029\ud800-\udfff\ufeff]")
"""Characters that no line may hold, or that may not begin a text, or that no text may hold."""


def decode(data: bytes) -> tuple[str, str, list[tuple[str, str]]]:
    """Return the text, the name of its encoding, and findings as (code, text for the params).

    Line ends become `\\n`; NUL characters and lone surrogates become U+FFFD. Raises DecodeError `too-large`
    beyond `MAX_BYTES`. Bytes that are valid in no encoding are replaced, with a finding.
    """
    check_size(len(data))
    text, encoding, findings = _decoded(data)
    clean, damage = clean_text(text)
    if findings:  # what was lost was lost here
        damage = [finding for finding in damage if finding != ("misread", "utf-8")]
    return clean, encoding, findings + damage


def clean_text(text: str) -> tuple[str, list[tuple[str, str]]]:
    """Return a clean text, and findings as `decode` does.

    Line ends become `\\n`, and characters that no database or JSON can hold become U+FFFD. Text that was
    decoded wrongly and saved again is repaired if no character was lost. Raises DecodeError `too-large`.
    """
    check_size(len(text))
    text = _without_end_mark(text.lstrip("\ufeff"))
    findings: list[tuple[str, str]] = []
    if is_doubtful(text):
        text, mistaken_for = repair(text)
        findings = [("double-encoded", mistaken_for)] if mistaken_for else []
        if not mistaken_for and (mistaken_for := misread(text)):
            findings.append(("misread", mistaken_for))
    if "\r" in text:
        text = _with_line_feeds(text)
    if "\ufeff" in text:  # files that were put together, each with its own byte order mark
        text = text.replace("\n\ufeff", "\n")
    clean, count = (text.replace("\0", "\ufffd"), text.count("\0")) if "\0" in text else (text, 0)
    if _has_surrogates(clean):
        clean, surrogates = _SURROGATE.subn("\ufffd", clean)
        count += surrogates
    return clean, [*findings, ("bad-characters", str(count))] if count else findings


def _with_line_feeds(text: str) -> str:
    """Return a text with `\\n` for all of its line ends, which may be mixed; some programs write `\\n\\r`."""
    if text.count("\n\r") == text.count("\r"):
        return text.replace("\n\r", "\n")
    if "\r\n" in text:
        text = text.replace("\r\r\n", "\n").replace("\r\n", "\n")
    return text.replace("\r", "\n")


def _without_end_mark(text: str) -> str:
    """Remove Ctrl-Z at the end of a text: DOS and CP/M marked the end of a file with it."""
    stripped = text.rstrip()
    return stripped.rstrip("\x1a") if stripped.endswith("\x1a") else text


def check_size(size: int) -> None:
    """Raise DecodeError `too-large` if a source has more than `MAX_BYTES` bytes or characters."""
    if size > MAX_BYTES:
        raise DecodeError("too-large", params={"bytes": size, "limit": MAX_BYTES})


def _has_surrogates(text: str) -> bool:
    """Return whether a text has lone surrogates; encoding the text is the fastest check."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _decoded(data: bytes) -> tuple[str, str, list[tuple[str, str]]]:
    for mark, codec, name in _BOMS:
        if data.startswith(mark):
            return _with_bom(data, codec, name)
    if (unmarked := _unmarked_utf_16(data)) is not None:
        return data.decode(unmarked), "utf-16", []
    if data.isascii():
        return _legacy(data) if legacy.has_escapes(data) else (data.decode("ascii"), "ascii", [])
    try:
        return data.decode("utf-8"), "utf-8", []
    except UnicodeDecodeError:
        return _legacy(data)


def _unmarked_utf_16(data: bytes) -> str | None:
    """Return the codec of a UTF-16 text without a byte order mark, None for other bytes.

    In UTF-16, line ends, digits and blanks have a zero byte each; texts in other encodings have none. A text
    with few such characters has to be Japanese.
    """
    zeros = data.count(0)
    if len(data) % 2 or not zeros:
        return None
    many_zeros = zeros >= max(3, len(data) // 100)
    scores: dict[str, int] = {}
    for codec, high in (("utf-16-le", data[1::2]), ("utf-16-be", data[::2])):
        with suppress(UnicodeDecodeError):
            text = data.decode(codec)
            breaks, ascii_ = text.count("\n") + text.count("\r"), high.count(0)
            common = many_zeros and (breaks * 100 >= len(text) or ascii_ * 2 >= len(text))
            if "\0" not in text and (common or legacy.is_japanese(text)):
                scores[codec] = breaks + ascii_
    return max(scores, key=lambda codec: scores[codec], default=None)


def _with_bom(data: bytes, codec: str, name: str) -> tuple[str, str, list[tuple[str, str]]]:
    """Decode bytes by their byte order mark; some programs put that of UTF-8 before another encoding."""
    try:
        return data.decode(codec), name, []
    except UnicodeDecodeError:
        pass
    if codec == "utf-8-sig":
        rest = data.removeprefix(codecs.BOM_UTF8)
        if legacy.damaged(rest)[1] != "utf-8":
            return _legacy(rest)
    return data.decode(codec, "replace"), name, [("bad-bytes", name)]


def _legacy(data: bytes) -> tuple[str, str, list[tuple[str, str]]]:
    text, encoding, valid = legacy.decode(data)
    return text, encoding, [] if valid else [("bad-bytes", encoding)]


class Source:
    """A text with its lines, and a factory of issues about it. `name` is a file name, only a hint.

    `limits` are those of each of its games.
    """

    def __init__(self, text: str, encoding: str, name: str | None = None, limits: Limits = UNLIMITED) -> None:
        self.text = text
        self.limits = limits
        self.encoding = encoding
        self.name = name or ""
        self._starts: list[int] | None = None

    def place(self, offset: int) -> tuple[int, int]:
        """Return the line and column of an offset, both from 1.

        The first call is linear, later ones logarithmic.
        """
        starts = self._line_starts()
        line = bisect_right(starts, offset)
        return line, offset - starts[line - 1] + 1

    def find(self, text: str, line: int) -> int | None:
        """Return the first offset of a text from this line on, or None."""
        offset = self.text.find(text, 0 if line <= 1 else self._line_starts()[line - 1])
        return None if offset < 0 else offset

    def _line_starts(self) -> list[int]:
        if self._starts is None:
            lengths = (len(line) + 1 for line in self.text.split("\n"))
            self._starts = [0, *accumulate(lengths)]
        return self._starts

    def issue(
        self,
        code: str,
        offset: int | None = None,
        severity: Severity = "warning",
        ply: int | None = None,
        **params: str | int,
    ) -> Issue:
        """Return an issue about the line at an offset, or about the whole source if that is None."""
        if offset is None:
            return Issue(code, severity, None, None, ply, params)
        line, column = self.place(offset)
        left_out = column - 1 - SOURCE_LINE_LIMIT // 2 if column > SOURCE_LINE_LIMIT else 0
        begin = offset - column + 1 + left_out
        shown = self.text[begin : begin + SOURCE_LINE_LIMIT].split("\n", 1)[0]
        if left_out:
            params[LEFT_OUT] = left_out
        return Issue(code, severity, line, column, ply, params, shown)


class Notes:
    """The issues of one game or source, at most `MAX_ISSUES`: a hostile text can be wrong in every line."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.issues: list[Issue] = []
        self.more = 0

    def add(
        self,
        code: str,
        offset: int | None = None,
        severity: Severity = "warning",
        ply: int | None = None,
        **params: str | int,
    ) -> None:
        """Add an issue about the line at an offset, or about the whole source if that is None."""
        if len(self.issues) < MAX_ISSUES:
            self.issues.append(self.source.issue(code, offset, severity, ply, **params))
        else:
            self.more += 1

    def take(self, other: Notes) -> None:
        """Add the issues of a game that could not be read."""
        space = MAX_ISSUES - len(self.issues)
        self.issues += other.issues[:space]
        self.more += other.more + len(other.issues[space:])

    def all(self) -> tuple[Issue, ...]:
        """Return the issues in the order of their lines; the last one counts those beyond the limit."""
        if not (self.issues or self.more):  # as of nearly all games
            return ()
        ordered = sorted(self.issues, key=lambda issue: (issue.line or 0, issue.column or 0))
        if self.more:
            ordered.append(Issue("more-issues", "warning", params={"count": self.more}))
        return tuple(ordered)
