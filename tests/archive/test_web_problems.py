"""The page of problems: diagrams by length, the next one, one at random, and no solution."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from archive import libraries, store
from archive.models import Game, User
from archive.queries.games.problem_lists import ProblemLengths, lengths, next_problem, nth_problem
from archive.queries.games.problem_lists import problems as found_problems
from archive.queries.scope import PUBLIC
from archive.web.shogi import problems
from tests.archive import builders
from tests.archive.html import tidy
from tests.archive.plans import scans

pytestmark = pytest.mark.django_db

ONE = "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1"
THREE = "8k/9/7SG/9/9/9/9/9/4K4 b 2G 1"
MIDDLE = "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P4P1/PP1PPPP1P/1B5R1/LNSGKGSNL w - 4"


@pytest.fixture
def ids() -> list[int]:
    """Problems of three moves, of one, and a next move; and a game."""
    for moves, start in (("G*1b 1a2a G*2b", THREE), ("G*5b", ONE), ("8c8d", MIDDLE)):
        builders.ingest(builders.ready(moves, kind="problem", start=start))
    builders.ingest(builders.ready("7g7f"))
    return list(Game.objects.filter(record_kind="problem").order_by("pk").values_list("pk", flat=True))


def page(client: Client, query: str = "", language: str = "ja") -> str:
    response = client.get(f"/problems/{query}", headers={"Accept-Language": language})
    assert response.status_code == 200
    return tidy(response.content.decode())


def shown(html: str) -> list[tuple[int, str]]:
    """The problems of a page: their games and what is to be done."""
    matches = re.findall(r'<li><a href="/games/(\d+)/">.*?class="task">([^<]*?) *<', html, re.DOTALL)
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


def test_the_title_of_a_problem_without_a_name_is_its_task(client: Client, ids: list[int]) -> None:
    for language, tasks in (
        ("ja", ["3手詰", "1手詰", "次の一手"]), ("en", ["Mate in 3", "Mate in 1", "The next move"]),
    ):  # fmt: skip
        pages = (client.get(f"/games/{pk}/", headers={"Accept-Language": language}).text for pk in ids)
        assert [re.findall(r"<h1>(.*?)</h1>", tidy(html)) for html in pages] == [[task] for task in tasks]


def test_a_board_is_seen_from_the_side_that_solves(client: Client, ids: list[int]) -> None:
    html = page(client, "?length=1")
    boards = re.findall(r'<svg viewBox="[^"]*" class="board".*?</svg>', html, re.DOTALL)
    sides = [re.search(r'class="label"[^>]*>(\d)<', board) for board in boards]
    assert [result and result[1] for result in sides] == ["9", "1"]


def test_the_hand_of_the_other_side_is_shown_where_it_has_a_part(client: Client, ids: list[int]) -> None:
    cards = page(client, "?length=1").split('<li><a href="/games/')[1:]
    assert [card.count('class="held"') for card in cards] == [1, 2]


def test_problems_are_chosen_by_their_length(
    client: Client, ids: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    three, one, middle = ids
    assert '1手</span> <span class="muted">2<' in page(client)
    assert [pk for pk, _task in shown(page(client, "?length=1"))] == [one, middle]
    assert "この手数の問題はありません" in page(client, "?length=5")
    monkeypatch.setattr(problems, "_LONG", 3)
    html = page(client, "?length=3-")
    assert shown(html) == [(three, "3手詰")]
    assert "3手以上" in html


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
    html = tidy(client.get(f"/games/{middle}/").content.decode())
    assert f'href="/problems/?next={middle}"' in html
    assert 'href="/problems/?length=1&amp;random=1"' in html
    followers = [client.get(f"/problems/?next={pk}").headers["Location"] for pk in (one, middle, three)]
    assert followers == [f"/games/{middle}/", f"/games/{three}/", "/problems/"]
    response = {client.get("/problems/?random=1&length=1").headers["Location"] for _ in range(60)}
    assert response == {f"/games/{one}/", f"/games/{middle}/"}
    answer = client.get("/problems/?random=1&length=9")
    assert (answer.headers["Location"], answer.headers["Cache-Control"]) == ("/problems/", "no-store")


def test_an_archive_without_problems_says_so(client: Client) -> None:
    assert "問題はまだありません" in page(client)
    assert client.get("/problems/?random=1").headers["Location"] == "/problems/"


@pytest.mark.parametrize(
    "query", ["length=x", "length=-", "after=x", "next=", "next=²", "length=" + "9" * 30]
)
def test_what_is_no_number_is_a_bad_request(client: Client, query: str) -> None:
    assert client.get(f"/problems/?{query}").status_code == 400


def test_a_number_of_no_problem_leads_nowhere(client: Client, ids: list[int]) -> None:
    assert shown(page(client, "?after=999999")) == []
    assert client.get(f"/problems/?next={'9' * 18}").headers["Location"] == "/problems/"


def test_problems_of_a_library_are_for_those_who_read_it(client: Client, ids: list[int]) -> None:
    user = User.objects.create_user("kifu")
    space = libraries.own_library(user).pk
    store.move_game(ids[0], space)
    assert len(shown(page(client))) == 2
    client.force_login(user)
    assert ids[0] in [pk for pk, _task in shown(page(client, "?scope=all"))]


def test_problems_are_not_looked_for_among_all_games(ids: list[int]) -> None:
    query = ProblemLengths(1, 3)
    assert scans(lambda: lengths(PUBLIC)) == []
    assert scans(lambda: next_problem(PUBLIC, query, ids[0])) == []
    assert scans(lambda: nth_problem(PUBLIC, query, 1)) == []
    assert scans(lambda: found_problems(PUBLIC, query, ids[0], 24)) == []
