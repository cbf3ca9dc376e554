"""The record formats, one module each: its grammar, `load` and `dump`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from kifu_core.detect import detect, program
from kifu_core.errors import (
    AmbiguousMoveError,
    IllegalMoveError,
    Issue,
    KifuError,
    ParseError,
    UnknownFormatError,
)
from kifu_core.formats import bod, csa, jkf, ki2, kif, sfen, usen, usi
from kifu_core.formats.writing import encode_text
from kifu_core.jkf import Record
from kifu_core.messages import message
from kifu_core.record import FormatName, ParsedGame, ParseResult
from kifu_core.text import Notes, Source, clean_text, decode

_LOADERS: Final[dict[FormatName, Callable[[Source, Notes], list[ParsedGame]]]] = {
    "csa": csa.load,
    "jkf": jkf.load,
    "ki2": ki2.load,
    "kif": kif.load,
    "usi": usi.load,
    "sfen": sfen.load,
    "usen": usen.load,
    "bod": bod.load,
}

_WRITERS: Final[dict[str, Callable[..., str]]] = {
    "csa": csa.dump,
    "jkf": jkf.dump,
    "ki2": ki2.dump,
    "ki2u": ki2.dump,
    "kif": kif.dump,
    "kifu": partial(kif.dump, utf8=True),
    "usi": usi.dump,
    "sfen": sfen.dump,
    "usen": usen.dump,
    "bod": bod.dump,
}

FORMATS: Final = tuple(_WRITERS)
"""The names `dump` knows: those of the files' extensions."""


def dump(record: Record, file_format: str, **options: Any) -> str:
    """A normalized record as the text of a file; `encode_text` turns it into bytes.

    Options: `ending` (kif, ki2, csa), the game's `Ending`, for endings JKF has no name for; `indent` (jkf);
    `ply` (sfen, bod), the position written, None for the last.
    Raises KifuError `unknown-format` for a format that is not in `FORMATS`.
    """
    if file_format not in _WRITERS:
        raise KifuError("unknown-format", params={"text": file_format[:40]})
    return _WRITERS[file_format](record, **options)


def load(data: bytes | str, name: str | None = None, *, strict: bool = False) -> ParseResult:
    """Read all games of a file's bytes or text; `name` is its name, used only where content leaves a doubt.

    Findings are collected, not raised: a game keeps what could be read of it, a game that could not be read
    at all is only an issue of the result. `strict` raises the first finding that is an error instead, as
    ParseError, IllegalMoveError or AmbiguousMoveError. Raises UnknownFormatError `unknown-format` if no
    format is recognised, DecodeError `too-large` for more than `text.MAX_BYTES`. Linear in the size of the
    data.
    """
    if isinstance(data, bytes):
        text, encoding, findings = decode(data)
    else:
        text, findings = clean_text(data)
        encoding = "str"
    source = Source(text, encoding, name)
    notes = Notes(source)
    for code, detail in findings:
        notes.add(code, None, "warning", None, text=detail)
    format_name, _ = detect(text, source.name)
    if format_name is None:
        first = next((line for line in text.split("\n") if line.strip()), "")
        raise UnknownFormatError("unknown-format", line=1, params={"text": first[:40]})
    games = _LOADERS[format_name](source, notes)
    result = ParseResult(encoding, format_name, program(text), tuple(games), notes.all())
    if strict:
        _raise_first(result)
    return result


def _raise_first(result: ParseResult) -> None:
    """Raise the error that stands first in the text, if there is any."""
    issues = [*result.issues, *(issue for game in result.games for issue in game.issues)]
    errors = [issue for issue in issues if issue.severity == "error"]
    if errors:
        raise _error(min(errors, key=lambda issue: (issue.line or 0, issue.column or 0)))


def _error(issue: Issue) -> KifuError:
    kind: type[KifuError] = ParseError
    if issue.ply is not None:
        kind = AmbiguousMoveError if issue.code == "ambiguous" else IllegalMoveError
    text = message(issue, language="en")
    return kind(issue.code, text, line=issue.line, column=issue.column, ply=issue.ply, params=issue.params)


__all__ = ["FORMATS", "dump", "encode_text", "load"]
