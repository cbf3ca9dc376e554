"""Endings: one table, its words, and who wins."""

from __future__ import annotations

import pytest

from kifu_core import load
from kifu_core.shogi.specials import (
    BY_CSA,
    BY_SPECIAL,
    BY_WORD,
    ENDINGS,
    ending,
    find,
    loser_of_foul,
    name_of,
    read_result,
)
from tests.cases import each

BLACK, WHITE, NOBODY = 0, 1, None

# ending as written, JKF's name, winner with Black to move, winner with White to move, drawn
ROWS = [
    ("投了", "TORYO", WHITE, BLACK, False),
    ("中断", "CHUDAN", NOBODY, NOBODY, False),
    ("封じ手", "CHUDAN", NOBODY, NOBODY, False),
    ("千日手", "SENNICHITE", NOBODY, NOBODY, True),
    ("切れ負け", "TIME_UP", WHITE, BLACK, False),
    ("時間切れ", "TIME_UP", WHITE, BLACK, False),
    ("反則負け", "ILLEGAL_MOVE", WHITE, BLACK, False),
    ("持将棋", "JISHOGI", NOBODY, NOBODY, True),
    ("入玉勝ち", "KACHI", BLACK, WHITE, False),
    ("勝ち宣言", "KACHI", BLACK, WHITE, False),
    ("引き分け", "HIKIWAKE", NOBODY, NOBODY, True),
    ("待った", "MATTA", NOBODY, NOBODY, False),
    ("詰み", "TSUMI", WHITE, BLACK, False),
    ("詰", "TSUMI", WHITE, BLACK, False),
    ("不詰", "FUZUMI", NOBODY, NOBODY, False),
    ("エラー", "ERROR", NOBODY, NOBODY, False),
    ("不戦勝", None, BLACK, WHITE, False),
    ("不戦敗", None, WHITE, BLACK, False),
    ("トライ", None, BLACK, WHITE, False),
    ("最大手数", None, NOBODY, NOBODY, True),
    ("王手千日手", None, NOBODY, NOBODY, False),
    ("なぞの終局", None, NOBODY, NOBODY, False),
]


@each("word, special, black, white, draw", ROWS)
def test_an_ending_in_kif(word, special, black, white, draw):
    for turn, winner in ((0, black), (1, white)):
        rows = ["1 ７六歩(77)"][:turn]
        text = "\n".join(["手合割：平手", "手数----指手--", *rows, f"{turn + 1} {word}", ""])
        games = load(text).games
        if not games:
            pytest.fail(f"no game for {word}")
        found = games[0].ending
        assert (found.word, found.special, found.ply) == (word, special, turn)
        assert (found.winner, found.draw) == (winner, draw)


@each("code", sorted(BY_CSA))
def test_an_ending_in_csa_is_the_same_as_in_kif(code):
    for turn in (0, 1):
        text = "PI\n+\n" + "+7776FU\n" * turn + f"%{code}\n"
        found = load(text).games[0].ending
        kind = BY_CSA[code]
        assert (found.word, found.special) == (code, kind.special)
        if kind.word:
            expected = ending(kind.word, kind.special, turn, turn)
            assert (found.winner, found.draw) == (expected.winner, expected.draw)


def test_fouls_are_the_foulers_loss_whoever_moves():
    for turn in (0, 1):
        assert ending("+ILLEGAL_ACTION", "+ILLEGAL_ACTION", 3, turn).winner == WHITE
        assert ending("-ILLEGAL_ACTION", "-ILLEGAL_ACTION", 3, turn).winner == BLACK
        foul = ending("反則勝ち", "ILLEGAL_ACTION", 3, turn)
        assert (foul.special, foul.winner) == (("-ILLEGAL_ACTION", BLACK), ("+ILLEGAL_ACTION", WHITE))[turn]


def test_a_mate_in_a_problem_is_nobodys_win():
    assert ending("詰み", "TSUMI", 7, 1, problem=True).winner is None


