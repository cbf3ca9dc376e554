"""USEN: a game and its variations as one word."""

from __future__ import annotations

import json

import pytest

from kifu_core import dump, load
from kifu_core.shogi.formats.usen import ENDINGS, move_text
from kifu_core.shogi.moves import from_usi, to_usi
from kifu_core.shogi.replay import packed_move, visits
from tests.cases import each
from tests.kifu_core.golden import lines
from tests.kifu_core.random_games import random_record
from tests.shared import shared_paths


def only(text):
    result = load(text)
    assert len(result.games) == 1
    return result.games[0]


def usi(entries):
    """Moves of a line without its forks, for short comparisons."""
    return [to_usi(packed_move(entry["move"])) for entry in entries if "move" in entry]


def test_it_reads_moves_and_drops():
    game = only("~0.7ku2jm8rl09kbxo.r")
    assert dump(game.record, "usi") == "position startpos moves 7g7f 3c3d 8h2b+ 3a2b B*4e\n"
    assert game.ending is not None
    assert (game.ending.word, game.ending.special, game.ending.winner) == ("r", "TORYO", 0)


@pytest.mark.parametrize(
    ("move", "text"), [("7g7f", "7ku"), ("8h2b+", "8rl"), ("B*4e", "bxo"), ("P*5e", "bfq"), ("R*1a", "c00")]
)
def test_a_move_is_three_digits(move, text):
    assert move_text(from_usi(move)) == text


def test_the_start_is_an_sfen_for_addresses():
    text = "ln1g2g1l_2s2k3_2ppp3p_5p2b_P2r1N3_2P2P3_1P1PP1P1P_1SGKG2zR1_LN5NL.b.S5Pbs~0.bs4.\n"
    game = only(text)
    assert dump(game.record, "sfen").split()[0].endswith("/1SGKG2+R1/LN5NL")
    assert dump(game.record, "usen") == text


def test_variations_begin_after_so_many_moves():
    entries = only("~0.7ku2jm6y236e5t2.r~4.7bq0n866q.r~2.6ti3ay77631u.p~3.2ai.").record["moves"]
    assert usi(entries[5]["forks"][0]) == ["5g5f", "6a5b", "5f5e"]
    fork = entries[3]["forks"][0]
    assert usi(fork) == ["1g1f", "9c9d", "4g4f", "7c7d"]
    assert usi(fork[1]["forks"][0]) == ["1c1d"]
    assert fork[-1] == {"special": "CHUDAN"}


def test_a_variation_goes_to_the_latest_line_that_has_its_move():
    """Playground varies the main line only, whatever the order."""
    entries = only("~0.7ku2jm6y236e5t2.~2.6ti.~4.7bq.").record["moves"]
    assert usi(entries[3]["forks"][0]) == ["1g1f"]
    assert usi(entries[5]["forks"][0]) == ["5g5f"]


def test_a_game_may_count_from_its_middle():
    entries = only("~10.7ku2jm.~11.36e.").record["moves"]
    assert usi(entries) == ["7g7f", "3c3d"]
    assert usi(entries[2]["forks"][0]) == ["8c8d"]


@pytest.mark.parametrize(("letter", "special"), list(ENDINGS.items()))
def test_five_endings_have_letters(letter, special):
    game = only(f"~0.7ku2jm.{letter}")
    assert game.record["moves"][-1] == {"special": special}
    assert dump(game.record, "usen") == f"~0.7ku2jm.{letter}\n"


def test_a_foul_may_be_written_behind_its_letter():
    game = only("~0.7ku2jm.ibfq")
    assert [issue.code for issue in game.issues] == ["not-in-hand"]
    game = only("~0.7ku2jm.i6y4")  # 2g3f
    assert game.record["moves"][-1] == {"special": "+ILLEGAL_ACTION"}
    assert game.ending is not None
    assert game.ending.winner == 1
    assert [issue.code for issue in game.issues] == ["unreachable"]


def test_an_unknown_ending_wins_nothing():
    game = only("~0.7ku2jm.x")
    assert game.ending is not None
    assert (game.ending.word, game.ending.winner) == ("x", None)
    assert [issue.code for issue in game.issues] == ["unknown-ending"]


def test_a_file_holds_a_game_a_line():
    result = load("# two\n~0.7ku\n\n~0.6y22jm.\n")
    assert result.format == "usen"
    assert [dump(game.record, "usen") for game in result.games] == ["~0.7ku.\n", "~0.6y22jm.\n"]
    assert [game.first_line for game in result.games] == [2, 4]


