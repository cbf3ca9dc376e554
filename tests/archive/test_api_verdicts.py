"""Verdicts on positions, analyses of games, and mistakes, as the API gives them."""

from __future__ import annotations

import pytest
from rest_framework.test import APIClient

from archive import libraries, store
from archive.derive.verdicts import Line
from archive.intake import worker
from archive.models import Engine, Entry, Game, User
from kifu_core.games import SHOGI
from kifu_core.shogi.evaluations import best
from tests.archive.analysed import IN_COMMENTS, SWINGING, analyse
from tests.archive.games import CSA, KIF, START, stored

pytestmark = pytest.mark.django_db

EVALUATED = CSA.replace("+7776FU\n", "+7776FU\n'** 130 -3334FU +2726FU #900\n")


@pytest.fixture
def client() -> APIClient:
    return APIClient()


@pytest.fixture
def game() -> Game:
    stored(KIF)
    return Game.objects.get()


def private_game(anna: User) -> Game:
    upload, _new = store.create_upload(
        "a.kif", [KIF.encode()], anna, "web", space=libraries.own_library(anna).pk
    )
    worker.work_off(upload.pk)
    return Entry.objects.get(upload=upload).game


def test_a_game_has_the_verdicts_on_its_positions_by_ply(client, game):
    engine = analyse(game, lines=2)
    answer = client.get(f"/api/v1/games/{game.pk}/verdicts").json()
    assert [one["ply"] for one in answer["results"]] == list(range(8))
    (one,) = answer["results"][3]["verdicts"]
    assert one["engine"] == engine
    assert [line["score"] for line in one["lines"]] == [-400, -350]
    assert (one["nodes"], one["depth"], one["game_id"]) == (10_000, 12, None)
    assert one["lines"][0]["chance"] == pytest.approx(-0.3215, abs=1e-3)
    (named,) = answer["engines"]
    assert (named["name"], named["version"], named["scale"]) == ("Fairy-Stockfish", "11.1", 600)


def test_verdicts_of_a_game_come_by_pages_and_by_engine(client, game):
    engine = analyse(game)
    analyse(game, [Line(None, 0, 5)] * 8, store.EngineIdentity("gpsshogi"))
    address = f"/api/v1/games/{game.pk}/verdicts?engine={engine}"
    first = client.get(f"{address}&limit=3").json()
    assert [one["ply"] for one in first["results"]] == [0, 1, 2]
    assert [one["ply"] for one in client.get(first["next_url"]).json()["results"]] == [3, 4, 5]
    assert [len(one["verdicts"]) for one in first["results"]] == [1] * 3
    both = client.get(f"/api/v1/games/{game.pk}/verdicts?limit=1").json()
    assert len(both["results"][0]["verdicts"]) == len(both["engines"]) == 2


def test_comments_of_a_record_are_verdicts_of_their_game(client):
    stored(EVALUATED, "a.csa")
    game = Game.objects.get()
    (at,) = client.get(f"/api/v1/games/{game.pk}/verdicts").json()["results"]
    assert (at["ply"], at["verdicts"][0]["game_id"]) == (1, game.pk)
    assert at["verdicts"][0]["lines"][0]["usi"] == ["3c3d", "2g2f"]


def test_a_position_has_verdicts_of_every_engine(client, game):
    analyse(game)
    analyse(game, [0] * 8, store.EngineIdentity("gpsshogi"))
    answer = client.get(f"/api/v1/positions/shogi/{START}/verdicts").json()
    assert [one["lines"][0]["score"] for one in answer["verdicts"]] == [SWINGING[0], 0]
    assert [one["name"] for one in answer["engines"]] == ["Fairy-Stockfish", "gpsshogi"]


def test_many_positions_are_looked_up_by_codes_and_by_sfens(client, game):
    analyse(game)
    sfen = SHOGI.rules.initial().sfen(1)
    sent = {"positions": [START, sfen, "x", "4k4/9/9/9/9/9/9/9/4K4 b - 1", "9/9 b - 1"]}
    answer = client.post("/api/v1/positions/shogi/verdicts", sent, format="json").json()
    found = [len(one["verdicts"]) if "verdicts" in one else one["error"]["code"] for one in answer["results"]]
    assert found[:2] + found[3:] == [1, 1, 0, "sfen-board"]
    assert isinstance(found[2], str)
    assert [one["code"] for one in answer["results"]] == sent["positions"]


def test_an_analysis_has_scores_costs_and_accuracies(client, game):
    engine = analyse(game)
    (answer,) = client.get(f"/api/v1/games/{game.pk}/analyses").json()["results"]
    assert answer["engine"]["id"] == engine
    assert [one["score"] for one in answer["scores"]] == list(SWINGING)
    assert [(one["ply"], one["mark"]) for one in answer["moves"] if one["mark"]] == [
        (3, "blunder"), (4, "blunder"),
    ]  # fmt: skip
    assert [(one["side"], one["moves"]) for one in answer["accuracies"]] == [("black", 4), ("white", 3)]
    assert client.get(f"/api/v1/games/{game.pk}/analyses?engine={engine + 1}").json()["results"] == []


