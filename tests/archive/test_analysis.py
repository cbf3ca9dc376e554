"""Requests for analyses: what is done first, by whom, how often, and who may have what."""

from __future__ import annotations

from datetime import timedelta
from itertools import chain, repeat
from types import SimpleNamespace

import pytest
from django.utils import timezone

from archive import libraries, store
from archive.accounts.roles import set_role
from archive.analysis import queue, requests, volunteers, working
from archive.analysis.errors import AnalysisError
from archive.analysis.lines import line_of_game
from archive.derive.verdicts import Line, NewVerdict
from archive.intake import worker
from archive.models import (
    AnalysisCheck,
    AnalysisClaim,
    AnalysisGame,
    AnalysisRequest,
    AnalysisVolunteer,
    AuditLine,
    Entry,
    Game,
    User,
    Verdict,
)
from archive.project.engine_file import EngineFile
from archive.queries.games.analyses import analyses_of_game
from archive.queries.positions.verdicts import verdicts_of_game
from archive.queries.scope import PUBLIC
from tests.archive.games import KIF, stored
from tests.archive.test_usi import peer
from tests.archive.usi_peer import score

pytestmark = pytest.mark.django_db

NODES = 400
DEFAULTS = requests.SearchOptions()


@pytest.fixture(autouse=True)
def engines(settings):
    """Our small engine; its process has ended afterwards."""
    settings.ENGINES = EngineFile(engine=(peer(nodes=NODES, lines=3),), checked_share=0.0, games_a_day=3)
    yield
    working.close_engines()


@pytest.fixture
def anna() -> User:
    return User.objects.create_user("anna", role=User.Role.CONTRIBUTOR)


@pytest.fixture
def carl() -> User:
    """A curator."""
    made = User.objects.create_user("carl")
    set_role(made, User.Role.CURATOR)
    return made


def game(name: str = "先手の人", user: User | None = None) -> Game:
    """A game of seven moves, public or in a user's library."""
    text = KIF.replace("先手の人", name)
    if user is None:
        return Entry.objects.get(upload=stored(text)).game
    upload, _new = store.create_upload(
        "a.kif", [text.encode()], user, "web", space=libraries.own_library(user).pk
    )
    worker.work_off(upload.pk)
    return Entry.objects.get(upload=upload).game


def state(request: AnalysisRequest) -> str:
    request.refresh_from_db()
    return request.state


def verdict(cp: int = 0) -> NewVerdict:
    return NewVerdict((Line(cp, moves=("7g7f",)),), NODES)


def test_a_turn_analyses_all_positions_of_a_game(anna):
    request = requests.request_game(anna, game(), DEFAULTS)
    assert working.turn(60) is False
    assert state(request) == "done"
    found = verdicts_of_game(PUBLIC, Game.objects.get(), Game.objects.get().jkf)
    line = line_of_game(Game.objects.get().pk, 0)
    positions = [line.at(ply).position() for ply in range(8)]
    expected = [(-1 if one.turn else 1) * score(one, NODES, 0) for one in positions]
    assert [[one.lines[0].score for one in at] for at in found] == [[cp] for cp in expected]
    assert [at[0].engine.title for at in found] == ["Peer 1.0"] * 8
    (report,) = analyses_of_game(Game.objects.get().pk)
    assert len(report.evaluations) == 8


def test_what_another_game_has_is_not_done_again(anna, tmp_path, settings):
    count = tmp_path / "searches"
    settings.ENGINES = EngineFile(engine=(peer(str(count), nodes=NODES),))
    requests.request_game(anna, game(), DEFAULTS)
    working.turn(60)
    requests.request_game(anna, game("別の人"), DEFAULTS)
    assert working.turn(60) is False
    assert count.stat().st_size == 8
    assert {*AnalysisRequest.objects.values_list("state", flat=True)} == {"done"}


def test_more_nodes_or_lines_are_searched_and_fewer_are_not(carl):
    requests.request_game(carl, game(), requests.SearchOptions(lines=2))
    working.turn(60)
    for wanted, done in [
        (DEFAULTS, False),
        (requests.SearchOptions(lines=3), True),
        (requests.SearchOptions(nodes=500), True),
    ]:
        before = Verdict.objects.latest("made").made
        requests.request_game(carl, Game.objects.get(), wanted)
        working.turn(60)
        assert (Verdict.objects.latest("made").made > before) is done


