"""Any text in the formats of one game a line: read or refused, and what is read can be written."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from kifu_core import KifuError, dump, load
from kifu_core.shogi.formats import FORMATS, losses
from kifu_core.shogi.legality import findings
from kifu_core.shogi.replay import visits

EVEN = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL"
BARE, KINGS, MANY = "9/9/9/9/9/9/9/9/9", "4k4/9/9/9/9/9/9/9/4K4", "KKK6/9/9/9/9/9/9/9/9"
USI_WORDS = st.sampled_from(
    ["position", "startpos", "sfen", "moves", "7g7f", "3c3d", "8h2b+", "3a2b", "B*4e", "P*5e", "resign",
     "win", "b", "w", "-", "1", "2P3p", "xx", "#", "\n", EVEN, BARE, KINGS, MANY]
)  # fmt: skip
USEN_PIECES = st.sampled_from(
    ["~", "0", "1", "2", "9", ".", "7ku", "2jm", "8rl", "09k", "bxo", "bfq", "zzz", "000", "r", "t", "i", "p",
     "j", "x", "!", "_", "4k4_9_9_9_9_9_9_9_4K4.b.-", "9_9_9", "\n", "99"]
)  # fmt: skip
BOD_PIECES = st.sampled_from(
    ["| ・v飛 ・ ・ ・ ・ ・v角 ・|二\n", "|v歩v歩v歩v歩v歩v歩v歩v歩v歩|三\n", "+-----+\n", "先手の持駒：",
     "飛二　歩十八\n", "後手番\n", "手数＝3 ▲７六歩 まで\n", "先手：甲\n", "*注\n", "まで3手で先手の勝ち\n",
     "|\n", "盤面回転\n", "x"]
)  # fmt: skip


def survives(text):
    """Read a text and do with its games what an archive does."""
    try:
        result = load(text)
    except KifuError:
        return
    for game in result.games:
        assert all(issue.severity in ("info", "warning", "error") for issue in findings(game))
        visits(game.record)
        for name in FORMATS:
            assert dump(game.record, name)
            losses(game, name)
        main_line = dump(game.record, "usi")
        assert dump(load(main_line).games[0].record, "usi") == main_line


@given(st.lists(USI_WORDS, max_size=30).map(" ".join))
@example("sfen 9/9/9/9/9/9/9/9/9 b - 1 moves")
@settings(max_examples=300)
def test_any_usi(text):
    survives("startpos moves 7g7f\n" + text)
    survives(text)


@given(st.lists(USEN_PIECES, max_size=30).map("".join))
@example("~0.~0.7ku.~0.r")
@settings(max_examples=300)
def test_any_usen(text):
    survives("~0.7ku\n" + text)
    survives("~0." + text)


@given(st.lists(BOD_PIECES, max_size=20).map("".join))
@settings(max_examples=200)
def test_any_diagram(text):
    survives(text)
