"""Solving problems: what moves are worth, against the best defence; ratings; private progress."""

from __future__ import annotations

import pytest
from django.test import Client

from archive import store
from archive.derive.verdicts import Line, NewVerdict
from archive.models import Game, Problem, ProblemAttempt, ProblemRating, ProblemSolver, User
from archive.problems import attempts, finding
from archive.problems.attempts import attempt
from archive.problems.errors import ProblemError
from archive.problems.glicko import Outcome, Rating, rated
from archive.problems.solving import judge
from archive.queries.scope import PUBLIC
from kifu_core.games import SHOGI
from kifu_core.shogi.moves import from_usi
from kifu_core.shogi.position import Position
from tests.archive import builders

pytestmark = pytest.mark.django_db

THREE = "7kl/9/5+P3/9/9/9/9/9/9 b GS 1"
SOLUTION = ["S*3b", "2a2b", "G*2c"]
TWO_GOLDS = "4k4/9/4P4/9/9/9/9/9/9 b 2G 1"


def problem_of(moves: str, start: str) -> Problem:
    builders.ingest(builders.ready(moves, kind="problem", start=start))
    finding.find([Game.objects.latest("pk").pk])
    return Problem.objects.latest("pk")


@pytest.fixture
def three() -> Problem:
    return problem_of(" ".join(SOLUTION), THREE)


@pytest.fixture
def anna() -> User:
    return User.objects.create_user("anna")


JUDGED = {
    "the first move": (["S*3b"], "right", "2a2b", ""),
    "the solution": (SOLUTION, "solved", "", ""),
    "a move without check": (["4c3c"], "wrong", "", "no-check"),
    "a check that does not mate": (["S*1b"], "wrong", None, "escapes"),
    "another last move": (["S*3b", "2a2b", "4c3c"], "wrong", None, "escapes"),
}


@pytest.mark.parametrize(("moves", "result", "reply", "reason"), JUDGED.values(), ids=JUDGED)
def test_moves_at_a_mate_are_judged_against_the_best_defence(
    three: Problem, moves: list[str], result: str, reply: str | None, reason: str
) -> None:
    judged = judge(PUBLIC, three, moves)
    assert (judged.result, judged.reason) == (result, reason)
    assert judged.reply == reply if reply is not None else judged.reply
    assert not judged.alternative


def test_another_way_that_mates_is_right_and_the_search_defends() -> None:
    problem = problem_of("G*5b", "4k4/9/3PPP3/9/9/9/9/9/9 b 2G 1")
    judged = judge(PUBLIC, problem, ["G*6b"])
    assert (judged.result, judged.alternative, judged.reason) == ("right", True, "other-mate")
    judged = judge(PUBLIC, problem, ["G*6b", judged.reply, "G*4b"])
    assert (judged.result, judged.alternative, judged.reason) == ("solved", True, "other-mate")


@pytest.mark.parametrize(
    ("moves", "code"),
    [([], "too-many-moves"), (["S*3b", "2a2b"], "too-many-moves"), (["x"], "problem-move"),
     (["R*5e"], "problem-move"), (["S*3b", "2a3b", "G*4b"], "problem-reply")],
)  # fmt: skip
def test_moves_that_cannot_be_are_refused(three: Problem, moves: list[str], code: str) -> None:
    with pytest.raises(ProblemError) as refused:
        judge(PUBLIC, three, moves)
    assert refused.value.code == code


@pytest.fixture
def best_move() -> Problem:
    """A problem of an engine after ７六歩, whose best move is ３四歩, with verdicts on other moves."""
    engine = store.engine_of(store.EngineIdentity("Engine"))
    position = Position.initial()
    position.do_move(from_usi("7g7f"))
    problem = Problem.objects.create(
        key=1,
        kind="only-move",
        sfen=position.sfen(),
        moves="3c3d",
        accepted="8c8d",
        plies=1,
        engine_id=engine,
    )
    ProblemRating.objects.create(problem=problem, **Rating()._asdict())
    good, bad = (key_after(position, name) for name in ("4c4d", "9c9d"))
    before = SHOGI.codec.same_class_keys(position, "exact", SHOGI.name)[0]
    verdicts = {before: -300, good: -290, bad: 900}
    store.write_verdicts(engine, {key: NewVerdict((Line(score),), 9) for key, score in verdicts.items()})
    return problem


