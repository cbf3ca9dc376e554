"""USI and SFEN: positions and games, one a line."""

from __future__ import annotations

import pytest

from kifu_core import dump, load
from kifu_core.errors import KifuError, UnknownFormatError
from kifu_core.shogi.formats.usi import ENDINGS, cut
from kifu_core.shogi.handicaps import INITIAL_SFEN
from kifu_core.shogi.replay import start
from tests.cases import each
from tests.kifu_core.golden import lines
from tests.kifu_core.random_games import random_record
from tests.shared import shared_paths

MIDDLE = "ln1g2g1l/2s2k3/2ppp3p/5p2b/P2r1N3/2P2P3/1P1PP1P1P/1SGKG2+R1/LN5NL b S5Pbs 57"


def plies(game):
    return sum("move" in entry for entry in game.record["moves"])


def only(text):
    result = load(text)
    assert len(result.games) == 1
    return result.games[0]


@pytest.mark.parametrize(
    "text",
    [
        "position startpos moves 7g7f 3c3d",
        "startpos moves 7g7f 3c3d",
        "position startpos 7g7f 3c3d",
        "moves 7g7f 3c3d",
        "7g7f 3c3d",
        f"position sfen {INITIAL_SFEN} 1 moves 7g7f 3c3d",
        f"sfen {INITIAL_SFEN} moves 7g7f 3c3d",
        f"{INITIAL_SFEN} 1 moves 7g7f 3c3d\n",
        f"{INITIAL_SFEN} 1 7g7f 3c3d\r\n",
        "  position\tstartpos  moves  7g7f  3c3d  ",
    ],
)
def test_it_reads_a_game_with_or_without_the_words_that_say_nothing_new(text):
    game = only(text)
    assert dump(game.record, "usi") == "position startpos moves 7g7f 3c3d\n"
    assert game.record["initial"] == {"preset": "HIRATE"}
    assert (game.record_kind, game.issues) == ("game", ())


@pytest.mark.parametrize(
    "text",
    ["position startpos", "startpos", "startpos moves", "position startpos moves\n", INITIAL_SFEN + " 1"],
)
def test_a_start_alone_is_a_position(text):
    game = only(text)
    assert (game.record_kind, plies(game), game.ending) == ("position", 0, None)
    assert dump(game.record, "sfen") == f"{INITIAL_SFEN} 1\n"


def test_it_reads_a_position_with_promoted_pieces_and_hands():
    game = only(f"sfen {MIDDLE} moves S*3c 4b4c 3c4d 4c4d 2h2d")
    assert dump(game.record, "sfen", ply=0).split()[:3] == MIDDLE.split()[:3]
    assert dump(game.record, "sfen", ply=None).endswith(" w 6Pb2s 6\n")
    captures = [entry["move"].get("capture") for entry in game.record["moves"][1:]]
    assert captures == [None, None, "FU", "GI", None]


def test_it_says_same_and_finds_the_words_that_other_formats_need():
    game = only("7g7f 3c3d 8h2b+ 3a2b 6i5h")
    moves = [entry["move"] for entry in game.record["moves"][1:]]
    assert moves[3] == {
        "color": 1, "from": {"x": 3, "y": 1}, "to": {"x": 2, "y": 2}, "piece": "GI",
        "same": True, "capture": "UM",
    }  # fmt: skip
    assert moves[4]["relative"] == "L"
    assert "promote" not in moves[4] and moves[2]["promote"] is True


def test_a_file_holds_many_games_with_remarks_and_blank_lines():
    result = load("# opening lines\n\nstartpos moves 7g7f\n\n# the second\nstartpos moves 2g2f 8c8d\n")
    assert [plies(game) for game in result.games] == [1, 2]
    assert [game.index for game in result.games] == [0, 1]
    assert [game.first_line for game in result.games] == [3, 6]
    assert [game.remarks for game in result.games] == [(" opening lines",), (" the second",)]


def test_lines_after_a_game_are_its_comments():
    text = f"sfen {MIDDLE} moves S*3c\n推定選択率：100.0%\n\nstartpos moves 7g7f\n"
    first, second = load(text).games
    assert first.record["moves"][0] == {"comments": ["推定選択率：100.0%"]}
    assert second.record["moves"][0] == {}


@pytest.mark.parametrize(("word", "special", "winner"), [
    ("resign", "TORYO", 0), ("win", "KACHI", 1), ("timeout", "TIME_UP", 0), ("rep_draw", "SENNICHITE", None),
    ("draw", "HIKIWAKE", None), ("break", "CHUDAN", None),
])  # fmt: skip
def test_a_word_in_place_of_a_move_ends_the_game(word, special, winner):
    game = only(f"position startpos moves 7g7f {word}")
    assert game.ending is not None
    assert (game.ending.word, game.ending.special, game.ending.ply) == (word, special, 1)
    assert game.ending.winner == winner
    assert game.record["moves"][-1] == {"special": special}
    assert special in ENDINGS.values()


