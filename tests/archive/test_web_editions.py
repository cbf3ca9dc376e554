"""The editions of a game side by side."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.test import Client

from archive.accounts.roles import Role, set_role
from archive.models import Game, User
from tests.archive.games import KIF, stored
from tests.archive.html import tidy
from tests.archive.library_games import signed_in

pytestmark = pytest.mark.django_db

OTHER = KIF.replace("試しの棋戦", "本番の棋戦").replace("   3 ２二", "*角道を開けた\n   3 ２二")


@pytest.fixture
def curator() -> Client:
    user = User.objects.create_user("clara")
    set_role(user, Role.CURATOR)
    return signed_in(user)


def page(client: Client, language: str = "en") -> str:
    answer = client.get(f"/games/{Game.objects.get().pk}/editions/", HTTP_ACCEPT_LANGUAGE=language)
    assert answer.status_code == 200
    return tidy(answer.content.decode())


def test_editions_stand_side_by_side_with_their_sources_and_differences(curator):
    stored(KIF, "first.kif")
    stored(OTHER, "second.kif")
    html = page(Client())
    assert "first.kif" in html and "second.kif" in html
    assert html.count('class="differs"') == 2, "the event and the comment"
    assert "本番の棋戦" in html and "* 角道を開けた" in html
    assert "Choose this" not in html, "strangers cannot correct"
    assert "Choose this" in page(curator)


def test_a_chosen_value_becomes_a_correction_at_once(curator):
    stored(KIF, "first.kif")
    stored(OTHER, "second.kif")
    forms = re.findall(r'<form method="post" action="(/games/\d+/correct/)">(.*?)</form>', page(curator))
    action, fields = next(form for form in forms if "本番の棋戦" in form[1])
    data = {name: unescape(value) for name, value in re.findall(r'name="(\S+)" value="(.*?)"', fields)}
    answer = curator.post(action, data)
    assert answer.headers["Location"].endswith("/editions/")
    game = Game.objects.get()
    assert game.jkf["header"]["棋戦"] == "本番の棋戦"
    assert "second.kif" in curator.get(f"/games/{game.pk}/history/").content.decode()


def test_a_game_is_cited_in_words_and_for_bibtex(curator):
    stored(KIF)
    html = page(curator)
    assert "先手の人 – 後手の人, 試しの棋戦, 2024/05/01" in html
    assert "@misc{kifu" in html and "year = {2024}" in html
