"""A record as a tree of moves to iterate over: `Game`, its lines and their nodes.

A `Game` is a thin view of a normalized JKF record. Each node has a move, the position after it, and its time,
comments, evaluation and variations.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, cast

from kifu_core.errors import KifuError, ParseError
from kifu_core.game import Evaluation
from kifu_core.jkf import FORK_LEVELS, MoveEntry, Record
from kifu_core.jkf import Move as JkfMove
from kifu_core.lines import fork_path
from kifu_core.record import Ending, ParsedGame
from kifu_core.shogi import draw, evaluations, formats
from kifu_core.shogi.board import Board, Move
from kifu_core.shogi.move_times import seconds
from kifu_core.shogi.moves import DROP
from kifu_core.shogi.normalize import normalize
from kifu_core.shogi.notation import record_move_label
from kifu_core.shogi.pieces import CODES
from kifu_core.shogi.position import Position
from kifu_core.shogi.replay import can_play, packed_move, start
from kifu_core.shogi.specials import BY_SPECIAL
from kifu_core.shogi.squares import FILES, RANKS
from kifu_core.shogi.start import initial_of


@dataclass(frozen=True, slots=True)
class Node:
    """A move of a line and the position after it.

    `ply` counts from 1 at the record's first move. `text` is the move as people write it (`▲７六歩`).
    `seconds` is the time of the move and `clock` that of its side so far; None without a time. `variations`
    are the alternatives to this move.
    """

    ply: int
    move: Move
    text: str
    position: Position
    comments: tuple[str, ...] = ()
    seconds: int | None = None
    clock: int | None = None
    evaluation: Evaluation | None = None
    variations: tuple[Line, ...] = ()


@dataclass(frozen=True)
class Line:
    """A line of play: the main line, or a variation with its own positions. Iterating yields its nodes.

    `path` names a variation as the archive does (`3.0`: the first at ply 3); it is empty for the main line.
    `ply` is the number of moves before the line, `before` the position there and `last` the move that led to
    it. A move that no board allows ends the line. Iterating is linear in the moves of the line.
    """

    entries: Sequence[MoveEntry]
    before: Position
    ply: int = 0
    path: str = ""
    last: JkfMove | None = None

    def __iter__(self) -> Iterator[Node]:
        position, last = self.before.copy(), self.last
        scores = self._evaluations()
        for ply, entry in enumerate(self.entries, self.ply + 1):
            if "move" not in entry or not can_play(position, move := packed_move(entry["move"])):
                return
            before = position.copy()
            position.do_move(move)
            yield Node(
                ply,
                Move(move),
                record_move_label(entry["move"], last, "ja"),
                position.copy(),
                tuple(entry.get("comments", ())),
                *_times(entry),
                scores.get(ply),
                self._variations(entry, ply, before, last),
            )
            last = entry["move"]

    def __len__(self) -> int:
        """Return the number of moves."""
        return sum("move" in entry for entry in self.entries)

    @property
    def moves(self) -> list[Move]:
        """The moves of the line."""
        return [Move(packed_move(entry["move"])) for entry in self.entries if "move" in entry]

    @property
    def ending(self) -> str | None:
        """JKF's name of the ending (`TORYO`); None without one."""
        return self.entries[-1].get("special") if self.entries else None

    @property
    def variations(self) -> tuple[Line, ...]:
        """All variations that branch off this line, alternatives to its ending included."""
        position, last, lines = self.before.copy(), self.last, list[Line]()
        for ply, entry in enumerate(self.entries, self.ply + 1):
            lines += self._variations(entry, ply, position, last)
            if "move" not in entry or not can_play(position, move := packed_move(entry["move"])):
                break
            position.do_move(move)
            last = entry["move"]
        return tuple(lines)

    def _variations(
        self, entry: MoveEntry, ply: int, before: Position, last: JkfMove | None
    ) -> tuple[Line, ...]:
        return tuple(
            Line(fork, before.copy(), ply - 1, fork_path(self.path, ply, number), last)
            for number, fork in enumerate(entry.get("forks", ()))
        )

    def _evaluations(self) -> dict[int, Evaluation]:
        if not any("comments" in entry for entry in self.entries):
            return {}
        record: Record = {"header": {}, "initial": initial_of(self.before), "moves": [{}, *self.entries]}
        best = evaluations.best(evaluations.evaluations(record))
        return {one.ply + self.ply: one._replace(ply=one.ply + self.ply) for one in best}


