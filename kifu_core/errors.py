"""Errors, and issues that a reading tolerates.

The tree, all of it under `KifuError` so that one `except` is enough::

    KifuError                 code, line, column, ply, params
    ├── DecodeError           bytes that are no text, a position code that is not strictly valid
    ├── UnknownFormatError    text in which no record format can be recognised
    ├── ParseError            a record that breaks its format's rules (line, column, or a JSON path in params)
    ├── IllegalMoveError      a move that cannot be played in its position (ply)
    ├── AmbiguousMoveError    a move text that more than one piece can play (ply)
    └── LossError             a record that a format cannot hold completely (losses)

A raised error ends a reading; after an `Issue` the reading goes on. Codes are stable strings, their texts are
in `messages.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from kifu_core.messages import Params, message

Severity = Literal["info", "warning", "error"]


class KifuError(Exception):
    """A record, text or code could not be used. `line` and `column` count from 1, `ply` from 0 (start);
    `source_line` is as in `Issue`."""

    def __init__(
        self,
        code: str,
        message: str = "",
        *,
        line: int | None = None,
        column: int | None = None,
        ply: int | None = None,
        params: Params | None = None,
        source_line: str = "",
    ) -> None:
        super().__init__(code)
        self.code = code
        self.message = message
        self.line = line
        self.column = column
        self.ply = ply
        self.params: Params = dict(params or {})
        self.source_line = source_line

    def __str__(self) -> str:
        """Return the sentence of the error in English, and its code."""
        return f"{self.message or message(self, language='en')} [{self.code}]"

    def issue(self, severity: Severity = "error") -> Issue:
        """Return the error as an `Issue`."""
        return Issue(self.code, severity, self.line, self.column, self.ply, self.params, self.source_line)


class DecodeError(KifuError):
    """Bytes that are no text, or a position code that a strict decoder refuses."""


class UnknownFormatError(KifuError):
    """No record format was recognised."""


class ParseError(KifuError):
    """A record breaks the rules of its format."""


class IllegalMoveError(KifuError):
    """A move cannot be played in its position."""


class AmbiguousMoveError(KifuError):
    """A move text fits more than one piece."""


class LossError(KifuError):
    """A format cannot hold everything in a record: `losses` are the issues, `code` is that of the first."""

    def __init__(self, losses: tuple[Issue, ...]) -> None:
        super().__init__(losses[0].code, params=losses[0].params)
        self.losses = losses


@dataclass(frozen=True, slots=True)
class Issue:
    """A fault that a reading tolerated.

    `line` and `column` count from 1, `ply` counts half-moves from 0. `params` fill the text of the code. An
    issue with a line has it in `source_line`, shortened to `SOURCE_LINE_LIMIT` characters around the column;
    the param `LEFT_OUT` is the number of characters left out before them.
    """

    code: str
    severity: Severity = "warning"
    line: int | None = None
    column: int | None = None
    ply: int | None = None
    params: Params = field(default_factory=dict)
    source_line: str = ""


SOURCE_LINE_LIMIT = 200
LEFT_OUT = "left_out"
