"""What was sent and is no whole record: a picture is called one, a broken game is badged, with its reason."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from archive.models import Entry, Game
from tests.archive.games import BROKEN, KIF, stored

pytestmark = pytest.mark.django_db

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(40)
BADGE = {"ja": "一部読み取れず", "en": "not read whole"}
PICTURE = {"ja": "これは画像です（PNG）", "en": "this is a picture (PNG)"}


def text_of(client: Client, address: str, language: str = "en") -> str:
    return client.get(address, headers={"Accept-Language": language}).content.decode()


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


@pytest.mark.parametrize("language", ["ja", "en"])
def test_a_broken_game_is_badged_with_the_reason_at_the_top_of_its_page(client, language):
    upload = stored(BROKEN)
    assert f'class="badge broken">{BADGE[language]}<' in text_of(client, f"/uploads/{upload.pk}/", language)
    page = text_of(client, f"/games/{Game.objects.get().pk}/", language)
    top = page.partition('<article id="replay"')[0]
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
    whole = stored("手合割：平手\n先手：甲\n   1 ７六歩(77)\n", "whole.kif")
    assert Entry.objects.get(upload=whole).game_id == game.pk
    assert "badge broken" not in text_of(client, f"/games/{game.pk}/")


def test_marks_of_the_sides_are_drawn_in_the_colours_of_the_bars_and_read_out_as_text(client):
    stored(KIF)
    page = text_of(client, "/")
    for side, sign in (("black", "☗"), ("white", "☖")):
        mark = f'<span class="mark {side} shogi"><span class="visually-hidden">{sign}</span></span>'
        assert page.count(mark) >= 2
        assert sign not in page.replace(mark, "").replace(f'title="{sign}', "")