def _times(entry: MoveEntry) -> tuple[int | None, int | None]:
    time = entry.get("time")
    if time is None:
        return None, None
    return seconds(time["now"]), seconds(time["total"]) if "total" in time else None


class Game:
    """A game of shogi: headers, a start, a main line with variations, an ending.

    >>> game = Game.read("手合割：平手\\n1 ７六歩(77) ( 0:05/00:00:05)\\n*よくある手\\n2 投了\\n")
    >>> [(node.text, node.seconds, node.comments) for node in game]
    [('▲７六歩', 5, ('よくある手',))]
    >>> game.ending.special, game.winner
    ('TORYO', 0)
    """

    def __init__(self, record: Record, ending: Ending | None = None) -> None:
        """View a normalized record, which is not copied. Raises ParseError for a record without a start."""
        self.record: Final = record
        self.ending: Final = ending
        self.start: Final = start(record)

    @classmethod
    def read(cls, data: bytes | str, name: str | None = None) -> Game:
        """Read the first game of a file's bytes or text in any format.

        Raises as `kifu_core.load` does, and ParseError `no-game` for a file without games.
        """
        games = cls.read_all(data, name)
        if not games:
            raise ParseError("no-game")
        return games[0]

    @classmethod
    def read_all(cls, data: bytes | str, name: str | None = None) -> list[Game]:
        """Read all games of a file's bytes or text. Raises as `kifu_core.load` does."""
        return [cls.from_parsed(game) for game in formats.load(data, name).games]

    @classmethod
    def from_parsed(cls, game: ParsedGame) -> Game:
        """View a game that `kifu_core.load` has read."""
        return cls(game.record, game.ending)

    @classmethod
    def from_board(
        cls, board: Board, headers: dict[str, str] | None = None, ending: str | None = None
    ) -> Game:
        """Make a game of the moves of a board.

        `ending` is JKF's name of the ending (`TORYO`). Raises IllegalMoveError for moves that the rules do
        not allow, ParseError for an unknown ending.
        """
        entries: list[dict[str, Any]] = [{}, *({"move": _raw_move(move)} for move in board.moves)]
        if ending is not None:
            if ending not in BY_SPECIAL:
                raise ParseError("jkf-value", params={"path": "special", "value": ending[:40]})
            entries.append({"special": ending})
        raw = {"header": headers or {}, "initial": initial_of(board.start), "moves": entries}
        return cls.read(formats.dump(normalize(raw), "jkf"), "game.jkf")

    @property
    def headers(self) -> dict[str, str]:
        """The headers as the record has them (`先手`, `棋戦`, ...)."""
        return self.record["header"]

    @property
    def comments(self) -> tuple[str, ...]:
        """The comments before the first move."""
        return tuple(self.record["moves"][0].get("comments", ())) if self.record["moves"] else ()

    @property
    def main_line(self) -> Line:
        return Line(self.record["moves"][1:], self.start)

    @property
    def winner(self) -> int | None:
        """The colour that won; None for a draw, an unknown result, or no ending."""
        return self.ending.winner if self.ending else None

    def __iter__(self) -> Iterator[Node]:
        """Yield the nodes of the main line."""
        return iter(self.main_line)

    def lines(self) -> Iterator[Line]:
        """Yield the main line, then every variation before its own variations."""
        waiting = [self.main_line]
        while waiting:
            line = waiting.pop()
            yield line
            waiting += reversed(line.variations)

    def board(self, ply: int | None = None) -> Board:
        """Return a board with the main line played up to a ply (None: to its end)."""
        board = Board.from_position(self.start)
        for move in self.main_line.moves[:ply]:
            board.push(move, legal=False)
        return board

    def dump(
        self, file_format: str = "kif", *, losses: Literal["ignore", "raise"] = "raise", **options: Any
    ) -> str:
        """Return the game as the text of a file, as `kifu_core.dump` does.

        Raises LossError if the format cannot hold everything, unless `losses` is "ignore".
        """
        if self.ending is not None and "ending" in formats.SHOGI.writer(file_format).options:
            options.setdefault("ending", self.ending)
        return formats.dump(self.record, file_format, losses=losses, **options)

    def __str__(self) -> str:
        return self.dump(losses="ignore")

    def _repr_svg_(self) -> str:
        """Draw the last position in a notebook."""
        board = self.board()
        names = (self.headers.get("先手", ""), self.headers.get("後手", ""))
        return draw.svg(board.position, last=board.peek(), names=names)


