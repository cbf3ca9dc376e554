"""Games in bulk: lines of JSON and tables, which are made while they are sent and can be gone on with."""

from __future__ import annotations

import csv
import gzip
import io
import json
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from rest_framework.test import APIClient

from archive import libraries, store
from archive.api.views import export
from archive.export import lists
from archive.http.limits import at_once as at_once_module
from archive.http.limits.at_once import LimitedStream, StreamLimiter
from archive.http.limits.throttling import LimitReachedError
from archive.index.engine import engine
from archive.intake import worker
from archive.models import Game, User
from archive.queries.games import bulk as bulk_of
from archive.queries.games import listing as queries
from archive.queries.games.bulk import read_in_bulk
from archive.queries.games.filters import GameFilters
from archive.queries.scope import PUBLIC
from tests.archive import quoridor
from tests.archive.builders import ingest, random_game, ready
from tests.archive.games import KIF, stored

pytestmark = pytest.mark.django_db

EXPORT = "/api/v1/games/export"
LINES = ("7g7f 3c3d", "2g2f 8c8d", "7g7f 8c8d", "2g2f 3c3d", "5g5f 3c3d", "9g9f 3c3d", "1g1f 3c3d")


@pytest.fixture
def client() -> APIClient:
    return APIClient()


@pytest.fixture(autouse=True)
def nothing_running(monkeypatch: pytest.MonkeyPatch) -> None:
    """No answer that another test did not read to its end."""
    monkeypatch.setattr(export, "_AT_ONCE", StreamLimiter())


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages of two games, and one record at a time."""
    monkeypatch.setattr(bulk_of, "MAX_PAGE", 2)
    monkeypatch.setattr(bulk_of, "GROUP_GAMES", 1)


def seven() -> list[int]:
    """Seven games; their numbers."""
    ingest(*(ready(line, black=f"先手{n}", white="相手") for n, line in enumerate(LINES)))
    return list(Game.objects.order_by("pk").values_list("pk", flat=True))


def read(answer: Any) -> bytes:
    return b"".join(answer.streaming_content)


def lines(client: Any, query: str = "", **headers: str) -> list[dict[str, Any]]:
    """The lines of an answer."""
    answer = client.get(f"{EXPORT}{query}", headers=headers)
    assert answer.status_code == 200, answer.content
    return [json.loads(line) for line in read(answer).splitlines()]


def games_of(result: list[dict[str, Any]]) -> list[int]:
    return [line["id"] for line in result if "id" in line]


# --- what is told ----------------------------------------------------------------------------------------


def test_a_line_is_what_the_list_tells_with_the_record_that_the_page_gives(client):
    stored(KIF)
    game, end = lines(client)
    listed = client.get("/api/v1/games").json()["results"][0]
    record = client.get(f"/api/v1/games/{game['id']}/record.jkf").json()
    assert game == listed | {"record": record, "cursor": str(game["id"])}
    assert end == {"complete": True, "games": 1, "cursor": str(game["id"])}


def test_a_table_has_a_row_for_each_game(client):
    numbers = seven()
    answer = client.get(f"{EXPORT}?as=csv")
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    rows = list(csv.DictReader(io.StringIO(read(answer).decode("utf-8-sig"))))
    listed = {one["id"]: one for one in client.get("/api/v1/games").json()["results"]}
    assert [int(row["id"]) for row in rows] == numbers
    for row in rows:
        listed_game = listed[int(row["id"])]
        listed_game["has"] = " ".join(listed_game["has"])
        assert row == {name: "" if listed_game[name] is None else str(listed_game[name]) for name in row}
        assert row.keys() == listed_game.keys()


def test_no_cell_of_a_table_is_a_formula(client):
    ingest(ready("7g7f", black="=HYPERLINK(1)", white="@甲"))
    assert "'=HYPERLINK(1),'@甲" in read(client.get(f"{EXPORT}?as=csv")).decode()


@pytest.mark.parametrize(
    ("accept", "content_type"),
    [
        ("", "application/x-ndjson"),
        ("*/*", "application/x-ndjson"),
        ("text/csv", "text/csv; charset=utf-8"),
        ("application/zip", "application/zip"),
        ("application/zip;q=0.5, text/csv", "text/csv; charset=utf-8"),
    ],
)
def test_the_type_may_be_asked_for_by_accept(client, accept, content_type):
    seven()
    answer = client.get(EXPORT, headers={"Accept": accept} if accept else {})
    assert answer["Content-Type"] == content_type


def test_all_filters_of_the_list_and_queries_narrow_it_down(client):
    numbers = seven()
    assert [one["black"] for one in lines(client, "?black=先手3")[:-1]] == ["先手3"]
    assert games_of(lines(client, "?player=相手&max_plies=2")) == numbers
    result = lines(client, "?q=black:先手1 OR black:先手5")[:-1]
    assert {one["black"] for one in result} == {"先手1", "先手5"}
    assert lines(client, "?player=誰でもない") == [{"complete": True, "games": 0, "cursor": "0"}]


def test_problems_trees_and_games_of_quoridor_are_among_them(client):
    ingest(ready("7g7f", kind="problem"), ready("2g2f", kind="tree"))
    stored(quoridor.NAMED, "game.txt")
    result = lines(client)[:-1]
    assert [one["record_kind"] for one in result] == ["problem", "tree", "game"]
    assert result[2]["game"] == "quoridor" and result[2]["record"]["moves"]
    assert all(one["date"] is None for one in result[:2])


# --- going on --------------------------------------------------------------------------------------------


def test_it_goes_on_wherever_it_was_cut(client, few):
    numbers = seven()
    whole = lines(client)
    for cut in range(len(numbers) + 1):
        begun = whole[:cut]
        cursor = begun[-1]["cursor"] if begun else "0"
        rest = lines(client, f"?cursor={cursor}")
        assert [*begun, *rest[:-1]] == whole[:-1]
        assert rest[-1] == {"complete": True, "games": 7 - cut, "cursor": str(numbers[-1])}


def test_it_goes_on_behind_a_game_that_is_gone(client):
    numbers = seven()
    store.delete_games([numbers[2]])
    assert games_of(lines(client, f"?cursor={numbers[2]}")) == numbers[3:]


@pytest.mark.parametrize("limit", [1, 2, 3, 6])
def test_a_limit_says_where_to_go_on(client, few, limit):
    numbers, result, cursor = seven(), [], "0"
    while True:
        part = lines(client, f"?limit={limit}&cursor={cursor}")
        result += games_of(part)
        cursor = part[-1]["cursor"]
        if part[-1]["complete"]:
            break
        assert part[-1]["games"] == limit
    assert result == numbers


def test_the_archive_has_a_limit_of_its_own(client, settings):
    numbers = seven()
    settings.ARCHIVE_EXPORT_GAMES = 3
    assert lines(client, "?limit=100")[-1] == {"complete": False, "games": 3, "cursor": str(numbers[2])}


def test_what_is_deleted_meanwhile_does_not_come(client, few):
    numbers = seven()
    answer = iter(client.get(EXPORT).streaming_content)
    begun = next(answer)
    store.delete_games(numbers[3:5])
    result = [json.loads(line) for line in (begun + b"".join(answer)).splitlines()]
    assert games_of(result) == [*numbers[:3], *numbers[5:]]
    assert result[-1]["complete"]


def test_what_is_added_meanwhile_comes_behind(client, few):
    numbers = seven()
    reading = read_in_bulk(PUBLIC, GameFilters(), 0, 100)
    result = reading.with_records()
    first = next(result)
    ingest(ready("3g3f 3c3d"))
    rest = [one.row.id for one in result if one is not None]
    assert first is not None
    assert [first.row.id, *rest] == list(Game.objects.order_by("pk").values_list("pk", flat=True))
    assert len(rest) == len(numbers)


def test_a_game_whose_uploads_are_all_being_deleted_is_gone(client):
    numbers = seven()
    upload = stored(KIF)
    assert len(games_of(lines(client))) == len(numbers) + 1
    store.begin_deletion(upload.pk)
    assert games_of(lines(client)) == numbers
    assert len(read(client.get(f"{EXPORT}?as=csv")).splitlines()) == len(numbers) + 1


def test_the_first_games_are_sent_before_the_last_are_read(client, few, monkeypatch):
    seven()
    monkeypatch.setattr(lists, "_PIECE", 1)
    cursors: list[int] = []
    after = queries.games_after

    def noted(*args: Any) -> Any:
        cursors.append(args[2])
        return after(*args)

    monkeypatch.setattr(bulk_of, "games_after", noted)
    answer = iter(client.get(EXPORT).streaming_content)
    assert json.loads(next(answer))["id"]
    assert len(cursors) == 1
    b"".join(answer)
    assert len(cursors) == 4


def test_records_are_held_a_few_at_a_time(client, monkeypatch):
    ingest(*(random_game(Random(n)) for n in range(40)))
    monkeypatch.setattr(bulk_of, "GROUP_BYTES", 1)
    whole = lines(client)
    assert whole[-1]["games"] == Game.objects.count()


def test_a_query_that_takes_too_long_on_its_way_is_told(client, few, monkeypatch, settings):
    numbers = seven()
    after = queries.games_after

    def slow(*args: Any) -> Any:
        if args[2] >= numbers[3]:
            settings.ARCHIVE_SEARCH_SECONDS = 0
        return after(*args)

    monkeypatch.setattr(bulk_of, "games_after", slow)
    monkeypatch.setattr(engine(), "time_limit", instant)
    result = lines(client, "?q=plies:>=1 AND NOT black:x")
    assert result[-1] == {"complete": False, "games": 4, "cursor": str(numbers[3]), "error": "query-too-slow"}


class instant:
    """A time limit that a limit of nothing has reached."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def __enter__(self) -> None:
        if not self.seconds:
            raise TimeoutError

    def __exit__(self, *error: object) -> None:
        return None


