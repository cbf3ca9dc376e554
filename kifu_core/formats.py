"""Record formats of any game: detection, reading, splitting, writing and losses.

The module of each format has one `Format`. A game's `Formats` lists them in their order for users; detection,
downloads, pages, the command line and the tables of the docs all use it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import groupby
from typing import Any, Final, Literal

from kifu_core.cutting import Cutter
from kifu_core.decoding import Notes, Source
from kifu_core.errors import Issue, KifuError, LossError
from kifu_core.jkf import Record
from kifu_core.reading import Loader, open_source, raise_first, read, reread
from kifu_core.record import Ending, ParsedGame, ParseResult


class Stage(IntEnum):
    """The certainty of a mark; the surest marks are tried first."""

    WHOLE = 0
    """A test of the whole text that few texts pass."""
    JSON = 1
    PAIR = 2
    """Two lines that belong together."""
    ROW = 3
    """A line that only one of the formats has; the first such line decides."""
    RULE = 4
    """A line that texts of other formats may have, too, but only together with a row of their own."""
    LINE = 5
    """A line that is a position or a game by itself; the first such line decides."""
    HEADER = 6
    """A header, for texts without readable moves."""
    NAME = 7
    """Only the name of the file."""


Test = Callable[[str, str], bool]
"""Tells whether a text has a format, by the text and its file name."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A sign by which texts of a format are recognised, and the reason in one word.

    A test is a function or a regular expression, which describes a line from its beginning (`re.VERBOSE`).
    All expressions of a stage are searched together; the first line that matches one decides.
    """

    stage: Stage
    test: Test | str
    reason: str = "rows"


class Detector:
    """Recognizes the format of texts.

    The detector exists before the formats: their readers and writers use it too.
    """

    def __init__(self) -> None:
        self._tests: list[tuple[str | None, Callable[[str, str], bool | str | None], str]] = []

    def learn(self, formats: Iterable[Format]) -> None:
        """Add the marks of these formats, to be tried stage by stage, in each stage in the formats' order."""
        marks = [(mark.stage, mark.reason, one.name, mark.test) for one in formats for mark in one.marks]
        marks.sort(key=lambda mark: mark[0])
        for (_, reason, lines), group in groupby(marks, lambda mark: (*mark[:2], isinstance(mark[3], str))):
            if lines:
                search = _first_line({name: str(test) for _, _, name, test in group})
                self._tests.append((None, search, reason))
            else:
                self._tests += [(name, test, reason) for _, _, name, test in group if callable(test)]

    def __call__(self, text: str, name: str = "") -> tuple[str | None, str]:
        """Return the format of a text, or None, and the reason in one word.

        The content decides; the extension of `name` counts only if the content fits several formats.
        """
        text = text.strip("\n")  # megabytes of blank lines about a text cost each test
        for format_name, test, reason in self._tests:
            if result := test(text, name):
                return format_name or str(result), reason
        return None, "nothing"


def _first_line(lines: Mapping[str, str]) -> Callable[[str, str], str | None]:
    any_of = "|".join(f"(?P<{name}>{expression})" for name, expression in lines.items())
    search = re.compile(f"^(?:{any_of})", re.MULTILINE | re.VERBOSE).search

    def find(text: str, name: str) -> str | None:
        match = search(text)
        return match.lastgroup if match else None

    return find


RecordPart = Literal[
    "headers", "moves", "times", "totals", "fractions", "comments", "bookmarks", "forks", "ending"
]  # fmt: skip

ALL_BUT_MOVES: Final[Sequence[RecordPart]] = (
    "headers", "times", "fractions", "comments", "bookmarks", "forks", "ending",
)  # fmt: skip

IN_REMARK: Final = "ending-in-remark"
"""The code of the issue for endings that are written as remarks, which other programs skip."""

PartCounts = Counter[str]
"""The number of each part in a record, and of endings in remarks (`IN_REMARK`)."""


