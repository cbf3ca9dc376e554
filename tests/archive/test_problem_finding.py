"""Problems of games: those of the archive are those that replaying every line finds, each once in a space."""

from __future__ import annotations

from random import Random

import pytest

from archive import libraries, store
from archive.derive import problems as rules_of_finding
from archive.derive.problems import AGREEMENT, FEWEST_MOVES, FIRST_PLY, GAP, MISTAKE, NODES, WORST
from archive.derive.themes import NUMBERS, theme_name, theme_number
from archive.derive.verdicts import Line, NewVerdict
from archive.models import (
    Game,
    Problem,
    ProblemNeighbour,
    ProblemRating,
    ProblemScan,
    ProblemSource,
    ProblemTheme,
    User,
)
from archive.problems import finding
from kifu_core.games import SHOGI
from kifu_core.lines import nodes_of
from kifu_core.shogi import rules
from kifu_core.shogi.mate import search_mate
from kifu_core.shogi.moves import from_usi, to_usi
from kifu_core.shogi.position import Position
from kifu_core.shogi.replay import packed_move
from kifu_core.shogi.tsume import problem_key
from tests.archive import builders

pytestmark = pytest.mark.django_db

SCALE = 600.0
THREE = "7kl/9/5+P3/9/9/9/9/9/9 b GS 1"
SOLUTION = "S*3b 2a2b G*2c"
BEFORE_MATE = "8l/7k1/5+P3/9/9/9/9/9/4K4 w GS 1"
MATE_OF_GAME = "7kl/9/5+P3/9/9/9/9/9/4K4 b GS 2"


@pytest.fixture
def engine():
    return store.engine_of(store.EngineIdentity("Engine", version="1"))


def ingest(played, **options):
    builders.ingest(builders.ready(played, **options))
    return Game.objects.latest("pk")


def find():
    """Search all games for problems, as the task does."""
    store.number_changes(10_000)
    assert not finding.scan(60)


def nodes(game):
    """Every node of a record by replaying its line from the start: path, position, the node before it and the
    move that led to it."""
    parents, positions, found = {}, {}, []
    for path, ply, entry in nodes_of(game.jkf["moves"]):
        line, at, _dash = path, ply - 1, ""
        while (line, at) not in positions and line:
            head, _dash, _tail = line.rpartition("-")
            line = head if _dash else ""
        before = positions.get((line, at))
        position = Position.initial() if before is None else before.copy()
        if before is None and ply:
            continue
        move = packed_move(entry["move"]) if "move" in entry else 0
        if ply and not move:
            continue
        if move:
            position.do_move(move)
        positions[path, ply], parents[path, ply] = position, (line, at) if ply else None
        found.append((path, ply, position, parents[path, ply], move))
    return found, positions


def key_of(position, space=0):
    return SHOGI.codec.same_class_keys(position, "exact", SHOGI.name, space)[0]


