"""Records as trees of moves: `Game`, its lines and their nodes.

A `Game` is a thin view of a normalized JKF record. Iterating over a game or a line yields nodes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, Final, Literal, cast

from kifu_core.errors import Issue, KifuError, LossError, ParseError
from kifu_core.game import Evaluation
from kifu_core.jkf import FORK_LEVELS, MoveEntry, Record
from kifu_core.jkf import Move as JkfMove
from kifu_core.lines import fork_path
from kifu_core.messages import Language
from kifu_core.reading import raise_first
from kifu_core.record import ParsedGame, players
from kifu_core.shogi import draw, evaluations, formats
from kifu_core.shogi.board import Board, Move
from kifu_core.shogi.detect import is_about_file
from kifu_core.shogi.keys import shogi64
from kifu_core.shogi.move_times import seconds
from kifu_core.shogi.normalize import normalize
from kifu_core.shogi.notation import record_move_label
from kifu_core.shogi.position import Position
from kifu_core.shogi.record_union import depth, unite
from kifu_core.shogi.replay import can_play, packed_move, start
from kifu_core.shogi.specials import BY_SPECIAL
from kifu_core.shogi.start import initial_of

_SHOWN_MOVES: Final = 6


@dataclass(frozen=True, slots=True)
class Node:
    """A move of a line and the position after it.

    `ply` is 1 for the first move of the record. `text` is the move as people write it (`▲７六歩`). `seconds`
    is the time used for the move, `clock` the time that its side has used so far; both are None if the record
    has no times. `variations` are the alternatives to this move.
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

    @property
    def sfen(self) -> str:
        """The position as SFEN, with the number of the next move."""
        return self.position.sfen(self.ply + 1)

    @property
    def code(self) -> str:
        """The position's Shogi64 code: see `Board.code`."""
        return shogi64.encode(self.position)


