"""What pages and the API say of players and events as curators describe them."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from archive.models import Event, Game, Player
from archive.store.people import correct_name
from tests.archive.builders import ingest, ready
from tests.archive.pages import get_json

pytestmark = pytest.mark.django_db

FACTS: dict[str, Any] = {
    "kana": "とうかいりん たろう", "latin": "Tokairin Taro", "born": "1970-09-27", "died": "2020",
    "titles": [{"title": "名人", "from": "1996", "to": "1997-05"}, {"grade": "九段", "from": "1994"}],
    "note": "第一線を退いた。", "source": "https://authority.example/42",
}  # fmt: skip


@pytest.fixture
def described() -> tuple[Player, Event]:
    ingest(ready("7g7f", black="東海林太郎", white="乙", event="王位戦"), ready("2g2f", black="乙"))
    player, event = Player.objects.get(name="東海林太郎"), Event.objects.get()
    set_facts(player, FACTS)
    set_facts(event, {"latin": "Oi", "place": "東京"})
    return player, event


def set_facts(row: Player | Event, facts: dict[str, Any]) -> None:
    kind = "player" if isinstance(row, Player) else "event"
    operations = [
        {"op": "field", "name": name, "old": getattr(row, name), "new": new} for name, new in facts.items()
    ]
    correct_name(kind, row.pk, operations, None, apply=True)


def test_pages_in_english_show_names_in_latin_letters_where_there_are_any(client, described):
    player, event = described
    game = Game.objects.exclude(event=None).get().pk
    addresses = ["/games/", f"/games/{game}/", "/players/", f"/players/{player.pk}/", f"/events/{event.pk}/",
                 "/complete/?q=taro tokairin"]  # fmt: skip
    for address in addresses:
        for language, shown in (("en", True), ("ja", False)):
            text = client.get(address, headers={"Accept-Language": language}).content.decode()
            assert ("Tokairin Taro" in text) is shown, (address, language)
            assert ("東海林太郎" in text) or shown, (address, language)


@pytest.mark.parametrize("typed", ["tokairin", "Taro Tokairin", "とうかいりん", "トウカイリンタ", "東海林"])
def test_the_search_box_completes_any_spelling(client: Client, described: object, typed: str) -> None:
    assert "東海林太郎" in client.get("/complete/", {"q": typed}).content.decode()


def test_a_page_tells_the_life_of_a_player(client, described):
    text = client.get(f"/players/{described[0].pk}/", headers={"Accept-Language": "ja"}).content.decode()
    for shown in (
        "とうかいりん たろう",
        "1970-09-27–2020",
        "名人",
        "九段",
        "第一線を退いた。",
        FACTS["source"],
    ):
        assert shown in text, shown


def test_the_api_tells_what_curators_entered(client, described):
    player, event = described
    answer = get_json(client, f"players/{player.pk}")
    assert all(answer[name] == value for name, value in FACTS.items() if name != "titles")
    assert answer["titles"][0] == {"title": "名人", "grade": None, "since": "1996", "until": "1997-05"}
    assert answer["set_by"] == dict.fromkeys(FACTS, "curator") and answer["namesakes"] == []
    series = get_json(client, f"events/{event.pk}")
    assert (series["latin"], series["place"], series["parent"]) == ("Oi", "東京", None)
    listed = get_json(client, "players?name=taro")["results"]
    assert [(one["name"], one["latin"]) for one in listed] == [("東海林太郎", "Tokairin Taro")]
