"""Lists of moves: habits of writing, comments, forks, endings, many games in a file, what is wrong."""

from __future__ import annotations

import pytest

from kifu_core import games
from kifu_core.errors import IllegalMoveError, ParseError
from kifu_core.messages import message
from kifu_core.quoridor import formats
from tests.cases import each
from tests.kifu_core.quoridor.reading import GAME, SEED, codes, moves_of, one


@each(
    "text",
    [
        "e2 e8 e3 e7 e4 e6 d3h e6h",
        "1. e2 e8 2. e3 e7 3. e4 e6 4. d3h e6h",
        "1.e2 e8 2.e3 e7 3.e4 e6 4.d3h e6h",
        "1: E2 E8\n2: E3 E7\n3: E4 E6\n4: D3H E6H\n",
        "1 e2 e8\n2 e3 e7\n3 e4 e6\n4 d3h e6h",
        "1. e2 2. e8 3. e3 4. e7 5. e4 6. e6 7. d3h 8. e6h",
        "1. e2 1... e8 2. e3 2... e7 3. e4 e6 4. d3h 4… e6h",
        "e2,e8,e3,e7,e4,e6,d3h,e6h",
        "e2\te8\te3\te7\te4\te6\td3h\te6h",
        "e2\ne8\ne3\ne7\ne4\ne6\nd3h\ne6h\n",
        "e2 e8\ne3 e7\ne4 e6\nd3h e6h\n",
        "e2 e8 e3 e7 e4 e6 hd3 he6",
        "e1-e2 e9-e8 e2e3 e8-e7 e4 e6 Hd3 HE6",
        "e8 e2 e7 e3 e6 e4 d6h e3h",
        "1. e8 e2 2. e7 e3 3. e6 e4 4. Hd6 He3",
        "e9-e8 e1-e2 e7 e3 e6 e4 d6h e3h",
        "1. Pe2 Pe8 2. Pe3 Pe7 3. Pe4 Pe6 4. Hd3 He6",
        "Pe2 PE8 pe3 pe7 Pe3-e4 Pe6 Hd3 He6",
        "(1) e2 (2) e8 (3) e3 (4) e7 (5) e4 (6) e6 (7) d3h (8) e6h",
        "(1) e2 e8\n(2) e3 e7\n(3) e4 e6\n(4) d3h e6h\n",
        "1) e2 e8 2) e3 e7 3) e4 e6 4 ) d3h e6h",
        "1)\te2\te8\n2)\te3\te7\n3)\te4\te6\n4)\td3h\te6h\n",
        "[1] e2 e8 [2] e3 e7 [3] e4 e6 [4] d3h e6h",
        "１．ｅ２　ｅ８　２．ｅ３　ｅ７　３．ｅ４　ｅ６　４．ｄ３ｈ　ｅ６ｈ",
        "（１）Ｐｅ２（２）Ｐｅ８（３）Ｐｅ３（４）Ｐｅ７（５）Ｐｅ４（６）Ｐｅ６（７）Ｈｄ３（８）Ｈｅ６",
        "ｅ２、ｅ８、ｅ３、ｅ７、ｅ４、ｅ６、ｄ３ｈ、ｅ６ｈ",
        '["e2","e8","e3","e7","e4","e6","d3h","e6h"]',
        '[["Pe2", "Pe8", "Pe3", "Pe7", "Pe4", "Pe6", "Hd3", "He6"]]',
        '{"moves": ["e2", "e8", "e3", "e7", "e4", "e6", "d3h", "e6h"]}',
        '[{"to":"e2"},{"to":"e8"},{"to":"e3"},{"to":"e7"},{"to":"e4"},{"to":"e6"},{"wall":"d3h"},{"wall":"e6h"}]',
        '{"id": 7, "history": [{"from": "e1", "to": "e2"}, {"move": {"to": "e8"}}, {"move": "e3"},'
        ' {"notation": "e7"}, {"type": "pawn", "position": "e4"}, {"move": "e6"},'
        ' {"type": "wall", "pos": "d3", "orientation": "horizontal"}, {"wall": "e6", "turned": "h"}]}',
    ],
)
def test_the_same_game_in_all_the_ways_of_writing_it(text):
    game = one(text)
    assert moves_of(game) == GAME
    assert [code for code in codes(game) if code != "top-left-origin"] == []
    assert ("top-left-origin" in codes(game)) == text.removeprefix("1. ").startswith(("e8", "e9"))
    assert games.kind_of(text).name == "quoridor"


def test_what_is_full_width_in_headers_and_comments_stays_so():
    game = one("［Ａ］の一局\te2 e8 {ＡＢＣ、（笑）} ｅ３ （ｄ６です） # 完\n")
    assert moves_of(game) == "e2 e8 e3"
    assert game.record["header"] == {"表題": "［Ａ］の一局"}
    assert [entry.get("comments") for entry in game.record["moves"]] == [
        None,
        None,
        ["ＡＢＣ、（笑）"],
        ["ｄ６です", "#"],
    ]


