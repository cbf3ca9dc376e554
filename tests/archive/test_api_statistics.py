"""Statistics and openings of the API: what the pages show, to everybody what they may read."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.utils.translation import override

from archive import libraries
from archive.caching.values import Cached
from archive.intake import uploads, worker
from archive.models import User
from archive.queries.games import records_by_kind, statistics
from archive.web.lists.browsing import duration_text
from archive.web.wording import RESULTS_OF, ending_text, opening_text
from kifu_core.games import GAMES
from tests.archive.games import stored
from tests.archive.pages import get_json, number, page, tables, text
from tests.archive.quoridor import NAMED

pytestmark = pytest.mark.django_db

GAME = (
    "手合割：平手\n先手：甲\n開始日時：{year}/01/0{n}\n戦型：{opening}\n"
    "1 {move} (0:0{n}/0:0{n})\n2 {ending}\n"
)
MOVES = ("７六歩(77)", "２六歩(27)", "５六歩(57)")
PUBLIC = (("矢倉", 1990), ("矢倉", 1993), ("中飛車", 1993), ("相掛かり", 1994), ("雁木", 1994))
MINE = (("秘密囲い", 2001), ("矢倉", 2002), ("雁木", 2002))
SCOPES = ("public", "mine", "all")


def record(n: int, opening: str, year: int) -> bytes:
    ending = "千日手" if n % 2 else "投了"
    values = {"year": year, "n": n + 1, "opening": opening, "move": MOVES[n % 3], "ending": ending}
    return GAME.format(**values).encode()


@pytest.fixture(scope="module", autouse=True)
def anna(module_db: None) -> User:
    """Games with openings, three of them in the library of an account, and one of Quoridor."""
    for n, (opening, year) in enumerate(PUBLIC):
        stored(record(n, opening, year))
    stored(NAMED, "a.txt")
    user = User.objects.create_user("anna", password="opensesame")
    space = libraries.own_library(user).pk
    for n, (opening, year) in enumerate(MINE):
        upload, _new = uploads.receive("a.kif", [record(n, opening, year)], user, "web", space=space)
        worker.work_off(upload.pk)
    return user


@pytest.fixture
def client(anna: User) -> Client:
    result = Client()
    result.force_login(anna)
    return result


def rows(result: list[list[str]]) -> list[tuple[str, int]]:
    """The rows of a table: what stands first, and its number."""
    return [(row[0], number(row[1])) for row in result]


@pytest.mark.parametrize("game", ["", *GAMES])
@pytest.mark.parametrize("scope", SCOPES)
def test_statistics_are_those_of_the_page(client, scope, game):
    query = f"?scope={scope}{f'&game={game}' if game else ''}"
    result = get_json(client, f"statistics{query}")
    html = page(client, f"/statistics/{query}")
    if not result["games"]:
        assert "There are no games here yet." in text(html)
        return
    shown = tables(html)
    assert number(re.findall(r'<p class="lead">(.*?)[<·]', html)[0]) == result["games"]
    years = [(str(one["year"]), one["games"]) for one in result["years"] if one["games"]]
    assert years == rows(shown.get("Games by year", []))
    lengths = [(f"{one['first']}–{one['last']}", one["games"]) for one in result["lengths"] if one["games"]]
    assert lengths == rows(shown["Games by length"])
    durations = [(duration_text(one["first"]), one["games"]) for one in result["durations"] if one["games"]]
    assert durations == rows(shown.get("Games by thinking time", []))
    with override("en"):
        results = zip(map(str, RESULTS_OF[result["game"]]), result["results"], strict=True)
        assert [(name, one["games"]) for name, one in results] == rows(shown["Results"])
        endings = [(ending_text(one["special"]), one["games"]) for one in result["endings"]]
        assert endings == rows(shown["Endings"])
        openings = [(opening_text(one["opening"]), one["games"]) for one in result["openings"]]
    assert openings == rows(shown.get("Openings as the records name them", []))
    start = get_json(client, f"{result['start_url']}?scope={scope}")
    moves = re.findall(r'<tr data-move="(.+?)" data-total="(\d+)"', html)
    assert [(one["move"], str(one["games"])) for one in start["moves"]] == moves


@pytest.mark.parametrize(("scope", "records", "games"), [("public", 6, 5), ("mine", 3, 3), ("all", 9, 8)])
def test_what_the_archive_holds_is_told_as_on_the_home_page(client, scope, records, games):
    result = get_json(client, f"statistics?scope={scope}")
    assert (result["game"], result["games"], result["holdings"]["records"]) == ("shogi", games, records)
    assert result["holdings"]["record_kinds"] == [{"record_kind": "game", "games": records}]
    home = page(client, f"/?scope={scope}")
    assert f"<dt>positions in records</dt><dd>{result['holdings']['positions']}</dd>" in home
    by_game = {one["game"]: one["games"] for one in result["by_game"]}
    assert by_game == {"shogi": games} | ({"quoridor": 1} if scope != "mine" else {})


@pytest.mark.parametrize("scope", SCOPES)
def test_openings_begin_as_the_statistics_do_and_lead_to_their_games(client, scope):
    result = get_json(client, f"openings?scope={scope}")
    listed = [{"opening": one["opening"], "games": one["games"]} for one in result["results"]]
    assert listed == get_json(client, f"statistics?scope={scope}")["openings"]
    assert result["total"] == {"count": len(listed), "exact": True}
    for one in result["results"]:
        assert len(get_json(client, f"{one['games_url']}&scope={scope}")["results"]) == one["games"]


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_pages_of_openings_join_without_gaps_or_doubles(client, limit):
    url, result = f"openings?limit={limit}", []
    while url:
        answer = get_json(client, url)
        result += answer["results"]
        url = answer["next_url"]
    assert result == get_json(client, "openings")["results"]
    numbers = {one["opening"]: one["games"] for one in result}
    assert numbers == {"矢倉": 3, "雁木": 2, "中飛車": 1, "相掛かり": 1, "秘密囲い": 1}
    assert [one["games"] for one in result] == sorted(numbers.values(), reverse=True)


def test_no_more_openings_are_told_than_are_kept(client, monkeypatch):
    monkeypatch.setattr(records_by_kind, "MOST", 2)
    monkeypatch.setattr("archive.api.views.statistics.MOST", 2)
    counted = records_by_kind.count_records_by_kind
    monkeypatch.setattr(statistics, "records_by_kind", lambda scope: Cached(counted(scope), exact=True))
    result = get_json(client, "openings")
    assert result["total"] == {"count": 2, "exact": False}
    assert [one["opening"] for one in result["results"]] == ["矢倉", "雁木"]


def test_a_library_is_in_nobody_elses_numbers(client):
    assert "秘密" in str(get_json(client, "openings")) and "秘密" in str(get_json(client, "statistics"))
    for visitor, scope in ((Client(), ""), (client, "?scope=public")):
        assert "秘密" not in str(get_json(visitor, f"openings{scope}")) + str(
            get_json(visitor, f"statistics{scope}")
        )
        assert get_json(visitor, f"statistics{scope}")["games"] == 5
    assert client.get("/api/v1/openings")["Cache-Control"] == "private, no-store"
    for address in ("statistics", "openings"):
        assert Client().get(f"/api/v1/{address}?scope=mine").status_code == 404


@pytest.mark.parametrize(
    ("address", "code", "field"),
    [
        ("statistics?game=chess", "invalid", "game"),
        ("statistics?game=", "invalid", "game"),
        ("statistics?limit=1", "invalid", "limit"),
        ("openings?game=%00", "invalid", "game"),
        ("openings?limit=501", "invalid-limit", "limit"),
        ("openings?cursor=x", "invalid-cursor", "cursor"),
        ("openings?cursor=%5B1,2%5D:x", "invalid-cursor", "cursor"),
        ("openings?cursor=", "invalid", "cursor"),
    ],
)
def test_what_cannot_be_asked_for_is_refused(address, code, field):
    answer = Client().get(f"/api/v1/{address}")
    assert (answer.status_code, answer.json()["code"]) == (400, code)
    assert [one["field"] for one in answer.json()["errors"]] == [field]


def test_a_cursor_of_openings_is_of_one_kind_of_game(client):
    cursor = get_json(client, "openings?limit=1&game=shogi")["next_url"].partition("cursor=")[2]
    answer = client.get(f"/api/v1/openings?game=quoridor&cursor={cursor}")
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid-cursor")


def test_an_answer_that_is_known_is_not_sent_again():
    for address in ("statistics", "openings"):
        tag = Client().get(f"/api/v1/{address}")["ETag"]
        assert Client().get(f"/api/v1/{address}", headers={"If-None-Match": tag}).status_code == 304
