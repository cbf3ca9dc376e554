"""The formats of Quoridor's records: what is read of each, round trips, losses, detection, hostile texts."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kifu_core import games, load
from kifu_core.decoding import MAX_ISSUES
from kifu_core.errors import IllegalMoveError, KifuError, ParseError, UnknownFormatError
from kifu_core.messages import message
from kifu_core.quoridor import formats, qf_code
from kifu_core.quoridor.formats import losses
from kifu_core.quoridor.record import as_jkf, packed_move
from kifu_core.quoridor.replay import main_moves
from kifu_core.record import ParsedGame, ParseResult
from tests.kifu_core.quoridor.records import random_record
from tests.shared import CORPUS

SEED = "QuBAQEk6yVqpfcBgTio6WQr0JiSJKLLMYLb1vyYmBmRk"
GAME = "e2 e8 e3 e7 e4 e6 d3h e6h"


def one(text: str, name: str | None = None) -> ParsedGame:
    result = formats.load(text, name)
    assert len(result.games) == 1, result
    return result.games[0]


def moves_of(game: ParsedGame) -> str:
    """The main line as today's notation."""
    found = [entry["move"] for entry in game.record["moves"] if "move" in entry]
    return " ".join(str(move.get("wall") or move.get("to")) for move in found)


def codes(result: ParseResult | ParsedGame) -> list[str]:
    return [issue.code for issue in result.issues]


# --- move lists ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
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
    ],
)
def test_the_same_game_in_all_the_ways_of_writing_it(text):
    game = one(text)
    assert moves_of(game) == GAME
    assert [code for code in codes(game) if code != "top-left-origin"] == []
    assert ("top-left-origin" in codes(game)) == text.removeprefix("1. ").startswith(("e8", "e9"))


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


def test_comments_of_all_habits_stand_with_their_moves():
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


def test_a_start_of_its_own_stands_in_a_tag():
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


# --- qf_code ---------------------------------------------------------------------------------------------


def test_one_code_or_many():
    result = formats.load(f"{SEED}\nj7oklAHMe1ICg\nthe start\tgkwAAAAQ\nQA\n")
    assert [game.record_kind for game in result.games] == ["game", "position", "position", "position"]
    assert [game.first_line for game in result.games] == [1, 2, 3, 4]
    assert codes(result.games[2]) == ["start-snapshot"]
    assert result.games[2].record["header"] == {"表題": "the start"}
    assert result.games[0].ending.special == "GOAL"
    assert [formats.dump(game.record, "qf").strip() for game in result.games] == [
        SEED, "j7oklAHMe1ICg", "gkwAAIAQ", "gkwAAIAQ",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        f'<p>a</p><div class="qf_board_viewer" data-boardsize="9" data-qfcode="{SEED}"></div>',
        f"<div data-qfcode = '{SEED}'>",
        json.dumps([{"qfcode": SEED, "source": "x"}]),
        json.dumps({"code": SEED}, indent=1),
        f"Look at this:\n\n{SEED[:20]}\n{SEED[20:40]}\n{SEED[40:]}\n\nBo\n",
        f"> {SEED} \n",
        f"the game {SEED}, which I lost.",
        f"{SEED}==\r\n",
        f"\ufeff{SEED}",
    ],
)
def test_codes_travel_in_mails_and_pages(text):
    found = formats.load(text)
    assert found.format == "qf"
    assert [formats.dump(game.record, "qf") for game in found.games] == [SEED + "\n"]


def test_characters_that_no_code_has_are_dropped_with_a_warning():
    game = one(">>j7okl\u3000AHMe-1ICg.\n", "x.qf")
    assert [(issue.code, issue.params) for issue in game.issues] == [("dropped-characters", {"count": 5})]


LONG = "QuBAQEk6yVqpfcBgTio6WQr0JiSJKLLMYLb1vyYmBmRk"


