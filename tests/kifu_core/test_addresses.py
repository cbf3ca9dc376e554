"""SFEN and USI as addresses, pages and programs of chess spell them."""

from __future__ import annotations

from urllib.parse import quote, quote_plus

import pytest

from kifu_core import dump, load
from kifu_core.errors import UnknownFormatError
from kifu_core.shogi.typed_moves import parse_position
from tests.cases import each

BOARD = "ln1gkg2l/2s4s1/p1pp+Bpnpp/1r4p2/7P1/P8/2GPPPP1P/2S6/LN2KG+r1L"
SFEN = f"{BOARD} b BPsn3p 1"
EVEN = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL"


def read(text: str) -> list[str]:
    """What a text holds, as USI; it is read without an issue."""
    result = load(text)
    assert [*result.issues, *(issue for game in result.games for issue in game.issues)] == []
    return [dump(game.record, "usi").rstrip() for game in result.games]


@each(
    "text",
    [
        SFEN.replace(" ", "_"),
        f"{BOARD}_b_BPsn3p",
        "sfen_" + SFEN.replace(" ", "_"),
        quote(SFEN),
        quote(f"position sfen {SFEN}"),
        "https://lishogi.org/analysis/standard/" + SFEN.replace(" ", "_"),
        f"https://lishogi.org/editor/{SFEN.replace(' ', '_')}?color=gote",
        "https://example.org/sfen?sfen=" + quote(SFEN),
        f"https://example.org/sfen?sfen={quote_plus(SFEN)}&lm=55",
        "https://example.org/board?body=" + quote_plus(f"position sfen {SFEN}"),
        f"https://example.org/board?body=position.sfen.{SFEN.replace(' ', '.')}&turn=0",
        f"https://example.org/?sfen={SFEN}",
        SFEN.replace(" ", "\u3000"),
        f"sfen\u3000{SFEN}",
        f"\xa0position\u2003sfen\xa0{SFEN}",
        f"{BOARD}[BPsnppp] w 0 1",
    ],
)
def test_a_position_in_an_address_or_with_other_blanks(text):
    assert read(text) == [f"position sfen {SFEN}"]
    assert read(f"startpos\n{text}\n") == ["position startpos", f"position sfen {SFEN}"]


@pytest.mark.parametrize("blank", ["\u3000", "\xa0", "\u2003", "\t", "  "])
def test_moves_between_any_blanks(blank):
    line = blank.join(["", "position", "sfen", EVEN, "b", "-", "1", "moves", "7g7f", "3c3d", ""])
    assert read(line) == ["position startpos moves 7g7f 3c3d"]
    assert read(f"7g7f{blank}3c3d\n{blank}\n{blank}7f7e\n") == ["position startpos moves 7g7f 3c3d 7f7e"]


@pytest.mark.parametrize(
    "text",
    [
        f"https://example.org/?sfen={quote(EVEN + ' b - 1 moves 7g7f 3c3d')}",
        f"https://example.org/?body=position.sfen.{EVEN}.b.-.1.moves.7g7f.3c3d",
        f"{EVEN}_b_-_1_moves_7g7f_3c3d",
        f"{EVEN}[-] w 0 1 moves 7g7f 3c3d",
        f"sfen {EVEN}[-] w - - 0 1 moves 7g7f 3c3d",
    ],
)
def test_a_game_in_an_address(text):
    assert read(text) == ["position startpos moves 7g7f 3c3d"]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (f"{BOARD}_b_BPsn3p_1_moves_5e5d", "no-piece"),
        (f"{BOARD}[Bx] w 0 1", "sfen-hands"),
        (f"{BOARD[:-1]}_b_-_1", "sfen-board"),
    ],
)
def test_what_is_wrong_is_an_issue_of_its_line(line, code):
    result = load(f"startpos moves 7g7f\n{line}\n")
    issues = [*result.issues, *(issue for game in result.games for issue in game.issues)]
    assert [issue.code for issue in issues] == [code]
    assert {issue.line for issue in issues} == {2}


@pytest.mark.parametrize(
    "address", ["https://example.org/?u={}", "https://example.org/play?t=x&u={}&lang=ja#top"]
)
def test_usen_in_an_address(address):
    assert read(address.format("~0.7ku2jm")) == read("~0.7ku2jm") == ["position startpos moves 7g7f 3c3d"]
    assert read(address.format("4k4_9_9_9_9_9_9_9_4K4.b.P~0.bfq")) == [
        "position sfen 4k4/9/9/9/9/9/9/9/4K4 b P 1 moves P*5e"
    ]


def test_an_address_without_a_position_is_an_address():
    with pytest.raises(UnknownFormatError, match="is-address"):
        load("https://lishogi.org/abcdefgh")


@pytest.mark.parametrize("text", [SFEN.replace(" ", "_"), quote(SFEN), f"{BOARD}[BPsnppp] w 0 1"])
def test_what_is_typed_is_a_position_too(text):
    position = parse_position(text)
    assert position is not None and position.sfen() == SFEN
