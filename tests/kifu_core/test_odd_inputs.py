"""Odd inputs that other libraries read: we read as many plies of them, with the right winner."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kifu_core import ParsedGame, load
from kifu_core.errors import KifuError
from tests.cases import each
from tests.kifu_core import golden

pytestmark = pytest.mark.shared

NOTHING = "there is nothing in it, not even a start; peers answer with an even game"
IMPOSSIBLE = "tsshogi plays a move that is impossible on the board; what follows it means nothing"
FORK = "tsshogi goes on from the main line's end with a variation of another ply"

# Inputs of which a peer reads more plies than we do.
FEWER = {
    "kif: empty string": NOTHING,
    "kif: only newline": NOTHING,
    "ki2: empty": NOTHING,
    "kif: 手合割 その他": "a start of its own without a board; peers take it for an even game",
    "kif: 手合割 七枚落ち": "there are a left and a right one; peers take it for an even game",
    "kif: same at first move": "同 where there is no move before; rsshogi keeps an empty game",
    "kif: drop piece not in hand": IMPOSSIBLE,
    "kif: nifu drop": IMPOSSIBLE + " (the pawn is dropped without one in hand)",
    "kif: move opponent piece": IMPOSSIBLE,
    "kif: identical fork duplicates mainline": FORK,
    "kif: fork first te mismatch numbering": FORK,
    "ki2: KI2 直 上 寄 引": IMPOSSIBLE,
    "csa: drop H": IMPOSSIBLE,
    "csa: unknown piece": "json-kifu-format keeps a move of a piece XX",
}

PEERS = ("normalized", "tsshogi_jkf", "rsshogi_jkf", "jkf", "jkfmt")


def cases() -> list[Any]:
    """Every input with the name of its format and the peers' records."""
    rows = [*golden.lines("probes.jsonl"), *golden.lines("tsshogi.jsonl")]
    return [pytest.param(row, id=f"{number}-{row['name']}") for number, row in enumerate(rows)]


def read(row: Any) -> ParsedGame | None:
    """Our first game. Where tsshogi's suite has several arguments, the text is the first of them."""
    text, file_format = row["input"], row.get("format") or row["input_format"]
    if file_format == "usen" and text.startswith("["):
        text = json.loads(text)[0]
    try:
        games = load(text, f"x.{file_format}").games
    except KifuError:
        return None
    return games[0] if games else None


def peers(row: Any) -> list[Any]:
    return [row[name] for name in PEERS if isinstance(row.get(name), dict)]


def plies(record: Any) -> int:
    return sum("move" in (entry or {}) for entry in record.get("moves", [])[1:])


def winner(record: Any) -> int | None:
    """The winner that a peer's special means by JKF's own definition, None for a draw or nothing known."""
    specials = [(ply, e["special"]) for ply, e in enumerate(record["moves"]) if e and e.get("special")]
    if not specials:
        return None
    ply, special = specials[0]
    movers = [entry["move"]["color"] for entry in record["moves"][1:ply] if "move" in entry]
    first = ["KY", "KY_R", "KA", "HI", "HIKY", "2", "3", "4", "5", "5_L", "6", "7_L", "7_R", "8", "10"]
    turn = movers[-1] ^ 1 if movers else int(record.get("initial", {}).get("preset") in first)
    loses = {"TORYO": turn, "TIME_UP": turn, "ILLEGAL_MOVE": turn, "TSUMI": turn, "KACHI": turn ^ 1}
    loses |= {"+ILLEGAL_ACTION": 0, "-ILLEGAL_ACTION": 1}
    return loses[special] ^ 1 if special in loses else None


@each("row", cases())
def test_what_a_peer_reads_we_read(row):
    theirs = [plies(record) for record in peers(row)]
    if not theirs:
        return
    game = read(row)
    ours = plies(game.record) if game else -1
    if row["name"] in FEWER:
        assert ours < max(theirs), f"{row['name']} is read now: take its row out of the table"
    else:
        assert ours >= max(theirs)


NAMED = {"ki2: result まで2手で後手の入玉勝ち": 1}
"""Who has won by a line that names a side; tsshogi goes by whose turn it is."""


@each("row", cases())
def test_the_winner_is_the_peers_or_theirs_is_wrong(row):
    game = read(row)
    if game is None:
        return
    ours = game.ending.winner if game.ending else None
    found = [winner(one) for one in peers(row) if plies(one) == plies(game.record)]
    theirs = {one for one in found if one is not None}
    if "ILLEGAL_ACTION" in row["input"]:  # %+: Black fouled; tsshogi has it the other way round
        assert ours == int("%+" in row["input"]) and ours in theirs
    elif game.ending and game.ending.special == "TSUMI" and "data" in game.record.get("initial", {}):
        assert ours is None  # a mate in a problem is nobody's win
    elif row["name"] in NAMED:
        assert ours == NAMED[row["name"]] and ours not in theirs
    elif theirs:
        assert {ours} == theirs


def test_every_exception_is_an_input():
    names = {row["name"] for name in ("probes.jsonl", "tsshogi.jsonl") for row in golden.lines(name)}
    assert set(FEWER) <= names
