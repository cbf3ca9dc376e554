"""Players and events put in order on their pages: facts, merges, namesakes, history."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from archive.accounts.roles import Role, set_role
from archive.models import Correction, Event, Game, Player, User
from kifu_core.classes import PUBLIC
from tests.archive.games import KIF, stored
from tests.archive.html import tidy
from tests.archive.library_games import signed_in

pytestmark = pytest.mark.django_db

HABU, TYPO = "羽生善治", "羽生善冶"


def account(name: str, role: Role) -> Client:
    user = User.objects.create_user(name)
    set_role(user, role)
    return signed_in(user)


@pytest.fixture(autouse=True)
def _games() -> None:
    for day, name in enumerate((HABU, HABU, TYPO), 1):
        stored(KIF.replace("先手の人", name).replace("2024/05/01", f"2024/05/0{day}"), f"{day}.kif")


@pytest.fixture
def curator() -> Client:
    return account("clara", Role.CURATOR)


@pytest.fixture
def anna() -> Client:
    return account("anna", Role.CONTRIBUTOR)


def player(name: str = HABU) -> Player:
    return Player.objects.get(name=name)


def html(client: Client, address: str, status: int = 200) -> str:
    answer = client.get(address, HTTP_ACCEPT_LANGUAGE="en")
    assert answer.status_code == status
    return tidy(answer.content.decode())


def address(page: str = "correct", row: Player | Event | None = None) -> str:
    row = row or player()
    return f"/{type(row).__name__.lower()}s/{row.pk}/{page}/"


def sent(client: Client, row: Player | Event, **fields: Any) -> Any:
    """Send the form with what it shows and the given fields."""
    facts = {name: getattr(row, name) for name in row.FACTS if name not in ("titles", "parent")}
    before = {name: [value, row.set_by.get(name)] for name, value in facts.items()}
    data: dict[str, Any] = {
        **facts,
        "before": json.dumps(before),
        "reason": "将棋年鑑",
        "do": "send",
        **fields,
    }
    return client.post(address(row=row), data, HTTP_ACCEPT_LANGUAGE="en")


def test_only_those_who_may_propose_see_the_form(anna):
    assert Client().get(address()).status_code == 302
    assert account("rita", Role.READER).get(address()).status_code == 403
    assert ">Correct</a>" not in html(Client(), f"/players/{player().pk}/")
    assert ">Correct</a>" in html(anna, f"/players/{player().pk}/")
    assert 'name="kana"' in html(anna, address())


def test_facts_are_corrected_in_one_form_and_each_with_its_old_value(curator):
    assert (
        sent(curator, player(), name="羽生 善治", kana="はぶ よしはる", born="1970-09-27").status_code == 302
    )
    row = Player.objects.get(kana="はぶ よしはる")
    assert (row.name, row.born) == ("羽生 善治", "1970-09-27")
    assert sent(curator, row, kana="habu").status_code == 400
    assert sent(curator, row).status_code == 400, "nothing was changed"
    assert sent(curator, row, kana="はぶ", reason="").status_code == 400
    made = Correction.objects.get()
    assert [(one["name"], one["old"]) for one in made.operations] == [
        ("name", HABU),
        ("kana", ""),
        ("born", ""),
    ]


def test_titles_have_rows_with_days(curator):
    rows = {
        "title-kind": ["title", "grade", "title"],
        "title-name": ["名人", "九段", ""],
        "title-from": ["1994", "1994-04-01", ""],
        "title-to": ["1997", "", ""],
    }
    assert sent(curator, player(), **rows).status_code == 302
    titles = player().titles
    assert titles == [
        {"title": "名人", "from": "1994", "to": "1997"},
        {"grade": "九段", "from": "1994-04-01"},
    ]
    page = html(curator, address())
    assert 'value="1994-04-01"' in page and page.count('name="title-name"') == 5
    assert "名人 (1994–1997) / 九段 (1994-04-01–)" in html(curator, address("history"))


def test_another_spelling_finds_the_player(curator):
    assert sent(curator, player(), spelling="Habu").status_code == 302
    assert html(curator, "/players/?name=Habu").count("羽生善治") == 1


def test_what_has_changed_since_the_form_was_opened_is_not_overwritten(curator):
    former = player()
    assert sent(curator, former, kana="はぶ").status_code == 302
    answer = sent(curator, former, kana="うぶ")
    assert answer.status_code == 400 and 'value="うぶ"' in answer.content.decode()
    assert player().kana == "はぶ"


def test_an_event_has_a_place_and_a_series(curator):
    stored(KIF.replace("試しの棋戦", "順位戦"))
    row, series = Event.objects.get(name="試しの棋戦"), Event.objects.get(name="順位戦")
    assert sent(curator, row, place="東京", parent="順位戦").status_code == 302
    row.refresh_from_db()
    assert (row.place, row.parent) == ("東京", series)
    assert f'value="順位戦 #{series.pk}"' in html(curator, address(row=row))
    assert f"順位戦 #{series.pk}" in html(curator, address("history", row))
    before = json.dumps({"parent": [series.pk, "curator"]})
    assert sent(curator, row, place="東京", parent="", before=before).status_code == 302
    row.refresh_from_db()
    assert row.parent is None


def merge(client: Client, row: Player, into: str) -> Any:
    data = {"do": "merge", "into": into, "reason": "誤植"}
    return client.post(address(row=row), data, HTTP_ACCEPT_LANGUAGE="en")


def test_two_names_are_united_and_separated_again(curator):
    typo = player(TYPO)
    assert merge(curator, typo, HABU).headers["Location"] == f"/players/{player().pk}/"
    assert Game.objects.filter(player0=player()).count() == 3
    page = html(curator, address("history"))
    assert (
        f"Same person as:</span> <ins>羽生善治 #{player().pk}</ins>" in page
        and f"羽生善冶 #{typo.pk}" in page
    )
    assert curator.get(address("history", typo)).status_code == 200, "also at the address of the merged name"
    made = Correction.objects.get()
    assert curator.post(address("history"), {"action": "undo", "correction": made.pk}).status_code == 302
    assert Game.objects.filter(player0=player()).count() == 2


def test_a_name_of_several_needs_its_number(curator):
    split(curator, [Game.objects.earliest("pk")])
    answer = merge(curator, player(TYPO), HABU)
    namesake = Player.objects.exclude(namesake=None).get()
    assert answer.status_code == 400 and f"#{namesake.pk}" in answer.content.decode()
    assert merge(curator, player(TYPO), "nobody").status_code == 400
    assert merge(curator, player(TYPO), f"{HABU} #{namesake.pk}").status_code == 302


def split(client: Client, games: list[Game], **fields: Any) -> Any:
    row = Player.objects.get(name=HABU, namesake=None)
    seats = [f"{game.pk}-0" for game in games]
    return client.post(address("split", row), {"seat": seats, "reason": "別人", **fields})


def test_games_are_given_to_a_namesake(curator, anna):
    game, other = Game.objects.order_by("pk")[:2]
    page = html(curator, address("split"))
    assert f'value="{game.pk}-0"' in page and "2024-05-01" in page
    assert split(curator, []).status_code == 400
    assert split(curator, [game]).status_code == 302
    namesake = Player.objects.exclude(namesake=None).get()
    assert Game.objects.get(pk=game.pk).player0 == namesake
    row = Player.objects.get(name=HABU, namesake=None)
    assert f'value="{namesake.pk}"' in html(curator, address("split", row))
    assert split(anna, [other], namesake=namesake.pk).status_code == 302
    assert Game.objects.get(pk=other.pk).player0 == row, "curators decide"
    waits = Correction.objects.get(state="proposed")
    assert f"☗{other.pk} → 羽生善治 #{namesake.pk}" in html(curator, address("history", row))
    curator.post(address("history", row), {"action": "accept", "correction": waits.pk})
    assert Game.objects.get(pk=other.pk).player0 == namesake


def test_contributors_propose_and_curators_decide_on_the_page_of_the_history(anna, curator):
    assert sent(anna, player(), name="羽生").status_code == 302
    row = Correction.objects.get()
    page = html(Client(), address("history"))
    assert "<ins>羽生</ins>" in page and "anna" not in page and 'name="action"' not in page
    assert 'value="withdraw"' in html(anna, address("history"))
    act = {"action": "object", "correction": row.pk, "reason": "典拠がない"}
    assert anna.post(address("history"), act).status_code == 302
    row.refresh_from_db()
    assert row.due is None
    assert curator.post(address("history"), {"action": "accept", "correction": row.pk}).status_code == 302
    assert player("羽生").set_by == {"name": "curator"}
    assert (
        anna.post(address("history", player("羽生")), {"action": "undo", "correction": 0}).status_code == 404
    )
    assert Client().post(address("history", player("羽生")), {"action": "undo"}).status_code == 404


def test_hostile_values_of_a_proposal_of_an_earlier_version_are_shown_as_text(anna):
    operations = [
        {"op": "field", "name": "<b>", "old": {"a": [1]}, "new": ["x", {"title": 7, "from": []}]},
        {"op": "field", "name": "parent", "old": "x", "new": True},
        {"op": "merge", "into": 10**17},
        {"op": "split", "games": [{"game": 1, "colour": 1}]},
    ]
    Correction.objects.create(
        subject="player", subject_id=player().pk, space=PUBLIC, operations=operations, reason="?"
    )
    page = html(anna, address("history"))
    assert "&lt;b&gt;" in page and "<b>" not in page


def test_a_field_for_a_name_lists_names_with_numbers_and_the_most_frequent_first(anna):
    rows = html(anna, "/complete/?choose=player&q=羽生")
    assert rows.index(f'data-value="羽生善治 #{player().pk}"') < rows.index(f"羽生善冶 #{player(TYPO).pk}")
    assert "試しの棋戦" in html(anna, "/complete/?choose=event&q=試し")
    assert "data-value" not in html(anna, "/complete/?choose=nothing&q=羽生")


def test_a_persons_name_is_taken_down_and_restored_on_pages(curator, anna):
    row = player()
    address = f"/players/{row.pk}/take-down/"
    assert address in html(curator, f"/players/{row.pk}/") and address not in html(
        anna, f"/players/{row.pk}/"
    )
    assert anna.post(address, {"reason": "x"}).status_code == 403
    assert curator.post(address, {"reason": ""}).status_code == 400
    assert curator.post(address, {"reason": "本人の希望", "initials": "Y. H."}).status_code == 302
    page = html(Client(), f"/players/{row.pk}/")
    assert "Y. H." in page and HABU not in page
    assert HABU not in html(Client(), address_of_history(row))
    assert "Restore the name" in html(curator, f"/players/{row.pk}/")
    assert curator.post(address).status_code == 302
    assert HABU in html(Client(), f"/players/{row.pk}/")


def test_the_bench_undoes_the_taking_down_of_a_name(curator):
    row = player()
    curator.post(f"/players/{row.pk}/take-down/", {"reason": "本人の希望"})
    assert not Player.objects.filter(name=HABU).exists()
    curator.post("/curation/", {"answer": "undo"})
    assert player() == row


def address_of_history(row: Player) -> str:
    return f"/players/{row.pk}/history/"
