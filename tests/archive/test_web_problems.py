"""The pages of problems: diagrams by length, the next one, one at random, the one of the day, known ones, and
no solution before it is asked for."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

import pytest
from django.test import Client

from archive import libraries, store
from archive.models import Game, Problem, User
from archive.problems import examining, finding
from archive.queries.problems.known import known_problems
from archive.queries.problems.lists import ProblemFilters, after, lengths, problem_of_day
from archive.queries.scope import PUBLIC
from archive.web.shogi import problems
from kifu_core.shogi.position import Position
from tests.archive import builders
from tests.archive.html import tidy
from tests.archive.plans import scans

pytestmark = pytest.mark.django_db

ONE = "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1"
THREE = "7kl/9/5+P3/9/9/9/9/9/9 b GS 1"
MIDDLE = "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P4P1/PP1PPPP1P/1B5R1/LNSGKGSNL w - 4"


@pytest.fixture
def ids() -> list[int]:
    """Problems of three moves, of one, and a next move; and a game."""
    for moves, start in (("S*3b 2a2b G*2c", THREE), ("G*5b", ONE), ("8c8d", MIDDLE)):
        builders.ingest(builders.ready(moves, kind="problem", start=start))
    builders.ingest(builders.ready("7g7f"))
    games = Game.objects.order_by("pk").values_list("pk", flat=True)
    finding.find(games)
    sources = {one.sources.get().game: one.pk for one in Problem.objects.all()}
    return [sources[pk] for pk in games if pk in sources]


def page(client: Client, query: str = "", language: str = "ja") -> str:
    response = client.get(f"/problems/{query}", headers={"Accept-Language": language})
    assert response.status_code == 200
    return tidy(response.content.decode())


def shown(html: str) -> list[tuple[int, str]]:
    """The problems of a page, and what is to be done."""
    matches = re.findall(r'<li><a href="/problems/(\d+)/[^"]*">.*?class="task">([^<]*?) *<', html, re.DOTALL)
    return [(int(pk), task) for pk, task in matches]


def test_problems_are_diagrams_from_the_shortest_on_without_their_solutions(
    client: Client, ids: list[int]
) -> None:
    three, one, middle = ids
    html = page(client)
    assert shown(html) == [(one, "1手詰"), (middle, "次の一手"), (three, "3手詰")]
    assert html.count('class="board"') == 3
    tasks = ["Mate in 1", "The next move", "Mate in 3"]
    assert [task for _pk, task in shown(page(client, language="en"))] == tasks
    for solution in ("５二", "G*5b", "8c8d", "８四"):
        assert solution not in html


def test_a_board_is_seen_from_the_side_that_solves(client: Client, ids: list[int]) -> None:
    html = page(client, "?length=1")
    boards = re.findall(r'<svg viewBox="[^"]*" class="board".*?</svg>', html, re.DOTALL)
    sides = [re.search(r'class="label"[^>]*>(\d)<', board) for board in boards]
    assert [result and result[1] for result in sides] == ["9", "1"]


def test_problems_are_chosen_by_length_kind_theme_level_and_search(client: Client, ids: list[int]) -> None:
    three, one, middle = ids
    assert '1手</span> <span class="muted">2<' in page(client)
    for query, found in (
        ("?length=1", [one, middle]), ("?length=2-", [three]), ("?length=5", []),
        ("?kind=mate", [one, three]), ("?theme=silver", [three]), ("?theme=drop&kind=next-move", []),
        ("?level=medium", [one, middle, three]), ("?level=hard", []),
        ("?games=record_kind%3Dproblem", [one, middle, three]), ("?games=player%3Dx", []),
    ):  # fmt: skip
        assert [pk for pk, _task in shown(page(client, query))] == found, query
    assert "条件に合う問題はありません" in page(client, "?length=5")


@pytest.mark.parametrize(
    "query",
    ["length=x", "length=-", "after=x", "next=", "next=²", "length=" + "9" * 30, "kind=x", "theme=x",
     "level=x", "progress=x", "game=x", "games=from%3Dx"],
)  # fmt: skip
def test_unknown_values_are_a_bad_request(client: Client, query: str) -> None:
    assert client.get(f"/problems/?{query}").status_code == 400


def test_a_page_leads_to_the_rest(client: Client, ids: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(problems, "_MOST_SHOWN", 2)
    three, one, middle = ids
    html = page(client)
    assert [pk for pk, _task in shown(html)] == [one, middle]
    following = re.search(r'rel="next" href="([^"]*)"', html)
    assert following
    rest = page(client, following[1].replace("&amp;", "&"))
    assert [pk for pk, _task in shown(rest)] == [three]
    assert 'rel="next"' not in rest


def test_a_problem_leads_to_the_next_one_and_to_one_at_random(client: Client, ids: list[int]) -> None:
    three, one, middle = ids
    html = tidy(client.get(f"/problems/{middle}/?kind=mate").content.decode())
    assert f'href="/problems/?kind=mate&amp;next={middle}"' in html
    followers = [client.get(f"/problems/?next={pk}").headers["Location"] for pk in (one, middle, three)]
    assert followers == [f"/problems/{middle}/", f"/problems/{three}/", "/problems/"]
    response = {client.get("/problems/?random=1&length=1").headers["Location"] for _ in range(40)}
    assert response == {f"/problems/{one}/?length=1", f"/problems/{middle}/?length=1"}
    answer = client.get("/problems/?random=1&length=9")
    assert (answer.headers["Location"], answer.headers["Cache-Control"]) == ("/problems/", "no-store")
    assert client.get("/problems/?random=1&streak=3&kind=mate").headers["Location"].endswith("&streak=3")


def test_the_record_of_a_problem_leads_to_the_problem(client: Client, ids: list[int]) -> None:
    game = Game.objects.filter(record_kind="problem").earliest("pk").pk
    assert f'href="/problems/?game={game}"' in client.get(f"/games/{game}/").content.decode()
    assert client.get(f"/problems/?game={game}").headers["Location"] == f"/problems/{ids[0]}/"


def test_an_archive_without_problems_says_so(client: Client) -> None:
    assert "問題はまだありません" in page(client)
    assert client.get("/problems/?random=1").headers["Location"] == "/problems/"
    assert client.get("/problems/daily/").headers["Location"] == "/problems/"
    assert client.get("/problems.atom").status_code == 200


def test_the_page_of_a_mate_has_its_solution_and_what_the_mate_search_says(
    client: Client, ids: list[int]
) -> None:
    html = page(client, f"{ids[0]}/")
    assert "３二銀" in html
    assert "まだ検討していません" in html
    assert not examining.examine_waiting(60)
    html = page(client, f"{ids[0]}/", "en")
    assert "sound: the mate search finds no other way" in html
    assert "From the game:" in html


def test_problems_of_a_library_are_for_those_who_read_it(client: Client, ids: list[int]) -> None:
    user = User.objects.create_user("kifu")
    game = Game.objects.filter(record_kind="problem").earliest("pk")
    store.move_game(game.pk, libraries.own_library(user).pk)
    finding.find([game.pk])
    private = Problem.objects.exclude(space=0).get().pk
    assert private not in [pk for pk, _task in shown(page(client))]
    assert client.get(f"/problems/{private}/").status_code == 404
    client.force_login(user)
    assert private in [pk for pk, _task in shown(page(client, "?scope=all"))]


def test_the_problem_of_a_day_stays_when_others_come(client: Client, ids: list[int]) -> None:
    day = date(2030, 1, 2)
    Problem.objects.update(made=datetime(2030, 1, 1, 12, tzinfo=UTC))
    chosen = problem_of_day(PUBLIC, day)
    Problem.objects.exclude(pk=ids[0]).update(made=datetime(2030, 1, 3, tzinfo=UTC))
    Problem.objects.update(made=datetime(2030, 1, 1, tzinfo=UTC))
    assert problem_of_day(PUBLIC, day) == chosen
    drawn = {problem_of_day(PUBLIC, day + timedelta(days=number)) for number in range(20)}
    assert len(drawn) > 1
    assert re.fullmatch(r"/problems/\d+/\?day=1", client.get("/problems/daily/").headers["Location"])
    Problem.objects.update(made=datetime(2020, 1, 1, tzinfo=UTC))
    assert client.get("/problems.atom").text.count("<entry>") == 14


KNOWN = {
    "itself": (THREE, "same"),
    "mirrored": ("lk7/9/3+P5/9/9/9/9/9/9 b GS 1", "same"),
    "with the colours exchanged": ("9/9/9/9/9/9/3+p5/9/LK7 w gs 1", "same"),
    "with a pawn more": ("7kl/9/5+P3/9/9/9/9/9/P8 b GS 1", "fewer"),
    "without the lance": ("7k1/9/5+P3/9/9/9/9/9/9 b GS 1", "more"),
    "without a gold in hand": ("7kl/9/5+P3/9/9/9/9/9/9 b S 1", "more"),
    "with a bishop instead of a gold": ("7kl/9/5+P3/9/9/9/9/9/9 b BS 1", "other"),
}


@pytest.mark.parametrize(("sfen", "likeness"), KNOWN.values(), ids=KNOWN)
def test_a_problem_is_known_also_mirrored_and_with_another_piece(
    client: Client, ids: list[int], sfen: str, likeness: str
) -> None:
    found = known_problems(PUBLIC, Position.from_sfen(sfen))
    assert [(one.problem.pk, one.likeness) for one in found] == [(ids[0], likeness)]
    html = tidy(client.get("/problems/known/", {"position": sfen}).content.decode())
    assert [pk for pk, _task in shown(html)] == [ids[0]]


def test_a_text_without_a_position_is_refused(client: Client) -> None:
    response = client.get("/problems/known/", {"position": "no position"})
    assert response.status_code == 400
    assert 'role="alert"' in response.text
    assert "似た問題はアーカイブにありません" in client.get("/problems/known/", {"position": THREE}).text


def test_problems_are_not_looked_for_among_all_games(ids: list[int]) -> None:
    query = ProblemFilters(least=1, most=3)
    assert scans(lambda: list(after(PUBLIC, query, ids[0])[:24])) == []
    assert scans(lambda: lengths(PUBLIC, query)) == []
    assert scans(lambda: known_problems(PUBLIC, Position.from_sfen(THREE))) == []


def test_a_problem_becomes_a_card_of_the_training(client: Client, ids: list[int]) -> None:
    user = User.objects.create_user("kifu")
    client.force_login(user)
    html = client.get(f"/problems/{ids[0]}/").text
    form = html[html.index('action="/mine/training/cards/new/"') :]
    fields = dict(re.findall(r'name="(kind|game|ply|code|accepted)" value="([^"]*)"', tidy(form)))
    client.post("/mine/training/cards/new/", fields)
    card = user.training_cards.get()
    assert (card.code, card.game) == (fields["code"], int(fields["game"]))