@pytest.mark.parametrize(
    ("between", "before"),
    [("\n", "> "), ("\n", ">> "), ("\n", "＞"), ("=\n", ""), ("\u200b\n", ""), ("\n", "| ")],
)
def test_codes_that_mail_programs_break_and_quote_are_put_together(between, before):
    parts = [LONG[at : at + 20] for at in range(0, len(LONG), 20)]
    lines = between.join(before + part for part in parts)
    for text in (lines, f"Hello Bo,\nhere is the game:\n{lines}\nIt was a good one, was it not?\nBye\n"):
        (game,) = formats.load(text).games
        assert [issue.code for issue in game.issues] == ["dropped-characters"]
        assert formats.dump(game.record, "qf") == LONG + "\n"


def test_several_quoted_codes_stay_apart():
    found = formats.load(f"> {LONG}\n> {SEED}\n> {LONG}\n")
    assert [formats.dump(game.record, "qf").strip() for game in found.games] == [LONG, SEED, LONG]


PLUS_AND_SLASH = "QK/UCh+sEPbFrg"


@pytest.mark.parametrize(
    "text",
    [
        "https://example.org/board?code={}\n",
        "https://example.org/board?code={}&ply=3",
        "see https://example.org/board?ply=3&code={}.",
        "code: `{}`",
        "その棋譜は「{}」です",
        'my code is "{}"!',
    ],
)
def test_a_code_in_an_address_or_in_quotes_is_found(text):
    for code in (LONG, PLUS_AND_SLASH):
        found = formats.load(text.format(quote(code, safe="")))
        assert [formats.dump(game.record, "qf").strip() for game in found.games] == [code]


def test_damaged_codes_are_named_with_their_place():
    result = formats.load("j7oklAHMe1ICg\nj7oklAHMe1ICh\n  lCgAAIAQ\nhello there\nj7oklAHMe1IC\n")
    assert len(result.games) == 1
    assert [(issue.code, issue.line, issue.column) for issue in result.issues] == [
        ("nonzero-padding", 2, 13), ("pawn-overlap", 3, 5), ("unknown-line", 4, 1), ("truncated", 5, 12),
    ]  # fmt: skip


def test_what_is_odd_about_a_code_is_noted_once_with_the_game():
    won = "QuBAQEk6yVqpfcBgTio6WQr0JiSJKLLMYLb1vyYmBmRk"
    moves = [packed_move(entry["move"]) for entry in one(won).record["moves"][1:]]  # type: ignore[arg-type]
    longer = qf_code.encode(qf_code.Code(None, (*moves, *map(_square, ["g9", "b1"]))))
    assert [(issue.code, issue.ply) for issue in one(longer).issues] == [("after-win", 47)]
    assert codes(one("j7olEgHMe1ICg")) == ["unsorted"]


def _square(text: str) -> int:
    return packed_move({"to": text})


def test_a_snapshot_of_any_ply():
    record = one(SEED).record
    assert formats.dump(record, "qf", ply=46) == "ooByS01V5bzMi1ZCOqzb8XILw\n"
    assert formats.dump(record, "qf", ply=1) == "hswAAAAg\n"
    assert formats.dump(record, "qf", ply=0) == "gkwAAIAQ\n"
    with pytest.raises(KifuError) as error:
        formats.dump(record, "qf", ply=47)
    assert error.value.code == "no-such-ply"


# --- JSON ------------------------------------------------------------------------------------------------


def test_a_record_may_leave_out_what_replaying_tells():
    raw = {"game": "quoridor", "version": 1, "moves": [{"move": {"to": "e2"}}, {"move": {"wall": "e3h"}}, {}]}
    game = one(json.dumps(raw))
    assert game.record["moves"] == [
        {},
        {"move": {"color": 0, "from": "e1", "to": "e2"}},
        {"move": {"color": 1, "wall": "e3h"}},
    ]
    assert (game.record["header"], game.record["initial"]) == ({}, {"preset": "START"})


def test_json_from_before_the_first_release_calls_its_game_kind():
    game = one('{"kind": "quoridor", "version": 1, "moves": [{}, {"move": {"to": "e2"}}]}')
    assert game.record["game"] == "quoridor" and "kind" not in game.record


