"""Our reading of every corpus file beside the index's own: plies, forks, endings, games.

The index was made by another reader, which counts lines. Where the two differ the reason stands here.
Comments, final positions and everything else are compared to the golden answers, in `test_golden.py`.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass

import pytest

from kifu_core import KifuError, ParseResult, load
from kifu_core.formats.writing import branches
from kifu_core.specials import find
from tests.shared import CORPUS

pytestmark = pytest.mark.shared

GARBLED = "a move that cannot be read or played, named by an issue; what follows it is kept as unread text"

PLIES = {
    "kif/akicho8__shogi-player/15733.vb4f7130-4c3551.kif": "a move was glued to a comment, so one is missing",
    "ki2/hnakada123__ShogiBoardQ/kiou202503020101-21cbb4.ki2": "players' names in a comment count as moves",
    "usi/hnakada123__ShogiBoardQ/test_drops-196dd8.usi": GARBLED,
    "csa/irof__Kifuzo/dou_notation_1-4fa46c.csa": GARBLED,
    "csa/irof__Kifuzo/full_session-cb3274.csa": GARBLED,
    "csa/irof__Kifuzo/initial_mochi-81a738.csa": GARBLED,
    "csa/irof__Kifuzo/promote_then_move-c144c7.csa": GARBLED,
    "kif/irof__Kifuzo/with_board-0fa0c7.kifu": GARBLED,
    "kif/irof__Kifuzo/with_special_notation-ca19c4.kifu": GARBLED,
    "kif/irof__Kifuzo/variation_with_dou-20064f.kifu": "a variation of the ply behind the last goes on there",
}
FORKS = {
    "kif/hnakada123__ShogiBoardQ/test_branch-8277ba.kif": "a variation of the ply behind the last goes on",
    "kif/irof__Kifuzo/variation_with_dou-20064f.kifu": "the same",
}
ENDINGS = {
    "kif/akicho8__shogi-player/15733.vb4f7130-4c3551.kif": "the play stops before its end",
    "csa/irof__Kifuzo/full_session-cb3274.csa": "the play stops before its end",
}


@dataclass(frozen=True, slots=True)
class File:
    """A file's row in the index and our reading, or the code of the error."""

    row: dict[str, str]
    result: ParseResult | None
    error: str

    @property
    def path(self) -> str:
        return self.row["path"]

    @property
    def plies(self) -> int:
        assert self.result is not None
        return sum("move" in entry for entry in self.result.games[0].record["moves"])

    @property
    def forks(self) -> int:
        assert self.result is not None
        return sum(sum(1 for _ in branches(game.record)) - 1 for game in self.result.games)


@pytest.fixture(scope="module")
def files() -> list[File]:
    with (CORPUS / "index.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["kind"] != "quoridor"]
    return [_file(row) for row in rows]


def _file(row: dict[str, str]) -> File:
    try:
        result = load((CORPUS / row["path"]).read_bytes(), row["path"])
    except KifuError as error:
        return File(row, None, error.code)
    return File(row, result, "")


@pytest.fixture(scope="module")
def read(files: list[File]) -> list[File]:
    return [file for file in files if file.result is not None and file.result.games]


def test_every_file_that_holds_a_record_yields_its_games(files):
    unread = [file for file in files if file.result is None or not file.result.games]
    assert {file.row["kind"] for file in unread} == {"empty/position/invalid", "fragment"}
    assert sorted((file.path.split("/")[0], file.error) for file in unread) == [
        ("csa", ""), ("csa", ""), *[("kif", "")] * 2, *[("kif", "unknown-format")] * 5,
    ]  # fmt: skip
    for file in unread:
        codes = {issue.code for issue in file.result.issues} if file.result else {file.error}
        assert codes & {"occupied", "unreadable-move", "no-moves", "unknown-format"}, file.path


def test_plies_are_those_of_the_index(read):
    wrong = set()
    for file in read:
        if file.row["format"] == "usen" or not file.row["moves"]:
            continue
        # The caption of a diagram (手数＝8  ▲２四歩  まで) names a move that was made before it.
        caption = file.plies == 0 and any("手数＝" in remark for remark in file.result.games[0].remarks)
        if int(file.row["moves"]) != file.plies and not caption:
            wrong.add(file.path)
    assert wrong == set(PLIES)


def test_variations_are_those_of_the_index(read):
    wrong = {
        file.path
        for file in read
        if file.row["format"] not in ("usen", "jkf", "usi") and int(file.row["forks"] or 0) != file.forks
    }
    assert wrong == set(FORKS)


def test_endings_are_those_of_the_index(read):
    wrong = set()
    for file in read:
        word = file.row["ending"].removeprefix("までN手で").removeprefix("までN手")
        kind, ending = find(word), file.result.games[0].ending
        special = kind.special if kind else word
        if word and (ending is None or (ending.special or "").lstrip("+-") != (special or "").lstrip("+-")):
            wrong.add(file.path)
    assert wrong == set(ENDINGS)


def test_files_of_one_line_a_game_hold_as_many_games_as_lines(read):
    for file in read:
        if file.row["format"] in ("usi", "sfen"):
            lines = [
                line for line in (CORPUS / file.path).read_text("utf-8-sig").splitlines() if line.strip()
            ]
            assert len(file.result.games) <= len(lines)
    assert sum(len(file.result.games) for file in read) > 19_000