def test_numbers_in_parentheses_that_do_not_count_moves_are_comments():
    game = one("1. e2 (12) e8 (3) 2. e3 (1)")
    assert [entry.get("comments") for entry in game.record["moves"]] == [None, ["12"], ["3"], ["1"]]
    result = formats.load("(1) e2 e8\n(2) e3 e7\n\n(1) d1 e8\n")
    assert [moves_of(game) for game in result.games] == ["e2 e8 e3 e7", "d1 e8"]


def test_json_holds_many_games_and_their_headers():
    result = formats.load(
        '[{"white": "A", "black": "B", "date": "2024-05-01", "moves": ["e2", "e8", "X"]},'
        ' {"moves": ["e8", "e2"], "result": "1-0", "empty": ""}, {"moves": ["e2", "what", "e8"]},'
        ' {"moves": ["what"]}, 7]'
    )
    assert [moves_of(game) for game in result.games] == ["e2 e8", "e2 e8", "e2"]
    assert result.games[0].record["header"] == {"先手": "A", "後手": "B", "開始日時": "2024-05-01"}
    endings = [game.ending.special if game.ending else None for game in result.games]
    assert endings == ["TORYO", "WHITE_WINS", None]
    assert codes(result.games[2]) == ["unreadable-move"] and result.games[2].unread == '["what", "e8"]'
    assert sorted(codes(result)) == ["no-moves", "unreadable-move"]
    assert codes(formats.load('{"moves": ["e2", "e8"')) == ["json"]


def test_the_orientation_of_walls_follows_a1():
    # Glendenning names a wall by the square at its far left: d1h lies between the far rows 1 and 2.
    assert moves_of(one("e8 e2 d1h e3")) == "e2 e8 d8h e7"
    assert moves_of(one("e8 e2 a8v e3")) == "e2 e8 a1v e7"


def test_walls_alone_are_read_as_today_s_notation_with_a_note_or_as_the_file_s_other_games():
    game = one("1. d1v c3h")
    assert moves_of(game) == "d1v c3h"
    assert [(issue.code, issue.severity) for issue in game.issues] == [("origin-unclear", "info")]
    result = formats.load("old\te8 e2 e7 e3\nwalls\td1v c3h a5h\n")
    assert [moves_of(game) for game in result.games] == ["e2 e8 e3 e7", "d8v c6h a4h"]
    assert codes(result.games[1]) == ["origin-unclear"]


def test_comments_of_every_style_belong_to_their_moves():
    game = one(
        "# a remark\n{before} 1. e2 {first} e8 ; second\n2. e3 *third, as forums do 3 times 3. d3h"
        " (aside) d6h!? *the last\n"
    )
    assert game.remarks == ("a remark",)
    found = [entry.get("comments") for entry in game.record["moves"]]
    third = "third, as forums do 3 times"
    assert found == [["before"], ["first"], ["second"], [third], ["aside"], ["!?", "the last"]]


def test_forks_replace_the_move_before_them():
    game = one("1. e2 e8 (1... d9 {left} 2. d2 (2. f2) d8) (1... e6h X) 2. e3 e7 (no fork)")
    assert moves_of(game) == "e2 e8 e3 e7"
    first, second = game.record["moves"][2]["forks"]
    assert [entry["move"]["to"] for entry in first] == ["d9", "d2", "d8"]
    assert first[0]["comments"] == ["left"]
    assert first[1]["forks"] == [[{"move": {"color": 0, "from": "e2", "to": "f2"}}]]
    assert [*second[0]["move"].values(), second[1]["special"]] == [1, "e6h", "TORYO"]
    assert game.record["moves"][4]["comments"] == ["no fork"]


@pytest.mark.parametrize(
    ("text", "special", "winner", "draw"),
    [
        ("1. e2 e8 X", "TORYO", 1, False),
        ("1. e2 X *gives up", "TORYO", 0, False),
        ("1. e2 e8 2. e3 resigns", "TORYO", 0, False),
        ("1. e2 e8 1-0", "WHITE_WINS", 0, False),
        ("1. e2 e8 0-1", "BLACK_WINS", 1, False),
        ("1. e2 e8 1/2-1/2", "HIKIWAKE", None, True),
        ("1. e2 e8 *", "CHUDAN", None, False),
        ('[Result "0-1"]\n1. e2 e8', "BLACK_WINS", 1, False),
        ("1. e2 e8 timeout", "TIME_UP", 1, False),
    ],
)
def test_endings(text, special, winner, draw):
    ending = one(text).ending
    assert ending is not None
    assert (ending.special, ending.winner, ending.draw) == (special, winner, draw)


