"""Endings in every format that has a word for them: the same winner when written and read again."""

from __future__ import annotations

from kifu_core import dump, load
from kifu_core.shogi.formats import losses
from kifu_core.shogi.specials import ENDINGS, ending
from tests.cases import each

WORDS = [kind.word for kind in ENDINGS if kind.word]
FORMATS = ("kif", "kifu", "ki2", "ki2u", "csa", "jkf", "usen")


def game(word, turn):
    rows = ["1 ７六歩(77)"][:turn]
    text = "\n".join(["手合割：平手", "手数----指手--", *rows, f"{turn + 1} {word}", ""])
    return load(text).games[0]


@each("file_format", FORMATS)
@each("turn", [0, 1])
@each("word", [*WORDS, "なぞの終局"])
def test_an_ending_keeps_its_winner_or_is_reported_as_lost(word, turn, file_format):
    before = game(word, turn)
    assert before.ending is not None
    if "lost-ending" in {issue.code for issue in losses(before, file_format)}:
        return
    options = {"ending": before.ending} if file_format[:2] in ("ki", "cs") else {}
    after = load(dump(before.record, file_format, **options), f"x.{file_format}").games[0].ending
    assert after is not None
    assert (after.winner, after.draw, after.ply) == (before.ending.winner, before.ending.draw, turn)


def same_or_lost(before, file_format):
    """Whether winner, draw, place of the ending and plies come back, or their loss is reported."""
    options = {"ending": before.ending} if file_format[:2] in ("ki", "cs") else {}
    (after,) = load(dump(before.record, file_format, **options), f"x.{file_format}").games
    codes = {issue.code for issue in losses(before, file_format)}
    outcomes = outcome(before), outcome(after)
    return "lost-ending" in codes or outcomes[0] == outcomes[1], outcomes


def outcome(game):
    """Winner, draw and ply of a game's ending, and the plies of its main line."""
    ending = game.ending and (game.ending.winner, game.ending.draw, game.ending.ply)
    return ending, sum("move" in entry for entry in game.record["moves"])


ROWS = ("1 ７六歩(77)", "2 ３四歩(33)", "3 ２六歩(27)")


@each("file_format", FORMATS)
@each("second", ["投了", "千日手", "反則勝ち", "接続切れ", "なぞの終局"])
@each("first", ["投了", "中断", "最大手数", "王手千日手", "接続切れ", "なぞの終局"])
def test_an_ending_with_a_second_one_and_moves_behind_it_is_the_game_s(first, second, file_format):
    for place in (1, 2, 3):
        rows = [*ROWS[:place], f"{place + 1} {first}", *ROWS[place:], f"4 {second}"]
        before = load("\n".join(["手合割：平手", "手数----指手--", *rows, ""])).games[0]
        expected = (second, 3) if first == "中断" else (first, place)  # a game that was adjourned goes on
        assert before.ending is not None and (before.ending.word, before.ending.ply) == expected
        same, seen = same_or_lost(before, file_format)
        assert same, seen


def test_kif_keeps_an_ending_that_jkf_has_no_name_for_between_the_moves_and_their_variations():
    rows = [ROWS[0], "2 接続切れ", *ROWS[1:], "", "変化：4手", "4 ８四歩(83)", ""]
    before = load("\n".join(["手合割：平手", "手数----指手--", *rows])).games[0]
    text = dump(before.record, "kif", ending=before.ending)
    after = load(text).games[0]
    assert (after.record, after.ending) == (before.record, before.ending)
    assert [issue.code for issue in after.issues] == ["after-ending"]
    assert "まで" not in text
    assert losses(before, "kif") == ()
    for file_format in ("ki2", "usen", "jkf"):
        assert "lost-ending" in {issue.code for issue in losses(before, file_format)}


@each("file_format", ["ki2", "ki2u", "usen"])
def test_an_ending_of_a_variation_before_its_last_move_loses_its_place(file_format):
    rows = [*ROWS, "4 投了", "", "変化：2手", "2 ８四歩(83)", "3 千日手", "3 ２六歩(27)", ""]
    game = load("\n".join(["手合割：平手", "手数----指手--", *rows])).games[0]
    (loss,) = [issue for issue in losses(game, file_format) if issue.code == "lost-ending"]
    assert loss.params["count"] == 1