# --- what is wrong ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ("?cursor=x", 400, "invalid-cursor"),
        ("?cursor=-1", 400, "invalid-cursor"),
        ("?cursor=１", 400, "invalid-cursor"),
        ("?cursor=99999999999999999999", 400, "invalid-cursor"),
        ("?limit=0", 400, "invalid-limit"),
        ("?limit=x", 400, "invalid-limit"),
        ("?as=pdf", 400, "invalid"),
        ("?as=json", 400, "invalid"),
        ("?order=newest", 400, "invalid"),
        ("?plies=3", 400, "invalid"),
        ("?as=kif&position=x", 400, "invalid"),
        ("?as=db&cursor=1", 400, "invalid"),
        ("?as=db&plies=101", 400, "invalid"),
        ("?as=db&position=x&player=y", 400, "invalid"),
        ("?as=db&position=a b c d e", 400, "sfen-fields"),
        ("?q=player:", 400, "query-syntax"),
        ("?scope=mine", 404, "not-found"),
    ],
)
@pytest.mark.parametrize("method", ["get", "head"])
def test_what_makes_no_sense_is_told_before_anything_is_sent(client, method, query, status, code):
    seven()
    answer = getattr(client, method)(EXPORT + query)
    assert answer.status_code == status
    if method == "get":
        assert answer.json()["code"] == code