def _raw_move(move: Move) -> dict[str, Any]:
    to = move >> 1 & 127
    place = {"x": FILES[to], "y": RANKS[to]}
    if move >> 8 > DROP:
        return {"to": place, "piece": CODES[(move >> 8) - DROP]}
    origin = move >> 8
    return {"from": {"x": FILES[origin], "y": RANKS[origin]}, "to": place, "promote": move.promotes}


def merge(games: Iterable[Game]) -> Game:
    """Merge games from one start into one tree: the first one is its main line, others become variations.

    Headers on which all games agree remain. Comments of a node are joined; times are those of the first game
    with the move. A game that ends where another goes on leaves its ending as a comment. Raises KifuError
    `no-game` without games, `other-start` for different starts, `jkf-depth` for variations nested deeper than
    `jkf.FORK_LEVELS`. Linear in the moves of all games, times the number of variations at a ply.
    """
    sources = list(games)
    if not sources:
        raise KifuError("no-game")
    base = sources[0]
    record = _copy(base.record)
    for other in sources[1:]:
        if other.start != base.start:
            raise KifuError("other-start", params={"text": other.start.sfen(None)})
        record["header"] = dict(record["header"].items() & other.headers.items())
        _merge_lines(record["moves"], _copy(other.record)["moves"])
    return Game(record, base.ending)


def _copy(record: Record) -> Record:
    return cast(Record, json.loads(json.dumps(record)))


_Entries = list[MoveEntry]


def _merge_lines(base: _Entries, other: _Entries) -> None:
    """Merge a line and all of its variations into another line, both from the same position."""
    waiting = [(base, 0, other, 0)]
    while waiting:
        line, at, entries, level = waiting.pop()
        for index, entry in enumerate(entries):
            if at == len(line):
                line += entries[index:]
                break
            forks = entry.pop("forks", [])
            same = _key(line[at]) == _key(entry)
            if same:
                _join_comments(line[at], entry.get("comments", []))
            elif "special" in entry:
                _join_comments(line[at - 1], [_ending_word(entry), *entry.get("comments", [])])
            else:
                forks = [entries[index:], *forks]
            waiting += filter(None, [_attach(line, at, fork, level) for fork in forks])
            if not same:
                break
            at += 1


def _attach(
    line: _Entries, at: int, fork: _Entries, level: int
) -> tuple[_Entries, int, _Entries, int] | None:
    """Add a line as a variation of `line[at]`, or return the line with its first move to merge it with."""
    if _key(line[at]) == _key(fork[0]):
        return line, at, fork, level
    for existing in line[at].get("forks", ()):
        if _key(existing[0]) == _key(fork[0]):
            return existing, 0, fork, level + 1
    if level + 1 + _depth(fork) > FORK_LEVELS:
        raise KifuError("jkf-depth", ply=at, params={"path": "forks"})
    line[at].setdefault("forks", []).append(fork)
    return None


def _key(entry: MoveEntry) -> int | str | None:
    return packed_move(entry["move"]) if "move" in entry else entry.get("special")


def _ending_word(entry: MoveEntry) -> str:
    kind = BY_SPECIAL.get(entry["special"])
    return kind.word if kind and kind.word else entry["special"]


def _join_comments(entry: MoveEntry, others: list[str]) -> None:
    comments = entry.get("comments", [])
    if more := [comment for comment in others if comment not in comments]:
        entry["comments"] = [*comments, *more]


def _depth(line: _Entries) -> int:
    """Return the depth of nested variations; 0 without variations."""
    deepest, lines = 0, [(line, 0)]
    while lines:
        line, level = lines.pop()
        deepest = max(deepest, level)
        lines += [(fork, level + 1) for entry in line for fork in entry.get("forks", ())]
    return deepest
