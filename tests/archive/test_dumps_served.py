"""Dumps as visitors find them: the page, the files and parts of them, the list of the API, and the task."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings

from archive import store
from archive.columns import building
from archive.columns.segments import slots_in
from archive.dumps import publishing, tasks
from archive.dumps.offered import Dump, offered_dumps
from archive.intake.tasks import columns
from archive.models import Game, SiteText, Space
from archive.queries.scope import PUBLIC
from tests.archive.builders import ingest, ready
from tests.archive.columns import build
from tests.archive.games import KIF, stored

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def folder(settings: Settings, tmp_path: Path) -> Path:
    """Where the dumps of a test lie."""
    settings.ARCHIVE_DUMP_FOLDER = tmp_path / "dumps"
    return tmp_path / "dumps"


@pytest.fixture
def dump() -> Dump:
    stored(KIF)
    made = publishing.make()
    assert made is not None
    return made


def body(response: Any) -> bytes:
    return b"".join(response.streaming_content)


def test_the_page_says_so_where_there_is_no_dump(client):
    assert "まだ作成されていません" in client.get("/dumps/", HTTP_ACCEPT_LANGUAGE="ja").content.decode()
    assert "There is no dump yet." in client.get("/dumps/", HTTP_ACCEPT_LANGUAGE="en").content.decode()
    assert client.get("/api/v1/dumps").json()["results"] == []


def test_the_page_tells_of_the_newest_dump_with_its_sums(client, dump):
    SiteText.objects.create(page="terms", language="en", text="CC0")
    older, newest = dump, publishing.make()
    assert newest is not None
    page = client.get("/dumps/", HTTP_ACCEPT_LANGUAGE="en").content.decode()
    for file in newest.files:
        assert f'href="/dumps/{newest.name}/{file.name}"' in page and file.sha256 in page
    assert f'href="/dumps/{older.name}/manifest.json"' in page and 'href="/terms/"' in page
    assert 'href="/dumps/"' in client.get("/statistics/").content.decode()


def test_every_file_is_what_the_manifest_says(client, dump):
    for file in dump.files:
        response = client.get(f"/dumps/{dump.name}/{file.name}", HTTP_ACCEPT_ENCODING="gzip")
        data = body(response)
        assert (len(data), hashlib.sha256(data).hexdigest()) == (file.size, file.sha256)
        assert response["ETag"] == f'"{file.sha256}"' and "immutable" in response["Cache-Control"]
        assert int(response["Content-Length"]) == file.size and "Content-Encoding" not in response
    manifest = client.get(f"/dumps/{dump.name}/manifest.json")
    assert b'"schema": 1' in body(manifest) and manifest["Content-Type"] == "application/json"


def test_a_file_that_one_has_is_not_sent_again(client, dump):
    address = f"/dumps/{dump.name}/games.parquet"
    tag = client.head(address)["ETag"]
    assert client.get(address, HTTP_IF_NONE_MATCH=tag).status_code == 304


@pytest.mark.parametrize(
    ("requested_range", "first", "last"),
    [("bytes=0-0", 0, 0), ("bytes=10-19", 10, 19), ("bytes=5-", 5, None), ("bytes=-8", -8, None),
     ("bytes=0-999999999", 0, None)],
)  # fmt: skip
def test_a_download_goes_on_where_it_broke_off(client, dump, requested_range, first, last):
    address, whole = f"/dumps/{dump.name}/games.parquet", dump.tables[0].read_bytes()
    part = client.get(address, HTTP_RANGE=requested_range)
    expected = whole[first:] if last is None else whole[first : last + 1]
    assert part.status_code == 206 and body(part) == expected
    start = first % len(whole)
    assert part["Content-Range"] == f"bytes {start}-{start + len(expected) - 1}/{len(whole)}"
    again = client.get(address, HTTP_RANGE=requested_range, HTTP_IF_RANGE=part["ETag"])
    assert again.status_code == 206 and body(again) == expected
    other = client.get(address, HTTP_RANGE=requested_range, HTTP_IF_RANGE='"other"')
    assert other.status_code == 200 and body(other) == whole


@pytest.mark.parametrize("requested_range", ["bytes=9999999-", "bytes=-0", "bytes=9999999-99999999"])
def test_a_part_behind_the_end_is_416(client, dump, requested_range):
    answer = client.get(f"/dumps/{dump.name}/games.parquet", HTTP_RANGE=requested_range)
    assert answer.status_code == 416
    assert answer["Content-Range"] == f"bytes */{dump.tables[0].stat().st_size}"


NO_RANGES = ["bytes=5-2", "bytes=a-b", "lines=0-1", "bytes=0-1,3-4", "bytes=-", "bytes=1", "bytes=٣-"]


@pytest.mark.parametrize("requested_range", NO_RANGES)
def test_a_range_that_is_none_is_not_looked_at(client, dump, requested_range):
    answer = client.get(f"/dumps/{dump.name}/games.parquet", HTTP_RANGE=requested_range)
    assert answer.status_code == 200 and len(body(answer)) == dump.tables[0].stat().st_size


@pytest.mark.parametrize(
    "path",
    ["{name}/../{name}/manifest.json", "{name}/..%2f..%2fsecret-key", "{name}/state.json",
     ".making/state.json", ".lock/x", "{name}/", "../secret-key", "{name}/%00", "{name}/nothing"],
)  # fmt: skip
def test_nothing_but_files_of_manifests_is_sent(client, dump, folder, path):
    (dump.folder / "state.json").write_text("{}")
    (folder.parent / "secret-key").write_text("secret")
    assert client.get(f"/dumps/{path.format(name=dump.name)}").status_code in (301, 404)


def test_a_folder_with_a_manifest_that_makes_no_sense_is_no_dump(client, dump, folder):
    for manifest in ("", "[]", "{}", '{"files": [{"name": "../../secret-key"}]}'):
        other = folder / "2020-01-01T00-00-00Z"
        other.mkdir(exist_ok=True)
        (other / "manifest.json").write_text(manifest)
        assert [one.name for one in offered_dumps()] == [dump.name]
        assert client.get("/dumps/").status_code == 200


def test_the_api_lists_dumps_with_their_files(client, dump):
    (data,) = client.get("/api/v1/dumps").json()["results"]
    assert (data["name"], data["games"], data["taken_down"]) == (dump.name, 1, [])
    for file in data["files"]:
        assert hashlib.sha256(body(client.get(file["url"]))).hexdigest() == file["sha256"]
    sums = body(client.get(data["sums_url"])).decode()
    assert hashlib.sha256(body(client.get(data["manifest_url"]))).hexdigest() in sums


def test_behind_a_login_dumps_are_for_who_signed_in(client, dump, settings):
    settings.MIDDLEWARE = [*settings.MIDDLEWARE, "django.contrib.auth.middleware.LoginRequiredMiddleware"]
    settings.ARCHIVE_LOGIN_REQUIRED = True
    assert client.get("/dumps/").status_code == 302
    assert Client().get(f"/dumps/{dump.name}/games.parquet").status_code == 302


def test_the_scheduled_task_makes_a_dump_when_one_is_due(settings):
    settings.ARCHIVE_DUMP_DAYS = 7
    stored(KIF)
    tasks.dump()
    (first,) = offered_dumps()
    tasks.dump()
    assert [one.name for one in offered_dumps()] == [first.name]
    settings.ARCHIVE_DUMP_DAYS = 0
    assert publishing.is_due()


def test_the_scheduled_task_sends_itself_again_for_the_rest(settings, monkeypatch):
    settings.ARCHIVE_DUMP_DAYS = 7
    sent = []
    monkeypatch.setattr(publishing, "TURN_SECONDS", 0)
    monkeypatch.setattr(tasks.dump, "apply_async", lambda **options: sent.append(options))
    for number in range(2):
        stored(KIF.replace("先手の人", f"甲{number}"))
    while not offered_dumps():
        tasks.dump()
        assert len(sent) < 10
    assert sent and sent[0] == {"queue": "maintenance"}


def test_the_scheduled_task_forgets_what_holds_games_that_are_gone(settings, dump):
    settings.ARCHIVE_DUMP_DAYS, settings.ARCHIVE_DUMPS_FORGET = 7, True
    Game.objects.update(space=PUBLIC.spaces[0] + 5)
    tasks.dump()
    (new,) = offered_dumps()
    assert (new.games, new.name > dump.name) == (0, True)
    assert new.made <= timezone.now()


# --- columns --------------------------------------------------------------------------------------------


@pytest.fixture
def column_folder(settings: Settings, tmp_path: Path) -> Path:
    """Where the columns of a test lie: those of a public game, and of one in a library."""
    settings.ARCHIVE_COLUMN_FOLDER = tmp_path / "columns"
    stored(KIF)
    space = Space.objects.create(kind=Space.Kind.GROUP, name="x").pk
    ingest(ready("2g2f"), ready("3g3f"))
    for game in Game.objects.filter(plies=1):
        store.move_game(game.pk, space)
    build()
    return tmp_path / "columns"


def test_without_columns_nothing_is_said_of_them(client, settings, tmp_path):
    settings.ARCHIVE_COLUMN_FOLDER = tmp_path / "columns"
    assert "/dumps/columns/" not in client.get("/dumps/").content.decode()
    assert client.get("/api/v1/dumps").json()["columns"] is None
    assert client.get("/dumps/columns/manifest.json").status_code == 404


def test_the_columns_of_public_games_are_offered_with_their_manifest(client, column_folder):
    page = client.get("/dumps/", HTTP_ACCEPT_LANGUAGE="en").content.decode()
    data = client.get("/api/v1/dumps").json()["columns"]
    manifest = client.get("/dumps/columns/manifest.json")
    assert (data["games"], data["gone"], data["version"]) == (1, 0, 1)
    (file,) = data["files"]
    assert [one["name"] for one in manifest.json()["files"]] == [file["name"]]
    assert f'href="/dumps/columns/{file["name"]}"' in page and 'href="/dumps/columns/manifest.json"' in page
    assert file["sha256"] in page and "<code>s11 … s99</code>" in page
    response = client.get(file["url"])
    data = body(response)
    assert (len(data), hashlib.sha256(data).hexdigest()) == (file["size"], file["sha256"])
    assert "immutable" in response["Cache-Control"] and "no-cache" in manifest["Cache-Control"]
    assert response["Content-Type"] == "application/vnd.apache.parquet"


def test_parts_and_tags_of_columns_are_as_those_of_dumps(client, column_folder):
    (file,) = client.get("/api/v1/dumps").json()["columns"]["files"]
    part = client.get(file["url"], HTTP_RANGE="bytes=0-3")
    assert (part.status_code, body(part)) == (206, b"PAR1")
    for address in (file["url"], "/dumps/columns/manifest.json"):
        tag = client.head(address)["ETag"]
        assert client.get(address, HTTP_IF_NONE_MATCH=tag).status_code == 304


def test_what_is_gone_is_named_and_then_leaves_the_files(client, column_folder):
    (game,) = Game.objects.filter(space=0)
    store.delete_games([game.pk])
    ingest(ready("7g7f"))
    build()
    data = client.get("/dumps/columns/manifest.json").json()
    held = {slot for one in data["files"] for slot in slots_in(column_folder / "0" / one["name"])}
    public = {*Game.objects.filter(space=0).values_list("slot", flat=True)}
    assert held - {*data["gone"]} == public


def test_what_is_gone_is_named_also_where_nothing_else_is_to_be_done(client, column_folder):
    ingest(*(ready([f"{n}g{n}f", f"{m}c{m}d"]) for n in range(1, 10) for m in range(1, 4)))
    build()
    assert not building.has_work()
    game = Game.objects.filter(space=0).order_by("slot")[2]
    store.delete_games([game.pk])
    columns()
    assert client.get("/dumps/columns/manifest.json").json()["gone"] == [game.slot]
    assert not building.has_work()


def test_where_dumps_forget_the_columns_do_too(client, column_folder, settings):
    ingest(*(ready([f"{n}g{n}f", f"{m}c{m}d"]) for n in range(1, 10) for m in range(1, 4)))
    build()
    game = Game.objects.filter(space=0).order_by("slot")[2]
    store.delete_games([game.pk])
    settings.ARCHIVE_DUMPS_FORGET = True
    build()
    data = client.get("/dumps/columns/manifest.json").json()
    held = {slot for one in data["files"] for slot in slots_in(column_folder / "0" / one["name"])}
    assert held == {*Game.objects.filter(space=0).values_list("slot", flat=True)}
    assert data["gone"] == [] and not building.has_work()


def test_what_has_gone_from_a_library_is_named_to_nobody_else(column_folder):
    game = Game.objects.exclude(space=0).order_by("slot")[0]
    store.delete_games([game.pk])
    assert building.manifest_of(game.space)["gone"] == [game.slot]
    assert building.manifest_of(0)["gone"] == []


@pytest.mark.parametrize(
    "file", ["..%2Fmanifest.json", "..%2F1%2Fmanifest.json", ".lock", "x.parquet", "manifest.new", "%00"]
)
def test_nothing_but_what_the_manifest_names_is_sent(client, column_folder, file):
    (column_folder / "0" / "x.parquet").write_text("not in use")
    assert client.get(f"/dumps/columns/{file}").status_code == 404
    (other,) = [path for path in column_folder.glob("[1-9]*/*.parquet")]
    assert client.get(f"/dumps/columns/{other.name}").status_code == 404


def test_a_manifest_that_makes_no_sense_offers_nothing(client, column_folder):
    (column_folder / "0" / "manifest.json").write_text("{")
    assert client.get("/api/v1/dumps").json()["columns"] is None
    assert client.get("/dumps/columns/manifest.json").status_code == 404