@dataclass(frozen=True, slots=True)
class Writer:
    """A type of file that records are written to; its name is the extension.

    `title` is its name for people, `title_ja` a different Japanese one. `dump` writes a record and takes the
    named `options`: `ending`, the game's `Ending` if JKF has no name for it; `ply`, the position to write;
    `version` and `fractions` of CSA; `remarks` of a file of the same format; `indent` of JSON. `is_json`
    marks a file that is a JSON value; `position_only` a file of one position; `copied` a file whose text
    people paste elsewhere. `between` separates the games of one file; None if a file holds only one game.

    `lost` are the parts of a record that have no place in the file: all `headers` but those of
    `kept_headers`, and as many endings as `lost_endings` counts. `recount` corrects the counts of parts that
    are lost in some cases; it takes counts, game and version.
    """

    name: str
    dump: Callable[..., str]
    title: str = ""
    title_ja: str = ""
    is_json: bool = False
    encoding: str = "utf-8"
    options: Sequence[str] = ()
    position_only: bool = False
    copied: bool = False
    between: str | None = ""
    lost: Sequence[RecordPart] = ()
    kept_headers: Callable[[Record], Mapping[str, str]] = lambda record: {}
    lost_endings: Callable[[Record, Ending | None], int] = lambda record, ending: 0
    recount: Callable[[PartCounts, ParsedGame | Record, str], None] = lambda found, game, version: None

    def called(self, language: str | None) -> str:
        """Return the name for people in a language."""
        return (self.title_ja if language == "ja" else "") or self.title or self.name.upper()

    @property
    def content_type(self) -> str:
        """Return the media type for HTTP."""
        if self.is_json:
            return "application/json"
        return f"text/plain; charset={'shift_jis' if self.encoding == 'cp932' else self.encoding}"

    def encoded(self, text: str) -> tuple[bytes, tuple[Issue, ...]]:
        """Return the bytes of a file: cp932 with CRLF, or UTF-8.

        Characters that cp932 spells differently are replaced. Characters that cp932 lacks become `〓`, the
        printers' mark for a missing type, and an issue for each of them.
        """
        if self.encoding == "utf-8":
            return text.encode("utf-8", "replace"), ()
        text = text.translate(_LEGACY).replace("\n", "\r\n")
        try:
            return text.encode(self.encoding), ()
        except UnicodeEncodeError:
            missing = [char for char in dict.fromkeys(text) if not _can_encode(char, self.encoding)]
        text = text.translate({ord(char): "〓" for char in missing})
        params = [{"text": char, "encoding": self.encoding} for char in missing]
        issues = tuple(Issue("unencodable-character", "warning", params=one) for one in params)
        return text.encode(self.encoding), issues


_LEGACY: Final = str.maketrans({"−": "－", "—": "―", "〜": "～", "☗": "▲", "☖": "△", "‖": "∥", "¢": "￠"})


def _can_encode(char: str, encoding: str) -> bool:
    try:
        char.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class Format:
    """A record format: its name in JSON and columns, its reader, and its writers.

    `marks` recognise its texts. `cut` splits large files of many games. A text that only sets up a board
    becomes a record with `default_ending` after it.
    """

    name: str
    load: Loader
    marks: Sequence[Mark]
    writers: Sequence[Writer] = ()
    cut: Cutter | None = None
    default_ending: str = ""


