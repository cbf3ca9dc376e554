"""Lines of moves in addresses: `?line=7g7f.3c3d.2g2f&at=2` in the explorer, `?ply=4&try=2g2f` in a replay;
and squares that are marked on its board, `?ply=4&marked=8h.7h`.

What is no line of legal moves, or longer than a page shows, counts as none: addresses are edited and guessed.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final
from urllib.parse import quote

from django.http import HttpRequest, QueryDict

from archive.web.lists.rows import position_address
from archive.web.wording import played_text
from kifu_core.errors import DecodeError, KifuError
from kifu_core.games import GAMES

MOVES: Final = 150
"""Of a line in an address, which then still is an address that mail programs leave whole."""
_CHARACTERS: Final = 6 * MOVES
_LONGEST_MARKS: Final = 81 * 3
_LONGEST_CODE: Final = 400
_BETWEEN: Final = "."
_PLAIN: Final = "*"
"""Drops have it in their names; addresses need not hide it."""
_OWN: Final = ("line", "at", "start")
"""What an address tells of the line; `start` is where it begins, if that is not the usual start."""


def read_squares(squares: Mapping[str, int], text: str) -> dict[str, int]:
    """Return the squares that an address has marked, by their names; none for anything else."""
    names = text.split(_BETWEEN) if 0 < len(text) <= _LONGEST_MARKS else []
    return {name: squares[name] for name in names} if all(name in squares for name in names) else {}


def squares_query(names: Iterable[str]) -> str:
    """Return what an address says of marked squares, to stand behind its other values; empty for none."""
    marked = _BETWEEN.join(names)
    return f"&marked={marked}" if marked else ""


@dataclass(frozen=True, slots=True)
class Played:
    """A move of a line: packed, in its game's notation, as people write it with its side's mark, and the
    code of the position after it."""

    move: int
    name: str
    text: str
    code: str


def read_line(kind: str, start: Any, text: str) -> tuple[Played, ...]:
    """Return the moves of an address, played from a position that stays as it was; none for anything else."""
    names = text.split(_BETWEEN) if 0 < len(text) <= _CHARACTERS else []
    if len(names) > MOVES:
        return ()
    game, position = GAMES[kind], start.copy()
    line: list[Played] = []
    for name in names:
        move = next(
            (move for move in game.rules.legal_moves(position) if game.text.move_name(move) == name), None
        )
        if move is None:
            return ()
        text = game.text.move_text(position, move)
        words = played_text(kind, position, move, text, line[-1].move if line else None)
        position.do_move(move)
        try:
            line.append(Played(move, name, words, game.codec.encode(position)))
        except KifuError:  # hands that no code can hold
            return ()
    return tuple(line)


@dataclass(frozen=True, slots=True)
class Step:
    """A position of the line: its move in words, its ply, its address, and whether it is shown."""

    text: str
    ply: int
    href: str
    here: bool
    name: str


@dataclass(frozen=True, slots=True)
class WalkedLine:
    """The line that led to a position, which goes on where one has stepped back.

    `query` is what else stays asked for from one position to the next.
    """

    kind: str
    start: str
    line: tuple[Played, ...]
    at: int
    query: QueryDict

    @property
    def steps(self) -> list[Step]:
        """All positions of the line, its start first."""
        moves = [("", ""), *((played.name, played.text) for played in self.line)]
        address = self._along()
        return [Step(text, ply, address(ply), ply == self.at, name) for ply, (name, text) in enumerate(moves)]

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
        """The address after a move that is not known yet, with CODE and MOVE in it."""
        return self._beyond()("MOVE", "CODE")

    @property
    def last(self) -> int | None:
        """The packed move that led here; None where the line begins."""
        return self.line[self.at - 1].move if self.at else None

    def address(self, ply: int) -> str:
        """Return the address of a position of the line."""
        return self._along()(ply)

    def onward(self) -> Callable[[str, str], str]:
        """Return a function that gives the address after a move, along the line or away from it.

        It takes the move's name and the position's code in addresses.
        """
        beyond = self._beyond()
        if self.at == len(self.line):
            return beyond
        following = self.line[self.at].name
        return lambda name, path: self.address(self.at + 1) if name == following else beyond(name, path)

    def _along(self) -> Callable[[int], str]:
        """Return a function that gives the addresses of the line's positions, by ply."""
        path_code = GAMES[self.kind].codec.path_code
        whole = self._told([played.name for played in self.line], self.start)

        def address(ply: int) -> str:
            path = path_code(self.line[ply - 1].code if ply else self.start)
            return _page(
                self.kind, path, whole if ply == len(self.line) or not whole else f"{whole}&at={ply}"
            )

        return address

    def _beyond(self) -> Callable[[str, str], str]:
        """Return a function for the addresses after moves that leave the line or go on from its end."""
        names, start = [played.name for played in self.line[: self.at]], self.start
        if len(names) >= MOVES:
            names, start = [], self.line[self.at - 1].code
        before = self._told([*names, ""], start)
        return lambda name, path: _page(self.kind, path, before + quote(name, safe=_PLAIN))

    def _told(self, names: list[str], start: str) -> str:
        """Return what addresses tell of a line, after all else they ask for; nothing of one without moves."""
        told = QueryDict(mutable=True)
        if names and start != usual_start(self.kind):
            told["start"] = GAMES[self.kind].codec.path_code(start)
        if names:
            told["line"] = _BETWEEN.join(names)
        return "&".join(part.urlencode(safe=_PLAIN) for part in (self.query, told) if part)


def _page(kind: str, path: str, query: str) -> str:
    page = position_address(kind, path)
    return f"{page}?{query}" if query else page


@cache
def usual_start(kind: str) -> str:
    """Return the code of the usual start."""
    game = GAMES[kind]
    return game.codec.encode(game.rules.initial())


def walk_to(request: HttpRequest, kind: str, position: Any) -> WalkedLine:
    """Return the line in the address if it leads to the position, else a line that begins there."""
    code = GAMES[kind].codec.encode(position)
    query = request.GET.copy()
    for name in ("cursor", "part", *_OWN):
        query.pop(name, None)
    asked = {name: request.GET.get(name, "") for name in _OWN}
    start = _start(kind, asked["start"])
    line = read_line(kind, GAMES[kind].codec.decode(start), asked["line"]) if start else ()
    at = _place(asked["at"], len(line))
    if line and at is not None and (line[at - 1].code if at else start) == code:
        return WalkedLine(kind, start, line, at, query)
    return WalkedLine(kind, code, (), 0, query)


def _start(kind: str, path: str) -> str:
    """Return the code where a line begins: the usual start where none is named, empty for a wrong one."""
    game = GAMES[kind]
    if not path:
        return usual_start(kind)
    try:
        return game.codec.encode(game.codec.decode(game.codec.code_of_path(path[:_LONGEST_CODE])))
    except DecodeError:
        return ""


def _place(text: str, length: int) -> int | None:
    """Return the place in a line of so many moves, its end where none is named; None for what is no place."""
    if not text:
        return length
    return int(text) if text.isascii() and text.isdigit() and len(text) < 4 and int(text) <= length else None