@each(
    "text, special, winner",
    [
        ("後手の勝ち", "TORYO", WHITE),
        ("上手の勝ち", "TORYO", WHITE),
        ("下手の勝ち", "TORYO", BLACK),
        ("時間切れにより先手の勝ち", "TIME_UP", BLACK),
        ("先手の反則負け", "ILLEGAL_MOVE", WHITE),
        ("先手の反則勝ち", "ILLEGAL_ACTION", BLACK),
        ("先手の入玉勝ち", "KACHI", BLACK),
        ("千日手", "SENNICHITE", NOBODY),
        ("持将棋", "JISHOGI", NOBODY),
        ("中断", "CHUDAN", NOBODY),
        ("詰み", "TSUMI", NOBODY),
        ("不詰", "FUZUMI", NOBODY),
        ("61手詰", "TSUMI", NOBODY),
        ("６１手詰み", "TSUMI", NOBODY),
        ("七手詰め", "TSUMI", NOBODY),
        ("詰上がり。", "TSUMI", NOBODY),
        ("7手詰により先手の勝ち", "TSUMI", BLACK),
        ("后手胜", "TORYO", WHITE),
        ("先手胜利", "TORYO", BLACK),
    ],
)
def test_a_result_line_names_ending_and_winner(text, special, winner):
    kind, side = read_result(text)
    assert (kind.special, side) == (special, winner)


@pytest.mark.parametrize("text", ["", "後手", "後手の昼食", "引き続き", "先手の勝ち？"])
def test_an_unknown_result_gives_no_winner(text):
    assert read_result(text) == (None, None)


def test_no_word_means_two_endings():
    words = [word for kind in ENDINGS for word in (kind.word, *kind.aliases) if word]
    assert len(words) == len(set(words)) == len(BY_WORD)
    codes = [kind.csa for kind in ENDINGS if kind.csa]
    assert len(codes) == len(set(codes)) == len(BY_CSA)
    assert len(BY_SPECIAL) == sum(kind.special is not None for kind in ENDINGS)


def test_words_of_every_format_are_found():
    assert find("投了") == find("TORYO") == find("後手の勝ち")
    assert find("なぞ") is None


@each("kind", [kind for kind in ENDINGS if kind.special])
def test_every_word_has_jkf_s_name(kind):
    words = [kind.word, *kind.aliases, kind.special, kind.special.lower(), kind.csa, f"%{kind.csa.lower()}"]
    for word in filter(lambda word: word.strip("%"), words):
        assert name_of(word, word) == name_of(word, None) == name_of("x", kind.special) == kind.special
        assert ending(word, word, 3, 1).special == loser_of_foul(kind.special, 1, None)


@each(
    ("word", "special"),
    [
        ("Resigned", "TORYO"),
        ("认输", "TORYO"),
        ("time-up", "TIME_UP"),
        ("Time up", "TIME_UP"),
        ("超时", "TIME_UP"),
        ("checkmate", "TSUMI"),
        ("Draw", "HIKIWAKE"),
        ("和棋", "HIKIWAKE"),
        ("aborted", "CHUDAN"),
        ("先手の勝ち", "TORYO"),
        ("時間切れにて終局", "TIME_UP"),
        ("GOTE_WIN_TORYO", "TORYO"),
        ("封じ手", "CHUDAN"),
        ("トライ", None),
        ("foo", None),
        ("", None),
    ],
)
def test_words_of_other_programs_have_jkf_s_name(word, special):
    assert name_of(word, word or None) == special == ending(word, word, 2, 0).special


@pytest.mark.parametrize("last", ["まで1手で1手詰", "まで1手で詰み", "まで1手詰", "まで1手で一手詰め"])
@pytest.mark.parametrize("name", ["a.ki2", "a.kif"])
def test_a_problem_ends_in_mate(last, name):
    board = (
        "後手の持駒：なし\n  ９ ８ ７ ６ ５ ４ ３ ２ １\n+---------------------------+\n"
        "| ・ ・ ・ ・ ・ ・ ・ ・v玉|一\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|二\n| ・ ・ ・ ・ ・ ・ ・ ・ 歩|三\n"
        + "".join(f"| ・ ・ ・ ・ ・ ・ ・ ・ ・|{rank}\n" for rank in "四五六七八九")
        + "+---------------------------+\n先手の持駒：金二\n"
    )
    move = "▲１二金" if name == "a.ki2" else "   1 １二金打"
    game = load(f"{board}{move}\n{last}\n", name).games[0]
    assert (game.ending.special, game.ending.winner, game.issues) == ("TSUMI", None, ())