def key_after(position: Position, name: str) -> int:

    after = position.copy()
    after.do_move(from_usi(name))
    return SHOGI.codec.same_class_keys(after, "exact", SHOGI.name)[0]


@pytest.mark.parametrize(
    ("move", "result", "reason"),
    [("3c3d", "solved", ""), ("8c8d", "solved", "as-good"), ("4c4d", "solved", "as-good"),
     ("9c9d", "wrong", "loses"), ("5c5d", "wrong", "loses")],
)  # fmt: skip
def test_a_best_move_and_moves_that_are_as_good_are_accepted(
    best_move: Problem, move: str, result: str, reason: str
) -> None:
    judged = judge(PUBLIC, best_move, [move])
    assert (judged.result, judged.reason) == (result, reason)


def test_a_move_that_is_often_played_is_accepted(best_move: Problem) -> None:

    for number in range(5):
        builders.ingest(builders.ready("7g7f 5c5d", black=f"甲{number}"))
    assert judge(PUBLIC, best_move, ["5c5d"]).reason == "played"


def test_glicko_2_gives_the_numbers_of_its_paper() -> None:
    outcomes = [Outcome(Rating(1400, 30), 1), Outcome(Rating(1550, 100), 0), Outcome(Rating(1700, 300), 0)]
    rating, deviation, volatility = rated(Rating(1500, 200, 0.06), outcomes)
    assert (round(rating, 2), round(deviation, 2), round(volatility, 5)) == (1464.05, 151.52, 0.06)
    assert rated(Rating(1500, 50, 0.06), []).deviation > 50


def test_the_first_attempt_of_an_account_rates_both(three: Problem, anna: User) -> None:
    assert attempt(anna, PUBLIC, three, SOLUTION[:1]).after is None
    done = attempt(anna, PUBLIC, three, SOLUTION)
    assert done.before == 1500
    assert done.after and done.after > 1500
    difficulty = ProblemRating.objects.get()
    assert difficulty.rating < 1575
    assert (difficulty.attempts, difficulty.solved) == (1, 1)
    again = attempt(anna, PUBLIC, three, ["4c3c"])
    assert (again.after, ProblemRating.objects.get().attempts) == (None, 1)
    row = ProblemAttempt.objects.get()
    assert (row.first, row.solved, row.attempts) == (True, True, 2)


def test_who_needed_help_has_not_solved_it_and_the_streak_ends(three: Problem, anna: User) -> None:
    other = problem_of("G*5b", TWO_GOLDS.replace("2G", "G"))
    assert attempt(anna, PUBLIC, other, ["G*5b"]).streak == 1
    assert attempt(anna, PUBLIC, three, [], helped=True).judgement.result == "wrong"
    solver = ProblemSolver.objects.get()
    assert (solver.streak, solver.best_streak) == (0, 1)
    attempt(anna, PUBLIC, three, SOLUTION)
    assert [(one.first, one.solved) for one in attempts.attempts_of(anna)] == [(False, True), (True, True)]


def test_nothing_of_a_stranger_is_stored(client: Client, three: Problem) -> None:
    address = f"/api/v1/problems/{three.pk}/attempts"
    answer = client.post(address, {"moves": SOLUTION}, "application/json").json()
    assert (answer["result"], answer["rating"]) == ("solved", None)
    assert not ProblemAttempt.objects.exists()
    assert ProblemRating.objects.get().attempts == 0


def test_progress_is_seen_by_its_account_only(client: Client, three: Problem, anna: User) -> None:
    attempt(anna, PUBLIC, three, SOLUTION)
    assert client.get("/api/v1/account/problems").status_code == 401
    client.force_login(anna)
    answer = client.get("/api/v1/account/problems").json()
    assert [(one["problem_id"], one["first"]) for one in answer["results"]] == [(three.pk, True)]
    assert answer["streak"] == 1
    assert "3手詰" in client.get("/problems/progress/").text
    assert client.get("/problems/?progress=new").text.count('class="task"') == 0
    client.force_login(User.objects.create_user("boris"))
    assert client.get("/api/v1/account/problems").json()["results"] == []
    assert "まだ問題を解いていません" in client.get("/problems/progress/").text
