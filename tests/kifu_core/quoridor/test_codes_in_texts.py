"""Codes as they occur in files, mails, pages and addresses."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest

from kifu_core.errors import KifuError
from kifu_core.quoridor import formats, qf_code
from kifu_core.quoridor.record import packed_move
from tests.cases import each
from tests.kifu_core.quoridor.reading import SEED, codes, one


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


@each(
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
        f"{SEED}%3D",
        f"https://example.org/st/board.html?code={SEED}%3d%3D&ply=3",
        f'<div data-qfcode="{SEED}%3D">',
        SEED.translate({ord(char): ord(char) + 0xFEE0 for char in SEED}),
        SEED.translate({ord(char): ord(char) + 0xFEE0 for char in SEED[:9]}) + "＝\n",
    ],
)
def test_codes_travel_in_mails_and_pages(text):
    found = formats.load(text)
    assert found.format == "qf"
    assert [formats.dump(game.record, "qf") for game in found.games] == [SEED + "\n"]


def test_characters_that_no_code_has_are_dropped_with_a_warning():
    game = one(">>j7okl\u3000AHMe-1ICg.\n", "x.qf")
    assert [(issue.code, issue.params) for issue in game.issues] == [("dropped-characters", {"count": 5})]


@pytest.mark.parametrize(
    ("between", "before"),
    [("\n", "> "), ("\n", ">> "), ("\n", "＞"), ("=\n", ""), ("\u200b\n", ""), ("\n", "| ")],
)
def test_codes_that_mail_programs_break_and_quote_are_put_together(between, before):
    parts = [SEED[at : at + 20] for at in range(0, len(SEED), 20)]
    lines = between.join(before + part for part in parts)
    for text in (lines, f"Hello Bo,\nhere is the game:\n{lines}\nIt was a good one, was it not?\nBye\n"):
        (game,) = formats.load(text).games
        assert [issue.code for issue in game.issues] == ["dropped-characters"]
        assert formats.dump(game.record, "qf") == SEED + "\n"


def test_several_quoted_codes_stay_apart():
    other = "yzoAAIBQMBJSskqrh5dHVBA"
    found = formats.load(f"> {SEED}\n> {other}\n> {SEED}\n")
    assert [formats.dump(game.record, "qf").strip() for game in found.games] == [SEED, other, SEED]


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
    for code in (SEED, PLUS_AND_SLASH):
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
    longer = qf_code.encode(qf_code.QfCode(None, (*moves, *map(_square, ["g9", "b1"]))))
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
