"""Players whose names are written with other forms of the same characters are one, and so are their games."""

from __future__ import annotations

import pytest
from django.test import Client

from archive import store
from archive.derive import headers
from archive.derive.game import DerivedEntry, DerivedGame
from archive.models import Entry, Game, GamePlayer, Player
from archive.names import character_forms
from archive.queries.games.filters import GameFilters
from archive.queries.games.listing import find_games
from archive.queries.names import people
from archive.queries.scope import PUBLIC
from archive.store import verify
from tests.archive.builders import ingest, ready, store_entries, upload

pytestmark = pytest.mark.django_db

OPENING = "7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d 2h2d 8e8f"
OTHER = "2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d 2h2d P*2c 2d2h 3a2b"
DAY = "2024/05/01"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("高見泰地", "髙見泰地"), ("渡辺明", "渡邊明"), ("渡辺明", "渡邉明"), ("斎藤慎太郎", "斉藤慎太郎"),
        ("齋藤明日斗", "斎藤明日斗"), ("宮崎翔", "宮﨑翔"), ("横浜太郎", "橫濵太郎"), ("沢田真", "澤田眞"),
        ("坂本竜馬", "坂本龍馬"), ("広瀬章人", "廣瀬章人"), ("吉田実", "𠮷田實"), ("中島大", "中嶋大"),
        ("辻一", "辻\U000e0100一"), ("三ケ尻一", "三ヶ尻一"), ("神谷広志", "神谷広志"),
    ],
)  # fmt: skip
def test_forms_of_a_character_are_one_to_a_key(one, other):
    assert headers.player_key(one) == headers.player_key(other)


def test_a_form_stands_in_one_group_only():
    forms = "".join(character_forms._GROUPS)
    assert len(forms) == len(set(forms))
    assert all(headers.plain(form) == form for form in forms)


def test_other_names_have_other_keys():
    names = ["高見泰地", "高田泰地", "渡辺明", "渡部明", "斉藤", "斉東", "浜田", "沢田", "Bonanza", "BONANZA"]
    assert len({headers.player_key(name) for name in names}) == len(names)


def test_a_player_has_one_row_for_all_spellings_and_is_called_as_first_written():
    ingest(ready(OPENING, black="髙見泰地 七段", white="渡辺明", day=DAY))
    ingest(ready(OTHER, black="渡邊明", white="高見泰地", day=DAY))
    assert sorted(Player.objects.values_list("name", "key")) == [
        ("渡辺明", "渡辺明"),
        ("髙見泰地", "高見泰地"),
    ]
    for name in ("高見泰地", "髙見泰地"):
        assert len(find_games(PUBLIC, GameFilters(player=name)).items) == 2
        assert [one.name for one in people.names(PUBLIC, "player", name[:2])] == ["髙見泰地"]


def test_both_spellings_in_one_batch_are_one_player():
    ingest(ready(OPENING, black="高見泰地", day=DAY), ready(OTHER, black="髙見泰地", day=DAY))
    assert Player.objects.get().key == "高見泰地" and GamePlayer.objects.count() == 2


@pytest.mark.parametrize(
    ("black", "white"), [("高見泰地", "渡辺明"), ("髙見泰地", "渡邊明"), ("髙見泰地 七段", "渡邉　明名人")]
)
def test_editions_that_spell_the_players_differently_are_one_game(black, white):
    ingest(ready(OPENING, black="高見泰地", white="渡辺明", day=DAY))
    ingest(ready(OPENING, black=black, white=white, day=DAY))
    assert Game.objects.get().entries.count() == 2 and not list(verify.verify())


def test_headers_stay_as_they_are_written():
    ingest(ready(OPENING, black="髙見泰地", white="渡邊明", day=DAY))
    ingest(ready(OTHER, black="高見泰地", white="渡辺明", day=DAY))
    written = {game.jkf["header"]["先手"] for game in Game.objects.all()}
    assert written == {"髙見泰地", "高見泰地"}
    first = Entry.objects.order_by("pk").first()
    page = Client().get(f"/games/{first.game_id}/").content.decode()
    assert "髙見泰地" in page and "渡邊明" in page


def test_a_longer_record_supersedes_a_snapshot_that_spells_the_players_differently():
    ingest(ready(OPENING, winner=None, black="髙見泰地", white="渡邊明", day=DAY))
    ingest(ready(OPENING + " 8g8f", black="高見泰地", white="渡辺明", day=DAY))
    assert {game.plies for game in Game.objects.all()} in ({12, 13}, {13})


# --- archives from before --------------------------------------------------------------------------------


def sent(*games: DerivedGame) -> int:
    made, token = upload()
    store_entries(made.pk, token, [DerivedEntry(seq, game) for seq, game in enumerate(games)])
    assert store.finish(made.pk, token)
    return made.pk


def reread(pk: int, *games: DerivedGame) -> None:
    assert store.reread(pk) and store.claim(pk, "again")
    store_entries(pk, "again", [DerivedEntry(seq, game) for seq, game in enumerate(games)])
    assert store.finish(pk, "again")


def editions() -> tuple[DerivedGame, DerivedGame, DerivedGame]:
    """Two editions of a game, and another one of the same players."""
    return (
        ready(OPENING, black="髙見泰地", white="渡邊明", day=DAY),
        ready(OPENING, black="高見泰地", white="渡辺明", day=DAY),
        ready(OTHER, black="渡辺明", white="髙見泰地", day="2023/01/01"),
    )