class Formats:
    """The formats of one game: `readers` by the formats' names, `writers` by those of files (also `names`).

    `detect` names the format of a text and the reason. `default_endings` has, by format, the text that makes
    a record of a text that only sets up a board. `parts` counts the parts of a record, `program` names the
    software that wrote a text, `is_packed` recognises records that are not text.
    """

    def __init__(
        self,
        formats: tuple[Format, ...],
        detect: Detector,
        parts: Callable[[Record], PartCounts],
        program: Callable[[str], str] = lambda text: "",
        is_packed: Callable[[bytes, str], bool] | None = None,
    ) -> None:
        self.readers: Final = {one.name: one for one in formats}
        self.writers: Final = {writer.name: writer for one in formats for writer in one.writers}
        self.names: Final = tuple(self.writers)
        endings = {one.name: one.default_ending for one in formats}
        self.default_endings: Final = {name: text for name, text in endings.items() if text}
        self.detect: Final = detect
        self._parts = parts
        self._program = program
        self._is_packed = is_packed
        detect.learn(formats)

    def load(self, data: bytes | str, name: str | None = None, *, strict: bool = False) -> ParseResult:
        """Read all games of a file's bytes or text.

        `name` is the file's name, used only if the content is not clear.

        Issues are collected, not raised: a game has all that could be read of it, a game that could not be
        read at all is an issue of the result. With `strict` the first error is raised instead, as ParseError,
        IllegalMoveError or AmbiguousMoveError. Raises UnknownFormatError `unknown-format` if no format is
        recognised, DecodeError `too-large` for more than `decoding.MAX_BYTES`. Linear in the size of the
        data.
        """
        return self.load_source(*open_source(data, name, is_packed=self._is_packed), strict=strict)

    def load_source(self, source: Source, notes: Notes, *, strict: bool = False) -> ParseResult:
        """Read all games of an opened source, as `load` does."""
        result = reread(self._read, source, notes)
        if strict:
            raise_first(result)
        return result

    def _read(self, source: Source, notes: Notes) -> ParseResult:
        format_name, _ = self.detect(source.text, source.name)
        loader = self.readers[format_name].load if format_name else None
        return read(source, notes, format_name, loader, self._program(source.text))

    def writer(self, file_format: str) -> Writer:
        """Return the writer of files with that name; raises KifuError `unknown-format`."""
        if file_format not in self.writers:
            raise KifuError("unknown-format", params={"text": file_format[:40]})
        return self.writers[file_format]

    def dump(
        self,
        record: Record,
        file_format: str,
        *,
        losses: Literal["ignore", "raise"] = "ignore",
        **options: Any,
    ) -> str:
        """Return a record, as in a `ParsedGame`, as the text of a file; `encode_text` converts that to bytes.

        The options are those of the `Writer`. Raises KifuError `unknown-format` for a format that is not
        among `names`, and the errors of the format's own `dump` for games that it cannot hold. With `losses`
        "raise" also LossError, if the method `losses` has any for the record and the format.
        """
        if losses == "raise" and (issues := self.losses(record, file_format)):
            raise LossError(issues)
        return self.writer(file_format).dump(record, **options)

    def losses(self, game: ParsedGame | Record, file_format: str, *, csa: str = "2.2") -> tuple[Issue, ...]:
        """Return the losses of a record in a format as issues `lost-…`, each with its count.

        `ending-in-remark` counts endings that are written as remarks, which other programs do not read.

        `csa` is the version of CSA; 3 keeps fractions of seconds. For a bare record, fractions and endings
        for which JKF has no name are unknown. Raises KifuError `unknown-format`. Linear in the number of
        moves.
        """
        writer = self.writer(file_format)
        record, ending = (game.record, game.ending) if isinstance(game, ParsedGame) else (game, None)
        counts = self._parts(record)
        counts["fractions"] = len(game.fractions) if isinstance(game, ParsedGame) else 0
        headers = writer.kept_headers(record)
        counts["headers"] = sum(headers.get(name) != text for name, text in record["header"].items())
        counts["ending"] = writer.lost_endings(record, ending)
        writer.recount(counts, game, csa)
        codes = {f"lost-{part}": counts[part] for part in writer.lost} | {IN_REMARK: counts[IN_REMARK]}
        return tuple(
            Issue(code, "warning", params={"format": file_format, "count": count})
            for code, count in codes.items()
            if count > 0
        )