@pytest.mark.parametrize(
    ("text", "code", "unread"),
    [
        ("~0.7ku2jm.~7.7ku.", "variation-without-move", "~7.7ku."),
        ("~0.7ku2jm.!~1.36e.", "usen-line", "~0.7ku2jm.!"),
        ("~0.7ku2j.", "unreadable-move", "2j."),
        ("~0.7ku000.", "unreadable-move", "000."),
        ("~0.7kuzzz.", "unreadable-move", "zzz."),
        ("~0.7ku2jm.~x.36e.", "usen-line", "~x.36e."),
    ],
)
def test_what_cannot_be_read_is_kept_as_text(text, code, unread):
    game = only(text)
    assert [(issue.code, issue.severity) for issue in game.issues] == [(code, "error")]
    assert game.unread == unread
    assert usi(game.record["moves"])[0] == "7g7f"


def test_a_start_that_cannot_be_read_is_an_error_of_that_game():
    result = load("lnsgkgsn_9.b.-~0.7ku.\n~0.7ku.")
    assert [issue.code for issue in result.issues] == ["sfen-board"]
    assert len(result.games) == 1


@each("seed", range(60))
def test_moves_and_variations_survive(seed):
    record = random_record(seed)
    back = only(dump(record, "usen"))
    assert not back.issues
    assert without_lost_endings(back.record["moves"]) == without_lost_endings(record["moves"])
    assert back.record["initial"] == record["initial"]
    assert visits(back.record) == visits(record)


def without_lost_endings(entries):
    """The entries without the endings that USEN has no letter for."""
    kept = [
        entry | {"forks": [without_lost_endings(fork) for fork in entry["forks"]]}
        if "forks" in entry
        else entry
        for entry in entries
    ]
    return [entry for entry in kept if entry.get("special", "TORYO") in ENDINGS.values()]


# --- real files and the answers of others ----------------------------------------------------------------

# tsshogi never takes back a letter: variations without an ending repeat that of the line before. It writes p
# for every ending beyond its four, fouls among them, and none of the words that a USI line ends with.
REPEATS = {"record: record forEach", "file: files/kif/fork.kif", "file: files/ki2/fork.ki2"}
# Records that its suite changes after reading them.
CHANGED = {"record: record removeCurrentMove", "record: record removeNextMove"}
# A result line without a move ends our record, not tsshogi's; variations that are but an ending are ours.
OTHERWISE = {"kakinoki: kakinoki import/ki2/end-of-game", "jkf: jkf exportJKF"}
# A variation that begins where its line ends goes on there.
PAST_END = {"file: files/kif/fork-test.kif"}


def lines_of(text):
    """Start and lines of play without their endings; a foul after its letter is a move."""
    start, *pieces = text.strip().split("~")
    return start, [(offset, moves + final[1:]) for offset, moves, final in (p.split(".") for p in pieces)]


@pytest.mark.shared
def test_usen_is_that_of_tsshogi_but_for_its_endings():
    compared = 0
    for row in lines("tsshogi.jsonl"):
        text = row["input"]
        games = [] if "error" in row or row["input_format"] == "usen" else load(text).games
        if not games or row["name"] in CHANGED | OTHERWISE | PAST_END:
            continue
        ours, theirs = dump(games[0].record, "usen"), row["usen"][0]
        assert lines_of(ours) == lines_of(theirs), row["name"]
        letter = theirs.split("~")[1][-1]
        if letter not in "p." and row["name"] not in REPEATS:
            assert ours.split("~")[1].strip()[-1] == letter, row["name"]
        compared += 1
    assert compared > 230


@pytest.mark.shared
@pytest.mark.parametrize("row", [r for r in lines("tsshogi.jsonl") if r["input_format"] == "usen"], ids=str)
def test_it_reads_what_tsshogi_reads(row):
    text = json.loads(row["input"])[0]
    game = only(text)
    assert not game.issues
    assert dump(game.record, "usen").strip() == text


@pytest.mark.shared
@pytest.mark.parametrize("path", shared_paths("corpus/usen/*/*"), ids=str)
def test_every_real_file_comes_back(path):
    text = path.read_text(encoding="utf-8").strip()
    game = only(text)
    assert not game.issues
    assert dump(game.record, "usen").strip().rstrip(".") == text
