"""Charts of times and evaluations, and the page that shows them."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.utils.translation import override

from archive.models import Game
from archive.web.replay.charts import HEIGHT, score_chart, time_chart
from archive.web.replay.game_page import clock_texts
from archive.web.replay.report import Scores
from archive.web.wording import score_mark, score_text
from kifu_core.game import Evaluation
from kifu_core.shogi.clock import Tick
from tests.archive import games

TICKS = [
    Tick(1, 0, 4, 4, remaining=596),
    Tick(2, 1, 100, 100, remaining=500),
    Tick(3, 0, 16, 20, remaining=580),
]

TIMED = games.KIF.replace("開始日時", "持ち時間：10分\n開始日時")
SCORED = """V2.2
N+甲
N-乙
PI
+
+7776FU
T1
'** 50 -3334FU
-3334FU
T1
'** 30 +2726FU
+2726FU
T1
'** -1200 -8384FU
%TORYO
"""


def score(ply: int, value: int | None, winner: int | None = None) -> Evaluation:
    return Evaluation(ply, "engine", "player", value, winner)


def test_blacks_times_go_up_and_whites_down_from_the_middle() -> None:
    chart = time_chart(TICKS, 3)
    assert chart
    black, white = re.findall(r'<path class="(?:black|white)" d="([^"]*)"', chart.svg)
    assert black == f"M1 {HEIGHT}v-8M3 {HEIGHT}v-16"
    assert white == f"M2 {HEIGHT}v{HEIGHT}"


def test_the_longest_thought_is_told() -> None:
    chart = time_chart(TICKS, 3)
    assert chart
    longest = chart.longest(0)
    assert longest
    assert (longest.ply, longest.seconds, longest.total) == (3, 16, 20)
    assert chart.longest(1) is not None
    assert time_chart(TICKS[:1], 1).longest(1) is None  # type: ignore[union-attr]


def test_a_game_without_clocks_has_no_chart() -> None:
    assert time_chart([], 3) is None
    assert time_chart([Tick(1, 0, 0, 0)], 1) is None


def test_clocks_tell_what_is_used_and_what_is_left() -> None:
    with override("en"):
        assert clock_texts(TICKS)[2] == "1:40 · 8:20 left"
        assert clock_texts([Tick(1, 0, 4, 4)]) == {1: "0:04"}


def test_evaluations_stand_above_the_middle_where_black_is_better() -> None:
    chart = score_chart(
        Scores(
            (
                score(1, 0),
                score(2, 600),
                score(3, -600),
                score(4, None, 0),
                score(5, None, 1),
            )
        ),
        5,
    )
    assert chart
    points = re.findall(r"L(\d+) ([\d.]+)", chart.svg)
    heights = [float(height) for _ply, height in points[:5]]
    assert heights[0] == HEIGHT
    assert heights[1] < HEIGHT < heights[2]
    assert heights[3:] == [0, 2 * HEIGHT]


def test_enormous_scores_stay_in_the_chart() -> None:
    chart = score_chart(
        Scores(
            (
                score(1, 10**9),
                score(2, -(10**9)),
            )
        ),
        2,
    )
    assert chart
    assert re.findall(r"L\d+ ([\d.]+)", chart.svg)[:2] == ["0", f"{2 * HEIGHT}"]


def test_one_evaluation_makes_no_chart() -> None:
    assert score_chart(Scores((score(1, 5),)), 3) is None


def test_beside_a_move_a_mate_is_one_short_word() -> None:
    for language, marks in (("en", ["+5", "+mate", "-mate"]), ("ja", ["+5", "+詰", "-詰"])):
        with override(language):
            assert [score_mark(score(1, 5)), *(score_mark(score(1, None, side)) for side in (0, 1))] == marks


def test_scores_are_told_from_blacks_side() -> None:
    with override("en"):
        assert [score_text(score(1, 5)), score_text(score(1, -5)), score_text(score(1, None, 1))] == [
            "+5", "-5", "☖ mates",
        ]  # fmt: skip


@pytest.mark.django_db
def test_the_page_shows_both_charts_with_their_numbers(client: Client) -> None:
    games.stored(TIMED)
    games.stored(SCORED, "game.csa")
    timed, scored = Game.objects.order_by("pk")
    page = client.get(f"/games/{timed.pk}/", headers={"Accept-Language": "en"}).content.decode()
    assert "time-chart" in page
    assert "10:00 each" in page
    assert "left" in page
    page = client.get(f"/games/{scored.pk}/", headers={"Accept-Language": "en"}).content.decode()
    assert "score-chart" in page
    assert re.search(
        r'data-key=":2"[^<]*<span class="n">2</span><a [^>]*>[^<]*</a><span class="e">\+30</span>', page
    )


@pytest.mark.django_db
def test_news_are_marked_in_the_list_of_moves(client: Client) -> None:
    games.stored(games.KIF)
    other = games.KIF.replace("2024/05/01", "2025/05/01").replace("   5 ４五角打 ", "   5 ５五角打 ")
    games.stored(other[: other.index("   6 ")] + "   6 投了\n")
    later = Game.objects.get(played_from="2025-05-01")
    page = client.get(f"/games/{later.pk}/").content.decode()
    assert re.search(
        r'data-key=":5"[^<]*<span class="n">5</span><a [^>]*>[^<]*</a><abbr class="novelty"', page
    )
