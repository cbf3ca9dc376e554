"""Games through the API: lists with filters, one game, its files, its positions."""

from __future__ import annotations

import json
import re

import pytest
from rest_framework.test import APIClient

import kifu_core
from archive import store
from archive.models import Game, GameAlias
from kifu_core.games import SHOGI
from tests.archive.games import CSA, KIF, stored

pytestmark = pytest.mark.django_db

WHOLE = ("jkf", "kif", "kifu", "ki2", "ki2u", "csa", "usi", "usen")


@pytest.fixture
def client() -> APIClient:
    return APIClient()


@pytest.fixture
def four_games() -> None:
    """By player, event, day and result no two of these are alike."""
    stored(KIF)
    stored(CSA.replace("先手の人", "羽生善治 九段").replace("2024/05/01", "1996/02/14"), "a.csa")
    stored(CSA.replace("試しの棋戦", "竜王戦").replace("%TORYO", "%SENNICHITE"), "b.csa")
    stored(CSA.replace("2024/05/01", "2025/01/01").replace("%TORYO", "%CHUDAN"), "c.csa")


def ids(client: APIClient, **query: str) -> list[int]:
    answer = client.get("/api/v1/games", query)
    assert answer.status_code == 200, answer.content
    return [game["id"] for game in answer.json()["results"]]


def test_games_are_listed_and_exported_by_their_numbers(client, four_games):
    first, second, third, fourth = Game.objects.order_by("pk").values_list("pk", flat=True)
    asked = {"ids": f"{third},{first},999999,{fourth}"}
    assert ids(client, **asked, order="added") == [fourth, third, first]
    assert ids(client, **asked, result="draw") == [third]
    assert ids(client, **asked, order="oldest", limit="2") == [first, third]
    assert ids(client, **asked, q="NOT result:draw", order="added") == [fourth, first]
    lines = client.get("/api/v1/games/export", asked).getvalue().decode().splitlines()
    assert [json.loads(line).get("id") for line in lines] == [first, third, fourth, None]
    page = client.get("/games/", {"ids": str(second)}).content.decode()
    assert {*re.findall(r'href="/games/(\d+)/', page)} == {str(second)}


@pytest.mark.parametrize("text", ["x", "1,", "1 2", "-1", "１", ",".join(["1"] * 501)])
def test_what_is_no_list_of_numbers_is_refused(client, text):
    for address in ("/api/v1/games", "/api/v1/games/export"):
        answer = client.get(address, {"ids": text})
        assert [error["field"] for error in answer.json()["errors"]] == ["ids"]


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ({}, 4),
        ({"player": "後手の人"}, 4),
        ({"player": "羽生善治"}, 1),
        ({"black": "羽生善治"}, 1),
        ({"white": "羽生善治"}, 0),
        ({"player": "羽生"}, 1),
        ({"player": "はぶ"}, 1),
        ({"player": "生羽"}, 0),
        ({"event": "竜王戦"}, 1),
        ({"from": "2024-01-01"}, 3),
        ({"to": "2024-05-01"}, 3),
        ({"from": "1996-02-14", "to": "1996-02-14"}, 1),
        ({"result": "black"}, 2),
        ({"result": "draw"}, 1),
        ({"result": "unknown"}, 1),
        ({"handicap": "HIRATE"}, 4),
        ({"handicap": "KY"}, 0),
        ({"player": "羽生善治", "result": "draw"}, 0),
    ],
)
def test_a_list_has_the_games_that_have_all_that_is_asked_for(client, four_games, query, count):
    assert len(ids(client, **query)) == count


def test_a_list_is_in_the_order_that_is_asked_for(client, four_games):
    newest = ids(client)
    assert ids(client, order="oldest") == newest[::-1]


def test_pages_follow_each_other_without_gap_or_repeat(client, four_games):
    address, seen = "/api/v1/games?limit=1", []
    while address:
        page = client.get(address).json()
        seen += [game["id"] for game in page["results"]]
        address = page["next_url"]
    assert seen == ids(client)


@pytest.mark.parametrize(
    ("query", "field"),
    [({"result": "won"}, "result"), ({"from": "yesterday"}, "from"), ({"handicap": "9"}, "handicap")],
)
def test_a_filter_that_makes_no_sense_is_named(client, query, field):
    answer = client.get("/api/v1/games", query)
    assert answer.status_code == 400
    assert [error["field"] for error in answer.json()["errors"]] == [field]


def test_a_game_tells_what_is_known_of_it(client):
    stored(KIF)
    game = client.get(f"/api/v1/games/{Game.objects.get().pk}").json()
    assert (game["black"], game["white"], game["event"]) == ("先手の人", "後手の人", "試しの棋戦")
    assert (game["date"], game["result"], game["special"], game["plies"]) == (
        "2024-05-01",
        "black",
        "TORYO",
        7,
    )
    assert set(game["record_urls"]) == set(SHOGI.formats.names)


def test_a_date_is_told_as_precisely_as_it_is_known(client):
    stored(KIF.replace("2024/05/01", "1711/03"))
    assert client.get("/api/v1/games").json()["results"][0]["date"] == "1711-03"