# --- tags ------------------------------------------------------------------------------------------------


def upload_privately() -> None:
    owner = User.objects.create_user("owner")
    upload, _new = store.create_upload(
        "x.kif", [KIF.encode()], owner, "web", space=libraries.own_library(owner).pk
    )
    worker.work_off(upload.pk)


@pytest.mark.django_db(transaction=True)
def test_a_tag_stands_for_the_whole_until_the_archive_changes(client):
    ingest(ready("7g7f"), ready("2g2f"))

    def status(query: str, headers: dict[str, str]) -> int:
        answer = client.get(EXPORT + query, headers=headers)
        if answer.streaming:
            read(answer)
        return int(answer.status_code)

    first = client.get(EXPORT)
    tag = first["ETag"]
    begun, *_rest = read(first).splitlines()
    cursor = json.loads(begun)["cursor"]
    assert status("", {"If-None-Match": tag}) == 304
    assert status("?as=csv", {"If-None-Match": tag}) == 200
    assert status("?player=x", {"If-None-Match": tag}) == 200
    assert status(f"?cursor={cursor}", {"If-Match": tag}) == 200
    upload_privately()
    assert status("", {"If-None-Match": tag}) == 304
    assert status(f"?cursor={cursor}", {"If-Match": tag}) == 200, "libraries are no part of it"
    ingest(ready("9g9f"))
    assert status("", {"If-None-Match": tag}) == 200
    answer = client.get(f"{EXPORT}?cursor={cursor}", headers={"If-Match": tag})
    assert (answer.status_code, answer.json()["code"]) == (412, "changed")
    assert len(games_of(lines(client, f"?cursor={cursor}"))) == 2


