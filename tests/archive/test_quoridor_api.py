"""What the API tells of games and positions of Quoridor."""

from __future__ import annotations

import json

import pytest
from rest_framework.test import APIClient

from archive.models import Game
from kifu_core import games
from kifu_core.quoridor import qf_code
from kifu_core.quoridor.keys import display_key
from tests.archive import builders
from tests.archive.builders import ingest
from tests.archive.games import KIF, stored
from tests.archive.quoridor import CODE, LIST, NAMED, PLAYED, START, after, ready

pytestmark = pytest.mark.django_db

API = "/api/v1"
ODD = "k7BRHJ+PDPe/JeRi5ac9OQAA"
"""A code with both characters that addresses write otherwise."""


@pytest.fixture
def client() -> APIClient:
    return APIClient()


def get(client: APIClient, address: str, **query: object):
    return client.get(f"{API}/{address}", query)


def post(client: APIClient, address: str, **body: object):
    return client.post(f"{API}/{address}", body, format="json")


# --- games -----------------------------------------------------------------------------------------------


def test_a_game_is_told_with_the_names_of_its_sides(client):
    stored(NAMED, "x.txt")
    told = get(client, f"games/{Game.objects.get().pk}").json()
    assert (told["game"], told["white"], told["black"], told["result"]) == ("quoridor", "Ada", "Bo", "black")
    assert (told["special"], told["handicap"], told["plies"]) == ("TORYO", "START", len(PLAYED))
    assert list(told["record_urls"]) == ["qf", "alg", "json"]
    assert told["sources"][0]["format"] == "alg"


def test_a_game_has_no_analyses(client):
    stored(NAMED, "x.txt")
    answer = get(client, f"games/{Game.objects.get().pk}/analyses")
    assert (answer.status_code, answer.json()["results"]) == (200, [])


@pytest.mark.parametrize("name", ["qf", "alg", "json"])
def test_a_record_can_be_taken_away_in_every_format_of_its_game(client, name):
    stored(NAMED, "x.txt")
    answer = get(client, f"games/{Game.objects.get().pk}/record.{name}")
    assert answer.status_code == 200
    kind, result = games.load(answer.content, f"x.{name}")
    (game,) = result.games
    assert kind.replay.main_moves(game.record) == PLAYED
    assert game.record["header"].get("先手", "") == ("" if name == "qf" else "Ada")


def test_a_qf_code_is_a_snapshot_of_a_ply_that_is_asked_for(client):
    stored(CODE, "x.qf")
    pk = Game.objects.get().pk
    snapshot = get(client, f"games/{pk}/record.qf", ply=2).content.decode().strip()
    assert qf_code.decode(snapshot).start().turn_number == 3
    assert get(client, f"games/{pk}/record.qf").content.decode().strip() == CODE


def test_formats_of_the_other_game_are_not_there(client):
    stored(CODE, "x.qf")
    ingest(builders.ready("7g7f 3c3d"))
    for game in Game.objects.all():
        name = "kif" if game.kind == "quoridor" else "qf"
        answer = get(client, f"games/{game.pk}/record.{name}")
        assert (answer.status_code, answer.json()["code"]) == (404, "unknown-format")


def test_positions_of_a_game_have_their_display_keys(client):
    stored(LIST, "x.txt")
    rows = get(client, f"games/{Game.objects.get().pk}/positions").json()["results"]
    assert rows[0] == {"ply": 0, "code": START}
    assert rows[2]["code"] == display_key(after(" ".join(LIST.split()[:2])))


def test_times_name_the_side(client):
    time = {"now": {"m": 0, "s": 5}, "total": {"h": 0, "m": 0, "s": 5}}
    moves = [{}, {"move": {"to": "e2"}, "time": time}, {"move": {"to": "e8"}, "time": time}]
    stored(json.dumps({"game": "quoridor", "version": 1, "header": {}, "moves": moves}), "x.json")
    clock = get(client, f"games/{Game.objects.get().pk}/series").json()["clock"]
    assert [(tick["side"], tick["used"]) for tick in clock] == [("white", 5), ("black", 5)]


