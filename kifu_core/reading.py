"""Read a file of any game: from bytes to a source, then by the reader of its format."""

import re
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from kifu_core.decoding import Notes, Source, check_size, clean_text, decode
from kifu_core.errors import (
    AmbiguousMoveError,
    IllegalMoveError,
    Issue,
    KifuError,
    ParseError,
    UnknownFormatError,
)
from kifu_core.limits import UNLIMITED, Limits
from kifu_core.messages import Params, message
from kifu_core.plain_text import is_folded, is_wrapped, plain, unfolded
from kifu_core.record import ParsedGame, ParseResult
from kifu_core.signatures import signature

_NOTHING: Final = re.compile(r"[\s\x00-\x1f\x7f\ufffd]*+")
_WORDS: Final = re.compile(r"\S[^\n]{0,39}")
_FOREIGN: Final = re.compile(r"[^\x00-\x7f]")
_CONTROL: Final = re.compile(r"[\x01-\x08\x0e-\x1a\x1c-\x1f]")
_BEGINNING: Final = 500
_FEW: Final = 50
_ADDRESS: Final = re.compile(r"\s*+https?://\S{1,2000}+\s*+")

Loader = Callable[[Source, Notes], list[ParsedGame]]
"""Reads the games of one format; issues about the whole source go to the notes."""


def open_source(
    data: bytes | str,
    name: str | None = None,
    limits: Limits = UNLIMITED,
    is_packed: Callable[[bytes, str], bool] | None = None,
) -> tuple[Source, Notes]:
    """Return a file's text as a source, and notes with the issues of its bytes.

    `is_packed` recognises records that are not text by their bytes and file name; their source has a
    character for each byte. Raises DecodeError `too-large`, UnknownFormatError `is-picture`, `is-document`,
    `is-container`, or `unknown-format` for other bytes that are not text.
    """
    if is_packed is not None and isinstance(data, bytes) and is_packed(data, name or ""):
        check_size(len(data))
        return (source := Source(data.decode("latin-1"), "binary", name, limits)), Notes(source)
    if isinstance(data, bytes):
        if file_type := signature(data):
            raise UnknownFormatError(file_type[0], params={"text": file_type[1]})
        text, encoding, findings = decode(data)
    else:
        text, findings = clean_text(data)
        encoding = "str"
    if _is_binary(text, findings):
        raise _unknown(Source(text, encoding))
    if _NOTHING.fullmatch(text):  # no format needs to look at megabytes of it
        text = ""
    source = Source(text, encoding, name, limits)
    notes = Notes(source)
    for code, detail in findings:
        notes.add(code, None, "warning", None, text=detail)
    return source, notes


def read(
    source: Source, notes: Notes, format_name: str | None, load: Loader | None, program: str
) -> ParseResult:
    """Read all games of a source with `load`, the reader of its format.

    Raises UnknownFormatError: `empty-file` for blanks, `misread`, `is-address` for a mere URL,
    `unknown-format` for any other text of an unknown format.
    """
    if format_name is None or load is None:
        raise _refusal(source, notes)
    games = load(source, notes)
    return ParseResult(source.encoding, format_name, program, tuple(games), notes.all())


def _is_binary(text: str, findings: list[tuple[str, str]]) -> bool:
    """Return whether bytes are no text: invalid in every encoding, with control characters."""
    if all(code != "bad-bytes" for code, _ in findings):
        return False
    beginning = text[:_BEGINNING]
    return len(_CONTROL.findall(beginning)) > max(1, len(beginning) // _FEW)


def _refusal(source: Source, notes: Notes) -> UnknownFormatError:
    if not (source.text or notes.issues):
        return UnknownFormatError("empty-file")
    if misread := next((issue for issue in notes.issues if issue.code == "misread"), None):
        return _about_line(source, "misread", _FOREIGN, misread.params)
    if _ADDRESS.fullmatch(source.text):
        return _about_line(source, "is-address", _WORDS, {})
    return _unknown(source)


def _unknown(source: Source) -> UnknownFormatError:
    words = _WORDS.search(source.text)
    return _about_line(source, "unknown-format", _WORDS, {"text": words[0] if words else ""})


def _about_line(source: Source, code: str, begins: re.Pattern[str], params: Params) -> UnknownFormatError:
    """Return an error about the first line that `begins` matches."""
    match = begins.search(source.text)
    place = source.issue(code, match.start() if match else 0)
    return UnknownFormatError(code, line=place.line, params=params, source_line=place.source_line)


_UNREADABLE: Final = frozenset(
    ["unknown-line", "unreadable-move", "unknown-ending", "bad-board", "bad-hand", "bad-piece", "bad-time",
     "unreadable-rank", "no-moves", "json", "bad-usi-move", "sfen-board", "unknown-handicap"]
)  # fmt: skip
"""Issues about lines that could not be read as they are written."""


def reread(load: Callable[[Source, Notes], ParseResult], source: Source, notes: Notes) -> ParseResult:
    """Read a source; if parts are unreadable, read its plain text too and return the better result.

    The better result has games, then fewer unreadable lines, then more moves. Of equal results, that of the
    unchanged text counts, unless the text is wrapped as a whole. Raises the errors of `read`.
    """
    before = list(notes.issues)
    error: UnknownFormatError | None = None
    results: list[ParseResult] = []
    try:
        results.append(load(source, notes))
    except UnknownFormatError as refused:
        error = refused
    wrapped = source.encoding != "binary" and is_wrapped(source.text)
    if results and not wrapped and not is_folded(source.text) and _is_readable(results[0]):
        return results[0]
    if (plainer := _plainer(source, before)) is not None:
        with suppress(UnknownFormatError):
            results.insert(0 if wrapped else 1, load(*plainer))
    if not results:
        assert error is not None
        raise error
    return max(results, key=_quality)


def _is_readable(result: ParseResult) -> bool:
    issues = _issues(result)
    return bool(result.games) and (not issues or _UNREADABLE.isdisjoint(issue.code for issue in issues))


def _plainer(source: Source, issues: list[Issue]) -> tuple[Source, Notes] | None:
    """Return the plain text of a source, with the issues of its bytes; None if it is plain already."""
    if source.encoding == "binary":
        return None
    text = plain(source.text)
    lines = unfolded(text)
    if lines == source.text:
        return None
    plainer = Source(lines, source.encoding, source.name, source.limits)
    notes = Notes(plainer)
    notes.issues += issues
    if lines != text:
        notes.add("no-line-ends", 0, "warning", None)
    return plainer, notes


def _quality(result: ParseResult) -> tuple[bool, bool, int, int]:
    unreadable = sum(issue.severity == "error" or issue.code in _UNREADABLE for issue in _issues(result))
    moves = sum(len(game.record["moves"]) for game in result.games)
    return bool(result.games), moves > len(result.games), -unreadable, moves


def _issues(result: ParseResult) -> list[Issue]:
    return [*result.issues, *(issue for game in result.games for issue in game.issues)]


def raise_first(result: ParseResult) -> None:
    """Raise the error that comes first in the text, if there is any."""
    errors = [issue for issue in _issues(result) if issue.severity == "error"]
    if errors:
        raise _error(min(errors, key=lambda issue: (issue.line or 0, issue.column or 0)))


def _error(issue: Issue) -> KifuError:
    kind: type[KifuError] = ParseError
    if issue.ply is not None:
        kind = AmbiguousMoveError if issue.code == "ambiguous" else IllegalMoveError
    text = message(issue, language="en")
    return kind(issue.code, text, line=issue.line, column=issue.column, ply=issue.ply, params=issue.params)