def test_an_unknown_word_is_kept_and_wins_nothing():
    game = only("startpos moves 7g7f flagged")
    assert game.ending is not None
    assert (game.ending.word, game.ending.special, game.ending.winner) == ("flagged", None, None)
    assert [issue.code for issue in game.issues] == ["unknown-ending"]


def test_what_follows_a_move_that_cannot_be_played_is_kept_as_text():
    game = only("startpos moves 7g7f 3c3d 5e5d 8c8d\n")
    issue = game.issues[0]
    assert (issue.code, issue.ply, issue.line, issue.column) == ("no-piece", 3, 1, 26)
    assert game.unread == "5e5d 8c8d"
    assert plies(game) == 2


def test_an_unreadable_word_among_the_moves_is_an_error():
    game = only("startpos moves 7g7f 3c3d 7f7x 8c8d")
    assert [(issue.code, issue.ply) for issue in game.issues] == [("unreadable-move", 3)]


def test_a_line_that_cannot_be_read_loses_no_other_game():
    text = "startpos moves 7g7f\nposition sfen lnsg/9/9/9/9/9/9/9/9 b - 1\nposition startpos xxx\nmoves 2g2f"
    result = load(text)
    assert [plies(game) for game in result.games] == [1, 1]
    assert [(issue.code, issue.line, issue.severity) for issue in result.issues] == [
        ("sfen-board", 2, "error"),
        ("bad-usi-move", 3, "error"),
    ]


@pytest.mark.parametrize("text", ["", "xxx", "position", " b - 1", "sfen xxx"])
def test_text_without_a_position_is_no_record(text):
    with pytest.raises(UnknownFormatError):
        load(text)


@pytest.mark.parametrize(("text", "expected"), [
    ("position startpos", "usi"), ("sfen 4k4/9/9/9/9/9/9/9/4K4 b - 1", "usi"), ("moves 7g7f", "usi"),
    ("4k4/9/9/9/9/9/9/9/4K4 b - 1", "sfen"), ("4k4/9/9/9/9/9/9/9/4K4 b - 1 moves 5i5h", "sfen"),
])  # fmt: skip
def test_the_format_is_recognised_by_the_first_line(text, expected):
    assert load(text, "game.kif").format == expected


def test_a_place_beyond_the_main_line_is_refused():
    record = only("startpos moves 7g7f").record
    with pytest.raises(KifuError) as raised:
        dump(record, "sfen", ply=2)
    assert (raised.value.code, dict(raised.value.params)) == ("no-such-ply", {"number": 2, "last": 1})


@pytest.mark.parametrize("line", ["7g7f", "~0.7ku"])
def test_the_shortest_of_lines_do_not_make_endless_work(line):
    result = load(f"{line}\n" * 60_000)
    assert len(result.games) == 50_000
    assert [(issue.code, issue.severity, issue.line) for issue in result.issues] == [
        ("too-many-games", "error", 50_001)
    ]


