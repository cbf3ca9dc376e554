"""What can go wrong, and what was tolerated.

The tree, all of it under `KifuError` so that one `except` is enough::

    KifuError                 code, line, column, ply, params
    ├── DecodeError           bytes that are no text, a position code that is not strictly valid
    ├── UnknownFormatError    text in which no record format can be recognised
    ├── ParseError            a record that breaks its format's rules (line, column, or a JSON path in params)
    ├── IllegalMoveError      a move that cannot be played in its position (ply)
    └── AmbiguousMoveError    a move text that more than one piece can play (ply)

Raised errors end a reading; an `Issue` is what a reading noticed, put up with and went on from.
Codes are stable strings, their texts stand in `messages.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Severity = Literal["info", "warning", "error"]
Params = Mapping[str, str | int]


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
        super().__init__(message or code)
        self.code = code
        self.message = message
        self.line = line
        self.column = column
        self.ply = ply
        self.params: Params = dict(params or {})
        self.source_line = source_line

    def issue(self, severity: Severity = "error") -> Issue:
        """Return the same finding as an `Issue`, for a reading that goes on."""
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


@dataclass(frozen=True, slots=True)
class Issue:
    """Something a reading noticed and went on from.

    `line` and `column` count from 1; an issue that names a line carries it in `source_line` (shortened to
    `SOURCE_LINE_LIMIT` characters around the column; `params` has as `LEFT_OUT` how many are left out before
    them). `ply` counts half-moves from 0. `params` fill the text of the code.
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
