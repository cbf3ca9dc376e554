"""Whether games keep the rules: fouls, repetition, and who wins by them."""

from __future__ import annotations

import csv
from pathlib import Path
from random import Random

import pytest

from kifu_core import KifuError, load, message
from kifu_core.shogi.legality import findings, legality
from kifu_core.shogi.moves import to_usi
from kifu_core.shogi.position import Position
from kifu_core.shogi.rules import legal_moves, violation
from tests.cases import each
from tests.kifu_core.random_games import random_record
from tests.shared import CORPUS

ILLEGAL = Path(__file__).parents[1] / "data" / "illegal"

SAMPLES = {
    "no-piece": (3, None),
    "wrong-side": (2, 0),
    "unreachable": (3, 1),
    "nifu": (10, 0),
    "dead-drop": (1, 1),
    "self-check": (1, 1),
    "uchifuzume": (1, 1),
    "fourfold": (12, None),
    "perpetual-check": (12, 1),
}
"""Each sample's only finding, the ply of it and who wins."""

SHUTTLE = "2h3h 8b7b 3h2h 7b8b"
"""Four quiet moves that bring the start back."""


def only(text):
    return load(text).games[0]


def reported(text):
    return [(issue.code, issue.ply, issue.params.get("winner")) for issue in findings(only(text))]


@pytest.mark.parametrize("code", SAMPLES)
def test_there_is_a_sample_of_each_finding(code):
    game = load((ILLEGAL / f"{code}.kifu").read_bytes()).games[0]
    (issue,) = findings(game)
    assert (issue.code, issue.ply, issue.params.get("winner")) == (code, *SAMPLES[code])
    assert issue.severity == ("info" if code == "fourfold" else "error")
    assert game.ending is not None
    assert game.ending.winner == SAMPLES[code][1] or code == "no-piece"
    assert message(issue) != code != message(issue, language="en")


def test_every_sample_has_its_row():
    assert {path.stem for path in ILLEGAL.iterdir()} == set(SAMPLES)


def test_a_finding_of_the_reading_keeps_its_line():
    (issue,) = findings(load((ILLEGAL / "nifu.kifu").read_bytes()).games[0])
    assert (issue.line, issue.source_line.strip()) == (14, "10 ８六歩打")


def test_a_game_that_goes_on_after_a_foul_is_looked_at_to_its_end():
    text = "sfen k3r4/9/9/9/9/9/4G4/9/4K4 b - 1 moves 5g4g 9a9b 4g5g 9b9a 5i5h 9a9b 5g4g"
    assert reported(text) == [("self-check", 1, 1), ("self-check", 7, 1)]


def test_staying_in_check_is_a_foul():
    text = "sfen 4k4/9/9/9/9/9/9/4r4/4K4 b P 1 moves P*1b 5h5i"
    assert sorted(reported(text)) == [("king-taken", 2, None), ("self-check", 1, 1)]


def test_several_kings_and_none_are_looked_at_as_the_rules_say():
    assert reported("sfen 4k4/9/9/9/9/9/9/9/K3K3r b - 1 moves 5i5h") == [("self-check", 1, 1)]
    assert reported("sfen 9/9/9/9/9/9/9/9/8r b P 1 moves P*5e 1i9i") == []


def test_a_pawn_drop_that_mates_not_is_no_foul():
    assert reported("sfen 8l/5+R1pk/6p2/9/9/9/9/9/4K4 b P 1 moves P*1c 1b1c") == []
    mate = "sfen 7gl/5+R1pk/6p2/8G/9/9/9/9/4K4 b S 1 moves S*1c"
    assert reported(mate) == []


def test_four_times_the_same_position_is_a_draw():
    assert reported(f"startpos moves {' '.join([SHUTTLE] * 3)}") == [("fourfold", 12, None)]
    assert reported(f"startpos moves 7g7f {' '.join(['8b7b 2h3h 7b8b 3h2h'] * 3)}") == [
        ("fourfold", 13, None)
    ]


def test_three_times_is_not_enough():
    assert reported(f"startpos moves {' '.join([SHUTTLE] * 2)} 2h3h 8b7b 3h2h") == []