def test_it_is_compressed_where_that_is_taken(client):
    numbers = seven()
    answer = client.get(EXPORT, headers={"Accept-Encoding": "gzip"})
    assert answer["Content-Encoding"] == "gzip"
    result = [json.loads(line) for line in gzip.decompress(read(answer)).splitlines()]
    assert games_of(result) == numbers


def test_a_zip_is_not_compressed_once_more(client):
    seven()
    answer = client.get(f"{EXPORT}?as=csa", headers={"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in answer
    assert read(answer).startswith(b"PK")


def test_head_makes_nothing(client, monkeypatch):
    seven()
    monkeypatch.setattr(bulk_of.BulkReader, "with_records", lambda self: pytest.fail("something is made"))
    answer = client.head(EXPORT)
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/x-ndjson")
    assert b"".join(answer.streaming_content) == b""


# --- who is told what ------------------------------------------------------------------------------------


def test_everybody_is_sent_the_games_that_they_may_read():
    owner = User.objects.create_user("owner", password="opensesame")
    other = User.objects.create_user("other", password="opensesame")
    space = libraries.own_library(owner).pk
    ingest(ready("7g7f", black="公"))
    upload, _new = store.create_upload("x.kif", [KIF.encode()], owner, "web", space=space)
    worker.work_off(upload.pk)
    public = Game.objects.get(space=PUBLIC.spaces[0]).pk
    private = Game.objects.get(space=space).pk

    def seen(user: User | None, query: str = "?scope=all") -> list[int]:
        client = Client()
        if user:
            client.force_login(user)
        answer = client.get(EXPORT + query)
        result = [json.loads(line) for line in read(answer).splitlines()]
        if private in games_of(result):
            assert answer["Cache-Control"] == "private, no-store"
            assert "ETag" not in answer
        return games_of(result)

    assert seen(None) == seen(other) == [public]
    assert seen(owner) == [public, private]
    assert seen(owner, "?scope=mine") == [private]
    assert seen(owner, "?scope=public") == [public]


# --- limits ----------------------------------------------------------------------------------------------


def test_exports_have_a_quota_of_their_own(client, throttled):
    throttled.ARCHIVE_THROTTLE_EXPORTS = 2
    seven()
    assert [client.head(EXPORT).status_code for _ in range(3)] == [200] * 3
    answers = [client.get(EXPORT) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert int(answers[2]["Retry-After"]) > 1000


def test_a_process_makes_few_at_a_time(client, throttled):
    throttled.ARCHIVE_EXPORTS_AT_ONCE = 2
    seven()
    first = client.get(EXPORT)
    refused = client.get(EXPORT)
    assert (refused.status_code, refused.json()["code"]) == (429, "throttled")
    assert refused["Retry-After"] == "15"
    read(first)
    assert client.get(EXPORT).status_code == 200


def test_an_answer_that_nobody_takes_any_more_is_closed(client, throttled):
    throttled.ARCHIVE_EXPORTS_AT_ONCE = 1
    seven()
    begun = client.get(f"{EXPORT}?as=db")
    assert client.get(EXPORT).status_code == 429
    # As the server does; the client of tests would close the database as well.
    for close in begun._resource_closers:
        close()
    assert client.get(EXPORT).status_code == 200


def test_an_answer_counts_until_it_ends_however_that_is():
    at_once, closed = StreamLimiter(), []

    def made() -> Any:
        try:
            yield b"1"
            yield b"2"
        finally:
            closed.append(1)

    begun = LimitedStream(made(), at_once, "a", 4)
    assert next(begun) == b"1"
    begun.close()
    assert closed == [1] and not at_once.slots
    assert list(LimitedStream(made(), at_once, "a", 4)) == [b"1", b"2"] and not at_once.slots
    thrown_away = LimitedStream(made(), at_once, "a", 4)
    assert at_once.slots
    del thrown_away
    assert not at_once.slots


def test_nobody_has_more_than_half_of_them():
    at_once = StreamLimiter()
    held = [LimitedStream(iter(()), at_once, "a", 4) for _ in range(2)]
    with pytest.raises(LimitReachedError):
        at_once.enter("a", 4)
    at_once.enter("b", 4)
    assert len(held) == 2


@pytest.mark.parametrize("another", ["a", "c"])
def test_who_takes_an_answer_slowly_gives_the_place_to_who_wants_one(monkeypatch, another):
    at_once, now = StreamLimiter(), [0.0]
    monkeypatch.setattr(at_once_module, "time", SimpleNamespace(monotonic=lambda: now[0]))
    held = [LimitedStream(iter([b"1" * 64_000] * 99), at_once, who, 4) for who in ("a", "a", "b", "b")]
    slow, *quick = held
    for _ in range(11):
        for one in quick:
            next(one)
        now[0] += 2
    next(slow)
    for _ in range(3):
        now[0] += 20
        for one in quick:
            [next(one) for _ in range(10)]
    with pytest.raises(LimitReachedError):
        at_once.enter(another, 4)
    now[0] += 10
    for one in quick:
        next(one)
    at_once.enter(another, 4)
    with pytest.raises(LimitReachedError):
        next(slow)
    assert [len(next(one)) for one in quick] == [64_000] * 3
    with pytest.raises(LimitReachedError):
        at_once.enter("d", 4)


def test_an_answer_that_is_long_in_the_making_keeps_its_place(monkeypatch):
    at_once, now = StreamLimiter(), [0.0]
    monkeypatch.setattr(at_once_module, "time", SimpleNamespace(monotonic=lambda: now[0]))

    def made() -> Any:
        for _ in range(20):
            now[0] += 50
            yield b""

    counting = LimitedStream(made(), at_once, "a", 1)
    for _ in range(20):
        next(counting)
    with pytest.raises(LimitReachedError):
        at_once.enter("b", 1)


# --- the command -----------------------------------------------------------------------------------------


def test_the_command_writes_what_the_api_sends_and_goes_on(client, tmp_path):
    numbers = seven()
    target = tmp_path / "games.ndjson"
    call_command("export_games", "", "--to", str(target), "--limit", "3")
    begun = [json.loads(line) for line in target.read_text().splitlines()]
    assert begun[-1] == {"complete": False, "games": 3, "cursor": str(numbers[2])}
    call_command("export_games", "", "--to", str(target), "--after", begun[-1]["cursor"])
    rest = [json.loads(line) for line in target.read_text().splitlines()]
    assert games_of(begun) + games_of(rest) == numbers
    served = {line["id"]: line for line in lines(client)[:-1]}
    for line in [*begun[:-1], *rest[:-1]]:
        assert line == served[line["id"]] | {"url": f"http://localhost:8000/api/v1/games/{line['id']}"}