@each("file_format", ["kif", "ki2"])
def test_an_ending_that_nobody_knows_keeps_its_comments_and_variations(file_format):
    rows = [*ROWS, "4 なぞの終局", "*なぜ", "", "変化：4手", "4 ８四歩(83)", ""]
    before = load("\n".join(["手合割：平手", "手数----指手--", *rows])).games[0]
    after = load(dump(before.record, file_format, ending=before.ending), f"x.{file_format}").games[0]
    assert (after.record["moves"], after.ending) == (before.record["moves"], before.ending)
    assert [issue.code for issue in after.issues] == ["unknown-ending"]


@each("file_format", FORMATS)
@each("word", ["投稜3手で先手の勝ち", "{", "な{winner}ぞ", "{0.real}", "打つ手なし", "{mover.x}の勝ち"])
def test_a_word_that_nobody_knows_says_no_more_than_it_says(word, file_format):
    before = load("\n".join(["手合割：平手", *ROWS, f"4 {word}", ""])).games[0]
    assert (before.ending.word, before.ending.winner) == (word, None)
    if file_format[:2] == "ki":
        assert word in dump(before.record, file_format, ending=before.ending)
    same, seen = same_or_lost(before, file_format)
    assert same, seen


@each("file_format", FORMATS)
def test_a_word_of_an_ending_that_is_a_piece_is_no_row_of_kif(file_format):
    before = load("▲７六歩\n#まで1手で龍打\n", "x.ki2").games[0]
    assert before.ending.word == "龍打"
    same, seen = same_or_lost(before, file_format)
    assert same, seen


@each("file_format", FORMATS)
def test_an_ending_that_is_written_twice_is_one(file_format):
    """shogi-server writes `%KACHI` with its time, and once more without."""
    before = load("PI\n+\n+7776FU\n-3334FU\n%KACHI\nT3\n%KACHI\n'summary:kachi:A win:B lose\n").games[0]
    assert (before.ending.word, before.ending.winner) == ("KACHI", 0)
    assert ("lost-ending" in {issue.code for issue in losses(before, file_format)}) == (file_format == "usen")
    if file_format[:2] == "ki":
        assert "まで2手で先手の" in dump(before.record, file_format, ending=before.ending)
    same, seen = same_or_lost(before, file_format)
    assert same, seen


PROBLEM = "P1 *  *  *  *  *  *  *  * -OU\nP3 *  *  *  *  *  *  * +KI * \nP+00KI\n+\n+0012KI\n"


@each("file_format", FORMATS)
def test_the_winner_of_a_problem_named_by_a_server_is_reported_as_lost(file_format):
    before = load(PROBLEM + "SENTE_WIN_CHECKMATE\n").games[0]
    assert before.ending.winner == 0
    assert "lost-ending" in {issue.code for issue in losses(before, file_format)}


@each("file_format", FORMATS)
def test_a_mate_without_a_winner_is_not_given_one_silently(file_format):
    """The moves before the mate cannot be played, so the side to move is unknown."""
    before = load("手合割：平手\n1 ７六歩(77)\n2 ５五と(99)\nまで2手詰\n").games[0]
    assert before.ending.winner is None
    same, seen = same_or_lost(before, file_format)
    assert same, seen


@each("result", ["A win:B lose", "A draw:B draw"])
def test_a_comment_that_csa_takes_for_the_server_s_word_is_told(result):
    """The move after the comment cannot be played, so the comment belongs to the last one."""
    before = load(f"PI\n+\n+7776FU\n'summary:abnormal:{result}\n-5555FU\n%CHUDAN\n").games[0]
    assert before.ending is None
    assert "lost-ending" in {issue.code for issue in losses(before, "csa")}
    assert "lost-ending" not in {issue.code for issue in losses(before, "kif")}


@each("file_format", ["kif", "kifu", "ki2", "ki2u"])
@each("text", ['{"header":{},"moves":[{"comments":["角道"]}]}', "先手：甲\n   1 なぞ\n"])
def test_a_record_without_moves_is_read_again(text, file_format):
    before = load(text).games[0]
    same, seen = same_or_lost(before, file_format)
    assert same, seen


@each("turn", [0, 1])
@each("word", ["なぞの終局", "XYZZY", "終了", "勝", "負", "WIN"])
def test_an_unknown_ending_never_has_a_winner(word, turn):
    assert ending(word, None, turn, turn).winner is None
    assert game(word, turn).ending.winner is None
    moves = "+7776FU\n" * turn
    found = load(f"PI\n+\n{moves}%XYZZY\n").games[0].ending
    assert (found.word, found.winner, found.draw) == ("XYZZY", None, False)
