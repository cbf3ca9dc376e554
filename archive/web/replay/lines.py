"""Lines of moves in addresses: `?line=7g7f.3c3d.2g2f&at=2` in the explorer, `?ply=4&try=2g2f` in a replay;
and marked squares on its board, `?ply=4&marked=8h.7h`.

Lines with illegal moves, and lines that are too long, are ignored: people edit and guess addresses.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final
from urllib.parse import quote

from django.http import HttpRequest, QueryDict

from archive.web.forms import parse_number
from archive.web.lists.rows import position_address
from archive.web.wording import played_text
from kifu_core.errors import DecodeError, KifuError
from kifu_core.games import GAMES

MOVES: Final = 150
"""The most moves in an address: mail programs break longer addresses."""
_CHARACTERS: Final = 6 * MOVES
_LONGEST_MARKS: Final = 81 * 3
_LONGEST_CODE: Final = 400
_BETWEEN: Final = "."
_PLAIN: Final = "*"
"""Part of the names of drops, which addresses may contain unquoted."""
_PARAMETERS: Final = ("line", "at", "start")
"""`start` is the code of the line's first position, if that is not the usual start."""


def read_squares(squares: Mapping[str, int], text: str) -> dict[str, int]:
    """Return the marked squares of an address by name; none if a name is unknown."""
    names = text.split(_BETWEEN) if 0 < len(text) <= _LONGEST_MARKS else []
    return {name: squares[name] for name in names} if all(name in squares for name in names) else {}


def squares_query(names: Iterable[str]) -> str:
    """Return the parameter for marked squares with its `&`; empty for none."""
    marked = _BETWEEN.join(names)
    return f"&marked={marked}" if marked else ""


@dataclass(frozen=True, slots=True)
class PlayedMove:
    """A move of a line: packed, in its game's notation, in words with the mark of its side, and the code of
    the position after it."""

    move: int
    name: str
    text: str
    code: str


def read_line(kind: str, start: Any, text: str) -> tuple[PlayedMove, ...]:
    """Return the moves of an address, played from a copy of `start`; none if one is illegal."""
    names = text.split(_BETWEEN) if 0 < len(text) <= _CHARACTERS else []
    if len(names) > MOVES:
        return ()
    game, position = GAMES[kind], start.copy()
    line: list[PlayedMove] = []
    for name in names:
        legal = {game.text.move_name(move): move for move in game.rules.legal_moves(position)}
        if name not in legal:
            return ()
        move = legal[name]
        text = game.text.move_text(position, move)
        words = played_text(kind, position, move, text, line[-1].move if line else None)
        position.do_move(move)
        try:
            line.append(PlayedMove(move, name, words, game.codec.encode(position)))
        except KifuError:  # hands that no code can hold
            return ()
    return tuple(line)


@dataclass(frozen=True, slots=True)
class LineStep:
    """A position of the line: its move in words, its ply, its address, whether it is shown, its move's
    name."""

    text: str
    ply: int
    href: str
    here: bool
    name: str


@dataclass(frozen=True, slots=True)
class WalkedLine:
    """The line through a position, `at` of its plies. `query` are the other parameters of all addresses."""

    kind: str
    start: str
    line: tuple[PlayedMove, ...]
    at: int
    query: QueryDict

    @property
    def steps(self) -> list[LineStep]:
        """All positions of the line, its start first."""
        return self.steps_from(0)

    def steps_from(self, first: int) -> list[LineStep]:
        """Return the positions of the line from a ply on."""
        moves = [("", ""), *((played.name, played.text) for played in self.line)]
        query = self._query([played.name for played in self.line], self.start)
        return [
            LineStep(text, ply, self._address_at(query, ply), ply == self.at, name)
            for ply, (name, text) in enumerate(moves[first:], start=first)
        ]

    @property
    def back(self) -> str:
        """The address of the position before this one; empty where the line begins."""
        return self.address(self.at - 1) if self.at else ""

    @property
    def forward(self) -> str:
        """The address of the position after this one; empty where the line ends."""
        return self.address(self.at + 1) if self.at < len(self.line) else ""

    @property
    def pattern(self) -> str:
        """The address after any move, with the placeholders CODE and MOVE."""
        return self._branch()("MOVE", "CODE")

    @property
    def last(self) -> int | None:
        """The packed move that led here; None where the line begins."""
        return self.line[self.at - 1].move if self.at else None

    def address(self, ply: int) -> str:
        """Return the address of a position of the line."""
        return self._address_at(self._query([played.name for played in self.line], self.start), ply)

    def addresses_after_moves(self) -> Callable[[str, str], str]:
        """Return a function from the name of a move, and the path code of the position after it, to the
        address of that position: the next one of this line, or one of a new line."""
        branch = self._branch()
        if self.at == len(self.line):
            return branch
        following, address = self.line[self.at].name, self.address(self.at + 1)
        return lambda name, path: address if name == following else branch(name, path)

    def _address_at(self, query: str, ply: int) -> str:
        path = GAMES[self.kind].codec.path_code(self.line[ply - 1].code if ply else self.start)
        return _page(self.kind, path, query if ply == len(self.line) or not query else f"{query}&at={ply}")

    def _branch(self) -> Callable[[str, str], str]:
        """Return a function for the addresses after moves that leave the line or continue it at its end."""
        names, start = [played.name for played in self.line[: self.at]], self.start
        if len(names) >= MOVES:
            names, start = [], self.line[self.at - 1].code
        before = self._query([*names, ""], start)
        return lambda name, path: _page(self.kind, path, before + quote(name, safe=_PLAIN))

    def _query(self, names: list[str], start: str) -> str:
        """Return the query of addresses with a line of moves, after the other parameters."""
        parameters = QueryDict(mutable=True)
        if names and start != usual_start(self.kind):
            parameters["start"] = GAMES[self.kind].codec.path_code(start)
        if names:
            parameters["line"] = _BETWEEN.join(names)
        return "&".join(part.urlencode(safe=_PLAIN) for part in (self.query, parameters) if part)


def _page(kind: str, path: str, query: str) -> str:
    page = position_address(kind, path)
    return f"{page}?{query}" if query else page


@cache
def usual_start(kind: str) -> str:
    game = GAMES[kind]
    return game.codec.encode(game.rules.initial())


def line_to(request: HttpRequest, kind: str, position: Any) -> WalkedLine:
    """Return the line in the address if it leads to the position, else an empty one that begins there."""
    code = GAMES[kind].codec.encode(position)
    query = request.GET.copy()
    for name in ("cursor", "part", *_PARAMETERS):
        query.pop(name, None)
    line, at, start = (request.GET.get(name, "") for name in _PARAMETERS)
    first = _start(kind, start)
    moves = read_line(kind, GAMES[kind].codec.decode(first), line) if first else ()
    ply = parse_number(at, 3) if at else len(moves)
    if moves and ply is not None and ply <= len(moves) and (moves[ply - 1].code if ply else first) == code:
        return WalkedLine(kind, first, moves, ply, query)
    return WalkedLine(kind, code, (), 0, query)


def _start(kind: str, path: str) -> str:
    """Return the code of a line's first position: the usual start by default, empty for an invalid code."""
    game = GAMES[kind]
    if not path:
        return usual_start(kind)
    try:
        return game.codec.encode(game.codec.decode(game.codec.code_of_path(path[:_LONGEST_CODE])))
    except DecodeError:
        return ""