def test_lists_are_filtered_by_kind_and_by_the_sides_of_that_kind(client):
    stored(NAMED, "x.txt")
    ingest(builders.ready("7g7f 3c3d", black="Bo", white="Ada"))

    def kinds(**query):
        return [game["game"] for game in get(client, "games", **query).json()["results"]]

    assert sorted(kinds()) == sorted(kinds(player="Ada")) == ["quoridor", "shogi"]
    assert kinds(game="quoridor") == kinds(game="quoridor", black="Bo", result="black") == ["quoridor"]
    assert kinds(game="quoridor", white="Bo") == kinds(game="quoridor", result="white") == []
    # Sides without a kind are those of shogi, as ever.
    assert kinds(black="Bo") == kinds(result="black") == ["shogi"]
    assert kinds(handicap="START") == ["quoridor"]
    assert get(client, "games", game="chess").status_code == 400


# --- positions -------------------------------------------------------------------------------------------


def test_a_position_is_told_with_its_walls_and_who_placed_them(client):
    ingest(ready("d3h e6h e2"), ready("e6h d3h d1", white="Bo", winner=1))
    code = display_key(after("d3h e6h"))
    told = get(client, f"positions/quoridor/{games.QUORIDOR.codec.path_code(code)}", match="exact").json()
    assert (told["game"], told["code"], told["games"]) == ("quoridor", code, 2)
    assert told["position"] == {"color": 0, "pawns": ["e1", "e9"], "walls": [["d3h"], ["e6h"]]}
    assert told["outcomes"] == {"white": 1, "black": 1, "draw": 0, "unknown": 0}
    assert {move["move"] for move in told["moves"]} == {"e2", "d1"}
    assert "sfen" not in told and "usi" not in told["moves"][0]


WRITTEN = [ODD, ODD.replace("+", "%2B").replace("/", "%2F"), ODD.replace("+", "-").replace("/", "_")]


@pytest.mark.parametrize("written", WRITTEN)
def test_addresses_take_codes_with_either_characters(client, written):
    told = get(client, f"positions/quoridor/{written}").json()
    assert told["code"] == ODD
    assert not {*"+/"} & {*told["games_url"].rpartition("quoridor/")[2].removesuffix("/games")}
    for part in ("/games", "/board", "/legal", "/tree", "/trend", "/opening", ".svg"):
        found = get(client, f"positions/quoridor/{written}{part}")
        assert found.content == get(client, f"positions/quoridor/{WRITTEN[-1]}{part}").content
        assert found.status_code == 200, part


@pytest.mark.parametrize("written", WRITTEN)
def test_pages_take_codes_with_either_characters(client, written):
    for address in (f"positions/quoridor/{written}/", f"embed/positions/quoridor/{written}/"):
        html = client.get(f"/{address}").content.decode()
        assert f"/positions/quoridor/{WRITTEN[-1]}/" in html
    feed = client.get(f"/positions/quoridor/{written}.atom")
    assert f"/positions/quoridor/{WRITTEN[-1]}/" in feed.content.decode()


def test_a_batch_takes_codes_with_either_characters(client):
    sent = [ODD, WRITTEN[-1], "_"]
    told = post(client, "positions/quoridor/batch", codes=sent).json()["results"]
    assert [one["code"] for one in told] == [ODD, ODD, "_"] and "error" in told[2]


@pytest.mark.parametrize(
    ("code", "error", "japanese", "english"),
    [
        (
            "QGCLJPRA",
            "not-a-position",
            "局面だけのコードではありません",
            "the code is not that of a position alone",
        ),
        (
            "gkw",
            "truncated",
            "コードが途中で切れています。最後までコピーされているか確かめてください",
            "the code ends inside white_h; was it copied to its end?",
        ),
    ],
)
def test_what_is_wrong_with_a_code_is_told_in_words(client, code, error, japanese, english):
    for language, words in (("ja", japanese), ("en", english)):
        address = f"{API}/positions/quoridor/{code}"
        told = client.get(address, headers={"Accept-Language": language}).json()
        assert (told["code"], told["detail"]) == (error, english)
        assert [one["message"] for one in told["errors"]] == [words]


def test_games_through_a_position_are_listed(client):
    ingest(ready("e2 e8"), ready("e2 d9", white="Bo"), ready("d1", white="Cy"))
    code = display_key(after("e2"))
    rows = get(client, f"positions/quoridor/{code}/games").json()["results"]
    assert sorted((row["black"], row["move"]) for row in rows) == [("", "e8"), ("Bo", "d9")]
    (row,) = get(client, f"positions/quoridor/{code}/games", black="Bo").json()["results"]
    assert (row["black"], row["turned"], row["ply"]) == ("Bo", False, 1)
    assert get(client, f"positions/quoridor/{code}/games", white="Bo").json()["results"] == []


