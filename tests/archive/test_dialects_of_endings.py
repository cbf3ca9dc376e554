"""What the archive makes of how sites write the end and the day of a game."""

from __future__ import annotations

from datetime import date

import pytest

from archive.derive import headers
from archive.export.record_files import write
from archive.intake.reader import read_entries
from archive.models import Game
from tests.archive.builders import ingest
from tests.shared import GOLDEN, need_shared

WARS = (
    "N+kifu_a 三段\nN-kifu_b 二段\n$EVENT:将棋ウォーズ(10分切れ負け)\n$START_TIME: 17:50:26\n"
    "+\n+7776FU\nT1\n%TORYO\n"
)


def game_of(text: str, name: str):
    (entry,) = read_entries(text.encode(), name)
    assert entry.game is not None
    return entry.game


@pytest.mark.parametrize(
    "name",
    [
        "kifu_a-kifu_b-20260412_175024.csa",
        "2026/04/kifu_a-kifu_b-20260412_175024.csa",
        "C:\\kifu\\kifu_a-kifu_b-20260412_175024.csa",
    ],
)
def test_the_day_of_shogi_wars_stands_in_the_name_of_the_file(name):
    game = game_of(WARS, name)
    assert (game.played_from, game.precision) == (date(2026, 4, 12), "day")
    assert game.players == ("kifu_a", "kifu_b")


@pytest.mark.shared
def test_the_case_of_the_reference_material_has_its_day():
    need_shared()
    assert "kifu_a-kifu_b-20260412_175024.csa" in (GOLDEN / "dialect-lines-2.jsonl").read_text("utf-8")
    assert game_of(WARS, "kifu_a-kifu_b-20260412_175024.csa").played_from == date(2026, 4, 12)


def test_a_game_without_names_has_its_day_too():
    game = game_of("+7776FU,L600\t-3334FU,L589\tSENTE_WIN_TORYO\n", "a-b-20181210_154124.csa")
    assert game.played_from == date(2018, 12, 10)


@pytest.mark.parametrize(
    "name",
    [
        "kifu_b-kifu_a-20260412_175024.csa",
        "other-kifu_b-20260412_175024.csa",
        "kifu_a-kifu_b-20269912_175024.csa",
        "kifu_a-kifu_b-20260412.csa",
        "",
    ],
)
def test_other_names_tell_no_day(name):
    assert game_of(WARS, name).played_from is None


def test_a_day_in_the_headers_counts_before_the_name():
    game = game_of(WARS.replace(" 17:50:26", "2020/01/02"), "kifu_a-kifu_b-20260412_175024.csa")
    assert game.played_from == date(2020, 1, 2)


def test_the_id_is_a_header_that_is_read_again():
    assert headers.played({headers.GAME_ID: "a-b-20260412_175024"}).start == date(2026, 4, 12)
    assert (
        headers.played({headers.GAME_ID: "a-b-20260412_175024", "開始日時": "2020/01/02"}).text
        == "2020-01-02"
    )


SERVER = "V2\nN+A\nN-B\nPI\n+\n+7776FU\nT1\n-3334FU\nT1\n"


@pytest.mark.django_db
@pytest.mark.parametrize(
    "end, result, special",
    [
        ("%TORYO\n'summary:abnormal:A win:B lose\n", Game.Result.BLACK, "TORYO"),
        ("%TORYO\n'summary:abnormal:A lose:B win\n", Game.Result.WHITE, "TORYO"),
        ("'summary:uchifuzume:A win:B lose\n", Game.Result.BLACK, "ILLEGAL_MOVE"),
        ("'summary:max_moves:A draw:B draw\n", Game.Result.DRAW, "HIKIWAKE"),
        ("SENTE_WIN_DISCONNECT\n", Game.Result.BLACK, "接続切れ"),
    ],
)
def test_the_archive_keeps_who_won_and_writes_it(end, result, special):
    ingest(game_of(SERVER + end, "a.csa"))
    game = Game.objects.get()
    assert (game.result, game.special) == (result, special)
    for extension in ("ki2u", "csa"):
        again = game_of(write(game, extension).decode(), f"a.{extension}")
        if extension == "ki2u" or "summary" in end:
            assert again.result == result
