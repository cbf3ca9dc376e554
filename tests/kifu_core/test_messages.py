"""Every code has a text in both languages."""

from __future__ import annotations

import re
import string
from pathlib import Path

import pytest

from kifu_core import load, message
from kifu_core.errors import Issue, KifuError
from kifu_core.messages import TEXTS
from tests.cases import each

SOURCES = sorted(Path(__file__).parents[2].joinpath("kifu_core").rglob("*.py"))
RAISED = re.compile(
    r"(?:Error|\.add|_note|_add_finding|_stop|_error)\(\s*(?:job,\s*)?\"([a-z][a-z0-9-]+)\""
    r"|return \"([a-z]+(?:-[a-z]+)+)\""
)
# The rules that decide an ending, and verdicts on problems, are words too, but no codes.
NO_CODES = {
    "mover-wins", "mover-loses", "black-fouled", "white-fouled", "no-mate", "wrong-solution",
}  # fmt: skip


def codes() -> set[str]:
    found = set()
    for path in SOURCES:
        for match in RAISED.finditer(path.read_text(encoding="utf-8")):
            found.add(match[1] or match[2])
    return found - NO_CODES


def test_every_code_of_the_library_has_texts():
    assert len(codes()) > 40
    assert codes() - set(TEXTS) == set()


@each("code", sorted(TEXTS))
def test_both_texts_name_the_same_params(code):
    names = [{field for _, field, _, _ in string.Formatter().parse(text) if field} for text in TEXTS[code]]
    assert all(TEXTS[code])
    assert names[0] >= names[1] or names[1] >= names[0]


def test_params_and_ply_fill_the_text():
    issue = Issue("piece-mismatch", "warning", 3, 1, 7, {"written": "歩", "found": "銀"})
    assert message(issue, language="ja") == "7手目の駒は「歩」でなく「銀」です"
    assert message(issue, language="en") == "ply 7 is written as 歩, but 銀 stands there"
    assert message(KifuError("no-moves"), language="en") == "there are no moves and no position"
    assert message("nifu", {"ply": 9}, "en") == "ply 9 drops a second pawn on a file (nifu)"


def test_nothing_fails_to_show():
    assert message("a-code-of-tomorrow") == "a-code-of-tomorrow"
    assert message("bad-hand") == "持駒が読めません: ?"
    assert message("lost-forks", language="en") == "? loses ? variations"


@pytest.mark.parametrize(("count", "text"), [(1, "CSA loses 1 variation"), (2, "CSA loses 2 variations")])
def test_a_count_of_one_has_the_singular(count, text):
    assert message("lost-forks", {"format": "CSA", "count": count}, "en") == text


COUNTED = re.compile(r"\{(?:count|said|games|positions|moves|pieces|points)\} (?!of\b)[a-z]+")
"""A number before a word without the word for one."""


@each("code", sorted(TEXTS.keys() - {"too-many-plies"}))  # there are hundreds of these
def test_every_count_before_a_word_has_the_singular(code):
    assert not COUNTED.search(TEXTS[code][1])


def test_a_line_that_means_nothing_says_what_stood_there_what_was_expected_and_where():
    issue = load("手合割：平手\n1 ７六歩(77)\nなんだろう\n").games[0].issues[0]
    assert (issue.line, issue.column, issue.source_line) == (3, 1, "なんだろう")
    text = message(issue, language="en")
    assert text.startswith(
        "this line cannot be read: なんだろう (expected: a drawn board, rows of moves, a header,"
    )
    assert "局面図、指し手の行、ヘッダー、コメント、" in message(issue)


@pytest.mark.parametrize("text", ["PI\n+\n+7776FU\nx\n", "startpos\n# a\nx y\n", "~0.7ku\nx\n"])
def test_every_format_says_what_it_expected(text):
    result = load(text)
    issues = [*result.issues, *(issue for game in result.games for issue in game.issues)]
    for issue in issues:
        assert "?" not in message(issue), issue


def test_a_finding_about_a_piece_names_it_as_players_do():
    issue = load("手合割：平手\n1 ７六全(77)\n").games[0].issues[0]
    assert message(issue, language="ja") == "1手目の駒は「成銀」でなく「歩」です"