def random_verdict(position, random, played="", best=None):
    """A verdict that often names the move that was played, with the chances `best` of the side to move."""
    legal = [to_usi(move) for move in rules.legal_moves(position)]
    moves = random.sample(legal, min(2, len(legal)))
    if played and random.random() < 0.5:
        moves = [played, *(move for move in moves if move != played)][:2]
    best = random.choice([-900, 0, 300, 800, 2_000]) if best is None else best
    scores = [best, best - random.choice([50, 400, 900, 3_000])]
    sign = -1 if position.turn else 1
    lines = tuple(Line(sign * score, moves=(move,)) for score, move in zip(scores, moves, strict=False))
    return NewVerdict(lines[: random.choice([1, 2, 2, 2])], random.choice([NODES // 2, NODES, 2 * NODES]))


def add_verdicts(game, random, verdicts):
    """Verdicts on all positions of a game, and on those after the engine's best moves, which mostly agree."""
    all_nodes, _positions = nodes(game)
    played = {before: to_usi(move) for _path, _ply, _position, before, move in all_nodes if move}
    for path, ply, position, _before, _move in all_nodes:
        key = key_of(position)
        verdict = verdicts.setdefault(key, random_verdict(position, random, played.get((path, ply), "")))
        after, line = position.copy(), verdict.lines[0]
        after.do_move(from_usi(line.moves[0]))
        if random.random() < 0.7:
            own = line.score if after.turn == 0 else -line.score
            verdicts.setdefault(key_of(after), random_verdict(after, random, best=own))


def chance(score):
    return 2 / (1 + 2.718281828459045 ** (-score / SCALE)) - 1


def own_chances(position, verdict):
    sign = -1 if position.turn else 1
    return [sign * chance(line.score) for line in verdict.lines]


def brute_force(game, verdicts):
    """The keys and first moves of best moves, by trying every node with the written rules."""
    found = {}
    all_nodes, positions = nodes(game)
    for path, ply, position, before, move in all_nodes:
        verdict = verdicts[key_of(position)]
        if ply < FIRST_PLY or len(verdict.lines) < 2 or verdict.nodes < NODES:
            continue
        best, second = own_chances(position, verdict)
        first = verdict.lines[0].moves[0]
        plain = len(rules.legal_moves(position)) < FEWEST_MOVES or first[2:4] == to_usi(move)[2:4]
        if best < WORST or best - second < GAP or plain:
            continue
        after = position.copy()
        after.do_move(from_usi(first))
        kept = verdicts.get(key_of(after))
        agreed = kept is not None and abs(best + own_chances(after, kept)[0]) <= AGREEMENT
        for _path, _ply, later, parent, played in all_nodes:
            if parent == (path, ply):
                kept = -own_chances(later, verdicts[key_of(later)])[0]
                agreed &= to_usi(played) == first or best - kept >= GAP / 2
        if not agreed:
            continue
        earlier = positions[before]
        mistake = best + own_chances(earlier, verdicts[key_of(earlier)])[0] >= MISTAKE
        found.setdefault(problem_key(position, mate=False), (first, "swing" if mistake else "only-move"))
    return found


def test_problems_equal_those_of_replaying_all_lines(engine, monkeypatch):
    random, verdicts, expected = Random(11), {}, {}
    for _number in range(4):
        played = builders.random_line(Position.initial(), random, 26, 200)
        builders.ingest(builders.ready(played, builders.random_forks(Position.initial(), played, random, 90)))
    games = list(Game.objects.order_by("pk"))
    for game in games:
        add_verdicts(game, random, verdicts)
    store.write_verdicts(engine, verdicts)
    store.write_analyses([game.pk for game in games])
    for game in games:
        for key, value in brute_force(game, verdicts).items():
            expected.setdefault(key, value)
    find()
    rows = Problem.objects.values_list("key", "moves", "kind")
    assert {key: (moves, kind) for key, moves, kind in rows} == expected
    assert {kind for _moves, kind in expected.values()} == {"swing", "only-move"}
    assert ProblemSource.objects.exclude(path="").exists()


def mate_of_game(engine):
    """A game through a forced mate that an engine sees."""
    game = ingest("2b2a S*3b 2a2b G*2c", start=BEFORE_MATE, winner=0)
    position, verdicts = Position.from_sfen(BEFORE_MATE), {}
    for move in [0, *map(packed_move, (entry["move"] for entry in game.jkf["moves"] if "move" in entry))]:
        if move:
            position.do_move(move)
        verdicts[key_of(position)] = NewVerdict((Line(None, winner=0, mate=3),), 1_000)
    store.write_verdicts(engine, verdicts)
    store.write_analyses([game.pk])
    find()
    return game


def test_a_mate_that_the_search_confirms_is_one_problem_at_its_first_position(engine):
    game = mate_of_game(engine)
    problem = Problem.objects.get()
    assert (problem.kind, problem.plies, problem.engine_id) == ("mate", 3, engine)
    assert search_mate(Position.from_sfen(problem.sfen)).verdict == "mate"
    assert problem.sources.values_list("game", "path", "ply").get() == (game.pk, "", 1)
    assert ProblemRating.objects.get().problem_id == problem.pk
    assert ProblemNeighbour.objects.filter(problem=problem).count() == 4


def test_the_record_of_a_problem_is_one_and_the_same_diagram_is_another_source():
    first = ingest(SOLUTION, kind="problem", start=THREE)
    mirrored = Position.from_sfen(THREE).mirrored().sfen()
    second = ingest("S*7b 8a8b G*8c", kind="problem", start=mirrored)
    find()
    problem = Problem.objects.get()
    assert (problem.kind, problem.moves, problem.engine) == ("mate", SOLUTION, None)
    assert {one.game for one in problem.sources.all()} == {first.pk, second.pk}
    names = {theme_name(one.theme) for one in problem.themes.all()}
    assert names == {"drop", "silver"}


def test_a_problem_goes_with_the_last_game_that_has_it_and_not_before():
    first = ingest(SOLUTION, kind="problem", start=THREE)
    second = ingest(SOLUTION, kind="problem", start=THREE.replace("/9/9/9 b", "/9/9/9 b"), white="玉方")
    find()
    rated = ProblemRating.objects.get()
    rated.attempts = 7
    rated.save()
    store.delete_games([first.pk])
    find()
    assert ProblemRating.objects.get().attempts == 7
    store.delete_games([second.pk])
    assert not Problem.objects.exists()


def test_problems_of_a_library_are_apart_from_those_of_the_archive():
    space = libraries.own_library(User.objects.create_user("kifu")).pk
    game = ingest(SOLUTION, kind="problem", start=THREE)
    find()
    store.move_game(game.pk, space)
    assert not Problem.objects.exists()
    find()
    assert Problem.objects.get().space == space


def test_a_later_version_of_the_rules_searches_all_games_again(monkeypatch):
    ingest(SOLUTION, kind="problem", start=THREE)
    find()
    Problem.objects.all().delete()
    find()
    assert not Problem.objects.exists()
    monkeypatch.setattr(finding, "VERSION", rules_of_finding.VERSION + 1)
    find()
    assert Problem.objects.count() == 1
    assert ProblemScan.objects.get().version == rules_of_finding.VERSION + 1


def test_names_of_themes_are_read_again():
    for name in (*NUMBERS, "solver-yagura", "other-mino"):
        number = theme_number(name)
        assert number is not None
        assert theme_name(number) == name
    assert theme_number("yagura") is None
    assert theme_number("solver-") is None
    assert not ProblemTheme.objects.exists()
