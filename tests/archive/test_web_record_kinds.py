"""Lists are of games, unless an address says otherwise; problems and opening trees are a click away."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.test import Client

from archive.models import Player, Upload
from tests.archive.builders import ingest, ready
from tests.archive.games import KIF, stored

pytestmark = pytest.mark.django_db

MATE = "4k4/9/4P4/9/9/9/9/9/9 b G 1"
WIDER = "With problems and opening books"


@pytest.fixture
def archive() -> None:
    ingest(
        ready("7g7f", black="甲", white="乙", event="名人戦"),
        ready("2g2f 3c3d", kind="tree", black="甲"),
        ready("G*5b", kind="problem", start=MATE, black="作者"),
    )


def read(client: Client, address: str) -> str:
    return client.get(address, headers={"Accept-Language": "en"}).content.decode()


def listed(client: Client, query: str = "") -> int:
    return read(client, f"/games/{query}").count('class="game-row"')


@pytest.mark.usefixtures("archive")
@pytest.mark.parametrize(
    ("query", "games"),
    [
        ("", 1), ("?record_kind=", 1), ("?record_kind=game", 1), ("?record_kind=all", 3),
        ("?record_kind=problem", 1), ("?player=甲", 1), ("?player=甲&record_kind=all", 2),
        ("?order=longest", 1),
        ("?q=kind:problem OR kind:tree", 2), ("?q=NOT kind:game", 2), ("?q=player:甲 OR player:作者", 1),
    ],
)  # fmt: skip
def test_a_list_has_games_unless_it_is_asked_for_other_kinds(client: Client, query: str, games: int) -> None:
    assert listed(client, query) == games


def test_the_list_of_an_upload_has_all_that_came(client: Client) -> None:
    stored(KIF)
    ingest(ready("G*5b", kind="problem", start=MATE))
    for upload in Upload.objects.values_list("pk", flat=True):
        assert listed(client, f"?upload={upload}") == 1


@pytest.mark.usefixtures("archive")
def test_numbers_facets_downloads_and_feed_are_of_the_games_that_are_listed(client: Client) -> None:
    page = read(client, "/games/")
    assert "1 in all" in page and "記録" not in page
    assert "record_kind=game" in "".join(re.findall(r'href="(/api/v1/games/export[^"]*)"', page))
    assert read(client, "/games.atom").count("<entry>") == 1
    assert read(client, "/games.atom?record_kind=all").count("<entry>") == 3


@pytest.mark.usefixtures("archive")
def test_the_kind_is_no_filter_in_use_until_somebody_chooses_one(client: Client) -> None:
    assert "Without Kind" not in read(client, "/games/")
    assert re.search(r'<details class="folded">', read(client, "/games/"))
    chosen = read(client, "/games/?record_kind=all&event=名人戦")
    assert "Kind: all records" in chosen and re.search(r'<details class="folded" open>', chosen)
    for kind, n in (("game", 1), ("problem", 1), ("tree", 1)):
        assert re.search(
            rf'record_kind={kind}".*?number">{n}<', read(client, "/games/?record_kind=all"), re.S
        )


@pytest.mark.usefixtures("archive")
@pytest.mark.parametrize(("query", "games"), [("", 3), ("?player=甲", 2), ("?player=作者", 1)])
def test_a_link_leads_to_records_of_every_kind(client: Client, query: str, games: int) -> None:
    (link,) = re.findall(rf'href="([^"]*)">{WIDER}', read(client, f"/games/{query}"))
    assert listed(client, unescape(link)) == games
    assert WIDER not in read(client, f"/games/{unescape(link)}")


def test_no_link_leads_to_kinds_of_which_there_are_none(client: Client) -> None:
    ingest(ready("7g7f", black="甲"))
    assert WIDER not in read(client, "/games/") and WIDER not in read(client, "/games/?player=誰か")


def test_an_archive_of_problems_is_not_empty(client: Client) -> None:
    ingest(ready("G*5b", kind="problem", start=MATE, black="作者"))
    assert "The archive is empty" not in read(client, "/games/") and WIDER in read(client, "/games/")
    assert 'class="game-row"' in read(client, "/")
    assert 'class="game-row"' in read(client, f"/players/{Player.objects.get().pk}/")


@pytest.mark.usefixtures("archive")
def test_the_newest_on_the_home_page_are_games(client: Client) -> None:
    assert read(client, "/").count('class="game-row"') == 1
