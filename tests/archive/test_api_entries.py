"""The entries of an upload through the API: lists to keep, bytes, reports."""

from __future__ import annotations

import csv
import io
import json
from random import Random

import pytest
from rest_framework.test import APIClient

from archive.intake import texts
from kifu_core.containers.refusals import Budget
from tests.archive.games import BROKEN, CSA, KIF, UNREADABLE, stored
from tests.containers import seven_zipped, tarred, zipped

pytestmark = pytest.mark.django_db

FILES = (
    ("a.kif", KIF.encode("cp932")),
    ("=cmd.kif", UNREADABLE.encode()),
    ("深い/b.kif", BROKEN.encode()),
    ("a.kif", CSA.encode()),
)


@pytest.fixture
def client() -> APIClient:
    return APIClient()


@pytest.fixture
def upload():
    return stored(zipped(*FILES, ("bomb", bytes(9_000_000))), "all.zip")


def read(response) -> str:
    return b"".join(response.streaming_content).decode("utf-8-sig")


def test_a_list_to_keep_has_a_line_per_finding(client, upload):
    response = client.get(f"/api/v1/uploads/{upload.pk}/entries?format=csv")
    assert response["Content-Type"].startswith("text/csv")
    assert f"upload-{upload.pk}-entries.csv" in response["Content-Disposition"]
    rows = list(csv.DictReader(io.StringIO(read(response))))
    assert sorted({int(row["seq"]) for row in rows}) == [0, 1, 2, 3, 4]
    broken = next(row for row in rows if row["code"] == "no-piece")
    assert (broken["path"], broken["line"], broken["state"]) == ("深い/b.kif", "4", "stored")


def test_no_cell_of_a_list_is_a_formula(client, upload):
    rows = list(csv.reader(io.StringIO(read(client.get(f"/api/v1/uploads/{upload.pk}/entries?format=csv")))))
    assert "'=cmd.kif" in [row[1] for row in rows]
    assert not [cell for row in rows for cell in row if cell[:1] in "=@" and cell]


def source_of(client, upload, seq):
    return client.get(f"/api/v1/uploads/{upload.pk}/entries/{seq}/source")


def test_a_source_that_takes_too_long_is_told(client, upload, settings):
    settings.ARCHIVE_SOURCE_SECONDS = 0
    answer = source_of(client, upload, 0)
    assert (answer.status_code, answer.json()["code"]) == (422, "too-slow")


def test_for_a_source_no_other_file_of_a_zip_is_unpacked(client, monkeypatch):
    upload = stored(zipped(*FILES), "all.zip")
    unpacked = []
    unpack = Budget.unpack
    monkeypatch.setattr(Budget, "unpack", lambda self, *args: unpacked.append(1) or unpack(self, *args))
    assert [source_of(client, upload, seq).content for seq in range(4)] == [data for _, data in FILES]
    # Of two files of one name the first is unpacked to come to the second.
    assert len(unpacked) == 5


@pytest.mark.parametrize("pack", [zipped, tarred, seven_zipped])
def test_games_of_large_files_in_containers_are_found_again(client, monkeypatch, pack):
    monkeypatch.setattr(texts, "UNCUT_BYTES", 100)
    games = [CSA.replace("先手の人", f"人{n}") for n in range(4)]
    large = [("x.csa", "/\n".join(games[:2]).encode()), ("x.csa", "/\n".join(games[2:]).encode())]
    inner = zipped(("y.csa", "/\n".join(games[1:]).encode()))
    upload = stored(pack(*large, ("in.zip", inner)), "all.zip")
    result = [source_of(client, upload, seq).content.decode() for seq in range(7)]
    assert result == [*games, *games[1:]]


def test_an_upload_of_several_pieces_is_read_where_it_is_stored(client):
    noise = [(f"{n}.txt", Random(n).randbytes(500_000).hex().encode()) for n in range(6)]
    upload = stored(zipped(*noise), "noise.zip")
    assert [source_of(client, upload, seq).content for seq in range(6)] == [data for _, data in noise]


def test_a_list_to_keep_in_json_has_a_line_per_entry(client, upload):
    response = client.get(f"/api/v1/uploads/{upload.pk}/entries?format=ndjson")
    rows = [json.loads(line) for line in read(response).splitlines()]
    page = client.get(f"/api/v1/uploads/{upload.pk}/entries").json()["results"]
    assert rows == page
    assert [row["path"] for row in rows] == [*(name for name, _ in FILES), "bomb"]


def test_another_list_is_not_known(client, upload):
    response = client.get(f"/api/v1/uploads/{upload.pk}/entries?format=xlsx")
    assert (response.status_code, response.json()["code"]) == (400, "unknown-format")


@pytest.mark.parametrize("seq", range(4))
def test_the_bytes_of_an_entry_come_as_they_were_in_the_container(client, upload, seq):
    response = client.get(f"/api/v1/uploads/{upload.pk}/entries/{seq}/source")
    assert response.content == FILES[seq][1]
    assert response["Content-Disposition"].startswith("attachment")


def test_what_was_refused_unread_has_no_bytes(client, upload):
    response = client.get(f"/api/v1/uploads/{upload.pk}/entries/4/source")
    assert (response.status_code, response.json()["code"]) == (404, "entry-without-bytes")


def test_the_bytes_of_an_entry_are_never_those_of_another_file(client, settings):
    inner = zipped(("x.kif", KIF.encode()), ("y.kif", b"nothing"))
    settings.ARCHIVE_MAX_DEPTH = 1
    upload = stored(zipped(("inner.zip", inner), ("after.kif", b"nothing at all")), "pile.zip")
    settings.ARCHIVE_MAX_DEPTH = 2
    answer = client.get(f"/api/v1/uploads/{upload.pk}/entries/1/source")
    assert answer.content == b"nothing at all"
    gone = client.get(f"/api/v1/uploads/{upload.pk}/entries/0/source")
    assert (gone.status_code, gone.json()["code"]) == (404, "entry-without-bytes")


def test_the_bytes_of_a_game_of_a_large_file_are_that_game(client, monkeypatch):
    monkeypatch.setattr(texts, "UNCUT_BYTES", 100)
    games = [CSA.replace("先手の人", f"人{n}") for n in range(3)]
    upload = stored("/\n".join(games), "three.csa")
    sources = [client.get(f"/api/v1/uploads/{upload.pk}/entries/{n}/source").content for n in range(3)]
    assert [source.decode() for source in sources] == games


def test_a_report_says_all_that_helps(client, upload):
    url = client.get(f"/api/v1/uploads/{upload.pk}/entries").json()["results"][1]["report_url"]
    response = client.get(url, headers={"Accept-Language": "en"})
    assert response["Content-Type"].startswith("text/plain")
    text = response.content.decode()
    assert "all.zip / =cmd.kif" in text
    assert upload.sha256 in text
    assert "line 1" in text
    assert "> 手合割：五々将棋" in text


@pytest.mark.parametrize("what", ["source", "report"])
def test_an_entry_that_is_not_there_is_a_404(client, upload, what):
    assert client.get(f"/api/v1/uploads/{upload.pk}/entries/99/{what}").status_code == 404
