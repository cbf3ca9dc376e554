"""Games in bulk as a ZIP: names that are safe everywhere, the files of the games' pages, an index."""

from __future__ import annotations

import csv
import io
import zipfile
from datetime import date
from typing import Any

import pytest
from rest_framework.test import APIClient

from archive.export.file_names import file_name
from archive.export.zips import FILES
from archive.models import Game
from archive.queries.games.keyset import PageEnd
from archive.queries.games.listing import GameRow
from tests.archive import quoridor
from tests.archive.builders import ingest, ready
from tests.archive.games import CSA, KIF, stored

pytestmark = pytest.mark.django_db

EXPORT = "/api/v1/games/export"


@pytest.fixture
def client() -> APIClient:
    return APIClient()


def opened(client: APIClient, query: str) -> tuple[zipfile.ZipFile, list[dict[str, str]]]:
    """The ZIP of an answer, which is whole, and its index."""
    answer: Any = client.get(EXPORT + query)
    assert answer["Content-Type"] == "application/zip"
    archive = zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content)))
    assert archive.testzip() is None
    text = archive.read("INDEX.csv").decode("utf-8-sig")
    return archive, list(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize("extension", [name for name in FILES if name not in ("qf", "alg")])
def test_the_files_are_those_of_the_games_pages(client, extension):
    stored(KIF)
    ingest(ready("2g2f 8c8d", white="乙"), ready("7g7f", kind="problem"))
    archive, index = opened(client, f"?as={extension}")
    assert len(index) == 4
    for row in index[:-1]:
        page = client.get(f"/api/v1/games/{row['id']}/record.{extension}")
        assert archive.read(row["file"]) == page.content
        assert row["file"].endswith(f"_{row['id']}.{extension}") or row["file"] == f"{row['id']}.{extension}"
    assert index[-1]["note"] == "complete"


def test_remarks_of_csa_files_are_kept(client):
    stored(CSA.replace("PI\n", "'black_rate:甲+0f8a:3749.0\nPI\n"), "game.csa")
    archive, (row, _end) = opened(client, "?as=csa")
    assert "'black_rate:甲+0f8a:3749.0" in archive.read(row["file"]).decode()
    archive, (row, _end) = opened(client, "?as=kifu")
    assert "black_rate" not in archive.read(row["file"]).decode()


def test_what_it_sends_can_be_sent_in_again(client):
    stored(KIF)
    answer: Any = client.get(f"{EXPORT}?as=csa")
    upload = stored(b"".join(answer.streaming_content), "games.zip")
    assert upload.state == "done"
    assert Game.objects.count() == 1


def test_a_game_that_a_format_cannot_hold_is_told_and_not_lost(client):
    stored(KIF)
    stored(quoridor.NAMED, "game.txt")
    archive, index = opened(client, "?as=kif")
    by_game = {row["game"]: row for row in index[:-1]}
    assert by_game["quoridor"]["file"] == ""
    assert by_game["quoridor"]["note"] == "unknown-format"
    assert by_game["quoridor"]["black"] == "Bo"
    assert set(archive.namelist()) == {by_game["shogi"]["file"], "INDEX.csv"}
    archive, index = opened(client, "?as=alg&game=quoridor")
    assert archive.read(index[0]["file"])


def test_characters_that_an_encoding_has_not_make_a_file_in_utf_8(client):
    ingest(ready("7g7f", black="𠮷野"))
    archive, (row, _end) = opened(client, "?as=kif")
    assert (row["file"].rpartition(".")[2], row["note"]) == ("kifu", "unencodable")
    assert "𠮷野" in archive.read(row["file"]).decode()


def test_it_goes_on_behind_the_last_file(client, settings):
    settings.ARCHIVE_EXPORT_FILES = 2
    ingest(*(ready(line) for line in ("7g7f", "2g2f", "9g9f", "1g1f", "5g5f")))
    result, cursor = list[int](), "0"
    notes = list[str]()
    while not notes or notes[-1] != "complete":
        archive, index = opened(client, f"?as=ki2&cursor={cursor}")
        assert len(archive.namelist()) == len(index)
        result += [int(row["id"]) for row in index[:-1]]
        notes.append(index[-1]["note"])
        cursor = index[-1]["id"]
    assert result == list(Game.objects.order_by("pk").values_list("pk", flat=True))
    assert notes == ["continues", "continues", "complete"]


def test_the_same_games_make_the_same_file(client):
    stored(KIF)
    one, other = (b"".join(client.get(f"{EXPORT}?as=csa").streaming_content) for _ in range(2))
    assert one == other


# --- names -----------------------------------------------------------------------------------------------


def row(first: str = "", second: str = "", event: str = "", day: date | None = None, number: int = 7) -> Any:
    values: dict[str, Any] = dict.fromkeys(GameRow.__slots__, "")
    values |= {"id": number, "first": first, "second": second, "event": event, "played_from": day}
    return GameRow(**values | {"precision": "day" if day else "", "place": PageEnd(0, 0)})


def test_a_name_says_when_who_and_where():
    assert file_name(row("羽生善治", "森内俊之", "名人戦", date(2008, 6, 17)), "kif") == (
        "2008-06-17_羽生善治_森内俊之_名人戦_7.kif"
    )
    assert file_name(row(second="乙"), "csa") == "乙_7.csa"
    assert file_name(row(), "csa") == "7.csa"
    assert file_name(row("J. Smith", "O'Hara"), "ki2") == "J-Smith_O-Hara_7.ki2"


HOSTILE = (
    "../../etc/passwd", "..", ".", "/", "\\\\server\\share", "C:\\Windows", "a\0b", "a\nb\r\tc",
    "\u202egpj.exe", "\u200b\ufeff", "CON", "nul", "COM1.kif", "a" * 300, "棋" * 300, "é" * 300, "𠮷" * 100,
    "-rf *", "~root", "$(id)", "`id`", 'a"b|c?d*e<f>g:h', " 　甲 ", "a. ", "e\u0301", "\ud800",
    "=cmd", "👨‍👩‍👧",
)  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_no_name_is_anything_but_a_name(text):
    name = file_name(row(text, text, text), "kif")
    assert len(name.encode()) <= 255
    assert name.endswith(".kif") and name.count(".") == 1
    assert not set(name) & set('/\\:*?"<>|\0 $`~\n\r\t')
    assert all(char.isprintable() for char in name)
    assert name[0] not in "-.=" and not name.partition(".")[0].endswith((" ", "."))
    stem = name.partition(".")[0].upper()
    assert stem not in ("CON", "NUL", "COM1") and stem.endswith("7")


def test_names_that_are_alike_are_two(client):
    ingest(ready("7g7f", black="Ken"), ready("2g2f", black="KEN"), ready("9g9f", black="ken/"))
    archive, _index = opened(client, "?as=kif")
    names = [name.lower() for name in archive.namelist()]
    assert len(names) == len(set(names)) == 4


def test_hostile_names_of_records_stay_in_the_index_as_they_are(client):
    ingest(ready("7g7f", black="../../x", white="=1+1"))
    archive, (row, _end) = opened(client, "?as=kif")
    assert (row["black"], row["white"]) == ("../../x", "'=1+1")
    assert all("/" not in name for name in archive.namelist())


@pytest.mark.parametrize(
    ("day", "date_in_zip"),
    [
        ("2014/05/03", (2014, 5, 3)), ("1709/10/10", (1980, 1, 1)), ("1979/12/31", (1980, 1, 1)),
        ("", (1980, 1, 1)),
    ],
)  # fmt: skip
def test_files_are_of_the_day_of_the_game_where_a_zip_can_say_it(client, day, date_in_zip):
    ingest(ready("7g7f", black="甲", **({"day": day} if day else {})))
    archive, (row, _end) = opened(client, "?as=kif")
    assert archive.getinfo(row["file"]).date_time == (*date_in_zip, 0, 0, 0)


def test_names_are_marked_as_utf8(client):
    ingest(ready("7g7f", black="甲"))
    archive, (row, _end) = opened(client, "?as=kif")
    assert archive.getinfo(row["file"]).flag_bits & 0x800


def test_formulas_in_full_width_are_texts_too(client):
    ingest(ready("7g7f", black="＝甲"))
    _archive, (row, _end) = opened(client, "?as=kif")
    assert row["black"].endswith("甲") and row["black"][0] == "'"
