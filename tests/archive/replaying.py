"""Answers about positions by plain counting: every game is replayed, every node looked at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from random import Random
from typing import Any, NamedTuple

from archive.derive.game import DerivedGame
from archive.models import codec
from archive.queries.positions.explorer import Explorer, Results
from kifu_core.games import GAMES
from kifu_core.jkf import MoveEntry
from kifu_core.lines import NO_MOVE
from kifu_core.quoridor import record as quoridor
from kifu_core.shogi.position import Position
from kifu_core.shogi.start import start_position
from tests.archive.builders import ROOKS
from tests.archive.quoridor import HALFWAY, after, same_board, turned

TURNS = {"exact": (0,), "mirror": (0, 1), "color": (0, 2), "any": (0, 1, 2, 3)}

Node = tuple[str, int, bool, int]
"""The position in plain words, ply, fork, move played."""

Passes = Callable[[DerivedGame, int], bool]
"""Whether a game is asked for that lies to the asker's board as an orientation says."""


class Board(NamedTuple):
    """What a kind of game is to plain counting: what makes two positions the same, how they are turned."""

    kind: str
    text: Callable[[Any], str]
    turned: Callable[[Any, int], Any]
    start: Callable[[Any], Any]


BOARDS = {
    "shogi": Board(
        "shogi",
        lambda position: position.sfen(None),
        lambda position, turn: position.oriented(turn),
        lambda record: start_position(record.get("initial")),
    ),
    "quoridor": Board("quoridor", same_board, turned, lambda record: quoridor.start(record).position),
}


def board_of(position: Any) -> Board:
    return BOARDS["shogi" if isinstance(position, Position) else "quoridor"]


def every_game(_game: DerivedGame, _turn: int) -> bool:
    return True


_SEEN: dict[str, Any] = {}
"""A position for each text."""


@cache
def nodes(game: DerivedGame) -> list[Node]:
    """Every node of a game, forks after the main line, in reading order."""
    record, board = codec.unpack(game.record), BOARDS[game.kind]
    return list(_nodes(board, record["moves"][1:], board.start(record), 0, False))


@cache
def _nodes_by_text(game: DerivedGame) -> dict[str, list[Node]]:
    """The nodes of a game by their positions."""
    result: dict[str, list[Node]] = {}
    for node in nodes(game):
        result.setdefault(node[0], []).append(node)
    return result


def _nodes(board: Board, entries: list[MoveEntry], position: Any, ply: int, fork: bool) -> Iterator[Node]:
    hanging = []
    for entry in entries:
        hanging += [(line, position.copy(), ply) for line in entry.get("forks", ())]
        if "move" in entry:
            move = GAMES[board.kind].replay.packed_move(entry["move"])
            yield _seen(board, position), ply, fork, move
            position.do_move(move)
            ply += 1
    yield _seen(board, position), ply, fork, NO_MOVE
    for line, start, at in hanging:
        yield from _nodes(board, line, start, at, True)


def _seen(board: Board, position: Any) -> str:
    text = board.text(position)
    if text not in _SEEN:
        _SEEN[text] = position.copy()
    return text


def images(position: Any, match: str) -> list[tuple[int, str]]:
    """The positions that are the same to the asker, each once, with how it lies to his."""
    board, result = board_of(position), dict[str, int]()
    for turn in TURNS[match]:
        result.setdefault(board.text(board.turned(position, turn)), turn)
    return [(turn, text) for text, turn in result.items()]


def folds(position: Any, match: str) -> bool:
    """Whether mirrored moves are the same to the asker."""
    board = board_of(position)
    symmetric = board.text(board.turned(position, 1)) == board.text(position)
    return symmetric and match in ("mirror", "any")


def seen_as(position: Any, match: str, move: int, turn: int) -> int:
    """A game's move on the asker's board."""
    orient = GAMES[board_of(position).kind].codec.orient
    mine = orient(move, turn)
    return min(mine, orient(mine, 1)) if folds(position, match) else mine


def naive(
    games: list[DerivedGame], position: Any, match: str, lines: str, passes: Passes = every_game
) -> tuple[Counter, Counter]:
    """Numbers by result, and by move and result, as the asker sees the board."""
    total, by_move = Counter(), Counter()
    same = images(position, match)
    for game in games:
        result = game.result if game.record_kind == "game" else 4
        walked = _nodes_by_text(game)
        for turn, text in same:
            if text not in walked or not passes(game, turn):
                continue
            seen = result ^ 1 if turn & 2 and result < 2 else result
            reached = [(fork, move) for _, _, fork, move in walked[text]]
            main = [move for fork, move in reached if not fork][:1]
            forks = [move for fork, move in reached if fork] if lines == "all" else []
            total[seen] += bool(main or forks)
            for move in {*main, *forks} - {NO_MOVE}:
                by_move[seen_as(position, match, move, turn), seen] += 1
    return +total, +by_move


def counts_of(answer: Explorer) -> tuple[Counter, Counter]:
    """An answer in the shape of `naive`."""
    by_move = Counter()
    for stats in answer.moves:
        for result, n in enumerate((*numbers(stats.results), stats.others)):
            by_move[stats.move, result] += n
    return +Counter(dict(enumerate((*numbers(answer.results), answer.others)))), +by_move


def numbers(results: Results) -> tuple[int, int, int, int]:
    return results.first, results.second, results.draw, results.unknown


def askers(pool: list[DerivedGame], random: Random, count: int) -> list[Any]:
    """Positions that games reach, their images, and some of their own."""
    board = BOARDS[pool[0].kind]
    reached = sorted({text for game in pool for text, *_ in nodes(game)})
    result = [_SEEN[text] for text in random.sample(reached, count)]
    return _ALWAYS[board.kind] + [board.turned(position, random.randrange(4)) for position in result]


_ALWAYS = {
    "shogi": [Position.from_sfen(ROOKS), Position.initial(), Position.from_sfen("9/9/9/9/9/9/9/9/9 b -")],
    "quoridor": [after(""), HALFWAY],
}


def expected_games(
    pool: list[DerivedGame], position: Any, match: str, lines: str, passes: Passes = every_game
) -> Counter:
    """(day, ply, whether by a fork, move on the asker's board) of every game in every orientation."""
    result = Counter()
    same = images(position, match)
    for game in pool:
        walked = _nodes_by_text(game)
        for turn, text in same:
            if text not in walked or not passes(game, turn):
                continue
            first = [node for node in walked[text] if lines == "all" or not node[2]][:1]
            for _, ply, fork, move in first:
                mine = seen_as(position, match, move, turn) if move else move
                result[game.played, ply, fork, mine] += 1
    return result