def test_a_pawn_on_its_goal_ends_the_game_and_the_board_is_believed():
    text = formats.dump(one(SEED).record, "alg")
    assert text.endswith(" 0-1\n")
    for result, expected in (("0-1", []), ("1-0", ["result-mismatch"]), ("X", ["result-mismatch"])):
        game = one(text.replace("0-1", result))
        assert (game.ending.special, game.ending.winner, game.ending.ply) == ("GOAL", 1, 46)
        assert [code for code in codes(game) if code == "result-mismatch"] == expected * (result != "X")
    played_on = one(text.replace("0-1", "g9 b1"))
    assert played_on.ending.ply == 46 and codes(played_on) == ["after-win"]


def test_a_file_holds_many_games():
    text = (
        'the first\te2 e8 e3\nthe second\td1v e8\n\n[White "A"]\n[Black "B"]\n[Date "2024.05.01"]\n\n'
        "1. e2 e8\n2. e3\n\n1. d1 e8 *\n1... e7\n"
    )
    result = formats.load(text)
    assert [moves_of(game) for game in result.games] == ["e2 e8 e3", "d1v e8", "e2 e8 e3", "d1 e8"]
    assert [game.first_line for game in result.games] == [1, 2, 4, 11]
    assert [game.index for game in result.games] == [0, 1, 2, 3]
    assert result.games[0].record["header"] == {"表題": "the first"}
    assert result.games[2].record["header"] == {"先手": "A", "後手": "B", "開始日時": "2024/05/01"}
    assert codes(result.games[3]) == ["after-ending"]


def test_lines_without_numbers_are_games_unless_they_go_on():
    result = formats.load("e2 e8 e3 e7\ne4 e6\ne3h e6h c3h\ne2 e8 d1v\n\nd1v e8\n")
    assert [moves_of(game) for game in result.games] == [
        "e2 e8 e3 e7 e4 e6",
        "e3h e6h c3h",
        "e2 e8 d1v",
        "d1v e8",
    ]


def test_a_start_position_is_written_as_a_tag():
    code = "yzoAAIBQMBJSskqrh5dHVBA"
    game = one(code)
    text = formats.dump(game.record, "alg")
    assert '[Start "izoAAIBQ"]' in text and text.endswith("6. e5 e4\n")
    assert one(text).record == game.record
    bare = one('[Start "j7oklAHMe1ICg"]\n')
    assert bare.record_kind == "position" and formats.dump(bare.record, "qf") == "j7oklAHMe1ICg\n"
    broken = formats.load('[Start "gkw"]\n1. e2 e8\n')
    assert broken.games == () and [(issue.code, issue.line) for issue in broken.issues] == [("truncated", 1)]


@pytest.mark.parametrize(
    ("text", "code", "line", "column", "ply", "kept", "unread"),
    [
        ("1. e2 e8\n2. e4 e7", "illegal-move", 2, 4, 3, "e2 e8", '{"move":{"to":"e4"}}'),
        ("1. e2 e8 2. e3h\ne3v", "wall-conflict", 2, 1, 4, "e2 e8 e3h", "e3v"),
        ("1. e2 e8 2. Ke3 e7 3. e4", "unreadable-move", 1, 13, 3, "e2 e8", "Ke3 e7 3. e4"),
        ("1. e2 e8 2. i9h", "unreadable-move", 1, 13, 3, "e2 e8", "i9h"),
        ("1. e2 e8 2. j4 e7", "unreadable-move", 1, 13, 3, "e2 e8", "j4 e7"),
    ],
)
def test_what_cannot_be_played_ends_the_line_and_is_kept(text, code, line, column, ply, kept, unread):
    game = one(text)
    found = next(issue for issue in game.issues if issue.severity == "error")
    assert (found.code, found.line, found.column, found.ply) == (code, line, column, ply)
    assert moves_of(game) == kept and unread in game.unread
    with pytest.raises(IllegalMoveError) as error:
        formats.load(text, strict=True)
    assert error.value.code == code


def test_a_game_none_of_whose_moves_can_be_played_is_none():
    result = formats.load("1. e4 e5 2. Nf3 Nc6\n")
    assert result.games == () and codes(result)[0] == "illegal-move"
    with pytest.raises(ParseError):
        formats.load('[White "A"]\n[Start "gkw"]\n', strict=True)


def test_small_faults_of_a_list_are_noted():
    game = one("Ada against Bo\n1. e2-e3 e8\n".replace("e2-e3", "e3-e2") + "(1. x) {never closed")
    assert codes(game) == ["unknown-line", "from-mismatch", "unclosed"]
    assert game.remarks == ("Ada against Bo",)
    assert "(expected: moves, a comment)" in message(game.issues[0], language="en")