@pytest.mark.parametrize(
    ("change", "code", "path"),
    [
        ({"game": "chess"}, "jkf-value", "$.game"),
        ({"version": 2}, "jkf-value", "$.version"),
        ({"moves": None}, "jkf-missing", "$.moves"),
        ({"moves": [{"move": {}}]}, "jkf-missing", "$.moves[0].move.to"),
        ({"moves": [{"move": {"to": "e10"}}]}, "jkf-value", "$.moves[0].move.to"),
        ({"moves": [{"move": {"to": "e3h"}}]}, "jkf-value", "$.moves[0].move.to"),
        ({"moves": [{"move": {"wall": "e3"}}]}, "jkf-value", "$.moves[0].move.wall"),
        ({"moves": [{"move": {"wall": "e3h", "to": "e2"}}]}, "jkf-missing", "$.moves[0].move.to"),
        ({"moves": [{"move": {"to": "e2", "color": 2}}]}, "jkf-value", "$.moves[0].move.color"),
        ({"initial": {"preset": "HIRATE"}}, "jkf-value", "$.initial.preset"),
        ({"initial": {"preset": "OTHER"}}, "jkf-missing", "$.initial.data"),
        ({"initial": {"preset": "OTHER", "data": {"pawns": ["e1"]}}}, "jkf-value", "$.initial.data.pawns"),
    ],
)
def test_json_of_another_shape_is_refused_with_its_path(change, code, path):
    record = {"game": "quoridor", "version": 1, "moves": [{}]} | change
    result = games.QUORIDOR.formats.load_source(
        *games.open_source(json.dumps([record, {"game": "quoridor"}]))
    )
    assert result.games == ()
    assert (result.issues[0].code, result.issues[0].params["path"]) == (code, path)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"pawns": ["e1", "e1"]}, "pawn-overlap"),
        ({"pawns": ["e1", "e3h"]}, "bad-quoridor-move"),
        ({"walls": [["e3h", "e3v"], []]}, "wall-conflict"),
        ({"walls": [["e3"], []]}, "bad-quoridor-move"),
        ({"walls": [[f"{x}{y}h" for x in "aceg" for y in "123"], []]}, "wall-count"),
        ({"last": "e3h"}, "last-move-wall"),
        ({"turn": 1024}, "turn-range"),
    ],
)
def test_a_start_that_cannot_be_is_refused_by_name(change, code):
    data = {"color": 0, "pawns": ["e1", "e9"], "walls": [[], []], "turn": 1} | change
    record = {"game": "quoridor", "version": 1, "moves": [{}], "initial": {"preset": "OTHER", "data": data}}
    result = formats.load(json.dumps(record))
    assert result.games == () and codes(result) == [code]


def test_moves_that_contradict_the_board_are_noted():
    moves = [
        {},
        {"move": {"color": 1, "from": "d1", "to": "e2"}, "time": {"now": {"m": 0, "s": 5}}},
        {"special": "SOMETHING"},
    ]
    game = one(json.dumps({"game": "quoridor", "version": 1, "moves": moves}))
    assert codes(game) == ["side-mark", "from-mismatch", "unknown-ending"]
    assert game.record["moves"][1]["time"] == {"now": {"m": 0, "s": 5}}
    assert (game.ending.word, game.ending.special) == ("SOMETHING", None)
    assert [issue.code for issue in losses(game, "json")] == ["lost-ending"]


# --- all formats -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("file_format", ["alg", "json"])
def test_records_with_forks_and_comments_survive(file_format):
    for seed in range(15):
        record = as_jkf(random_record(seed))
        text = formats.dump(record, file_format)
        result = formats.load(text)
        assert result.format == file_format
        assert result.games[0].record == record, text
        assert result.games[0].issues == () or codes(result.games[0]) == ["no-path"], text
        assert losses(result.games[0], file_format) == ()


def test_what_a_code_cannot_hold_is_told_and_the_rest_survives():
    for seed in range(15):
        record = as_jkf(random_record(seed))
        game = one(formats.dump(record, "qf"))
        assert moves_of(game) == moves_of(ParsedGame(record, "game", None))
        assert game.record["initial"] == record["initial"]
        lost = {issue.code: issue.params["count"] for issue in losses(record, "qf")}
        assert ("lost-headers" in lost) == bool(record["header"])
        assert ("lost-forks" in lost) == any("forks" in entry for entry in record["moves"])
        assert ("lost-ending" in lost) == any("special" in entry for entry in record["moves"])


