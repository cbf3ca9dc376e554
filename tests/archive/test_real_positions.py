"""Answers about positions of real games: the samples that come with the archive, and the corpus beside it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from archive.derive.game import DerivedGame
from archive.intake.reader import read_entries
from archive.management.commands.sample_games import sample_files
from archive.models import Game
from archive.queries.positions.explorer import explore
from archive.queries.scope import PUBLIC
from kifu_core.shogi import moves
from kifu_core.shogi.keys import shogi64
from kifu_core.shogi.keys.canonical import canonical
from kifu_core.shogi.position import Position
from tests.archive.builders import ROOKS, ingest, ready
from tests.archive.replaying import counts_of, naive, nodes, numbers
from tests.shared import shared_paths

pytestmark = pytest.mark.django_db

CORPUS_FILES = 120


def read(paths: list[Path]) -> list[DerivedGame]:
    """The games of shogi in files, each once."""
    result = (entry.game for path in paths for entry in read_entries(path.read_bytes(), path.name))
    return list({game.digest: game for game in result if game and game.kind == "shogi"}.values())


@pytest.fixture(scope="module")
def samples() -> list[DerivedGame]:
    return read(sample_files())


@pytest.fixture(scope="module")
def corpus() -> list[DerivedGame]:
    paths = [path for kind in ("kif", "ki2", "csa", "jkf") for path in shared_paths(f"corpus/{kind}/**/*.*")]
    return read(Random(7).sample(paths, min(len(paths), CORPUS_FILES)))


@pytest.fixture(params=["samples", pytest.param("corpus", marks=pytest.mark.shared)])
def games(request, hot_at_three) -> list[DerivedGame]:
    """Real games, stored."""
    result = request.getfixturevalue(request.param)
    for start in range(0, len(result), 20):
        ingest(*result[start : start + 20])
    assert Game.objects.count() == len(result) >= 10
    return result


def reached(games: list[DerivedGame], count: int) -> list[Position]:
    """Positions that games reach: often ones, forks, last ones, some at random."""
    times = Counter(sfen for game in games for sfen in {node[0] for node in nodes(game)})
    often = [sfen for sfen, _ in times.most_common(8)]
    forks = [node[0] for game in games for node in nodes(game) if node[2]]
    last = [[node for node in nodes(game) if not node[2]][-1][0] for game in games]
    random = Random(2)
    chosen = [*often, *random.sample(forks, min(4, len(forks))), *random.sample(last, 4)]
    return [Position.from_sfen(sfen) for sfen in [*chosen, *random.sample(sorted(times), count)]]


def test_answers_are_those_of_replaying_every_game(games):
    for position in reached(games, 10):
        code = shogi64.encode(position.oriented(position.board[40] % 4))
        parameters = shogi64.decode(code)
        for match, lines in (("exact", "main"), ("exact", "all"), ("any", "main"), ("any", "all")):
            assert counts_of(explore(PUBLIC, "shogi", code, match, lines)) == naive(
                games, parameters, match, lines
            )


@pytest.mark.parametrize("lines", ["main", "all"])
def test_a_question_and_its_images_agree(games, lines):
    for position in reached(games, 10):
        explorer = explore(PUBLIC, "shogi", shogi64.encode(position), "any", lines)
        for turn in (1, 2, 3):
            image = explore(PUBLIC, "shogi", shogi64.encode(position.oriented(turn)), "any", lines)
            results = numbers(explorer.results)
            swapped = (results[1], results[0], *results[2:]) if turn & 2 else results
            assert (image.total, numbers(image.results), image.others) == (
                explorer.total,
                swapped,
                explorer.others,
            )
            folds = canonical(position).symmetric
            told_moves = Counter({fold(move.move, folds): move.total for move in image.moves})
            mine = Counter(
                {fold(moves.orient(move.move, turn), folds): move.total for move in explorer.moves}
            )
            assert told_moves == mine


def fold(move: int, folds: bool) -> int:
    return min(move, moves.orient(move, 1)) if folds else move


@pytest.mark.parametrize(("match", "turns"), [("mirror", (0, 1)), ("color", (0, 2)), ("any", (0, 1, 2, 3))])
def test_every_way_to_ask_is_the_sum_of_exact_answers_of_its_images(games, match, turns):
    for position in reached(games, 10):
        images = {position.oriented(turn).sfen(None): turn for turn in reversed(turns)}
        total, by_move = Counter(), Counter()
        for sfen, turn in images.items():
            exact = explore(PUBLIC, "shogi", shogi64.encode(Position.from_sfen(sfen)), "exact", "all")
            black, white, draw, unknown = numbers(exact.results)
            if turn & 2:
                black, white = white, black
            total.update({"black": black, "white": white, "draw": draw, "unknown": unknown})
            folds = canonical(position).symmetric and match in ("mirror", "any")
            for move in exact.moves:
                by_move[fold(moves.orient(move.move, turn), folds)] += move.total
        answer = explore(PUBLIC, "shogi", shogi64.encode(position), match, "all")
        results = dict(zip(("black", "white", "draw", "unknown"), numbers(answer.results), strict=True))
        assert results == dict(total) and answer.total == sum(total.values())
        assert Counter({move.move: move.total for move in answer.moves}) == +by_move


def test_a_position_that_is_its_own_mirror_image_folds_its_moves(db):
    ingest(ready("5h4h 5b4b", start=ROOKS), ready("5h6h 5b4b", start=ROOKS), ready("5h5g", start=ROOKS))
    code = shogi64.encode(Position.from_sfen(ROOKS))
    assert {move.name: move.total for move in explore(PUBLIC, "shogi", code).moves} == {
        "5h4h": 1,
        "5h6h": 1,
        "5h5g": 1,
    }
    for match in ("mirror", "any"):
        answer = explore(PUBLIC, "shogi", code, match)
        assert answer.total == 3
        assert sorted(move.total for move in answer.moves) == [1, 2]


@pytest.mark.parametrize("kind", ["problem", "tree", "position"])
def test_only_games_count_in_results_though_every_kind_is_found(db, kind):
    ingest(ready("7g7f", black="甲"), ready("7g7f 3c3d", kind=kind, winner=1))
    answer = explore(PUBLIC, "shogi", shogi64.encode(Position.initial()))
    assert (answer.total, answer.others, numbers(answer.results)) == (1, 1, (1, 0, 0, 0))
    (move,) = answer.moves
    assert (move.total, move.others, move.score) == (1, 1, 1)


def test_every_node_counts_once_at_its_first_visit(db):
    there_and_back = "5i6i 5a4a 6i5i 4a5a"
    ingest(ready(f"{there_and_back} {there_and_back} 5i4i", start=ROOKS, forks={9: [["5h5e", "5a6a"]]}))
    code = shogi64.encode(Position.from_sfen(ROOKS))
    for lines, played in (("main", {"5i6i": 1}), ("all", {"5i6i": 1, "5h5e": 1})):
        answer = explore(PUBLIC, "shogi", code, "exact", lines)
        assert answer.total == 1
        assert {move.name: move.total for move in answer.moves} == played
    assert (explore(PUBLIC, "shogi", code).first, explore(PUBLIC, "shogi", code).latest) == (None, None)
    last = Position.from_sfen(ROOKS)
    for usi in "5h5e", "5a6a":
        last.do_move(moves.from_usi(usi))
    assert explore(PUBLIC, "shogi", shogi64.encode(last)).total == 0
    assert explore(PUBLIC, "shogi", shogi64.encode(last), lines="all").total == 1