def test_hands_and_the_side_to_move_belong_to_a_position():
    # The pieces stand as before, but each round gives Black a pawn more.
    text = "sfen 4k4/9/9/9/9/9/9/9/4K4 b 4P4p 1 moves " + "P*5e 5a6a 5i6i 6a5a 6i5i 5a6a 5i6i 6a5a"
    assert reported(text) == []
    assert (
        reported("sfen 4k4/9/9/9/9/9/9/9/4K4 b - 1 moves 5i6h 5a6a 6h5i 6a5a" + " 5i6h 5a6a 6h5i 6a5a") == []
    )


def test_a_repetition_is_reported_once():
    assert reported(f"startpos moves {' '.join([SHUTTLE] * 5)}") == [("fourfold", 12, None)]


def test_one_quiet_move_makes_perpetual_check_a_draw():
    checks = ["6h5h 5a6a 5h6h 6a5a"]
    quiet = ["6h3h 5a6a 3h6h 6a5a"]
    start = "sfen 4k4/9/9/9/9/9/9/3R5/K8 b 2p 1 moves "
    assert reported(start + " ".join(checks * 3)) == [("perpetual-check", 12, 1)]
    assert reported(start + " ".join(checks + quiet + checks)) == [("fourfold", 12, None)]


def test_checks_before_the_first_occurrence_do_not_count():
    checks = "6h5h 5a6a 5h6h 6a5a"
    start = "sfen 4k4/9/9/9/9/9/9/3R5/K8 b 2p 1 moves 9i9h 5a4a "
    assert reported(f"{start} 9h8h 4a5a {' '.join([checks] * 3)}") == [("perpetual-check", 16, 1)]
    assert reported(f"{start} 9h9i 4a5a {' '.join([checks] * 3)}") == [("fourfold", 12, None)]


def test_white_may_be_the_side_that_loses_by_checks():
    text = "sfen 8k/3r5/9/9/9/9/9/9/4K4 w - 1 moves " + " ".join(["6b5b 5i6i 5b6b 6i5i"] * 3)
    assert reported(text) == [("perpetual-check", 12, 0)]


@each("seed", range(12))
def test_games_of_legal_moves_break_no_rule(seed):
    issues = legality(random_record(seed, plies=150, forks=0))
    assert {issue.code for issue in issues} <= {"fourfold", "bad-declaration"}  # some end in a declaration


@each("seed", range(40))
def test_it_agrees_with_the_rules_about_any_last_move(seed):
    random = Random(seed)
    position, moves = Position.initial(), []
    for _ in range(random.randint(10, 60)):
        moves.append(random.choice(legal_moves(position)))
        position.do_move(moves[-1])
    origin = random.choice([square for square in range(81) if position.board[square]])
    move = origin << 8 | random.randrange(81) << 1
    usi = " ".join(map(to_usi, [*moves, move]))
    code = violation(position, move)
    codes = [name for name, ply, _ in reported(f"startpos moves {usi}") if ply == len(moves) + 1]
    assert (code in codes) if code and to_usi(move)[:2] != to_usi(move)[2:4] else True


# --- the corpus ------------------------------------------------------------------------------------------

# What the index calls illegal is so here. Its reader had no start where a CSA file has no board (nopiece)
# or signs that do not alternate (turn), took words such as resign in USI for moves (bad), and looked at no
# variations.
UNKNOWN_TO_INDEX = ("nopiece", "turn", "bad 1/1")
OTHERWISE = {
    "kif/irof__Kifuzo/variation_mochigoma-acf25c.kifu": "unreachable"
}  # a king's move in a variation
NO_FOULS = ("perpetual-check", "unreadable-move")


@pytest.mark.shared
def test_the_corpus_breaks_the_rules_where_its_index_says_so():
    with (CORPUS / "index.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["legality"] not in ("", *UNKNOWN_TO_INDEX)]
    otherwise, repeated = {}, 0
    for row in rows:
        try:
            result = load((CORPUS / row["path"]).read_bytes(), row["path"])
        except KifuError:
            continue
        issues = [issue for game in result.games[:50] for issue in findings(game) if issue.ply is not None]
        repeated += any(issue.code in ("fourfold", "perpetual-check") for issue in issues)
        fouls = [issue.code for issue in (*issues, *result.issues) if issue.severity == "error"]
        fouls = [code for code in fouls if code not in NO_FOULS]
        if bool(fouls) != row["legality"].startswith("illegal"):
            otherwise[row["path"]] = fouls[0]
    assert otherwise == OTHERWISE
    assert repeated == 12
