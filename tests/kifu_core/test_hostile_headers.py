"""Headers and comments that mean harm: no writer lets them become lines of a record."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kifu_core.games import GAMES, GameKind, load
from kifu_core.jkf import MoveEntry, Record
from kifu_core.messages import message
from kifu_core.quoridor.formats.headers import header_of

BREAKS = ["\n", "\r", "\r\n", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"]
BLANKS = ["\x1f", "\xa0", "\u1680", "\u2003", "\u202f", "\u205f"]
STRANGE = [
    "\0",
    "\x01",
    "\x08",
    "\x1b",
    "\x1b$B",
    "\x7f",
    "\x9b",
    "\xad",
    "\u0301",
    "\u200b",
    "\u202e",
    "\u2060",
    "\ufeff",
    "\ufffd",
    "\ufffe",
    "\ud800",
    "\U0001f600",
    "²",
    "٣",
    "ｱ",
]
WORDS = st.sampled_from(
    [*BREAKS, *BLANKS, *STRANGE, "：", ":", "*", "#", "&", "|", "+", "-", "'", "$", "%", "N+", "PI", "V2.2",
     "/", "変化：1手",
     "手合割", "角落ち", "手番", "後手", "先手", "先手の持駒", "１", "1", " ", "　", "\t", "２六歩(27)",
     "▲２六歩", "+2726FU", "%TORYO", "投了", "まで1手で先手の勝ち", "手数----指手--", "手数＝1", "盤面回転",
     "放送日", "*放送日：x", "EVENT", "棋戦", "Result", "Start", "White", "Date", "[", "]", '"', "{", "}",
     "(", ")", ";", "1. e2", "d1", "1-0", "X", "\\", "n", "甲", "a", "key"]
)  # fmt: skip
TEXTS = st.lists(WORDS, max_size=6).map("".join)
NAMES = st.lists(WORDS, min_size=1, max_size=5).map("".join)
HEADERS = st.dictionaries(NAMES, TEXTS, max_size=3)
COMMENTS = st.lists(TEXTS, max_size=2)

SHOGI_MOVES = [((7, 7), (7, 6)), ((3, 3), (3, 4)), ((2, 7), (2, 6))]
QUORIDOR_MOVES = [{"to": "e2"}, {"to": "e8"}, {"wall": "e3h"}]
LINES_OF = {
    name: [one.name for one in game.formats.writers.values() if not one.is_json]
    for name, game in GAMES.items()
}
"""Of each game, the files that are lines: in JSON no text becomes another one."""


def shogi(header: dict[str, str], comments: list[list[str]]) -> str:
    moves = [{"move": {"from": {"x": a, "y": b}, "to": {"x": x, "y": y}}} for (a, b), (x, y) in SHOGI_MOVES]
    return json.dumps({"header": header, "moves": commented([{}, *moves], comments)})


def quoridor(header: dict[str, str], comments: list[list[str]]) -> str:
    moves = [{"move": move} for move in QUORIDOR_MOVES]
    entries = commented([{}, *moves], comments)
    return json.dumps({"game": "quoridor", "version": 1, "header": header, "moves": entries})


def commented(entries: list[dict[str, object]], comments: list[list[str]]) -> list[dict[str, object]]:
    return [entry | {"comments": texts} for entry, texts in zip(entries, comments, strict=True)]


def survives(kind: GameKind, text: str, file_format: str) -> None:
    """Write a record, read it again, and find parts that are new and losses that are not reported."""
    (game,) = load(text, f"x.{'jkf' if kind.name == 'shogi' else 'json'}")[1].games
    lost = {issue.code: issue for issue in kind.formats.losses(game, file_format)}
    assert all(message(issue, language=name) for issue in lost.values() for name in ("ja", "en"))
    written = kind.formats.dump(game.record, file_format)
    is_position = kind.formats.writer(file_format).position_only
    if is_position:
        assert len(written.split("\n")) < 20
        assert "".join(BREAKS).strip("\n") not in written
    data = written if is_iso_2022(written) else written.encode()
    (again,) = kind.formats.load(data, f"x.{file_format}").games
    if not is_position:
        assert kind.replay.main_moves(again.record) == kind.replay.main_moves(game.record)
        assert not any("forks" in entry for entry in again.record["moves"])
    assert kind.replay.start_text(again.record) == kind.replay.start_text(game.record)
    headers_are_the_same_or_told(game.record, again.record, "lost-headers" in lost)
    if "lost-comments" not in lost and "lost-bookmarks" not in lost and not is_position:
        before, after = lines_of(game.record), lines_of(again.record)
        if file_format in ("ki2", "ki2u"):  # a bookmark stands behind the comments
            before, after = (
                [sorted(lines, key=lambda line: line.startswith("&")) for lines in one]
                for one in (before, after)
            )
        assert after == before


def is_iso_2022(text: str) -> bool:
    """Whether the bytes of a text in UTF-8 could as well be of that encoding."""
    return "\x1b$" in text and text.isascii()


def headers_are_the_same_or_told(record: Record, again: Record, told: bool) -> None:
    given, found = dict(record["header"]), dict(again["header"])
    renamed = {"下手": "先手", "上手": "後手"}
    names = {*given, "手合割", *(renamed.get(name, header_of(name)) for name in given)}
    assert {name for name in found if clean(name) not in {clean(one) for one in names}} == set()
    kept = {renamed.get(name, name): text for name, text in given.items() if text}
    assert told or kept.items() <= {renamed.get(name, name): text for name, text in found.items()}.items()


def clean(name: str) -> str:
    """A name as far as the tags of move lists keep it."""
    return "".join(char for char in name if char.isalnum()).lower()


def lines_of(record: Record) -> list[list[str]]:
    """The comments of every entry, line by line, without blanks around them and without empty lines.

    A byte order mark at the beginning of a line comes from files that were put together: it is no text.
    """
    return [lines for entry in record["moves"] if (lines := comment_lines(entry)) is not None]


def comment_lines(entry: MoveEntry) -> list[str]:
    texts = (text.replace("\t", " ") for text in entry.get("comments", ()))
    lines = (line.strip(" 　\ufeff") for text in texts for line in text.splitlines())
    return [line for line in lines if line]


@pytest.mark.parametrize("file_format", LINES_OF["shogi"])
@given(header=HEADERS, comments=st.lists(COMMENTS, min_size=4, max_size=4))
@example({"x\n1 ２六歩(27)\nまで1手で先手の勝ち": "y"}, [[]] * 4)
@example({"a": "b\n変化：1手\n1 ２六歩(27)"}, [["x\r変化：1手\r1 ２六歩(27)"]] * 4)
@example({"EVENT": "a", "棋戦": "b", "先手": "a\r+2726FU", "下手": "b"}, [["\u2028%TORYO"]] * 4)
@example({"手合割": "角落ち"}, [[]] * 4)
@example({"手合割": "x", "手番": "後手"}, [[]] * 4)
@example({"EVENT": "\x0b"}, [[]] * 4)
@example({"\ufeffx": "y"}, [[]] * 4)
@example({"先手": "\x1e*"}, [[]] * 4)
@example({"先手": "甲"}, [["\x1b$B"]] * 4)
@settings(max_examples=150, deadline=None)
def test_a_shogi_record_is_the_same_or_its_losses_are_reported(file_format, header, comments):
    survives(GAMES["shogi"], shogi(header, comments), file_format)


@pytest.mark.parametrize("file_format", LINES_OF["quoridor"])
@given(header=HEADERS, comments=st.lists(COMMENTS, min_size=4, max_size=4))
@example({"a": "b\r1. d1"}, [["}\r1. d1"]] * 4)
@example({"a\r]1. d1": "x", "Date": "1.1", "Result": "1-0"}, [[]] * 4)
@example({}, [['"'], ["\x1f\xa0"], [], []])
@example({}, [["\r", "\x1f"], [], ["PI"], []])
@example({"{": "x"}, [[]] * 4)
@example({}, [["\x9b", "\x9b"], [], [], ["\x9b"]])
@settings(max_examples=150, deadline=None)
def test_a_quoridor_record_is_the_same_or_its_losses_are_reported(file_format, header, comments):
    survives(GAMES["quoridor"], quoridor(header, comments), file_format)
