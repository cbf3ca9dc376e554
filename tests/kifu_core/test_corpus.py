"""Real files of many programs: all of them give a game or say where they go wrong."""

from __future__ import annotations

import pytest

from tests.kifu_core.corpus import ReadFile, read_all

pytestmark = pytest.mark.shared

# Two complete files are counted otherwise: in the first a move stands at the end of a comment, where its line
# break was lost; for the second the index counts two players named in comments as moves.
OTHERWISE = {
    "kif/akicho8__shogi-player/15733.vb4f7130-4c3551.kif",
    "ki2/hnakada123__ShogiBoardQ/kiou202503020101-21cbb4.ki2",
}


@pytest.fixture(scope="module")
def readings() -> list[ReadFile]:
    return list(read_all())


def test_every_complete_file_has_its_plies(readings):
    wrong = {item.path for item in readings if item.kind == "complete" and not item.agrees}
    assert wrong == OTHERWISE


def test_what_is_not_read_says_where_and_why(readings):
    for item in readings:
        if item.error is not None:
            assert item.error.code
            assert item.error.line or item.error.code == "empty-file"
        elif item.result is not None and not item.result.games:
            errors = [issue for issue in item.result.issues if issue.severity == "error"]
            assert errors and all(issue.code and issue.line for issue in errors), item.path


def test_every_issue_with_a_line_shows_it(readings):
    for item in readings:
        for game in item.result.games if item.result else ():
            for issue in game.issues:
                assert issue.line is None or issue.source_line, item.path


def test_encodings_are_recognised(readings):
    for item in readings:
        if item.result is not None:
            assert item.result.encoding == item.encoding, item.path


def test_most_problems_and_trees_are_recognised(readings):
    games = [item for item in readings if item.kind == "complete" and item.result and item.result.games]
    kinds = [item.result.games[0].record_kind for item in games if item.result]
    assert kinds.count("game") > 0.9 * len(kinds)