@pytest.mark.parametrize("name", WHOLE)
def test_a_download_read_back_is_the_same_game(client, name):
    stored(KIF)
    game = Game.objects.get()
    answer = client.get(f"/api/v1/games/{game.pk}/record.{name}")
    assert answer.status_code == 200
    assert f"kifu-{game.pk}.{name}" in answer["Content-Disposition"]
    (back,) = kifu_core.load(answer.content, f"x.{name}").games
    moves = [entry["move"] for entry in back.record["moves"] if "move" in entry]
    assert moves == [entry["move"] for entry in game.jkf["moves"] if "move" in entry]


def test_a_csa_download_has_the_comments_about_the_files_it_came_from_and_no_others(client):
    stored(KIF.replace("手合割：平手", "#of the KIF\n手合割：平手"))
    stored(CSA.replace("V2.2\n", "V2.2\n'Max_Moves:256\n"), "a.csa")
    stored(CSA.replace("V2.2\n", "V2.2\n'Max_Moves:256\n'of the third\n"), "b.csa")
    game = Game.objects.get()
    text = client.get(f"/api/v1/games/{game.pk}/record.csa").content.decode()
    assert [line for line in text.splitlines() if line.startswith("'")] == ["'Max_Moves:256", "'of the third"]
    assert "of the" not in client.get(f"/api/v1/games/{game.pk}/record.kifu").content.decode()


@pytest.mark.parametrize(
    ("query", "sfen"), [({"ply": "0"}, "b - 1"), ({"ply": "1"}, "w - 2"), ({}, "w Pb 8")]
)
def test_a_format_of_one_position_is_of_the_ply_that_is_asked_for(client, query, sfen):
    stored(KIF)
    answer = client.get(f"/api/v1/games/{Game.objects.get().pk}/record.sfen", query)
    assert answer.content.decode().strip().endswith(sfen)


@pytest.mark.parametrize("name", ["kif", "jkf", "usi"])
def test_a_record_of_a_whole_game_takes_no_ply(client, name):
    stored(KIF)
    answer = client.get(f"/api/v1/games/{Game.objects.get().pk}/record.{name}", {"ply": "3"})
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid-ply")
    assert answer.json()["errors"][0]["field"] == "ply"


@pytest.mark.parametrize("ply", ["8", "-1", "x", "999999"])
def test_a_ply_that_the_game_has_not_is_refused(client, ply):
    stored(KIF)
    answer = client.get(f"/api/v1/games/{Game.objects.get().pk}/record.bod", {"ply": ply})
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid-ply")


def test_an_ending_that_jkf_has_no_name_for_survives_a_download(client):
    stored(KIF.replace("投了", "入玉勝ち").replace("まで7手で先手の勝ち\n", ""))
    answer = client.get(f"/api/v1/games/{Game.objects.get().pk}/record.kifu")
    assert "入玉勝ち" in answer.content.decode()


@pytest.mark.parametrize(("name", "encoding"), [("kif", "cp932"), ("kifu", "utf-8"), ("ki2", "cp932")])
def test_a_download_has_the_encoding_that_its_extension_promises(client, name, encoding):
    stored(KIF)
    answer = client.get(f"/api/v1/games/{Game.objects.get().pk}/record.{name}")
    assert "先手の人" in answer.content.decode(encoding)


def test_what_shift_jis_cannot_write_is_listed_instead_of_lost(client):
    stored(KIF.replace("先手の人", "𠮷田"))
    pk = Game.objects.get().pk
    answer = client.get(f"/api/v1/games/{pk}/record.kif")
    assert (answer.status_code, answer.json()["code"]) == (409, "unencodable")
    assert "𠮷" in str(answer.json()["errors"])
    assert "𠮷田" in client.get(f"/api/v1/games/{pk}/record.kifu").content.decode()


def test_a_format_that_is_not_written_here_is_named(client):
    stored(KIF)
    answer = client.get(f"/api/v1/games/{Game.objects.get().pk}/record.pdf")
    assert (answer.status_code, answer.json()["code"]) == (404, "unknown-format")


def test_every_ply_has_its_code_and_sfen(client):
    stored(KIF)
    rows = client.get(f"/api/v1/games/{Game.objects.get().pk}/positions").json()["results"]
    assert [row["ply"] for row in rows] == list(range(8))
    assert rows[-1]["sfen"].split()[1:] == ["w", "Pb", "8"]


def test_the_former_id_of_a_merged_game_leads_to_the_present_one(client):
    stored(KIF)
    game = Game.objects.get()
    GameAlias.objects.create(pk=game.pk + 1000, game=game)
    answer = client.get(f"/api/v1/games/{game.pk + 1000}")
    assert answer.status_code == 301
    assert answer["Location"].endswith(f"/api/v1/games/{game.pk}")


def test_a_deleted_game_is_gone_and_its_upload_says_so(client):
    upload = stored(KIF)
    pk = Game.objects.get().pk
    store.delete_games([pk])
    assert client.get(f"/api/v1/games/{pk}").status_code == 410
    assert client.get(f"/api/v1/uploads/{upload.pk}").json()["entries"]["deleted"] == 1


@pytest.mark.parametrize("number", [0, 1 << 63, 1 << 70])
@pytest.mark.parametrize("rest", ["", "/record.kif", "/positions", "/series"])
def test_numbers_that_no_game_has_are_not_found(client, number, rest):
    assert client.get(f"/api/v1/games/{number}{rest}").status_code == 404