@each("seed", range(40))
def test_the_main_line_of_any_game_survives(seed):
    record = random_record(seed)
    back = only(dump(record, "usi"))
    moves = [{"move": entry["move"]} for entry in record["moves"] if "move" in entry]
    assert back.record["moves"][1:] == moves
    assert back.record["initial"] == record["initial"]
    for ply in (0, len(moves) // 2, None):
        text = dump(record, "sfen", ply=ply)
        assert start(only(text).record).sfen(None) == text.rsplit(maxsplit=1)[0]


# --- real files and the answers of others ----------------------------------------------------------------

GAMES_OF_CORPUS = {
    "records2016_10818-25f991.sfen": (10831, 259944),
    "puzzle230917-dddd4f.sfen": (4788, 4788),
    "mate3-001-e492c3.sfen": (1000, 3000),
    "mate7-001-27e3ac.sfen": (1000, 7000),
    "mate9-001-d9ce1c.sfen": (1000, 9000),
    "benchmark-dad97a.sfen": (5, 276),
    "test_collection-d682e7.sfen": (3, 0),
    "division-input-f1ce6d.sfen": (3, 45),
    "src05-affc7e.sfen": (2, 11),
    "15733-3c6f8f.sfen": (1, 107),
    "kiou202503020101-f22ccd.usi": (1, 96),
    "極限早繰り銀-75235d.kif": (1, 39),
    "bishop_exchange.2023-06-25-7796ec.sfen": (1, 37),
    "test_basic-d40667.usi": (1, 7),
    "test_drops-196dd8.usi": (1, 4),  # its fifth move drops a pawn that Black does not have
    "test_resign-a9cdbd.usi": (1, 2),
    "test_sfen-3bc818.usi": (1, 3),
}
"""Games and moves of every file; no other game of them has an issue."""


@pytest.mark.shared
@each("path", shared_paths("corpus/usi/*/*") + shared_paths("corpus/sfen/*/*"), ids=str)
def test_every_real_file_gives_its_games(path):
    result = load(path.read_bytes(), path.name)
    assert (len(result.games), sum(map(plies, result.games))) == GAMES_OF_CORPUS[path.name]
    issues = [issue.code for game in result.games for issue in game.issues]
    assert issues == (["not-in-hand"] if path.name == "test_drops-196dd8.usi" else [])
    assert not result.issues


@pytest.mark.shared
@each("row", lines("xformat.jsonl"), ids=lambda row: row["name"])
def test_usi_and_kif_of_a_real_game_agree(row):
    kif, usi = only(row["kif"]), only(row["usi"])
    assert dump(kif.record, "usi").strip() == row["usi"] == dump(usi.record, "usi").strip()
    assert [entry.get("move") for entry in usi.record["moves"]] == [
        entry.get("move")
        for entry in kif.record["moves"]
        if "move" in entry or entry is kif.record["moves"][0]
    ]


# Records that tsshogi's suite changes after reading them, so that its exports are not of the text.
CHANGED = {
    "record: record usen/branches",
    "record: record removeCurrentMove",
    "record: record removeNextMove",
}


@pytest.mark.shared
def test_usi_and_sfen_are_those_of_tsshogi():
    compared = 0
    for row in lines("tsshogi.jsonl"):
        if "error" in row or row["input_format"] == "usen" or row["name"] in CHANGED:
            continue
        games = load(row["input"]).games
        if not games:
            continue  # a start without moves in KIF or CSA is no record for us
        record = games[0].record
        theirs = row["usi_all"].removesuffix(" resign").removesuffix(" moves")
        ours = dump(record, "usi").strip().replace("startpos", f"sfen {INITIAL_SFEN} 1", 1)
        assert ours == theirs, row["name"]
        ends = {dump(record, "sfen", ply=ply).strip() for ply in (0, None)}
        assert row["sfen"] in ends, row["name"]
        compared += 1
    assert compared > 230


@pytest.mark.parametrize(
    "text",
    [
        "7g7f\n3c3d\n2g2f\n8c8d\n",
        "7g7f\r\n3c3d\r\n\r\n2g2f\r\n8c8d",
        "position startpos moves 7g7f\n3c3d\n2g2f\n8c8d\n",
        "startpos\n7g7f\n3c3d\n2g2f\n8c8d",
        "moves 7g7f\n3c3d\n2g2f\n8c8d",
        "7g7f\n3c3d 2g2f\n8c8d",
        "7g7f 3c3d 2g2f\n8c8d",
    ],
)
def test_moves_one_to_a_line_are_one_game(text):
    assert dump(only(text).record, "usi") == "position startpos moves 7g7f 3c3d 2g2f 8c8d\n"


def test_a_long_game_of_a_move_a_line_with_drops_and_an_ending_is_one():
    moves = ["7g7f", "3c3d", "8h2b+", "3a2b", "B*4e", "4a3b", "4e3d", "8c8d"]
    game = only("\n".join(moves) + " resign\n")
    assert (plies(game), game.ending.special, game.issues) == (8, "TORYO", ())
    broken = load("7g7f\n3c3d\n9i9a\n")
    (issue,) = [one for one in broken.games[0].issues if one.severity == "error"]
    assert (len(broken.games), issue.line) == (1, 3)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("7g7f\n2g2f\n5g5f\n", 3),  # an opening book of first moves
        ("7g7f\n3c3d\n7g7f\n8c8d\n", 2),
        ("7g7f 3c3d\n2g2f 8c8d\n", 2),
        ("7g7f 3c3d\n2g2f\n", 2),
        ("7g7f\n3c3d resign\n2g2f\n8c8d\n", 2),
        ("position startpos moves 7g7f\nposition startpos moves 2g2f\n", 2),
        ("startpos moves 7g7f\n2g2f 8c8d\n", 2),
    ],
)
def test_lines_that_begin_a_game_stay_games_of_their_own(text, count):
    assert len(load(text).games) == count


def test_a_game_of_a_move_a_line_is_not_cut():
    text = b"7g7f\n3c3d\n2g2f\n8c8d\nposition startpos moves 7g7f\n3c3d\n2g2f 8c8d\n"
    pieces = [piece for _first, piece in cut(text.splitlines(keepends=True), 1, lambda size: None)]
    assert [piece.count(b"\n") for piece in pieces] == [4, 2, 1]