def test_a_comment_with_a_brace_becomes_comments_of_a_line_each():
    record = json.loads(formats.dump(one("1. e2 {x} e8").record, "json"))
    record["moves"][1]["comments"] = ["a } b\nc"]
    text = formats.dump(record, "alg")
    assert one(text).record["moves"][1]["comments"] == ["a } b", "c"]


def test_times_are_lost_in_lists():
    record = json.loads(formats.dump(one("1. e2 e8").record, "json"))
    record["moves"][1]["time"] = {"now": {"m": 1, "s": 0}}
    assert [issue.code for issue in losses(record, "alg")] == ["lost-times"]


def test_a_game_that_no_code_can_hold_is_refused():
    walk = " ".join(["e2 e8 e1 e9"] * 260)
    game = one("1. " + walk)
    assert len(main_moves(game.record)) == 1040  # type: ignore[arg-type]
    with pytest.raises(KifuError) as error:
        formats.dump(game.record, "qf")
    assert error.value.code == "too-many-plies"


@pytest.mark.parametrize("call", [formats.dump, losses])
def test_an_unknown_format_is_refused(call):
    with pytest.raises(KifuError) as error:
        call(one("e2 e8").record, "kif")
    assert error.value.code == "unknown-format"


@pytest.mark.parametrize(
    ("text", "name", "kind", "found", "reason"),
    [
        ("1. e2 e8 2. e3", "", "quoridor", "alg", "rows"),
        ("Gap\te2 e8", "a.txt", "quoridor", "alg", "rows"),
        ("d1v", "", "quoridor", "alg", "rows"),
        ('[White "A"]\n1. e2 e8', "", "quoridor", "alg", "rows"),
        ('[Start "gkwAAIAQ"]', "", "quoridor", "alg", "rows"),
        (SEED, "", "quoridor", "qf", "codes"),
        ("QA", "", "quoridor", "qf", "codes"),
        ("gkwAAAAQ==", "", "quoridor", "qf", "codes"),
        ("j7oklAHMe1IC", "", "quoridor", "qf", "codes"),
        ("hello", "x.qf", "quoridor", "qf", "name"),
        ("hello", "", "shogi", None, ""),
        ("The quick brown fox", "", "shogi", None, ""),
        ("", "", "shogi", None, ""),
        ('{"game": "quoridor"}', "", "quoridor", "json", "marker"),
        ('{"header": {"a": "\\"kind\\":\\"quoridor\\""}, "moves": []}', "", "shogi", None, ""),
        ('{"header":{},"moves":[{}]}', "", "shogi", None, ""),
        ('{"header":{"code":"hello"},"moves":[{"comments":["1. e2 e8"]}]}', "", "shogi", None, ""),
        ('{"code":"QBA"}', "", "quoridor", "qf", "quoted"),
        ('<div data-qfcode="gkw">', "", "quoridor", "qf", "quoted"),
        ("{a comment} 1. e2 e8", "", "quoridor", "alg", "rows"),
        ('{"qfcode":"QA"}', "", "quoridor", "qf", "quoted"),
        ("startpos moves 7g7f 3c3d", "", "shogi", None, ""),
        ("手合割：平手\n1 ７六歩(77)\n*e2 e8 e3\n", "", "shogi", None, ""),
        ("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", "", "shogi", None, ""),
        ("poUAACMaqtYhwHgAAAAPQdTnd3vMgAA", "", "shogi", None, ""),
    ],
)
def test_what_a_text_is_is_told_by_its_content(text, name, kind, found, reason):
    assert games.kind_of(text, name).name == kind
    if found is not None:
        assert formats.detect(text, name) == (found, reason)


