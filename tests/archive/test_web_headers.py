"""Headers on the pages: lists tell the round, a game's page tells everything as it was written."""

from __future__ import annotations

import pytest
from django.test import Client
from django.utils.html import escape

from archive.models import Game
from archive.web.replay.game_page import date_text
from tests.archive.games import stored
from tests.archive.test_api_headers import RICH

pytestmark = pytest.mark.django_db


def page(address: str) -> str:
    answer = Client().get(address)
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_list_tells_the_event_with_its_round():
    stored(RICH)
    assert '<span class="event">第66期王位戦 七番勝負 第6局</span>' in page("/games/")


@pytest.mark.parametrize(
    ("days", "expected"),
    [
        ({"開始日時": "2024/02/30", "対局日": "2024年3月1日"}, "2024年3月1日"),
        ({"開始日時": "2024/13/45", "終了日時": "2024/03/01 12:00"}, "2024/03/01 12:00"),
        ({"開始日時": "2024/02/30", "棋戦": "x+a+b+20240301090000"}, "2024-03-01"),
        ({"開始日時": "2024/02/30"}, "2024/02/30"),
        ({"開始日時": "2024/03/01 10:00"}, "2024/03/01 10:00"),
    ],
)
def test_the_headline_shows_a_day_that_can_be(days, expected):
    stored("".join(f"{name}：{text}\n" for name, text in days.items()) + "1 ７六歩(77)\n2 投了\n")
    game = Game.objects.get()
    assert date_text(game, game.jkf["header"]) == expected
    assert expected in page(f"/games/{game.pk}/").partition('class="facts"')[0]


@pytest.mark.parametrize(
    "written",
    [
        "先手の人 九段",
        "後手の人(1523)",
        "第66期王位戦七番勝負第６局",
        "慶応2年9月",
        "15分+60秒",
        "3▲1△2",
        "相振飛車",
    ],
)
def test_the_page_of_a_game_shows_its_headers_as_written(written):
    stored(RICH)
    assert escape(written) in page(f"/games/{Game.objects.get().pk}/")


@pytest.mark.parametrize(
    ("language", "names"),
    [
        ("en", ["Black", "Event", "Time limit", "Black&#x27;s castle", "天気"]),
        ("ja", ["先手", "棋戦", "持ち時間"]),
    ],
)
def test_the_usual_headers_are_called_as_the_reader_knows_them(language, names):
    stored("先手：甲\n棋戦：甲杯\n持ち時間：5分\n先手の囲い：矢倉\n天気：晴\n1 ７六歩(77)\n2 投了\n")
    address = f"/games/{Game.objects.get().pk}/"
    shown = Client().get(address, headers={"Accept-Language": language}).content.decode()
    assert [name for name in names if f'<th scope="row">{name}</th>' not in shown] == []