def test_legal_moves_and_trees(client):
    ingest(ready("e2 e8"), ready("e2 d9", white="Bo"))
    moves = get(client, f"positions/quoridor/{START}/legal").json()["moves"]
    assert len(moves) == 131 and moves[0].keys() == {"move", "text", "english", "code"}
    tree = get(client, f"positions/quoridor/{START}/tree", depth=2, min_games=1).json()
    assert [(move["move"], move["games"]) for move in tree["moves"]] == [("e2", 2)]
    assert [move["move"] for move in tree["moves"][0]["moves"]] == ["d9", "e8"] or tree["nodes"] == 3


def test_a_batch_tells_which_codes_are_wrong(client):
    ingest(ready("e2 e8"))
    told = post(client, "positions/quoridor/batch", codes=[START, "nonsense", START + "="]).json()["results"]
    assert (told[0]["games"], told[1]["error"]["code"], told[2]["error"]["code"]) == (
        1, "truncated", "bad-char",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("body", "played"),
    [
        ({"text": LIST, "ply": 3}, " ".join(LIST.split()[:3])),
        ({"text": CODE}, LIST),
        ({"text": CODE, "ply": 0}, ""),
        ({"text": "1. e2 e8 2. e3"}, "e2 e8 e3"),
        ({"text": START}, ""),
        ({"text": "gkwAAAAQ"}, ""),  # as the free board writes the start
        ({"color": 1, "pawns": ["e2", "e9"], "walls": [[], []]}, "e2"),
        ({"position": {"color": 0, "pawns": ["e1", "e9"], "walls": [["d3h"], ["e6h"]]}}, "d3h e6h"),
    ],
)
def test_whatever_names_a_position_leads_to_it(client, body, played):
    answer = post(client, "positions/quoridor/find", **body)
    assert answer.status_code == 303, answer.content
    assert answer.json()["code"] == display_key(after(played))
    assert client.get(answer["Location"]).json()["code"] == answer.json()["code"]


def test_a_stored_game_names_a_position_of_its_kind_only(client):
    stored(LIST, "x.txt")
    pk = Game.objects.get().pk
    assert post(client, "positions/quoridor/find", game_id=pk, ply=0).json()["code"] == START
    assert post(client, "positions/shogi/find", game_id=pk, ply=0).json()["code"] == "game-not-found"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"text": "nonsense"}, "truncated"),
        ({"text": CODE[:9] + "≡" + CODE[9:]}, "bad-char"),
        ({"text": LIST, "ply": 99}, "ply-out-of-range"),
        ({"text": KIF}, "unknown-format"),
        ({"color": 0, "pawns": ["e1", "e1"], "walls": [[], []]}, "bad-position-object"),
        ({"color": 0, "pawns": ["e1"], "walls": [[], []]}, "bad-position-object"),
        ({"board": [0] * 81, "turn": True}, "bad-position-object"),
        ({}, "no-position"),
    ],
)
def test_what_names_no_position_is_a_problem_with_a_code(client, body, code):
    answer = post(client, "positions/quoridor/find", **body)
    assert (answer.status_code, answer.json()["code"]) == (400, code)


# --- convert and check -----------------------------------------------------------------------------------


def test_records_are_converted_within_their_game(client):
    (game,) = post(client, "convert", text=NAMED, to="qf").json()["games"]
    assert game["record"].strip() == CODE
    assert [loss["code"] for loss in game["losses"]] == ["lost-headers", "lost-ending"]
    (game,) = post(client, "convert", text=CODE, to="json").json()["games"]
    assert game["record"]["game"] == "quoridor"
    for text, to in ((CODE, "kif"), (KIF, "alg")):
        answer = post(client, "convert", text=text, to=to)
        assert (answer.status_code, answer.json()["code"]) == (400, "other-game")


def test_a_check_tells_how_a_record_ends(client):
    told = post(client, "check", text=NAMED).json()
    assert (told["game"], told["formats"]) == ("quoridor", ["qf", "alg", "json"])
    (game,) = told["games"]
    assert (game["plies"], game["winner"], game["preset"]) == (len(PLAYED), 1, "START")
    assert game["final_code"] == display_key(after(LIST))
