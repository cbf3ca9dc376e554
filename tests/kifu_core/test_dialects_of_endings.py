"""How games end in the dialects of sites and programs, and what used to be lost without a word."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kifu_core import dump, load, message
from kifu_core.errors import KifuError
from kifu_core.shogi.formats import losses
from kifu_core.shogi.legality import findings
from tests.cases import each
from tests.shared import GOLDEN, need_shared

BLACK, WHITE, NOBODY = 0, 1, None

KIF = "手合割：平手\n手数----指手---------消費時間--\n"
ROWS = ("1 ７六歩(77)", "2 ３四歩(33)", "3 ２六歩(27)", "4 ８四歩(83)")
CSA = "V2\nN+A\nN-B\nPI\n+\n+7776FU\nT1\n-3334FU\nT1\n"


def kif(plies: int, *lines: str, head: str = "") -> str:
    return head + KIF + "\n".join([*ROWS[:plies], *lines, ""])


def only(text: str, name: str = "") -> Any:
    (game,) = load(text, name).games
    return game


def ended(text: str, name: str = "") -> tuple[str | None, int | None]:
    ending = only(text, name).ending
    assert ending is not None, text
    return ending.special, ending.winner


def codes(game: Any) -> list[str]:
    return [issue.code for issue in game.issues]


# --- the cases of the reference material -----------------------------------------------------------------

EXPECTED: dict[str, tuple[int, tuple[str | None, int | None] | None]] = {
    "*時間切れにて終局": (2, ("TIME_UP", WHITE)),
    "*反則手にて終局": (2, ("-ILLEGAL_ACTION", BLACK)),
    "*接続切れにて終局": (2, (None, WHITE)),
    "Time-up": (2, ("TIME_UP", WHITE)),
    "summary:illegal kachi": (3, ("ILLEGAL_MOVE", BLACK)),
    "summary:abnormal": (2, ("TORYO", BLACK)),
    "summary:sennichite": (2, ("SENNICHITE", NOBODY)),
    "summary:time up": (2, ("TIME_UP", WHITE)),
    "summary:uchifuzume": (2, ("ILLEGAL_MOVE", BLACK)),
    "-3334FU\nGOTE_WIN_TORYO": (2, ("TORYO", WHITE)),
    "L600\t": (3, ("TORYO", WHITE)),
    "( 0:01/00:00:01) △": (2, None),
    "▲７六歩、△": (3, None),
    "手合割：handicap": (3, None),
    "反則により先手の勝ち": (3, ("ILLEGAL_MOVE", BLACK)),
    "まで３手で先手の勝ち": (3, ("TORYO", BLACK)),
    "まで3手で時間切れで先手の勝ち": (3, ("TIME_UP", BLACK)),
    "まで3手で後手の勝ち": (3, ("TORYO", WHITE)),
    "(12秒)": (2, None),
}
"""What only one of the cases has in it: its plies, its ending and winner."""


@pytest.mark.shared
@each("mark", EXPECTED)
def test_a_case_of_the_reference_material(mark):
    need_shared()
    lines = (GOLDEN / "dialect-lines-2.jsonl").read_text(encoding="utf-8").splitlines()
    (case,) = [case for case in map(json.loads, lines) if mark in case["input"]]
    game = only(case["input"], case["name"])
    plies, expected = EXPECTED[mark]
    assert sum("move" in entry for entry in game.record["moves"]) == plies
    ending = game.ending and (game.ending.special, game.ending.winner)
    assert ending == expected
    assert all(issue.severity != "error" for issue in game.issues)


# --- 81Dojo ----------------------------------------------------------------------------------------------

DOJO = "場所：81Dojo (ver.2016/03/20)\n"


@each("plies", [1, 2, 3])
@each(
    "comment, special, loser",
    [
        ("時間切れにて終局", "TIME_UP", "to move"),
        ("接続切れにて終局", None, "to move"),
        ("投了にて終局", "TORYO", "to move"),
        ("反則手にて終局", "foul", "last mover"),
        ("千日手にて終局", "SENNICHITE", "nobody"),
    ],
)
def test_the_last_comment_of_81dojo_is_the_ending(comment, special, loser, plies):
    turn = plies % 2
    game = only(kif(plies, f"*{comment}", head=DOJO), "a.kif")
    foul = "+ILLEGAL_ACTION" if turn else "-ILLEGAL_ACTION"
    assert game.ending.special == (foul if special == "foul" else special)
    assert game.ending.winner == {"to move": turn ^ 1, "last mover": turn, "nobody": None}[loser]
    assert game.ending.draw == (loser == "nobody")
    assert comment in game.record["moves"][plies]["comments"]
    assert codes(game) == []


def test_a_comment_is_no_ending_where_a_row_is_one_or_more_follows():
    assert ended(kif(2, "*時間切れにて終局", "3 中断")) == ("CHUDAN", NOBODY)
    assert only(KIF + f"{ROWS[0]}\n*時間切れにて終局\n{ROWS[1]}\n").ending is None
    assert only(kif(2, "*感想戦は時間切れにて終局")).ending is None


def test_a_foul_that_cannot_be_played_loses_the_game_before_it():
    game = only(KIF + f"{ROWS[0]}\n2 ３四歩打 (0:2/0:0:2)\n*反則手にて終局\n")
    assert (game.ending.special, game.ending.winner, game.ending.ply) == ("ILLEGAL_MOVE", BLACK, 1)
    assert game.record["moves"][-1] == {"special": "ILLEGAL_MOVE"}
    assert codes(game) == ["not-in-hand"]


def test_time_up_as_81dojo_says_it_in_english():
    assert ended(kif(2, "3  Time-up   ( 0:0/)")) == ("TIME_UP", WHITE)
    assert ended(kif(3, "4  Time-up   ( 0:0/)")) == ("TIME_UP", BLACK)


@each("word, special", [("Resign", "TORYO"), ("Disconnect", None)])
def test_other_english_rows_of_81dojo_lose_for_the_side_to_move(word, special):
    assert ended(kif(2, f"3  {word}   ( 0:0/)")) == (special, WHITE)
    assert ended(kif(3, f"4  {word}   ( 0:0/)")) == (special, BLACK)
    assert codes(only(kif(2, f"3  {word}   ( 0:0/)"))) == []


# --- shogi-server ----------------------------------------------------------------------------------------


@each(
    "reason, special",
    [
        ("time up", "TIME_UP"),
        ("illegal move", "ILLEGAL_MOVE"),
        ("uchifuzume", "ILLEGAL_MOVE"),
        ("oute_kaihimore", "ILLEGAL_MOVE"),
        ("outori", "ILLEGAL_MOVE"),
        ("abnormal", None),
        ("toryo", "TORYO"),
    ],
)
def test_a_summary_is_the_ending_of_a_record_without_one(reason, special):
    game = only(f"{CSA}'summary:{reason}:A lose:B win\n", "a.csa")
    assert (game.ending.special, game.ending.winner, game.ending.ply) == (special, WHITE, 2)
    assert game.record["moves"][-1].get("special") == special
    assert codes(game) == []


@each("reason, special", [("sennichite", "SENNICHITE"), ("max_moves", "HIKIWAKE"), ("jishogi", "JISHOGI")])
def test_a_summary_gives_draws(reason, special):
    game = only(f"{CSA}'summary:{reason}:A draw:B draw\n", "a.csa")
    assert (game.ending.special, game.ending.winner, game.ending.draw) == (special, NOBODY, True)
    assert game.record["moves"][-1] == {"special": special}


@each("winner", [BLACK, WHITE])
def test_perpetual_check_is_a_foul_of_the_side_that_lost(winner):
    summary_end = ("A win:B lose", "A lose:B win")[winner]
    game = only(f"{CSA}'summary:oute_sennichite:{summary_end}\n", "a.csa")
    assert (game.ending.special, game.ending.winner) == (("-ILLEGAL_ACTION", "ILLEGAL_MOVE")[winner], winner)
    assert codes(game) == []
    for file_format in ("kif", "ki2", "csa", "jkf"):
        assert losses(game, file_format) == () or file_format == "ki2"


@each("loser", ["A", "B"])
def test_the_server_is_believed_about_who_resigned(loser):
    summary_end = "A lose:B win" if loser == "A" else "A win:B lose"
    game = only(f"{CSA}%TORYO\n'summary:abnormal:{summary_end}\n", "a.csa")
    assert (game.ending.special, game.ending.winner) == ("TORYO", WHITE if loser == "A" else BLACK)
    assert codes(game) == ([] if loser == "A" else ["result-mismatch"])


def test_a_declaration_that_was_wrong_loses():
    text = f"{CSA}%KACHI\nT3\n%KACHI\n'P1-KY\n'summary:illegal kachi:A lose:B win\n"
    game = only(text, "a.csa")
    assert (game.ending.word, game.ending.special, game.ending.winner) == ("KACHI", "ILLEGAL_MOVE", WHITE)
    right = only(text.replace("illegal kachi:A lose:B win", "kachi:A win:B lose"), "a.csa")
    assert (right.ending.special, right.ending.winner) == ("KACHI", BLACK)


@each(
    "word, special, winner",
    [
        ("#TIME_UP", "TIME_UP", WHITE),
        ("#RESIGN", "TORYO", WHITE),
        ("#DISCONNECT", None, WHITE),
        ("#SENNICHITE", "SENNICHITE", NOBODY),
        ("#ILLEGAL_MOVE", "ILLEGAL_MOVE", WHITE),
    ],
)
def test_the_words_of_81dojos_server(word, special, winner):
    assert ended(f"{CSA}{word}\n", "a.csa") == (special, winner)


# --- 将棋ウォーズ ------------------------------------------------------------------------------------------


@each("sign", ["", "%"])
@each(
    "reason, special",
    [
        ("TORYO", "TORYO"),
        ("CHECKMATE", "TSUMI"),
        ("TIMEOUT", "TIME_UP"),
        ("DISCONNECT", None),
        ("OUTE_SENNICHI", "ILLEGAL_MOVE"),
    ],
)
def test_a_result_word_of_shogi_wars_names_the_winner(reason, special, sign):
    assert ended(f"PI\n+\n+7776FU\n-3334FU\n{sign}GOTE_WIN_{reason}\n", "a.csa") == (special, WHITE)
    assert ended(f"PI\n+\n+7776FU\n{sign}SENTE_WIN_{reason}\n", "a.csa") == (special, BLACK)


def test_other_result_words_of_shogi_wars():
    assert ended("PI\n+\n+7776FU\n-3334FU\nSENTE_WIN_ENTERINGKING\n") == ("KACHI", BLACK)
    assert ended("PI\n+\n+7776FU\n-3334FU\nGOTE_WIN_OUTE_SENNICHI\n") == ("ILLEGAL_MOVE", WHITE)
    assert ended("PI\n+\n+7776FU\n-3334FU\nSENTE_WIN_OUTE_SENNICHI\n") == ("-ILLEGAL_ACTION", BLACK)
    for word in ("DRAW_SENNICHI", "DRAW_PLY_LIMIT"):
        ending = only(f"PI\n+\n+7776FU\n{word}\n").ending
        assert (ending.winner, ending.draw) == (NOBODY, True)


def test_a_draw_of_shogi_wars_has_no_winner_whatever_its_reason_means_elsewhere():
    for word in ("DRAW_ENTERINGKING", "DRAW_TRY", "DRAW_TORYO"):
        game = only(f"PI\n+\n+7776FU\n{word}\n")
        assert (game.ending.special, game.ending.winner, game.ending.draw) == ("HIKIWAKE", NOBODY, True)


def test_a_result_word_that_nobody_knows_keeps_its_winner_and_is_noted():
    game = only("PI\n+\n+7776FU\n-3334FU\nSENTE_WIN_BY_MAGIC\n")
    assert (game.ending.special, game.ending.winner) == (None, BLACK)
    assert codes(game) == ["unknown-ending"]


def times(game: Any) -> list[int | None]:
    now = [entry.get("time", {}).get("now") for entry in game.record["moves"][1:] if "move" in entry]
    return [time and time["m"] * 60 + time["s"] for time in now]


@each("between", ["\t", "\n", "\n\n"])
def test_the_time_left_on_the_clocks_becomes_the_time_used(between):
    moves = ["+7776FU,L600", "-3334FU,L589", "+2726FU,L598", "-8384FU,L580", "GOTE_WIN_TIMEOUT"]
    game = only(between.join(moves) + "\n", "a.csa")
    assert times(game) == [0, 11, 2, 9]
    assert game.record["moves"][4]["time"]["total"] == {"h": 0, "m": 0, "s": 20}
    assert game.ending.winner == WHITE


def test_the_first_clock_is_that_of_the_headers_or_of_the_site():
    moves = "PI\n+\n+7776FU\nL175\n-3334FU\nL170\n"
    assert times(only(moves, "a.csa")) == [5, 10]
    assert times(only(f"$EVENT:将棋ウォーズ(10分切れ負け)\n{moves}", "a.csa")) == [425, 430]
    assert times(only(f"$TIME_LIMIT:00:05+00\n{moves}", "a.csa")) == [125, 130]
    assert times(only("PI\n+\n+7776FU,L9000\n-3334FU,L8999\n+2726FU,L8000\n", "a.csa")) == [None, None, 1000]


def test_a_clock_that_gains_time_is_noted():
    game = only("PI\n+\n+7776FU,L500\n-3334FU,L600\n+2726FU,L550\n", "a.csa")
    assert times(game) == [100, 0, None]
    assert codes(game) == ["bad-time"]


# --- まで ---------------------------------------------------------------------------------------------------


@each(
    "line, special, winner",
    [
        ("まで3手で反則により先手の勝ち", "ILLEGAL_MOVE", BLACK),
        ("まで3手で後手の反則により先手の勝ち", "ILLEGAL_MOVE", BLACK),
        ("まで3手で二歩により後手の勝ち", "+ILLEGAL_ACTION", WHITE),
        ("まで3手で先手の二歩の反則負け", "+ILLEGAL_ACTION", WHITE),
        ("まで３手で先手の勝ち", "TORYO", BLACK),
        ("まで三手で先手の勝ち", "TORYO", BLACK),
        ("まで、3手にて先手勝ち", "TORYO", BLACK),
        ("まで3手にて、先手の勝ち。", "TORYO", BLACK),
        ("まで3手で▲の勝ち", "TORYO", BLACK),
        ("まで3手で後手投了", "TORYO", BLACK),
        ("まで3手で後手の負け", "TORYO", BLACK),
        ("まで3手で時間切れで先手の勝ち", "TIME_UP", BLACK),
        ("まで3手で時間切れのため先手の勝ち", "TIME_UP", BLACK),
        ("まで3手で後手の時間切れ負け", "TIME_UP", BLACK),
        ("まで3手で先手の時間切れ勝ち", "TIME_UP", BLACK),
        ("まで3手で接続切れにより先手の勝ち", None, BLACK),
        ("まで3手で王手千日手により先手の勝ち", "ILLEGAL_MOVE", BLACK),
        ("まで3手で入玉宣言により後手の勝ち", "KACHI", WHITE),
        ("まで3手で二歩の反則負け", "ILLEGAL_MOVE", BLACK),
        ("まで3手で時間切れにて終局", "TIME_UP", BLACK),
        ("まで3手で千日手により引き分け", "SENNICHITE", NOBODY),
        ("まで3手で持将棋成立", "JISHOGI", NOBODY),
    ],
)
@each("name", ["a.kif", "a.ki2"])
def test_a_result_line_is_read_as_people_write_it(line, special, winner, name):
    text = kif(3, line) if name == "a.kif" else f"先手：A\n▲７六歩 △３四歩 ▲２六歩\n{line}\n"
    game = only(text, name)
    assert (game.ending.special, game.ending.winner) == (special, winner)
    assert codes(game) == []


@each("plies", [2, 3])
@each("side", [BLACK, WHITE])
@each("reason", ["", "時間切れにより", "接続切れで"])
def test_the_side_that_a_result_line_names_wins_whoever_is_to_move(reason, side, plies):
    game = only(kif(plies, f"まで{plies}手で{reason}{('先手', '後手')[side]}の勝ち"))
    assert game.ending.winner == side
    assert codes(game) == ([] if side != plies % 2 else ["result-mismatch"])


@each("line", ["まで3手で勝負なし", "まで3手で先手の勝ち？", "まで3手で先手の時間切れで先手の勝ち"])
def test_a_result_line_that_is_not_understood_as_a_whole_is_noted(line):
    game = only(kif(3, line))
    assert game.ending is not None and game.ending.winner is None
    assert codes(game) == ["unknown-ending"]


@each("line", ["まで 3 手で先手の勝ち", "まで３ 手で 先手の勝ち", "まで　3手で先手の勝ち"])
def test_a_result_line_may_have_spaces_around_its_number(line):
    game = only(kif(3, line))
    assert (game.ending.special, game.ending.winner, codes(game)) == ("TORYO", BLACK, [])


@each(
    "note, special", [("投了", "TORYO"), ("時間切れ", "TIME_UP"), ("反則", "ILLEGAL_MOVE"), ("詰み", "TSUMI")]
)
@each("brackets", ["（）", "()"])
def test_the_reason_of_a_result_line_may_follow_in_brackets(brackets, note, special):
    game = only(kif(3, f"まで3手で先手の勝ち{brackets[0]}{note}{brackets[1]}"))
    assert (game.ending.special, game.ending.winner, codes(game)) == (special, BLACK, [])


def test_a_bracket_that_is_no_reason_leaves_the_winner_and_is_noted():
    game = only(kif(3, "まで3手で先手の勝ち（お見事）"))
    assert (game.ending.special, game.ending.winner, codes(game)) == (None, BLACK, ["unknown-ending"])


def test_an_unknown_reason_leaves_the_winner():
    game = only(kif(3, "まで3手で謎の理由により後手の勝ち"))
    assert (game.ending.special, game.ending.winner) == (None, WHITE)
    assert codes(game) == ["unknown-ending"]


# --- what each format can tell ---------------------------------------------------------------------------

ODD = [
    f"{CSA}%TORYO\n'summary:abnormal:A win:B lose\n",
    f"{CSA}'summary:uchifuzume:A win:B lose\n",
    f"{CSA}'summary:abnormal:A win:B lose\n",
    f"{CSA}'summary:oute_sennichite:A win:B lose\n",
    kif(3, "まで3手で後手の勝ち"),
    kif(3, "まで3手で時間切れにより後手の勝ち"),
    kif(3, "まで3手で接続切れにより後手の勝ち"),
    kif(3, "まで3手で入玉宣言により先手の勝ち"),
    kif(2, "*接続切れにて終局", head=DOJO),
    "PI\n+\n+7776FU\n-3334FU\nSENTE_WIN_BY_MAGIC\n",
    "PI\n+\n+7776FU\n-3334FU\nSENTE_WIN_TORYO\n",
]


@each("file_format", ["kif", "kifu", "ki2", "ki2u", "csa", "jkf", "usi", "usen"])
@each("text", ODD)
def test_the_winner_survives_or_is_reported_as_lost(text, file_format):
    before = only(text)
    options = {"ending": before.ending} if file_format[:2] in ("ki", "cs") else {}
    after = only(dump(before.record, file_format, **options), f"a.{file_format}").ending
    if "lost-ending" in {issue.code for issue in losses(before, file_format)}:
        return
    assert after is not None
    assert (after.winner, after.draw) == (before.ending.winner, before.ending.draw)


@each("file_format", ["kif", "ki2", "csa"])
def test_a_foul_is_written_so_that_the_same_side_wins(file_format):
    before = only(f"{CSA}'summary:uchifuzume:A win:B lose\n", "a.csa")
    assert "lost-ending" not in {issue.code for issue in losses(before, file_format)}
    text = dump(before.record, file_format, ending=before.ending)
    assert ended(text, f"a.{file_format}")[1] == BLACK


def lost(game: Any, file_format: str) -> dict[str, Any]:
    return {issue.code: issue.params["count"] for issue in losses(game, file_format)}


def test_csa_says_that_it_loses_comments_and_times_of_variations():
    text = KIF + f"{ROWS[0]}\n*本譜\n{ROWS[1]}\n変化：2手\n2 ８四歩(83) (0:3/0:0:3)\n*変化の注釈\n*二つ目\n"
    assert lost(only(text), "csa") == {"lost-times": 1, "lost-comments": 2, "lost-forks": 1}
    assert "lost-comments" not in lost(only(kif(2, "*本譜")), "csa")


@each("name", ["先手", "後手", "下手"])
def test_csa_says_that_it_loses_a_header_without_a_name(name):
    game = only(kif(1, head=f"{name}：\n"))
    assert lost(game, "csa") == {"lost-headers": 1}
    assert name not in only(dump(game.record, "csa"), "a.csa").record["header"]
    assert lost(only(kif(1, head="先手：\n下手：甲\n")), "csa") == {"lost-headers": 1}


def test_totals_that_are_no_sums_are_noted_and_lost_in_csa():
    rows = ["1 ７六歩(77) ( 0:05/00:00:05)", "2 ３四歩(33) ( 0:02/00:00:09)", "3 ２六歩(27) ( 0:01/00:00:06)"]
    game = only(KIF + "\n".join(rows) + "\n")
    (issue,) = game.issues
    assert (issue.code, issue.line, issue.ply, issue.params["count"]) == ("total-mismatch", 4, 2, 1)
    assert "2" in message(issue) and "ply 2" in message(issue, language="en")
    assert lost(game, "csa") == {"lost-totals": 1}
    assert lost(game, "kif") == {}


@each("row, ply", [("3 １一角(88)", 3), ("3 ５五飛(28)", 3)])
def test_ki2_says_that_it_loses_moves_that_no_piece_can_make(row, ply):
    game = only(kif(2, row, "4 ８四歩(83)"))
    plies = sum("move" in entry for entry in game.record["moves"])
    assert plies == 4
    assert lost(game, "ki2") == {"lost-moves": 2}
    written = load(dump(game.record, "ki2"), "a.ki2").games[0]
    assert sum("move" in entry for entry in written.record["moves"]) == ply - 1


def test_ki2_keeps_fouls_that_its_words_can_tell():
    drops = "sfen 4k4/9/9/9/9/9/4P4/9/4K4 b P 1 moves P*5e"
    game = only(drops)
    assert codes(game) == ["nifu"]
    assert lost(game, "ki2") == {}
    assert only(dump(game.record, "ki2"), "a.ki2").record["moves"] == game.record["moves"]


# --- times -----------------------------------------------------------------------------------------------


@each(
    "clock, seconds",
    [
        ("12秒", 12),
        ("1分3秒", 63),
        ("２分", 120),
        ("1時間2分3秒", 3723),
        ("1分3秒/1分3秒", 63),
        ("０:１２/", 12),
    ],
)
@each("name", ["a.kif", "a.ki2"])
def test_times_are_read_as_people_write_them(clock, seconds, name):
    game = only(KIF + f"1 ７六歩(77) ({clock})\n" if name == "a.kif" else f"▲７六歩 ({clock})\n", name)
    now = game.record["moves"][1]["time"]["now"]
    assert now.get("h", 0) * 3600 + now["m"] * 60 + now["s"] == seconds
    assert codes(game) == []


def test_times_in_full_width():
    assert times(only(KIF + "1 ７六歩(77) (０：１２／００：００：１２)\n")) == [12]


@each("clock", ["x1", "12", "1/2/3"])
def test_what_is_no_time_is_noted(clock):
    (issue,) = only(KIF + f"{ROWS[0]}\n2 ３四歩(33) ({clock})\n").issues
    assert (issue.code, issue.line, issue.params["text"]) == ("bad-time", 4, clock)


@each("clock", ["", "  ", "  :  /  :  :  "])
def test_an_empty_clock_is_no_time_and_no_finding(clock):
    game = only(KIF + f"1 ７六歩(77) ({clock})\n")
    assert (times(game), codes(game)) == ([None], [])


def test_fractions_of_seconds_are_kept_beside_the_record():
    game = only(KIF + "1 ７六歩(77) ( 0:01.25/00:00:01)\n2 ３四歩(33) ( 0:02/00:00:02)\n")
    assert dict(game.fractions) == {1: "25"}
    assert lost(game, "kif") == {"lost-fractions": 1}


@each(
    "text",
    [
        "▲７六歩 ( 0:01/00:00:01) △３四歩 ( 0:02/00:00:02)\n",
        "▲７六歩(0:01)△３四歩(0:02)\n",
        "▲７六歩 （0:01）\n△３四歩 （0:02）\n",
    ],
)
def test_ki2_with_times(text):
    game = only(text, "a.ki2u")
    assert (times(game), codes(game)) == ([1, 2], [])
    assert lost(game, "ki2") == {"lost-times": 2}


@each("between", ["、", "，", ",", "。", "、 ", "　、"])
def test_ki2_with_punctuation(between):
    game = only(between.join(["先手：A\n▲７六歩", "△３四歩", "▲２二角成", "△同　銀"]) + between, "a.ki2u")
    assert sum("move" in entry for entry in game.record["moves"]) == 4
    assert codes(game) == []


# --- places ----------------------------------------------------------------------------------------------


def test_findings_of_the_rules_tell_their_line():
    text = KIF + "\n".join(
        [
            "1 ７六歩(77)",
            "2 ３四歩(33)",
            "*注釈",
            "3 ２二角成(88)",
            "4 ９四歩(93)",
            "5 ３一馬(22)",
            "6 ９五歩(94)",
        ]
    )
    (issue,) = findings(only(text + "\n7 ４一馬(31)\n8 ９六歩(95)\n"))
    assert (issue.code, issue.ply, issue.line) == ("self-check", 8, 11)
    assert issue.source_line == "8 ９六歩(95)"


def test_a_repetition_has_its_place_on_a_line_of_usi():
    game = only("startpos moves " + " ".join(["2h3h 8b7b 3h2h 7b8b"] * 3))
    (issue,) = findings(game)
    assert (issue.code, issue.line, issue.column) == ("fourfold", 1, 71)


@each("between", ["", "T1\n", "T1\n'comment\n", "\n"])
def test_a_wrong_sign_has_its_line(between):
    game = only(f"PI\n+\n+7776FU\n{between}+2726FU\n", "a.csa")
    issue = next(issue for issue in game.issues if issue.code == "side-mark")
    assert (issue.line, issue.source_line) == (4 + between.count("\n"), "+2726FU")


# --- starts ----------------------------------------------------------------------------------------------


@each("name", ["handicap", "なぞ落ち", "Even game"])
def test_a_game_of_an_unknown_start_that_fits_the_usual_one_is_kept(name):
    game = only(kif(3).replace("平手", name))
    (issue,) = game.issues
    assert (issue.code, issue.severity, issue.line) == ("unknown-handicap", "warning", 1)
    assert "initial" not in game.record


@each(
    "rows", ["", "1 投了\n", "1 ３四歩(33)\n2 ７六歩(77)\n", "1 ７六歩(77)\n2 ３四歩(34)\n", "1 ５五角(88)\n"]
)
def test_a_game_of_an_unknown_start_that_does_not_fit_is_not_invented(rows):
    result = load(KIF.replace("平手", "なぞ落ち") + rows, "a.kif")
    assert result.games == ()
    assert "unknown-handicap" in [issue.code for issue in result.issues if issue.severity == "error"]


def test_another_game_is_not_taken_for_this_one():
    result = load(kif(3).replace("平手", "王手将棋"), "a.kif")
    assert result.games == ()
    assert [issue.code for issue in result.issues] == ["unknown-handicap"]


def test_nothing_of_all_this_is_read_without_a_format():
    with pytest.raises(KifuError):
        load("時間切れにて終局\n")
