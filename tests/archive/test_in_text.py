"""Words in the search box that stand in texts of games: what the page offers, and where they stand."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import urlencode

import pytest
from django.test import Client

from archive.models import Game
from archive.names.search_text import search_form
from archive.queries.games.excerpts import AFTER, BEFORE, LINE, cut, excerpts
from archive.queries.scope import PUBLIC
from tests.archive.games import stored

pytestmark = pytest.mark.django_db

KIF = """手合割：平手
先手：甲野
後手：乙山
場所：髙見会館
*開始前の一言
手数----指手---------消費時間--
   1 ７六歩(77)
*ここで中飛車も<b>有力</b>
   2 ３四歩(33)
   3 ２六歩(27)
変化：2手
   2 ８四歩(83)
*居飛車の意思表示
"""


@pytest.fixture
def game() -> Game:
    stored(KIF)
    return Game.objects.get()


def page(client: Client, words: str, **more: str) -> str:
    answer = client.get("/games/", {"q": words, **more}, headers={"accept-language": "ja"}, follow=True)
    assert answer.status_code == 200, answer.content
    return answer.content.decode()


def excerpt_of(html: str) -> str:
    match = re.search(r'<p class="excerpt">(.*?)</p>', html)
    return match[1] if match else ""


def offered(html: str) -> str:
    match = re.search(r'class="in-text"><a class="button" href="([^"]*)"', html)
    return unescape(match[1]) if match else ""


# --- the offer -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", ["中飛車", "居飛車の", "居飛車の 髙見", "甲野 中飛車"])
def test_words_that_name_nothing_here_are_offered_as_words_of_texts(client, game, words):
    html = page(client, words)
    assert "に含む対局（1）" in html
    followed = client.get(f"/games/{offered(html)}", headers={"accept-language": "ja"})
    assert followed.status_code == 200
    assert f'href="/games/{game.pk}/"' in followed.content.decode()


def test_the_offer_keeps_the_other_filters(client, game):
    assert "に含む対局（1）" in page(client, "中飛車 has:comments")
    assert offered(page(client, "中飛車 has:comments")).endswith("has=comments")
    assert not offered(page(client, "中飛車 has:times"))


def test_nothing_is_offered_that_has_no_more_games(client, game):
    assert not offered(page(client, "甲野"))
    assert not offered(page(client, "無い言葉"))
    assert not offered(client.get("/games/").content.decode())


def test_a_name_with_signs_of_queries_is_offered_as_it_is(client, game):
    stored(KIF.replace("中飛車も", '"(引用)"も').replace("７六歩(77)", "２六歩(27)"))
    html = page(client, '@"(引用)"も')
    assert client.get(f"/games/{offered(html)}").status_code == 200


@pytest.mark.parametrize("words", ['"中飛車も"', "「居飛車の意思」", '("甲野")'])
def test_a_phrase_in_quotation_marks_is_looked_for_in_texts(client, game, words):
    answer = client.get("/games/", {"q": words})
    assert answer.status_code == 200
    assert f'href="/games/{game.pk}/"' in answer.content.decode()


def test_a_name_in_quotation_marks_is_still_a_name(client, game):
    answer = client.get("/games/", {"q": '"甲野"'})
    assert answer.headers["Location"] == "/games/?" + urlencode({"player": "甲野"})


# --- the excerpt -----------------------------------------------------------------------------------------


def test_a_comment_is_shown_with_the_word_and_a_link_to_its_move(client, game):
    html = excerpt_of(page(client, '"中飛車"'))
    assert f'<a href="/games/{game.pk}/?ply=1">1手目</a>' in html
    assert "ここで<mark>中飛車</mark>も&lt;b&gt;有力&lt;/b&gt;" in html


def test_a_comment_of_a_variation_leads_into_it(client, game):
    html = excerpt_of(page(client, "居飛車 AND 意思"))
    address = re.search(r'href="([^"]*)"', html)
    assert address is not None
    assert "ply=2" in address[1] and "fork=2.0" in address[1]
    assert "居飛車の意思表示" in client.get(unescape(address[1])).content.decode()


def test_a_comment_before_the_first_move_and_a_header_are_shown(client, game):
    assert "<mark>一言</mark>" in excerpt_of(page(client, '"一言"'))
    assert "場所</a> <span><mark>髙見</mark>会館" in excerpt_of(page(client, '"高見"'))


def test_the_comment_that_holds_most_of_the_words_is_shown(client, game):
    html = excerpt_of(page(client, "の AND 居飛車 AND 意思"))
    assert "<mark>居飛車</mark>の意思表示" in html


def test_a_name_of_a_player_needs_no_excerpt(client, game):
    html = page(client, "甲野 AND 乙山")
    assert f'href="/games/{game.pk}/"' in html and not excerpt_of(html)


def test_what_a_query_excludes_is_in_no_excerpt(client, game):
    assert "中飛車" in excerpt_of(page(client, "中飛車 NOT 四間飛車"))
    assert not excerpt_of(page(client, "甲野 AND NOT 四間飛車"))


def test_games_of_no_other_scope_have_an_excerpt(game):
    Game.objects.update(space=7)
    assert excerpts(PUBLIC, [game.pk], [search_form("中飛車")]) == {}


@pytest.mark.parametrize(
    ("line", "word", "parts"),
    [
        ("ﾋﾟﾖと鳴く", "ぴよ", ("", "ﾋﾟﾖ", "と鳴く")),
        ("A  B c", "a b", ("", "A  B", " c")),
        ("株式会社㍿の", "株式会社の", ("株式会社", "㍿の", "")),
        ("か\u3099んばる", "がん", ("", "か\u3099ん", "ばる")),
        ("甲甲乙", "甲乙", ("甲", "甲乙", "")),
    ],
)
def test_a_line_is_cut_where_the_word_is_written(line, word, parts):
    assert cut(line, [search_form(word)]) == parts


def test_of_a_long_line_what_is_near_is_shown():
    result = cut("あ" * 500 + "中飛車" + "い" * 900, [search_form("中飛車")])
    assert result == ("…" + "あ" * BEFORE, "中飛車", "い" * AFTER + "…")
    assert cut("あ" * LINE + "中飛車", [search_form("中飛車")]) is None


# --- positions -------------------------------------------------------------------------------------------


def test_the_address_of_positions_leads_to_the_start(client):
    answer = client.get("/positions/", follow=True)
    assert answer.status_code == 200
    assert answer.redirect_chain[0][0].startswith("/positions/shogi/")