@dataclass(frozen=True, repr=False)
class Line:
    """The main line or a variation. Iterating over it yields its nodes.

    `path` is empty for the main line; a variation has the archive's name for it (`3.0` is the first one at
    ply 3). `ply` is the number of moves before the line, `before` the position before its first move, and
    `last` the move that led to that position. Iteration ends at a move that cannot be played, and is linear
    in the number of moves.
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

    def __repr__(self) -> str:
        return f"<Line {self.path!r}: {_short(self.moves)}>"

    def __len__(self) -> int:
        """Return the number of moves."""
        return sum("move" in entry for entry in self.entries)

    @property
    def moves(self) -> list[Move]:
        """The moves of the line."""
        return [Move(packed_move(entry["move"])) for entry in self.entries if "move" in entry]

    @property
    def ending(self) -> str | None:
        """JKF's name of the ending (`TORYO`); None if the line has none."""
        return self.entries[-1].get("special") if self.entries else None

    @property
    def variations(self) -> tuple[Line, ...]:
        """All variations that branch off this line, including alternatives to its ending."""
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
    """A game of shogi: headers, a starting position, a main line with variations, and an ending.

    Games are immutable: `with_headers`, `with_comments` and `with_variation` return new ones. `record` is the
    game as JKF. For other changes, change the copy `json.loads(game.dump("jkf", losses="ignore"))`, and make
    a new `Game` from that. `ending` is None for an unfinished game. `issues` are the oddities of the text
    from which the game was read, `unread` is the part of the text that could not be played.

    >>> game = Game.read("手合割：平手\\n1 ７六歩(77) ( 0:05/00:00:05)\\n*よくある手\\n2 投了\\n")
    >>> [(node.text, node.seconds, node.comments) for node in game]
    [('▲７六歩', 5, ('よくある手',))]
    >>> game.ending.special, game.winner
    ('TORYO', 0)
    """

    def __init__(self, game: ParsedGame | Record) -> None:
        """Make a game from a result of `kifu_core.load`, or from a JKF record, which `normalize` completes.

        Raises the errors of `normalize`, and ParseError for a record without a starting position.
        """
        parsed = game if isinstance(game, ParsedGame) else _parsed(normalize(game))
        self.parsed: Final = parsed
        self.record: Final = parsed.record
        self.ending: Final = parsed.ending
        self.issues: Final = parsed.issues
        self.unread: Final = parsed.unread
        self.start: Final = start(parsed.record)

    @classmethod
    def read(cls, data: bytes | str | PathLike[str], name: str | None = None) -> Game:
        """Return the first game of a file, given as bytes, as text or by its path.

        Raises the errors of `read_all`, and ParseError `no-game` for a file without games.
        """
        games = cls.read_all(data, name)
        if not games:
            raise ParseError("no-game")
        return games[0]

    @classmethod
    def read_all(cls, data: bytes | str | PathLike[str], name: str | None = None) -> list[Game]:
        """Return all games of a file, given as bytes, as text or by its path.

        The part of a game that cannot be played is in its `unread`. Raises ParseError if one of the games
        cannot be read at all (`kifu_core.load` returns the others), and the errors of `load`.
        """
        if isinstance(data, PathLike):
            data, name = Path(data).read_bytes(), name or str(data)
        result = formats.load(data, name)
        raise_first(replace(result, games=()))
        return [cls(game) for game in result.games]

    @classmethod
    def from_board(
        cls,
        board: Board,
        headers: Mapping[str, str] | None = None,
        ending: str | None = None,
        *,
        comments: Mapping[int, Sequence[str]] | None = None,
        seconds: Mapping[int, int] | None = None,
    ) -> Game:
        """Make a game from the moves of a board.

        `ending` is JKF's name of the ending, such as TORYO (投了); see `jkf.SPECIALS`. The keys of `comments`
        and `seconds` are plies; comments of ply 0 stand before the first move. Raises IllegalMoveError for
        illegal moves, and ParseError for an unknown ending.
        """
        record = formats.load(f"position {board.usi()}", strict=True).games[0].record
        record = {**_copy(record), "header": dict(headers or {})}
        entries = record["moves"]
        if ending is not None:
            if ending not in BY_SPECIAL:
                params = {"path": "special", "value": f"{ending[:40]}; {', '.join(BY_SPECIAL)}"}
                raise ParseError("jkf-value", params=params)
            entries.append({"special": ending})
        for ply, texts in (comments or {}).items():
            _entry_at(entries, ply)["comments"] = [*texts]
        for ply, count in (seconds or {}).items():
            _entry_at(entries, ply)["time"] = {"now": {"m": count // 60, "s": count % 60}}
        return cls(record)

    def with_headers(self, headers: Mapping[str, str]) -> Game:
        """Return the game with these headers, added or in place of others; an empty text removes a header."""
        record = _copy(self.record)
        record["header"] = {name: text for name, text in (self.headers | dict(headers)).items() if text}
        return Game(replace(self.parsed, record=record))

    def with_comments(self, ply: int, *comments: str) -> Game:
        """Return the game with new comments at a ply of the main line, replacing the old ones."""
        record = _copy(self.record)
        record["moves"][self._checked(ply)]["comments"] = [*comments]
        return Game(replace(self.parsed, record=record))

    def with_variation(self, ply: int, *moves: Move | str) -> Game:
        """Return the game with a new variation: an alternative to the main line's move at `ply`.

        The moves are played by `Board.push`, and raise its errors.
        """
        board = self.board(self._checked(ply) - 1)
        for move in moves:
            board.push(move)
        return Game(replace(self.parsed, record=merge([self, Game.from_board(board)]).record))

    @property
    def headers(self) -> dict[str, str]:
        """The headers as the record has them (`先手`, `棋戦`, ...)."""
        return self.record["header"]

    @property
    def players(self) -> tuple[str, str]:
        """The names of Black (先手, 下手) and White (後手, 上手); empty if unknown."""
        return players(self.headers)

    @property
    def comments(self) -> tuple[str, ...]:
        """The comments before the first move."""
        return tuple(self.record["moves"][0].get("comments", ())) if self.record["moves"] else ()

    @property
    def main_line(self) -> Line:
        """The line of the moves that were played."""
        return Line(self.record["moves"][1:], self.start)

    @property
    def winner(self) -> int | None:
        """The colour that won; None for a draw, an unknown result, no ending, or a problem that mates."""
        return self.ending.winner if self.ending else None

    def __iter__(self) -> Iterator[Node]:
        """Yield the nodes of the main line."""
        return iter(self.main_line)

    def __len__(self) -> int:
        """Return the number of moves of the main line."""
        return len(self.main_line)

    def lines(self) -> Iterator[Line]:
        """Yield the main line, then every variation before its own variations."""
        waiting = [self.main_line]
        while waiting:
            line = waiting.pop()
            yield line
            waiting += reversed(line.variations)

    def board(self, ply: int | None = None) -> Board:
        """Return a board with the moves of the main line up to a ply, by default all of them.

        Raises KifuError `no-such-ply`.
        """
        board = Board.from_position(self.start)
        for move in self.main_line.moves[: None if ply is None else self._checked(ply)]:
            board.push(move, legal=False)
        return board

    def _checked(self, ply: int) -> int:
        if not 0 <= ply <= len(self):
            raise KifuError("no-such-ply", params={"number": ply, "last": len(self)})
        return ply

    def dump(
        self, file_format: str = "kif", *, losses: Literal["ignore", "raise"] = "raise", **options: Any
    ) -> str:
        """Return the text of a file with the game.

        CSA has the option `version` ("2.2" or "3"), SFEN and BOD have `ply` (None for the last position),
        JKF has `indent`. Raises KifuError `unknown-format`, and LossError if the format cannot hold
        everything, unless `losses` is "ignore".
        """
        writer = formats.SHOGI.writer(file_format)
        if losses == "raise" and (issues := self._losses(file_format, options.get("version", "2.2"))):
            raise LossError(issues)
        facts = {"ending": self.ending, "fractions": self.parsed.fractions, "remarks": self._remarks()}
        defaults = {name: value for name, value in facts.items() if name in writer.options}
        return writer.dump(self.record, **defaults | options)

    def _remarks(self) -> list[str]:
        """Return the remarks that are not about the file from which the game was read."""
        return [text for text in self.parsed.remarks if not is_about_file(text)]

    def _losses(self, file_format: str, version: str) -> tuple[Issue, ...]:
        remarks = () if "remarks" in formats.SHOGI.writer(file_format).options else self._remarks()
        counts = {"lost-remarks": len(remarks), "lost-unread": int(bool(self.unread))}
        more = (
            Issue(code, params={"format": file_format, "count": count})
            for code, count in counts.items()
            if count
        )
        return (*formats.losses(self.parsed, file_format, csa=version), *more)

    def encode(
        self, file_format: str = "kif", *, losses: Literal["ignore", "raise"] = "raise", **options: Any
    ) -> bytes:
        """Return the bytes of a file with the game: Shift_JIS for `kif` and `ki2`, UTF-8 for other formats.

        Raises the errors of `dump`. Characters that the encoding lacks are losses, too.
        """
        data, issues = formats.encode_text(self.dump(file_format, losses=losses, **options), file_format)
        if issues and losses == "raise":
            raise LossError(issues)
        return data

    def __str__(self) -> str:
        return self.dump(losses="ignore")

    def __repr__(self) -> str:
        players = " - ".join(name or "?" for name in self.players)
        return f"<Game {players}: {_short(self.main_line.moves)}>"

    def svg(self, ply: int | None = None, *, flip: bool = False, language: Language = "ja") -> str:
        """Return an SVG of a position of the main line, by default the last, with the players' names."""
        board = self.board(ply)
        position, last = board.position, board.peek()
        return draw.svg(position, last=last, flip=flip, language=language, names=self.players)

    def _repr_svg_(self) -> str:
        return self.svg()


def _short(moves: Sequence[Move]) -> str:
    more = [f"… ({len(moves)} moves)"] if len(moves) > _SHOWN_MOVES else []
    return " ".join([*(move.usi for move in moves[:_SHOWN_MOVES]), *more])


def _entry_at(entries: list[MoveEntry], ply: int) -> MoveEntry:
    if not 0 <= ply < len(entries):
        raise KifuError("no-such-ply", params={"number": ply, "last": len(entries) - 1})
    return entries[ply]


def _parsed(record: Record) -> ParsedGame:
    """Return the ParsedGame of a normalized record."""
    return formats.load(formats.dump(record, "jkf"), "game.jkf").games[0]


def merge(games: Iterable[Game]) -> Game:
    """Merge games with the same starting position into one tree.

    The main line is that of the first game; the other games become variations. The headers on which all games
    with headers agree are kept. A move has the comments of all its games, but the time of the first of them.
    The ending of a game becomes a comment if the tree already has a move there.

    Raises KifuError `no-game` without games, `other-start` for different starting positions, and `jkf-depth`
    if variations are nested deeper than `jkf.FORK_LEVELS`. Linear in the moves of all games, times the number
    of variations at a ply.
    """
    sources = list(games)
    if not sources:
        raise KifuError("no-game")
    base = sources[0]
    record = _copy(base.record)
    record["header"] = _agreed([game.headers for game in sources if game.headers])
    for other in sources[1:]:
        if other.start != base.start:
            raise KifuError("other-start", params={"text": other.start.sfen(None)})
        unite(record, _copy(other.record), packed_move, keep_endings=True)
    if depth(record) > FORK_LEVELS:
        raise KifuError("jkf-depth", params={"path": "forks"})
    return Game(replace(base.parsed, record=record))


def _agreed(headers: Sequence[Mapping[str, str]]) -> dict[str, str]:
    first = headers[0] if headers else {}
    return {name: text for name, text in first.items() if all(one.get(name) == text for one in headers)}


def _copy(record: Record) -> Record:
    return cast(Record, json.loads(json.dumps(record)))
