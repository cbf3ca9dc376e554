"""Answers about positions by plain counting: every game is replayed, every node looked at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from random import Random

from archive.ingest import records
from archive.ingest.ready import ReadyGame
from archive.queries.positions import Explorer, Results
from kifu_core import moves
from kifu_core.jkf import MoveEntry
from kifu_core.position import Position
from kifu_core.replay import packed_move
from kifu_core.start import start_position
from tests.archive.builders import ROOKS

TURNS = {"exact": (0,), "mirror": (0, 1), "color": (0, 2), "any": (0, 1, 2, 3)}

Node = tuple[str, int, bool, int]
"""SFEN, ply, fork, move played."""

Passes = Callable[[ReadyGame, int], bool]
"""Whether a game is asked for that lies to the asker's board as an orientation says."""


def every_game(_game: ReadyGame, _turn: int) -> bool:
    return True


@cache
def nodes(game: ReadyGame) -> list[Node]:
    """Every node of a game, forks after the main line, in reading order."""
    record = records.unpack(game.record)
    return list(_nodes(record["moves"][1:], start_position(record.get("initial")), 0, False))


def _nodes(entries: list[MoveEntry], position: Position, ply: int, fork: bool) -> Iterator[Node]:
    hanging = []
    for entry in entries:
        hanging += [(line, position.copy(), ply) for line in entry.get("forks", ())]
        if "move" in entry:
            move = packed_move(entry["move"])
            yield position.sfen(None), ply, fork, move
            position.do_move(move)
            ply += 1
    yield position.sfen(None), ply, fork, moves.NO_MOVE
    for line, start, at in hanging:
        yield from _nodes(line, start, at, True)


def images(position: Position, match: str) -> list[tuple[int, str]]:
    """The positions that are the same to the asker, each once, with how it lies to his."""
    found: dict[str, int] = {}
    for turn in TURNS[match]:
        found.setdefault(position.oriented(turn).sfen(None), turn)
    return [(turn, sfen) for sfen, turn in found.items()]


def naive(
    games: list[ReadyGame], position: Position, match: str, lines: str, passes: Passes = every_game
) -> tuple[Counter, Counter]:
    """Numbers by result, and by move and result, as the asker sees the board."""
    total, by_move = Counter(), Counter()
    folds = position == position.mirrored() and match in ("mirror", "any")
    for game in games:
        result = game.result if game.record_kind == "game" else 4
        walked = nodes(game)
        for turn, sfen in images(position, match):
            if not passes(game, turn):
                continue
            seen = result ^ 1 if turn & 2 and result < 2 else result
            reached = [(fork, move) for at, _, fork, move in walked if at == sfen]
            main = [move for fork, move in reached if not fork][:1]
            forks = [move for fork, move in reached if fork] if lines == "all" else []
            total[seen] += bool(main or forks)
            for move in {*main, *forks} - {moves.NO_MOVE}:
                mine = moves.orient(move, turn)
                by_move[min(mine, moves.mirror(mine)) if folds else mine, seen] += 1
    return +total, +by_move


def told(answer: Explorer) -> tuple[Counter, Counter]:
    """An answer in the shape of `naive`."""
    by_move = Counter()
    for stats in answer.moves:
        for result, n in enumerate((*numbers(stats.results), stats.others)):
            by_move[stats.move, result] += n
    return +Counter(dict(enumerate((*numbers(answer.results), answer.others)))), +by_move


def numbers(results: Results) -> tuple[int, int, int, int]:
    return results.black, results.white, results.draw, results.unknown


def askers(pool: list[ReadyGame], random: Random, count: int) -> list[Position]:
    """Positions that games reach, their images, and some that none reaches."""
    reached = sorted({sfen for game in pool for sfen, *_ in nodes(game)})
    found = [Position.from_sfen(sfen) for sfen in random.sample(reached, count)]
    always = [Position.from_sfen(ROOKS), Position.initial(), Position.from_sfen("9/9/9/9/9/9/9/9/9 b -")]
    return always + [position.oriented(random.randrange(4)) for position in found]


def expected_games(
    pool: list[ReadyGame], position: Position, match: str, lines: str, passes: Passes = every_game
) -> Counter:
    """(day, ply, whether by a fork, move on the asker's board) of every game in every orientation."""
    found = Counter()
    folds = position == position.mirrored() and match in ("mirror", "any")
    for game in pool:
        for turn, sfen in images(position, match):
            if not passes(game, turn):
                continue
            first = [node for node in nodes(game) if node[0] == sfen and (lines == "all" or not node[2])][:1]
            for _, ply, fork, move in first:
                mine = moves.orient(move, turn) if move else move
                mine = min(mine, moves.mirror(mine)) if folds and move else mine
                found[game.played, ply, fork, mine] += 1
    return found
