"""A collection as lines of JSON and as a ZIP: its games in its order, with titles and notes."""

from __future__ import annotations

import io
import json
from typing import Any
from urllib.parse import quote
from zipfile import ZipFile

import pytest
from django.test import Client

from archive import libraries
from archive.accounts.roles import Role
from archive.collections import editing
from archive.collections import games as collecting
from archive.models import Collection, Entry, User
from archive.queries.games import bulk
from archive.queries.scope import PUBLIC
from tests.archive.games import KIF, stored

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def anna() -> User:
    return User.objects.create_user("anna", role=Role.CONTRIBUTOR)


def game(name: str) -> int:
    return int(Entry.objects.get(upload=stored(KIF.replace("先手の人", name))).game_id or 0)


def course(anna: User) -> tuple[Collection, list[int]]:
    """A public course: 丙 and 甲 with a note, then 乙 and once more 丙 in a part."""
    a, b, c = (game(name) for name in "甲乙丙")
    whole = editing.create(anna, libraries.own_library(anna).pk, "角換わり講座", "はじめに\n読むこと")
    part = editing.create_part(anna, whole, "第2章")
    collecting.add(anna, PUBLIC, whole, [c, a])
    collecting.add(anna, PUBLIC, part, [b, c])
    collecting.annotate(anna, whole, a, "ここが急所\n次も", 3)
    collecting.annotate(anna, part, c, "もう一度", 5)
    editing.show(anna, whole, "public")
    return whole, [c, a, b]


def read(whole: Collection, form: str, **more: Any) -> bytes:
    query = {"collection": whole.pk, "order": "collection", "as": form} | more
    answer = Client(headers={"accept-language": "ja"}).get("/api/v1/games/export", query)
    assert answer.status_code == 200
    return b"".join(answer.streaming_content)  # type: ignore[arg-type]


def lines(whole: Collection, **more: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in read(whole, "ndjson", **more).splitlines()]


def test_lines_come_in_the_order_of_the_collection_with_titles_and_notes(anna):
    whole, ordered = course(anna)
    *games, end = lines(whole)
    assert [one["id"] for one in games] == ordered
    assert [one["places"] for one in games] == [
        [{"part": "", "note": "", "ply": 0}, {"part": "第2章", "note": "もう一度", "ply": 5}],
        [{"part": "", "note": "ここが急所\n次も", "ply": 3}],
        [{"part": "第2章", "note": "", "ply": 0}],
    ]
    assert end["complete"] is True
    assert end["collection"] == {"title": "角換わり講座", "description": "はじめに\n読むこと"}


def test_it_goes_on_behind_any_game_in_that_order(anna, monkeypatch):
    monkeypatch.setattr(bulk, "MAX_PAGE", 1)
    whole, ordered = course(anna)
    assert [one.get("id") for one in lines(whole)] == [*ordered, None]
    *games, end = lines(whole, limit=2)
    assert (games[-1]["id"], end["complete"], end["cursor"]) == (ordered[1], False, str(ordered[1]))
    (last, end) = lines(whole, cursor=end["cursor"])
    assert (last["id"], end["complete"]) == (ordered[2], True)
    assert ZipFile(io.BytesIO(read(whole, "kif", cursor=ordered[1]))).namelist()[0].startswith("3_")


def test_files_of_a_zip_are_numbered_and_a_text_has_the_notes(anna):
    whole, (c, a, b) = course(anna)
    file = ZipFile(io.BytesIO(read(whole, "kif")))
    names = [
        f"{n}_2024-05-01_{name}_後手の人_試しの棋戦_{pk}.kif"
        for n, name, pk in ((1, "丙", c), (2, "甲", a), (3, "乙", b))
    ]
    assert file.namelist() == [*names, "INDEX.csv", "CONTENTS.txt"]
    players = "後手の人  試しの棋戦  2024-05-01"
    assert file.read("CONTENTS.txt").decode("utf-8-sig").split("\r\n") == [
        "角換わり講座", "はじめに", "読むこと", "",
        f"1  丙 – {players}", f"      {names[0]}", "      第2章  5手目から", "      もう一度", "",
        f"2  甲 – {players}", f"      {names[1]}", "      3手目から", "      ここが急所", "      次も", "",
        f"3  乙 – {players}", f"      {names[2]}", "      第2章", "", "",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("form", "name"), [("kif", "角換わり講座-kif.zip"), ("ndjson", "角換わり講座.ndjson")]
)
def test_a_download_has_the_title_as_its_name(anna, form, name):
    whole, _ordered = course(anna)
    answer = Client().get(f"/api/v1/games/export?collection={whole.pk}&order=collection&as={form}")
    assert answer["Content-Disposition"] == f"attachment; filename*=utf-8''{quote(name)}"


def test_the_feed_of_a_collection_has_its_title(anna):
    whole, _ordered = course(anna)
    feed = (
        Client(headers={"accept-language": "ja"}).get(f"/games.atom?collection={whole.pk}").content.decode()
    )
    assert "<title>新しい棋譜 · 棋譜集: 角換わり講座</title>" in feed and feed.count("<entry") == 3


def test_numbers_have_zeros_so_that_file_systems_sort_them(anna):
    games = [game(f"人{n}") for n in range(10)]
    whole = editing.create(anna, libraries.own_library(anna).pk, "大会")
    collecting.add(anna, PUBLIC, whole, games[::-1])
    editing.show(anna, whole, "public")
    names = ZipFile(io.BytesIO(read(whole, "csa"))).namelist()
    assert names[0].startswith("01_") and names[9].startswith("10_")


def test_the_page_of_a_collection_offers_downloads_in_its_order(anna):
    whole, _ordered = course(anna)
    page = Client().get(f"/collections/{whole.pk}/").content.decode()
    assert f"/games/export?collection={whole.pk}&amp;order=collection&amp;as=kif" in page


def test_the_order_of_a_collection_needs_one_and_a_cursor_in_it(anna):
    whole, _ordered = course(anna)
    address = "/api/v1/games/export?order=collection"
    assert Client().get(address).status_code == 400
    answer = Client().get(f"{address}&collection={whole.pk}&cursor={game('丁')}")
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid-cursor")
    private = editing.create(anna, libraries.own_library(anna).pk, "秘密")
    answer = Client().get(f"{address}&collection={private.pk}")
    assert json.loads(b"".join(answer.streaming_content)) == {"complete": True, "games": 0, "cursor": "0"}  # type: ignore[arg-type]


def test_a_game_is_once_in_a_part_and_in_any_number_of_parts(anna):
    whole, (c, _a, _b) = course(anna)
    assert collecting.add(anna, PUBLIC, whole, [c, c]) == 0
    assert [len(lines(one)) - 1 for one in (whole, whole.parts.get())] == [3, 2]
