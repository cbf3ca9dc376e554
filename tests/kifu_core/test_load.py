"""Reading files: what is recognised, what is tolerated, what is reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from kifu_core import KifuError, ParsedGame, ParseResult, load
from kifu_core.decoding import MAX_BYTES, MAX_ISSUES
from kifu_core.errors import DecodeError, UnknownFormatError
from tests.cases import each

DATA = Path(__file__).parents[1] / "data"


def read(name: str) -> ParseResult:
    return load((DATA / name).read_bytes(), name)


def game(name: str) -> ParsedGame:
    return read(name).games[0]


def moves(record) -> list[str]:
    """The main line as CSA writes moves, without signs; endings in angle brackets."""
    return [
        "{x}{y}".format(**entry["move"].get("from", {"x": 0, "y": 0}))
        + "{x}{y}".format(**entry["move"]["to"])
        + entry["move"]["piece"]
        if "move" in entry
        else f"<{entry.get('special')}>"
        for entry in record["moves"][1:]
    ]


def plies(parsed: ParsedGame) -> int:
    return sum("move" in entry for entry in parsed.record["moves"])


def kif(*rows: str) -> str:
    return "手合割：平手\n手数----指手--\n" + "\n".join(rows) + "\n"


# --- one game in many clothes ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name, encoding",
    [
        ("kif/even_game.kif", "cp932"),
        ("kif/even_game_mac.kif", "cp932"),
        ("kif/even_game_unix.kif", "euc-jp"),
        ("kif/even_game.kifu", "utf-8-bom"),
        ("csa/even_game.csa", "utf-8"),
    ],
)
def test_the_same_game_is_read_from_every_file(name, encoding):
    assert read(name).encoding == encoding
    assert game(name).record["moves"] == game("kif/even_game.kif").record["moves"]
    assert game(name).ending.winner == 0
    assert game(name).issues == ()
    assert game(name).record_kind == "game"


@each("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp932", "euc_jp", "iso2022_jp"])
@each("newline", ["\n", "\r\n", "\r"])
def test_encoding_and_line_ends_do_not_matter(encoding, newline):
    text = (DATA / "kif" / "variations.kifu").read_text(encoding="utf-8")
    parsed = load(text.replace("\n", newline).encode(encoding)).games[0]
    assert parsed.record == game("kif/variations.kifu").record


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("path", ["kif/variations.kifu", "csa/even_game.csa"])
def test_utf_16_needs_no_byte_order_mark(encoding, path):
    text = (DATA / path).read_text(encoding="utf-8")
    result = load(text.encode(encoding), path)
    assert (result.encoding, result.issues) == ("utf-16", ())
    assert result.games[0].record == game(path).record


@pytest.mark.parametrize("end", ["\x1a", "\x1a\x1a\x1a", "\x1a\r\n"])
@pytest.mark.parametrize("path", ["kif/variations.kifu", "csa/even_game.csa"])
def test_the_mark_that_dos_puts_at_the_end_of_a_file_is_none_of_its_lines(end, path):
    text = (DATA / path).read_text(encoding="utf-8") + end
    for source in (text, text.encode(), text.encode("utf-16")):
        result = load(source, path)
        assert (result.issues, result.games[0].issues) == ((), game(path).issues)
        assert result.games[0].record == game(path).record


def test_headers_players_and_program_are_kept():
    result = read("kif/even_game.kif")
    assert result.program == "見本"
    header = result.games[0].record["header"]
    assert (header["先手"], header["後手"], header["棋戦"]) == ("見本太郎", "見本花子", "見本戦")


def test_nul_and_lone_surrogates_are_replaced_with_an_issue():
    result = load(kif("*a\0b", "   1 ７六歩(77)", "*c\ud800"))
    entries = result.games[0].record["moves"]
    assert entries[0]["comments"] == ["a\ufffdb"]
    assert entries[1]["comments"] == ["c\ufffd"]
    assert [issue.code for issue in result.issues] == ["bad-characters"]


def test_bytes_of_no_encoding_are_read_with_an_issue():
    data = kif("   1 ７六歩(77)").encode("cp932") + b"*\x81\xff\xfe\n"
    result = load(data)
    assert plies(result.games[0]) == 1
    assert "bad-bytes" in [issue.code for issue in result.issues]


# --- failures --------------------------------------------------------------------------------------------


def test_a_file_that_begins_with_an_impossible_move_names_line_and_reason():
    result = read("kif/no_such_piece.kif")
    assert result.games == ()
    (issue,) = result.issues
    assert (issue.code, issue.severity, issue.line, issue.ply) == ("no-piece", "error", 5, 1)
    assert issue.source_line == "   1 ５五歩(56)"


def test_what_comes_before_an_impossible_move_is_kept_and_the_rest_is_unread():
    parsed = game("kif/moves_stop_making_sense.kif")
    assert moves(parsed.record) == ["7776FU", "3334FU", "2726FU"]
    assert parsed.unread.splitlines() == ["   4 ８八角成(77)", "   5 同　銀(79)", "   6 投了"]
    assert [(issue.code, issue.line, issue.column, issue.ply) for issue in parsed.issues] == [
        ("no-piece", 6, 1, 4)
    ]
    assert len(parsed.record["moves"][2]["forks"]) == 1
    assert parsed.ending is None


def test_an_unknown_handicap_without_a_board_is_never_an_even_game():
    result = read("kif/unknown_handicap.kif")
    assert result.games == ()
    assert [(issue.code, issue.line) for issue in result.issues] == [("unknown-handicap", 1)]


def test_text_that_is_no_record_is_refused():
    with pytest.raises(UnknownFormatError) as caught:
        load("まったく棋譜ではない文章です。\n")
    assert caught.value.code == "unknown-format"


def test_a_file_larger_than_any_record_is_refused():
    with pytest.raises(DecodeError) as caught:
        load(b" " * (MAX_BYTES + 1))
    assert caught.value.code == "too-large"


def test_issues_are_bounded():
    result = load(kif("   1 ７六歩(77)", *["なんだろう"] * (MAX_ISSUES + 5)))
    assert len(result.games[0].issues) == MAX_ISSUES + 1
    assert result.games[0].issues[-1].code == "more-issues"


def test_a_title_without_moves_or_start_is_no_game():
    result = load("棋戦：某\n先手：甲\n")
    assert result.games == ()
    assert [issue.code for issue in result.issues] == ["no-moves"]


@pytest.mark.parametrize("text", ["手合割：香落ち\n手数----指手--\n", "PI11KY\n-\n", '{"moves":[{}]}'])
def test_a_start_without_moves_is_a_position(text):
    result = load(text)
    assert [(game.record_kind, plies(game), game.issues) for game in result.games] == [("position", 0, ())]


# --- KIF -------------------------------------------------------------------------------------------------


def test_a_comment_that_ends_like_a_row_stays_a_comment():
    parsed = load(
        kif("   1 ７六歩(77)", "**解析 0 ○ 候補1 評価値 207 読み筋 ▲同　歩(87)", "   2 ３四歩(33)")
    ).games[0]
    assert plies(parsed) == 2
    assert parsed.record["moves"][1]["comments"] == ["*解析 0 ○ 候補1 評価値 207 読み筋 ▲同　歩(87)"]


def test_variations_hang_where_they_belong():
    entries = game("kif/variations.kifu").record["moves"]
    first, second, fourth = entries[1], entries[2], entries[4]
    assert first["forks"][0][0]["comments"] == ["初手の変化"]
    assert [len(fork) for fork in second["forks"]] == [3]
    assert second["forks"][0][1]["forks"][0][0]["move"]["to"] == {"x": 6, "y": 6}
    assert fourth["forks"][0][0]["move"]["same"] is True
    assert fourth["comments"] == ["本譜"]


def test_rows_that_programs_write_oddly_are_moves():
    parsed = game("kif/odd_rows.kif")
    assert moves(parsed.record) == [
        "7776FU", "3334FU", "8822KA", "3122GI", "0045KA", "6152KI", "4534KA", "2233GI", "<TIME_UP>",
    ]  # fmt: skip
    assert parsed.record["moves"][3]["move"]["promote"] is False
    assert parsed.issues == ()


def test_illegal_moves_are_played_and_named():
    parsed = game("kif/illegal_moves.kif")
    assert plies(parsed) == 9
    assert [(issue.code, issue.ply) for issue in parsed.issues] == [("nifu", 9)]
    assert (parsed.ending.special, parsed.ending.winner) == ("+ILLEGAL_ACTION", 1)


@pytest.mark.parametrize(
    "rows, code, played",
    [
        (["   1 ５八飛(28)", "   2 ３四歩(33)"], None, 2),
        (["   1 ２三飛(28)", "   2 ３四歩(33)"], "unreachable", 2),
        (["   1 ７七桂(89)"], "occupied", 0),
        (["   1 ３四歩(33)"], "wrong-side", 0),
        (["   1 ７六銀(77)"], "piece-mismatch", 1),
        (["   1 ７六歩成(77)"], "bad-promote", 1),
        (["   1 同　歩(77)"], "same-without-move", 0),
        (["   1 ７七歩打"], "occupied", 0),
        (["   1 ７六歩(70)"], "unreadable-move", 0),
        (["   1 ５五角打"], "not-in-hand", 0),
        (["   1 ７六歩(77)", "   2 なぞ"], "unknown-ending", 1),
    ],
)
def test_a_bad_move_has_its_code(rows, code, played):
    result = load(kif(*rows))
    issues = [*result.issues, *(issue for one in result.games for issue in one.issues)]
    assert [issue.code for issue in issues] == ([code] if code else [])
    assert (plies(result.games[0]) if result.games else 0) == played


def test_a_pawn_that_cannot_move_on_is_replayed_as_written():
    board = "\n".join(["|" + " ・" * 9 + f"|{rank}" for rank in "一二三四五六七八九"])
    board = board.replace(" ・|二", " 歩|二")
    parsed = load(f"{board}\n先手の持駒：なし\n1 １一歩(12)\n").games[0]
    assert parsed.record["moves"][1]["move"]["promote"] is False
    assert [issue.code for issue in parsed.issues] == ["must-promote"]


def test_a_result_line_is_the_ending_where_no_row_is():
    parsed = load(kif("   1 ７六歩(77)", "まで1手で先手の反則勝ち")).games[0]
    assert (parsed.ending.special, parsed.ending.winner) == ("ILLEGAL_MOVE", 0)
    parsed = load(kif("   1 ７六歩(77)", "まで1手で先手の勝ち")).games[0]
    assert (parsed.ending.special, parsed.ending.ply, parsed.ending.winner) == ("TORYO", 1, 0)


def test_a_result_line_that_contradicts_the_ending_is_noted():
    parsed = load(kif("   1 ７六歩(77)", "   2 投了", "まで1手で後手の勝ち")).games[0]
    assert parsed.ending.winner == 0
    assert [(issue.code, issue.line) for issue in parsed.issues] == [("result-mismatch", 5)]


def test_times_without_totals_are_added_up():
    parsed = load(
        kif("   1 ７六歩(77) ( 0:12/)", "   2 ３四歩(33) (1:02)", "3 ２六歩(27) (0:5/0:0:17)")
    ).games[0]
    totals = [entry["time"]["total"] for entry in parsed.record["moves"][1:]]
    assert totals == [{"h": 0, "m": 0, "s": 12}, {"h": 0, "m": 1, "s": 2}, {"h": 0, "m": 0, "s": 17}]


def test_a_named_start_beyond_the_presets_is_played_from_its_board():
    parsed = game("kif/tombo.kif")
    assert parsed.record["initial"]["preset"] == "OTHER"
    assert plies(parsed) == 2


def test_who_begins_on_a_drawn_board():
    board = (DATA / "kif" / "position.kif").read_text(encoding="utf-8")
    assert game("kif/position.kif").record["initial"]["data"]["color"] == 1
    black = load(board.replace("後手番", "手番：先手")).games[0]
    assert black.record["initial"]["data"]["color"] == 0
    guessed = load(board.replace("後手番\n", "") + "1 １二玉(11)\n").games[0]
    assert guessed.record["initial"]["data"]["color"] == 1
    assert plies(guessed) == 1


def test_files_above_a_board_may_be_half_width():
    board = (DATA / "kif" / "position.kif").read_text(encoding="utf-8")
    half = board.replace("９ ８ ７ ６ ５ ４ ３ ２ １", "9 8 7 6 5 4 3 2 1")
    assert half != board
    assert load(half + "1 投了\n").games[0].record["initial"] == game("kif/position.kif").record["initial"]


def test_a_variation_and_a_hand_may_be_indented():
    parsed = load(kif("   1 ７六歩(77)", "", "　 変化：1手", "   1 ２六歩(27)")).games[0]
    assert len(parsed.record["moves"][1]["forks"]) == 1
    board = (DATA / "kif" / "position.kif").read_text(encoding="utf-8").replace("先手の", "　先手の")
    assert load(board).games[0].record["initial"] == game("kif/position.kif").record["initial"]


def test_hands_are_counted_without_blanks():
    hands = game("kif/position.kif").record["initial"]["data"]["hands"]
    assert (hands[0]["HI"], hands[0]["FU"]) == (1, 18)


def test_a_variation_past_the_end_goes_on_with_its_line():
    parsed = load(kif("   1 ７六歩(77)", "", "変化：2手", "   2 ３四歩(33)")).games[0]
    assert moves(parsed.record) == ["7776FU", "3334FU"]
    assert [issue.code for issue in parsed.issues] == ["variation-past-end"]


def test_a_variation_of_nothing_is_kept_as_unread():
    parsed = load(kif("   1 ７六歩(77)", "", "変化：9手", "   9 ３四歩(33)")).games[0]
    assert parsed.unread == "変化：9手\n   9 ３四歩(33)"
    assert [(issue.code, issue.line) for issue in parsed.issues] == [("variation-without-move", 5)]


def test_bookmarks_stay_with_their_ply():
    parsed = load(kif("   1 ７六歩(77)", "&ここから", "   2 ３四歩(33)")).games[0]
    assert parsed.bookmarks == ((1, "ここから"),)
    assert parsed.record["moves"][1]["comments"] == ["&ここから"]


# --- KI2, CSA, JKF ---------------------------------------------------------------------------------------


def test_ki2_finds_the_pieces_by_their_words():
    parsed = game("ki2/relative_words.ki2")
    assert moves(parsed.record)[4:6] == ["4958KI", "4152KI"]
    assert parsed.record["moves"][6]["comments"] == ["途中のコメント"]
    assert moves({"moves": [{}, *parsed.record["moves"][10]["forks"][0]]}) == ["5354FU", "4534KA"]


def test_ki2_words_may_stand_behind_the_promotion():
    bare = "|" + " ・" * 9 + "|一\n"
    board = "先手の持駒：なし\n" + bare * 3 + "|" + " 銀 ・ 銀" + " ・" * 6 + "|四\n" + bare * 5
    parsed = load(board + "▲８三銀成右\n").games[0]
    assert moves(parsed.record) == ["7483GI"]
    assert parsed.record["moves"][1]["move"]["relative"] == "R"


def test_words_that_no_move_has_are_put_right():
    parsed = load("▲２六歩上上引 △３四歩 ▲７六歩寄\n").games[0]
    assert parsed.record["moves"][1]["move"].get("relative") is None


def test_ki2_reads_every_kind_of_mark():
    parsed = game("ki2/marks.ki2u")
    assert plies(parsed) == 4
    assert parsed.ending.draw


def test_ki2_says_when_more_than_one_piece_can_move():
    parsed = load("▲７六歩 △３四歩 ▲５八金 △８四歩\n").games[0]
    assert plies(parsed) == 2
    assert [(issue.code, issue.ply, issue.column) for issue in parsed.issues] == [("ambiguous", 3, 11)]
    assert parsed.unread == "▲５八金 △８四歩"


def test_a_csa_file_may_hold_several_games():
    result = read("csa/two_games.csa")
    assert [one.record["header"]["先手"] for one in result.games] == ["A", "C"]
    assert [one.index for one in result.games] == [0, 1]
    assert [one.first_line for one in result.games] == [1, 12]
    assert result.games[0].fractions == {1: "5", 2: "25"}
    assert result.games[1].record["initial"] == {"preset": "HIRATE"}
    assert result.games[1].ending.draw
    assert result.games[1].ending.special is None


def test_csa_without_a_board_begins_as_an_even_game():
    parsed = game("csa/no_board.csa")
    assert parsed.record["initial"] == {"preset": "HIRATE"}
    assert parsed.ending.winner == 1


def test_csa_gives_the_rest_of_the_pieces_to_a_hand():
    hands = game("csa/rest_in_hand.csa").record["initial"]["data"]["hands"]
    assert hands[1] == {"FU": 17, "KY": 4, "KE": 3, "GI": 4, "KI": 3, "KA": 2, "HI": 2}
    assert game("csa/rest_in_hand.csa").record_kind == "problem"


def test_minimal_jkf_is_completed():
    parsed = game("jkf/minimal.jkf")
    assert moves(parsed.record) == ["7776FU", "3334FU", "8822KA", "3122GI"]
    assert parsed.record["moves"][0] == {"comments": ["c"]}
    assert parsed.record["moves"][4]["move"]["capture"] == "UM"
    assert (parsed.ending.word, parsed.ending.special, parsed.ending.draw) == ("MAX_MOVES", None, True)


def test_jkf_errors_name_the_path():
    (issue,) = read("jkf/wrong_square.jkf").issues
    assert (issue.code, issue.params["path"]) == ("jkf-value", "$.moves[1].move.to.x")


def test_json_errors_name_the_line():
    (issue,) = read("jkf/unfinished.jkf").issues
    assert (issue.code, issue.line) == ("json", 3)


def test_errors_can_be_caught_as_one():
    for data in (b"", b"\xff\xfe", "{}", "[1]", "手合割：平手", "+7776FU", "%"):
        try:
            load(data)
        except KifuError as error:
            assert error.code


@pytest.mark.parametrize("name", [None, "x.ki2", "x.kif"])
def test_moves_of_ki2_below_the_line_that_heads_moves_of_kif_are_read(name):
    result = load("手合割：平手\n手数----指手--\n▲７六歩 △３四歩 ▲２六歩\nまで3手で先手の勝ち\n", name)
    (game,) = result.games
    assert (result.format, len(game.record["moves"]), game.issues) == ("ki2", 5, ())


def test_without_moves_that_line_tells_a_kif():
    assert (
        load("手数----指手--\n   1 投了\n").format == load("手合割：平手\n手数----指手--\n").format == "kif"
    )