def test_a_turn_gives_back_what_it_has_not_begun(anna, monkeypatch):
    requests.request_game(anna, game(), DEFAULTS)
    # The turn begins, takes work and begins a search; after it the time is over.
    clock = chain([0, 0, 0], repeat(9))
    monkeypatch.setattr(working, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    assert working.turn(5) is True
    assert AnalysisClaim.objects.count() == 0
    assert 0 < Verdict.objects.count() < 8


def test_two_workers_never_have_the_same_position(anna):
    requests.request_game(anna, game(), DEFAULTS)
    first, second = queue.acquire(), queue.acquire()
    assert (first.plies, second.plies) == ((0, 1, 2, 3, 4, 5), (6, 7))
    assert queue.acquire() is None


def test_positions_are_not_claimed_again_that_another_worker_completes_meanwhile(anna, monkeypatch):
    requests.request_game(anna, game(), DEFAULTS)
    first, update = queue.acquire(), queue._update_progress

    def complete_and_update(*arguments):
        queue.complete(first, dict.fromkeys(first.plies, verdict()))
        update(*arguments)

    monkeypatch.setattr(queue, "_update_progress", complete_and_update)
    assert queue.acquire() is None
    monkeypatch.undo()
    assert AnalysisClaim.objects.count() == 0
    assert queue.acquire().plies == (6, 7)
    assert AnalysisGame.objects.get().remaining == 2


def test_who_has_lost_a_claim_stores_nothing_and_the_next_one_has_its_positions(anna):
    requests.request_game(anna, game(), DEFAULTS)
    lost = queue.acquire()
    AnalysisClaim.objects.update(until=timezone.now() - timedelta(seconds=1))
    again = queue.acquire()
    assert again.plies == lost.plies
    assert queue.complete(lost, {0: verdict()}) == ()
    assert Verdict.objects.count() == 0
    assert queue.complete(again, {0: verdict(), 1: verdict()}) == (0, 1)
    assert sorted(AnalysisClaim.objects.values_list("ply", flat=True)) == [2, 3, 4, 5]


def test_an_analysed_position_renews_the_claim_of_the_others(anna):
    requests.request_game(anna, game(), DEFAULTS)
    work = queue.acquire()
    AnalysisClaim.objects.update(until=timezone.now() + timedelta(seconds=1))
    queue.complete(work, {0: verdict()})
    assert AnalysisClaim.objects.filter(until__gt=timezone.now() + timedelta(seconds=60)).count() == 5


def test_a_position_at_which_the_engine_always_fails_is_left_out(anna, settings):
    settings.ENGINES = EngineFile(engine=(peer("die-at", "1", nodes=NODES),))
    request = requests.request_game(anna, game(), DEFAULTS)
    assert working.turn(60) is False
    assert state(request) == "done"
    row = AnalysisGame.objects.get()
    assert row.failures == {str(ply): 3 for ply in range(8)}
    assert Verdict.objects.count() == 0


def test_somebody_who_waits_comes_before_lists_and_lists_before_new_games(anna, carl, settings):
    settings.ENGINES = EngineFile(engine=settings.ENGINES.engine, new_public_games=True)
    one, other, third = game("甲"), game("乙"), game("丙")
    requests.maintain()
    rule = AnalysisRequest.objects.get()
    AnalysisGame.objects.create(request=rule, game=one.pk)
    requests.request_search(carl, 0, {"player": "乙"}, "乙", DEFAULTS)
    requests.maintain()
    requests.request_game(anna, third, DEFAULTS)
    order = []
    for _turn in range(4):
        queue.acquire()
        order += (
            AnalysisClaim.objects.exclude(game__game__in=order)
            .values_list("game__game", flat=True)
            .distinct()
        )
    # The games share positions, which are claimed once.
    assert order[0] == third.pk
    assert {other.pk} >= {*order[1:]}


def test_a_search_is_listed_in_parts_and_done_when_all_are(carl, monkeypatch):
    monkeypatch.setattr(requests, "LISTED", 2)
    monkeypatch.setattr(requests, "REFILL_BELOW", 2)
    for name in "甲乙丙":
        game(name)
    request = requests.request_search(carl, 0, {}, "all", DEFAULTS)
    requests.maintain()
    assert request.games.count() == 2
    for _turn in range(3):
        working.turn(60)
        requests.maintain()
    assert request.games.count() == 3
    assert state(request) == "done"


def test_the_rule_has_new_public_games_analysed_and_private_ones_not(anna, settings):
    settings.ENGINES = EngineFile(engine=settings.ENGINES.engine, new_public_games=True)
    game("昔の人")
    store.number_changes()
    requests.maintain()
    new, _private = game("今の人"), game("家の人", anna)
    store.number_changes()
    requests.maintain()
    assert list(AnalysisGame.objects.values_list("game", flat=True)) == [new.pk]
    settings.ENGINES = EngineFile(engine=settings.ENGINES.engine)
    requests.maintain()
    assert AnalysisRequest.objects.get().state == "cancelled"


def test_a_cancelled_request_is_not_worked_on(anna, carl):
    request = requests.request_game(anna, game(), DEFAULTS)
    bert = User.objects.create_user("bert", role=User.Role.CONTRIBUTOR)
    with pytest.raises(AnalysisError, match="no-analysis-right"):
        requests.cancel(bert, request)
    requests.cancel(carl, request)
    assert queue.acquire() is None
    with pytest.raises(AnalysisError, match="no-analysis"):
        requests.cancel(anna, request)
    assert [line.what for line in AuditLine.objects.filter(event="analyse")] == [
        f"request {request.pk}: game {Game.objects.get().pk}",
        f"request {request.pk}: cancelled",
    ]


def test_a_private_game_is_analysed_for_its_library_alone(anna):
    mine = game(user=anna)
    requests.request_game(anna, mine, DEFAULTS)
    assert queue.acquire(volunteer=anna) is None
    working.turn(60)
    assert verdicts_of_game(PUBLIC, mine, mine.jkf) == [[]] * 8
    assert {*Verdict.objects.values_list("space", flat=True)} == {mine.space}


def test_a_deleted_game_is_no_work(anna):
    request = requests.request_game(anna, game(), DEFAULTS)
    store.delete_games([Game.objects.get().pk])
    assert queue.acquire() is None
    assert state(request) == "done"


@pytest.mark.parametrize(
    ("wanted", "code"),
    [
        (requests.SearchOptions("other"), "no-engine"),
        (requests.SearchOptions(nodes=10**9), "too-many-nodes"),
        (requests.SearchOptions(lines=4), "too-many-lines"),
    ],
)
def test_what_no_engine_does_is_refused(anna, wanted, code):
    with pytest.raises(AnalysisError, match=code):
        requests.request_game(anna, game(), wanted)


def test_an_account_has_so_many_games_a_day(anna):
    for name in "甲乙丙":
        requests.request_game(anna, game(name), DEFAULTS)
    assert requests.request_game(anna, Game.objects.latest("pk"), DEFAULTS).pk
    with pytest.raises(AnalysisError, match="analysis-quota"):
        requests.request_game(anna, game("丁"), DEFAULTS)
    AnalysisGame.objects.update(made=timezone.now() - timedelta(days=2))
    assert requests.request_game(anna, Game.objects.latest("pk"), DEFAULTS).pk


def test_who_may_have_what_analysed(anna, carl):
    reader = User.objects.create_user("rita", role=User.Role.READER)
    with pytest.raises(AnalysisError, match="no-analysis-right"):
        requests.request_game(reader, game(), DEFAULTS)
    with pytest.raises(AnalysisError, match="no-analysis-right"):
        requests.request_search(anna, 0, {}, "all", DEFAULTS)
    assert requests.request_search(anna, libraries.own_library(anna).pk, {}, "mine", DEFAULTS).pk
    with pytest.raises(AnalysisError, match="no-analysis-right"):
        requests.request_game(carl, game("家の人", anna), DEFAULTS)


# --- volunteers ------------------------------------------------------------------------------------------


def answers(work: queue.Work, more: int = 0, **changed: object) -> list[dict[str, object]]:
    """The verdicts of our small engine on a claim, with scores that are `more`, from the side to move."""
    made = []
    for ply in work.plies:
        position = work.line.at(ply).position()
        played = work.line.moves[ply : ply + 1] or ("8h3c+",)
        cp = score(position, work.nodes, 0) + more
        lines = [{"cp": cp, "moves": played[0]}]
        made.append({"ply": ply, "nodes": work.nodes, "depth": 8, "lines": lines} | changed)
    return made


def volunteered(user: User, more: int = 0) -> int:
    """Have a volunteer analyse everything; the number of positions."""
    total = 0
    while (work := volunteers.acquire(user)) is not None:
        total += volunteers.submit(user, work.token, answers(work, more))
    return total


def test_a_volunteer_analyses_in_parts(anna, carl):
    requests.request_game(anna, game(), DEFAULTS)
    work = volunteers.acquire(carl)
    first, *others = answers(work)
    assert volunteers.submit(carl, work.token, [first]) == 1
    assert volunteers.submit(carl, work.token, [first]) == 0
    assert volunteers.submit(carl, work.token, others) == 5
    with pytest.raises(AnalysisError, match="claim-lost"):
        volunteers.submit(carl, work.token, others)
    assert {*Verdict.objects.values_list("by", flat=True)} == {carl.pk}
    assert AnalysisVolunteer.objects.get(user=carl).positions == 6


def test_a_volunteer_gives_work_back(anna, carl):
    requests.request_game(anna, game(), DEFAULTS)
    work = volunteers.acquire(carl)
    with pytest.raises(AnalysisError, match="claim-lost"):
        volunteers.abort(anna, work.token)
    volunteers.abort(carl, work.token)
    assert volunteers.acquire(carl).plies == work.plies


@pytest.mark.parametrize(
    "changed",
    [
        {"nodes": NODES - 1},
        {"lines": []},
        {"lines": [{"cp": 5, "moves": "1a1b"}]},
        {"lines": [{"cp": 5, "moves": ""}]},
        {"lines": [{"cp": 5, "moves": "7g7f 7g7f"}]},
        {"lines": [{"moves": "7g7f"}]},
        {"lines": [{"cp": 5, "moves": "7g7f"}, {"cp": 5, "moves": "2g2f"}]},
    ],
)
def test_wrong_verdicts_are_refused_and_nothing_is_stored(anna, carl, changed):
    requests.request_game(anna, game(), DEFAULTS)
    work = volunteers.acquire(carl)
    with pytest.raises(AnalysisError, match="bad-analysis"):
        volunteers.submit(carl, work.token, [*answers(work)[1:], answers(work, **changed)[0]])
    assert Verdict.objects.count() == 0


def test_an_honest_volunteer_passes_the_checks(anna, carl, settings):
    settings.ENGINES = EngineFile(engine=settings.ENGINES.engine, checked_share=1.0)
    requests.request_game(anna, game(), DEFAULTS)
    work = volunteers.acquire(carl)
    volunteers.submit(carl, work.token, answers(work))
    working.turn(60)
    carl.volunteer.refresh_from_db()
    assert (carl.volunteer.checked, carl.volunteer.failed, carl.volunteer.disabled) == (6, 0, None)
    assert AnalysisCheck.objects.count() == 0


def test_a_lying_volunteer_is_found_and_its_verdicts_are_made_anew(anna, carl, settings):
    settings.ENGINES = EngineFile(engine=settings.ENGINES.engine, checked_share=1.0)
    request = requests.request_game(anna, game(), DEFAULTS)
    work = volunteers.acquire(carl)
    volunteers.submit(carl, work.token, answers(work, more=2000))
    assert working.turn(60) is False
    carl.volunteer.refresh_from_db()
    assert carl.volunteer.disabled
    assert state(request) == "done"
    assert [*Verdict.objects.values_list("by", flat=True)] == [None] * 8
    assert all(abs(moves[0][0]) <= 300 for (moves,) in Verdict.objects.values_list("moves"))
    assert f"volunteer {carl.pk}: disabled, 6 verdicts removed" in AuditLine.objects.values_list(
        "what", flat=True
    )
    with pytest.raises(AnalysisError, match="volunteer-disabled"):
        volunteers.acquire(carl)


def test_games_that_a_lying_volunteer_finished_are_opened_again(anna, carl, settings):
    settings.ENGINES = EngineFile(engine=settings.ENGINES.engine, checked_share=1.0)
    request = requests.request_game(anna, game(), DEFAULTS)
    last = line_of_game(Game.objects.get().pk, 0).keys[-1]
    store.write_verdicts(queue.engine_id(settings.ENGINES.default), {last: verdict()})
    assert volunteered(carl, more=2000) == 7
    assert state(request) == "done"
    working.turn(60)
    assert (state(request), Verdict.objects.count()) == ("done", 8)
    assert not Verdict.objects.filter(by=carl).exists()


def test_the_right_is_part_of_a_scope_of_tokens(anna):
    anna.limited_to = frozenset({"archive.upload_records"})
    with pytest.raises(AnalysisError, match="no-analysis-right"):
        volunteers.acquire(anna)
