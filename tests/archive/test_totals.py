"""Lists tell how many there are: exactly, or "at least"."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from archive.queries.games import facets, totals
from archive.queries.games.totals import NAME_COUNT_LIMIT, Total, names_total
from archive.queries.names.people import names
from archive.queries.scope import PUBLIC
from archive.web.pages import views
from tests.archive import builders

pytestmark = pytest.mark.django_db

REPLIES = ("3c3d", "8c8d", "4a3b", "5a4b", "1c1d", "9c9d", "7a6b")


@pytest.fixture(autouse=True)
def archive(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seven games of 甲, two of them against 乙 and one in the 名人戦, and a problem; two fill a page."""
    monkeypatch.setattr(views, "PAGE", 2)
    days = {reply: f"{2010 + n}/01/02" for n, reply in enumerate(REPLIES)}
    builders.ingest(
        *(
            builders.ready(f"7g7f {reply}", black="甲", white="乙" if n < 3 else "丙", day=days[reply])
            for n, reply in enumerate(REPLIES)
        ),
        builders.ready("5g5f", kind="problem"),
    )


def total_text(client: Client, query: str = "") -> str:
    """What the list says about its number of games."""
    html = client.get(f"/games/{query}", headers={"Accept-Language": "ja"}).content.decode()
    result = re.search(r'class="total muted">([^<]*)<', html)
    return result[1].strip(" ·") if result else ""


def test_a_list_tells_its_exact_total(client: Client) -> None:
    assert total_text(client) == "全7件"
    assert total_text(client, "?record_kind=all") == "全8件"
    assert total_text(client, "?white=乙") == "全3件"
    assert total_text(client, "?record_kind=problem") == "全1件"
    assert total_text(client, "?player=戊") == ""


def test_every_page_of_a_list_tells_the_same_total(client: Client) -> None:
    html = client.get("/games/?player=甲").content.decode()
    following = re.search(r'rel="next" href="([^"]*)"', html)
    assert following
    assert total_text(client, following[1].replace("&amp;", "&")) == "全7件"


@pytest.fixture
def few_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facets, "SAMPLE", 5)


@pytest.mark.usefixtures("few_are_looked_at")
def test_a_list_that_is_too_long_to_be_counted_says_at_least(client: Client) -> None:
    assert total_text(client, "?record_kind=game&min_plies=2") == "5件以上"
    assert total_text(client, "?player=甲") == "5件以上"


@pytest.mark.usefixtures("few_are_looked_at")
def test_what_the_first_page_shows_is_never_more_than_the_list_says(client: Client) -> None:
    # All three are older than the games that are looked at.
    assert total_text(client, "?player=乙") == "全3件"
    assert total_text(client, "?min_plies=2&to=2012&result=black") == "全3件"
    assert total_text(client, "?player=甲&white=乙") == "3件以上"


@pytest.mark.usefixtures("few_are_looked_at")
def test_all_records_and_those_of_a_kind_are_counted_as_on_the_home_page(client: Client) -> None:
    assert total_text(client, "?record_kind=all") == "全8件"
    assert total_text(client, "?record_kind=game") == "全7件"


def test_players_and_events_are_counted_too(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    assert names_total(PUBLIC, "player", "") == Total(len(names(PUBLIC, "player")))
    assert names_total(PUBLIC, "player", "乙") == Total(1)
    html = client.get("/players/", headers={"Accept-Language": "en"}).content.decode()
    assert "3 in all" in html
    assert NAME_COUNT_LIMIT >= 1000
    monkeypatch.setattr(totals, "NAME_COUNT_LIMIT", 2)
    assert names_total(PUBLIC, "player", "") == Total(2, exact=False)
    html = client.get("/players/", headers={"Accept-Language": "en"}).content.decode()
    assert "At least 2" in html
