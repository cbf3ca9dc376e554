"""Analyses over HTTP: requests on pages and in the API, the queue, and volunteers with tokens."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from archive import libraries, store
from archive.accounts import tokens
from archive.accounts.roles import set_role
from archive.analysis import requests, working
from archive.intake import worker
from archive.models import AnalysisRequest, Entry, Game, User, Verdict
from archive.project.engine_file import EngineFile
from kifu_core.shogi.moves import from_usi
from kifu_core.shogi.position import Position
from tests.archive.games import KIF, stored
from tests.archive.test_usi import peer
from tests.archive.usi_peer import score

pytestmark = pytest.mark.django_db

NODES = 400


@pytest.fixture(autouse=True)
def engines(settings):
    settings.ENGINES = EngineFile(engine=(peer(nodes=NODES, lines=3),), checked_share=0.0, games_a_day=3)
    yield
    working.close_engines()


@pytest.fixture
def anna() -> User:
    made = User.objects.create_user("anna")
    set_role(made, User.Role.CONTRIBUTOR)
    return made


@pytest.fixture
def carl() -> User:
    made = User.objects.create_user("carl")
    set_role(made, User.Role.CURATOR)
    return made


def session(user: User) -> Client:
    client = Client(headers={"Accept-Language": "en"})
    client.force_login(user)
    return client


class Volunteer:
    """A program with a token, as docs/examples/volunteer.py is one."""

    def __init__(self, user: User, scope: str = "analyse") -> None:
        self.client = Client()
        self.headers = {"Authorization": f"Bearer {tokens.create(user, 'engine', [scope], None)[1]}"}

    def post(self, address: str, data: Any = None) -> Any:
        return self.client.post(f"/api/v1/{address}", data or {}, "application/json", headers=self.headers)

    def verdicts(self, work: dict[str, Any]) -> list[dict[str, Any]]:
        made = []
        for ply in work["plies"]:
            position = Position.from_sfen(work["position"])
            for move in work["moves"][:ply]:
                position.do_move(from_usi(move))
            moves = [*work["moves"][ply : ply + 1], "8b7b"][0]
            line = {"cp": score(position, work["nodes"], 0), "moves": moves}
            made.append({"ply": ply, "nodes": work["nodes"], "depth": 8, "lines": [line]})
        return made


def test_a_button_on_the_page_of_a_game_has_it_analysed(anna):
    stored(KIF)
    game, client = Game.objects.get(), session(anna)
    assert "Have it analysed" in client.get(f"/games/{game.pk}/").content.decode()
    answer = client.post("/analysis/", {"game": game.pk}, follow=True)
    page = answer.content.decode()
    assert "The game will be analysed." in page
    assert "先手の人 – 後手の人" in page and "next in line" in page
    working.turn(60)
    page = client.get("/analysis/").content.decode()
    assert 'class="badge done"' in page and "data-poll" not in page


def test_without_an_engine_or_the_right_there_is_no_button(anna, settings):
    stored(KIF)
    address = f"/games/{Game.objects.get().pk}/"
    reader = User.objects.create_user("rita", role=User.Role.READER)
    assert "Have it analysed" not in session(reader).get(address).content.decode()
    settings.ENGINES = EngineFile()
    client = session(anna)
    assert "Have it analysed" not in client.get(address).content.decode()
    assert "This archive has no engine." in client.get("/analysis/").content.decode()


def test_a_curator_has_the_games_of_a_search_and_of_a_collection_analysed(carl, anna):
    stored(KIF)
    client = session(carl)
    assert "Have these games analysed" in client.get("/games/?player=先手の人").content.decode()
    page = client.post("/analysis/", {"search": "player=先手の人"}, follow=True).content.decode()
    assert "The games will be analysed." in page and "Player: 先手の人" in page
    row = AnalysisRequest.objects.get()
    assert "request" not in session(anna).post("/analysis/", {"cancel": row.pk}).content.decode()
    assert "cancelled" in client.post("/analysis/", {"cancel": row.pk}, follow=True).content.decode()
    page = session(anna).post("/analysis/", {"search": ""}, follow=True).content.decode()
    assert "Your account cannot have games analysed here." in page


def test_requests_of_a_library_show_to_its_members_only(anna, carl):
    space = libraries.own_library(anna).pk
    upload, _new = store.create_upload("a.kif", [KIF.encode()], anna, "web", space=space)
    worker.work_off(upload.pk)
    game = Entry.objects.get(upload=upload).game
    request = requests.request_game(anna, game, requests.SearchOptions())
    for user, shown in ((anna, True), (carl, False)):
        assert ("先手の人" in session(user).get("/analysis/").content.decode()) is shown
        status = session(user).get(f"/api/v1/analyses/{request.pk}").status_code
        assert status == (200 if shown else 404)


def test_a_program_follows_its_request_and_cancels_it(anna):
    stored(KIF)
    program = Volunteer(anna)
    made = program.post(f"games/{Game.objects.get().pk}/analyse", {"nodes": 500})
    assert made.status_code == 201
    info = made.json()
    assert (info["state"], info["nodes"], info["urgency"], info["ahead"]) == ("open", 500, "person", 0)
    address = f"/api/v1/analyses/{info['id']}"
    assert program.client.delete(address, headers=program.headers).status_code == 204
    assert program.client.get(address).json()["state"] == "cancelled"
    again = program.client.delete(address, headers=program.headers)
    assert (again.status_code, again.json()["code"]) == (409, "no-analysis")


def test_a_volunteer_has_the_next_work_with_the_answer_until_there_is_none(anna, carl):
    stored(KIF)
    requests.request_game(anna, Game.objects.get(), requests.SearchOptions())
    volunteer = Volunteer(carl)
    answer = volunteer.post("analysis/acquire", {"engine": "Peer"})
    assert answer.status_code == 202
    work = answer.json()
    assert (work["plies"], work["nodes"], work["engine"]["version"]) == ([0, 1, 2, 3, 4, 5], NODES, "1.0")
    first, *others = volunteer.verdicts(work)
    address = f"analysis/{work['id']}"
    assert volunteer.post(address, {"verdicts": [first]}).json() == {"stored": 1, "work": None}
    answer = volunteer.post(address, {"verdicts": others}).json()
    assert (answer["stored"], answer["work"]["plies"]) == (5, [6, 7])
    assert volunteer.post(f"analysis/{answer['work']['id']}/abort").status_code == 204
    work = volunteer.post("analysis/acquire").json()
    done = {"verdicts": volunteer.verdicts(work), "more": False}
    assert volunteer.post(f"analysis/{work['id']}", done).json() == {"stored": 2, "work": None}
    assert volunteer.post("analysis/acquire").status_code == 204
    assert Verdict.objects.filter(by=carl).count() == 8
    assert AnalysisRequest.objects.get().state == "done"
    assert "carl" in session(anna).get("/analysis/").content.decode()


def test_a_volunteer_learns_what_is_wrong(anna, carl):
    stored(KIF)
    requests.request_game(anna, Game.objects.get(), requests.SearchOptions())
    volunteer = Volunteer(carl)
    work = volunteer.post("analysis/acquire").json()
    wrong = volunteer.verdicts(work)
    wrong[2]["lines"][0]["moves"] = "1a1b"
    answer = volunteer.post(f"analysis/{work['id']}", {"verdicts": wrong})
    assert (answer.status_code, answer.json()["code"]) == (400, "bad-analysis")
    assert "Ply 2: a line has illegal moves" in answer.json()["detail"]
    assert volunteer.post("analysis/acquire", {"engine": "other"}).json()["code"] == "no-engine"
    assert Volunteer(anna).post(f"analysis/{work['id']}", {"verdicts": []}).json()["code"] == "claim-lost"


def test_a_token_of_another_scope_does_not_analyse(carl):
    assert Volunteer(carl, "upload").post("analysis/acquire").json()["code"] == "no-analysis-right"
