"""Uploads that are no complete record: pictures are recognized, broken games have a badge with the reason."""

from __future__ import annotations

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from archive.models import Entry, Game
from tests.archive.games import BROKEN, KIF, stored
from tests.archive.html import tidy

pytestmark = pytest.mark.django_db

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(40)
BADGE = {"ja": "一部読み取れず", "en": "read in part"}
PICTURE = {"ja": "これは画像です（PNG）", "en": "this is a picture (PNG)"}


def text_of(client: Client, address: str, language: str = "en") -> str:
    return tidy(client.get(address, headers={"Accept-Language": language}).content.decode())


@pytest.mark.parametrize("language", ["ja", "en"])
def test_a_picture_is_answered_as_one_by_page_and_api(client, language):
    upload = stored(PNG, "board.png")
    assert PICTURE[language] in text_of(client, f"/uploads/{upload.pk}/", language)
    assert Entry.objects.get().state == "failed"
    checked = client.post(
        "/api/v1/check", {"file": SimpleUploadedFile("a.png", PNG)}, headers={"Accept-Language": language}
    )
    assert (checked.status_code, checked.json()["code"]) == (400, "is-picture")
    assert PICTURE[language] in checked.json()["errors"][0]["message"]


@pytest.mark.parametrize(
    ("beginning", "code", "expected"),
    [
        (b"PK\x03\x04", "is-container", "this is an archive (ZIP); add it"),
        (b"\x1f\x8b", "is-container", "this is an archive (GZIP); add it"),
        (b"Rar!\x1a\x07", "unknown-container", "RAR archives cannot be read"),
    ],
)
@pytest.mark.parametrize(("address", "also"), [("check", {}), ("convert", {"to": "kif"})])
def test_who_sends_files_in_one_to_be_checked_is_told_to_upload_them(
    client, address, also, beginning, code, expected
):
    sent = {"file": SimpleUploadedFile("a.kif", beginning + bytes(600)), **also}
    answer = client.post(f"/api/v1/{address}", sent, headers={"Accept-Language": "en"})
    assert (answer.status_code, answer.json()["code"]) == (400, code)
    assert expected in answer.json()["errors"][0]["message"]
    assert expected in answer.json()["detail"]


@pytest.mark.parametrize("language", ["ja", "en"])
def test_a_broken_game_is_badged_with_the_reason_at_the_top_of_its_page(client, language):
    upload = stored(BROKEN)
    assert f'class="badge broken">{BADGE[language]}<' in text_of(client, f"/uploads/{upload.pk}/", language)
    page = text_of(client, f"/games/{Game.objects.get().pk}/", language)
    top = page.partition('class="facts-part"')[0]
    reason = {"ja": "移動元に駒がありません", "en": "there is no such piece to move"}[language]
    assert BADGE[language] in top and reason in top
    assert 'href="#sources"' in top and 'id="sources"' in page


def test_whole_games_are_not(client):
    upload = stored(KIF)
    pages = [f"/uploads/{upload.pk}/", f"/games/{Game.objects.get().pk}/"]
    assert not any("badge broken" in text_of(client, page) for page in pages)


def test_a_game_of_which_one_edition_is_whole_is_not(client):
    stored(BROKEN)
    game = Game.objects.get()
    full = stored("手合割：平手\n先手：甲\n   1 ７六歩(77)\n", "whole.kif")
    assert Entry.objects.get(upload=full).game_id == game.pk
    assert "badge broken" not in text_of(client, f"/games/{game.pk}/")


def test_marks_of_the_sides_are_drawn_in_the_colours_of_the_bars_and_read_out_as_text(client):
    stored(KIF)
    page = text_of(client, "/")
    for side, sign in (("black", "☗"), ("white", "☖")):
        mark = f'<span class="mark {side} wedge"><span class="visually-hidden">{sign}</span></span>'
        assert page.count(mark) >= 2
        assert sign not in page.replace(mark, "").replace(f'title="{sign}', "")


TSUME = (
    """\
後手の持駒：飛二　角二　金二　銀四　桂四　香四　歩十七
  ９ ８ ７ ６ ５ ４ ３ ２ １
+---------------------------+
| ・ ・ ・ ・ ・ ・ ・ ・v玉|一
| ・ ・ ・ ・ ・ ・ ・ ・ ・|二
| ・ ・ ・ ・ ・ ・ ・ 歩 金|三
"""
    + "".join(f"| ・ ・ ・ ・ ・ ・ ・ ・ ・|{rank}\n" for rank in "四五六七八九")
    + """\
+---------------------------+
先手の持駒：金
   1 １二金打
   2 詰み
"""
)


@pytest.mark.parametrize(
    ("text", "language", "title"),
    [
        ("▲７六歩 △３四歩", "ja", "対局者名のない棋譜"), ("▲７六歩 △３四歩", "en", "Game without names"),
        (TSUME, "ja", "問題"), (TSUME, "en", "Problem"), ("先手：甲\n▲７六歩", "ja", "☗ 甲 ☖ –"),
    ],
)  # fmt: skip
def test_the_list_of_an_upload_says_what_a_record_without_players_is(client, text, language, title):
    upload = stored(text.encode(), "a.kif")
    page = text_of(client, f"/uploads/{upload.pk}/", language)
    link = page.partition(f'<a href="/games/{Game.objects.get().pk}/">')[2].partition("</a>")[0]
    assert " ".join(re.sub("<[^>]+>", "", link).split()) == title