def test_files_of_any_game_are_read_by_one_function():
    kind, result = games.load(SEED.encode())
    assert (kind.name, result.format, result.encoding) == ("quoridor", "qf", "ascii")
    kind, result = games.load("手合割：平手\n1 ７六歩(77)\n".encode("cp932"), "a.kif")
    assert (kind.name, result.format, result.games) == (
        "shogi", "kif", load("手合割：平手\n1 ７六歩(77)\n".encode("cp932")).games,
    )  # fmt: skip
    for read in (games.load, formats.load):
        with pytest.raises(UnknownFormatError):
            read("hello")


# --- hostile texts ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "1. e2 e8 " + "(" * 20_000,
        "1. e2 " + "(1. d1 " * 300 + ")" * 300 + " e8",
        "1. e2 {" * 20_000,
        "1. e2 e8\n" + "x " * 10_000,
        "1. e2 e8 " + "[" * 50_000,
        "e2 e8 e3\n" + " " * 100_000 + "\n",
        "e2 e8 e3\n" * 500,
        "1. e2 " + "*" * 50_000,
        "QBAQEBA\n" * 1_000,
        SEED[:20] + "\n" + "QBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQ\n" * 500,
        "A" * 100_000 + "_",
        "gkwAAAAQ " + "a" * 100_000 + "_ ",
        'data-qfcode="' * 3_000,
        '{"game":"quoridor","version":1,"moves":' + "[" * 20_000,
        '{"game":"quoridor","version":1,"moves":[{"move":{"to":"e2"},"forks":'
        + "[[" * 150
        + "]]" * 150
        + "}]}",
        '{"game":"quoridor","version":1' + "0" * 5_000 + "}",
    ],
)
def test_no_text_takes_long_or_brings_more_than_its_issues(text):
    result = games.QUORIDOR.formats.load_source(*games.open_source(text, "a.qf"))
    for found in (result, *result.games):
        assert len(found.issues) <= MAX_ISSUES + 1
        assert all("?" not in message(issue) for issue in found.issues)


WORDS = [
    "e2",
    "e8",
    "e3",
    "e7",
    "d3h",
    "e6h",
    "vd3",
    "1.",
    "2.",
    "(",
    ")",
    "{",
    "}",
    ";",
    "*",
    "X",
    "1-0",
    "[",
    "]",
    "\n",
    "\t",
    "#",
    "j7oklAHMe1ICg",
    "QA",
    "c-d5",
    "a1",
    "!?",
    "5",
    "x",
]


@given(st.lists(st.sampled_from(WORDS) | st.text(max_size=4), max_size=30))
@example(["e2", "e8", "[", "{", "0\t", "e2"])
@example(["e2", "e2", "[", "{", "\u00e0"])
@example(["e2", "e2", "0", "(", ")"])
def test_whatever_is_read_can_be_written_and_read_again(words):
    try:
        result = formats.load(" ".join(words), "x.qf")
    except UnknownFormatError:
        return
    for game in result.games:
        for file_format in formats.FORMATS:
            again = formats.load(formats.dump(game.record, file_format), "x.qf").games
            assert moves_of(again[0]) == moves_of(game) if again else moves_of(game) == ""
        assert one(formats.dump(game.record, "json")).record == game.record


@pytest.mark.shared
def test_the_lists_of_the_corpus_are_read_whole():
    (path,) = CORPUS.glob("quoridor-alg/*/*.txt")
    kind, result = games.load(path.read_bytes(), path.name)
    assert (kind.name, result.format, len(result.games), result.issues) == ("quoridor", "alg", 18, ())
    assert sum(len(game.record["moves"]) - 1 for game in result.games) >= 479
    assert all(issue.severity == "info" for game in result.games for issue in game.issues)
    assert not any(game.unread for game in result.games)
    top_left = [game.index for game in result.games if "top-left-origin" in codes(game)]
    assert top_left == [7, 8]


@pytest.mark.shared
def test_the_codes_of_the_corpus_are_read():
    (path,) = CORPUS.glob("quoridor-qf/*/*.json")
    kind, result = games.load(path.read_bytes(), path.name)
    assert (kind.name, result.format, len(result.games)) == ("quoridor", "qf", 15)
    assert codes(result) == ["no-content"]
