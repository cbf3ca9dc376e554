"""Our reading of every corpus file compared with the index: plies, forks, endings, games.

The index was made by another reader, which counts lines. Where the two differ the reason stands here.
Comments, variations, winners and final positions are compared to `plain_reading`, which shares no code with
the library, and everything to the golden answers, in `test_golden.py`.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass

import pytest

from kifu_core import KifuError, ParseResult, load
from kifu_core.shogi.formats.writing import branches
from kifu_core.shogi.pieces import CODES
from kifu_core.shogi.replay import main_line
from kifu_core.shogi.specials import find
from kifu_core.shogi.squares import FILES, RANKS
from tests.kifu_core import plain_reading
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
STOPS = "the play stops before its end"
COMMENTS = {"kif/akicho8__shogi-player/15733.vb4f7130-4c3551.kif": STOPS}
WINNERS = {
    "csa/irof__Kifuzo/full_session-cb3274.csa": STOPS,
    "kif/kent-tokyo__shogiesa/sample_handicap-7b02db.kif": "result line and 投了 differ, with an issue",
}
FINALS = {
    "kif/akicho8__shogi-player/15733.vb4f7130-4c3551.kif": STOPS,
    "csa/irof__Kifuzo/full_session-cb3274.csa": GARBLED,
    "csa/irof__Kifuzo/promote_then_move-c144c7.csa": GARBLED,
    "kif/irof__Kifuzo/with_special_notation-ca19c4.kifu": GARBLED,
    "kif/irof__Kifuzo/variation_with_dou-20064f.kifu": "a variation of the ply behind the last goes on there",
}
KINDS = {
    "csa/hnakada123__ShogiBoardQ/test_handicap_2piece-f70142.csa": ("game", "two moves from a handicap"),
    "csa/irof__Kifuzo/mid_game_start-719bf7.csa": ("game", "three moves from the middle of a game"),
    "csa/na2hiro__Kifu-for-JS/8mai-142c0e.csa": ("game", "a handicap game, broken off"),
    "kif/akicho8__shogi-player/BOD_LIKE_SAMPLE1-70c09d.kif": ("game", "it ends in 投了"),
    "kif/sunfish-shogi__shogihome/record-dee862.kifu": ("game", "it ends in 投了"),
    "kif/sunfish-shogi__shogihome/record-3e6283.kifu": ("game", "it ends in a foul"),
    "kif/sunfish-shogi__shogihome/record-9706dc.kifu": ("game", "it ends in a foul"),
    "jkf/sunfish-shogi__shogihome/sample03-b36dae.jkf": (
        "game",
        "two plies with variations are few for a tree",
    ),
    "csa/na2hiro__Kifu-for-JS/9fu-07c41a.csa": ("problem", "nine pawns: a mate in 61"),
    "csa/na2hiro__Kifu-for-JS/9fu_komabetsu-a3e7a1.csa": ("problem", "nine pawns: a mate in 61"),
}
"""Files of another kind than the index has them under."""

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
    def comments(self) -> int:
        """Comments, bookmarks and what was written like one: headers after `*`, remarks of CSA."""
        assert self.result is not None
        found = 0
        for game in self.result.games:
            entries = [*game.record["moves"][:1], *(e for b in branches(game.record) for e in b.entries)]
            found += sum(len(entry.get("comments", ())) for entry in entries)
            found += sum(name.startswith("*") for name in game.record["header"])
            found += len(game.remarks) if self.row["format"] == "csa" else 0
        return found

    @property
    def winner(self) -> int | None:
        assert self.result is not None
        ending = self.result.games[0].ending
        return ending.winner if ending else None

    @property
    def final(self) -> tuple[frozenset[object], frozenset[object]]:
        """The pieces after the last move and the hands, as the second reading has them."""
        assert self.result is not None
        position = [position for _, position, _, _ in main_line(self.result.games[0].record)][-1]
        pieces = (
            (f"{FILES[place]}{RANKS[place]}", (int(piece < 0), CODES[abs(piece)]))
            for place, piece in enumerate(position.board)
            if piece
        )
        hands = (
            ((color, CODES[kind]), count)
            for color in (0, 1)
            for kind, count in enumerate(position.hands[color])
            if count
        )
        return frozenset(pieces), frozenset(hands)

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
        ("csa", ""), ("csa", ""), *[("kif", "")] * 2, *[("kif", "empty-file")] * 2,
        *[("kif", "misread")] * 3,
    ]  # fmt: skip
    for file in unread:
        codes = {issue.code for issue in file.result.issues} if file.result else {file.error}
        assert codes & {"occupied", "unreadable-move", "no-moves", "empty-file", "misread"}, file.path


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


@pytest.fixture(scope="module")
def plain(read: list[File]) -> list[tuple[File, plain_reading.Plain]]:
    """The files about which the second reading knows something, with what it knows."""
    return [
        (
            file,
            plain_reading.read(
                (CORPUS / file.path).read_bytes(),
                file.row["format"],
                file.row["encoding"],
                file.row["handicap"] or "平手",
            ),
        )
        for file in read
        if file.row["format"] not in ("usi", "sfen")
    ]


def test_comments_are_all_there(plain):
    wrong = {
        file.path for file, seen in plain if file.row["format"] != "usen" and file.comments != seen.comments
    }
    assert wrong == set(COMMENTS)


def test_variations_are_those_of_the_second_reading(plain):
    assert {file.path for file, seen in plain if file.forks != seen.forks} == set(FORKS)


def test_winners_are_those_of_the_second_reading(plain):
    told = [(file, seen) for file, seen in plain if seen.winner is not None]
    assert len(told) > 750
    wrong = {file.path for file, seen in told if file.winner != seen.winner}
    assert wrong == set(WINNERS)


def test_final_positions_are_those_of_the_second_reading(plain):
    told = [(file, seen) for file, seen in plain if seen.final is not None]
    assert len(told) > 900
    assert {file.path for file, seen in told if file.final != seen.final} == set(FINALS)


def test_kinds_are_those_of_the_index(read):
    meant = {
        "complete": {"game"},
        "game-no-ending": {"game", "problem"},
        "tsume/position": {"problem", "position"},
        "opening-line-collection": {"problem", "tree"},
        "tree": {"tree"},
    }
    other = {}
    for file in read:
        kinds = {game.record_kind for game in file.result.games}
        if file.row["kind"] in meant and not kinds <= meant[file.row["kind"]]:
            other[file.path] = ",".join(kinds)
    assert other == {path: kind for path, (kind, _) in KINDS.items()}


def test_files_of_one_line_a_game_hold_as_many_games_as_lines(read):
    for file in read:
        if file.row["format"] in ("usi", "sfen"):
            lines = [
                line for line in (CORPUS / file.path).read_text("utf-8-sig").splitlines() if line.strip()
            ]
            assert len(file.result.games) <= len(lines)
    assert sum(len(file.result.games) for file in read) > 19_000