def test_comments_have_a_report_of_their_own(client):
    stored(IN_COMMENTS)
    game = Game.objects.get()
    address = f"/api/v1/games/{game.pk}/analyses"
    answer = client.get(address).json()
    assert answer["results"] == []
    comments = answer["comments"]
    assert [one["score"] for one in comments["scores"]] == [20, 30, -400, -380]
    assert [(one["ply"], one["mark"]) for one in comments["moves"]] == [
        (2, None), (3, "blunder"), (4, None),
    ]  # fmt: skip
    sides = [(one["moves"], one["played"], one["accuracy"]) for one in comments["accuracies"]]
    assert sides[0][:2] == (1, 4)
    assert sides[0][2] is None, "a quarter of Black's moves is judged"
    assert sides[1][:2] == (2, 3)
    assert sides[1][2] > 90
    assert client.get(f"{address}?engine=1").json()["comments"] is None


def test_an_analysis_of_a_network_names_surprising_moves(client, game):
    engine = analyse(game, identity=store.EngineIdentity("net", source=Engine.Source.NETWORK), policy=900)
    (answer,) = client.get(f"/api/v1/games/{game.pk}/analyses?engine={engine}").json()["results"]
    assert {one["likelihood"] for one in answer["moves"]} == {0.1}
    assert not any(one["surprising"] for one in answer["moves"])
    other = analyse(game, identity=store.EngineIdentity("sure", source=Engine.Source.NETWORK), policy=990)
    (answer,) = client.get(f"/api/v1/games/{game.pk}/analyses?engine={other}").json()["results"]
    # Moves after which their side's chances are not less: by SWINGING.
    assert [one["ply"] for one in answer["moves"] if one["surprising"]] == [1, 5, 6, 7]


def test_mistakes_name_what_is_accepted_instead(client, game):
    analyse(game, lines=3)
    answer = client.get(f"/api/v1/games/{game.pk}/mistakes").json()
    assert [(one["ply"], one["side"], one["mark"]) for one in answer["results"]] == [
        (3, "black", "blunder"), (4, "white", "blunder"),
    ]  # fmt: skip
    first = answer["results"][0]
    assert first["played"] == "8h2b+"
    assert len(first["accepted"]) == 2, "the third candidate loses a pawn"
    assert first["best"]["usi"] == first["accepted"][:1]
    black = client.get(f"/api/v1/games/{game.pk}/mistakes?side=black").json()["results"]
    assert [one["ply"] for one in black] == [3]


def test_a_marked_move_that_is_often_played_is_no_mistake(client, game):
    analyse(game)
    for number in range(4):
        stored(KIF.replace("先手の人", f"人{number}"))
    assert client.get(f"/api/v1/games/{game.pk}/mistakes").json()["results"] == []


def test_moves_that_are_often_played_are_accepted(client, game):
    analyse(game)
    for number in range(6):
        stored(KIF.replace("先手の人", f"人{number}").replace("２二角成(88)", "２六歩(27)")[:210])
    first = client.get(f"/api/v1/games/{game.pk}/mistakes?side=black").json()["results"]
    assert [one["usual"] for one in first] == [["2g2f"]]
    assert first[0]["accepted"][-1] == "2g2f"


def test_a_game_without_verdicts_has_empty_lists(client, game):
    assert client.get(f"/api/v1/games/{game.pk}/verdicts").json()["results"] == []
    assert client.get(f"/api/v1/games/{game.pk}/analyses").json() == {"results": [], "comments": None}
    assert client.get(f"/api/v1/games/{game.pk}/mistakes").json() == {"engine": None, "results": []}


def test_the_verdicts_of_a_library_show_to_its_members_only(client):
    anna = User.objects.create_user("anna")
    game = private_game(anna)
    analyse(game)
    addresses = [f"/api/v1/games/{game.pk}/{name}" for name in ("verdicts", "analyses", "mistakes")]
    assert [client.get(one).status_code for one in addresses] == [404] * 3
    position = f"/api/v1/positions/shogi/{START}/verdicts"
    assert client.get(position).json()["verdicts"] == []
    client.force_login(anna)
    assert [client.get(one).status_code for one in addresses] == [200] * 3
    assert len(client.get(position).json()["verdicts"]) == 1
    assert client.get(f"{position}?scope=public").json()["verdicts"] == []


def test_a_record_has_the_evaluations_of_an_analysis_as_comments_on_request(client, game):
    analyse(game, [20, 30, Line(None, 0, 5), -400, 0, 1, 2, 3])
    address = f"/api/v1/games/{game.pk}/record.kif"
    assert "評価値" not in client.get(address).content.decode("cp932")
    text = client.get(f"{address}?evaluations=1").content.decode("cp932")
    record = SHOGI.formats.load(text).games[0].record
    read = best(SHOGI.replay.evaluations(record))
    assert [(one.score, one.winner, one.mate) for one in read] == [
        (20, None, None), (30, None, None), (None, 0, 5), (-400, None, None), (0, None, None),
        (1, None, None), (2, None, None), (3, None, None),
    ]  # fmt: skip
    assert (read[0].engine, read[0].nodes, read[0].moves) == ("Fairy-Stockfish 11.1", 10_000, ("1g1f",))


def test_exported_records_have_them_too(client, game):
    analyse(game)
    address = "/api/v1/games/export?as=ndjson"
    assert "評価値" not in b"".join(client.get(address).streaming_content).decode()
    assert "#評価値=-400" in b"".join(client.get(f"{address}&evaluations=1").streaming_content).decode()
    assert client.get("/api/v1/games/export?as=csv&evaluations=1").status_code == 400


def test_evaluations_in_comments_stay_alone(client):
    stored(EVALUATED, "a.csa")
    game = Game.objects.get()
    analyse(game)
    text = client.get(f"/api/v1/games/{game.pk}/record.kif?evaluations=1").content.decode("cp932")
    assert "130" in text and "Fairy" not in text
