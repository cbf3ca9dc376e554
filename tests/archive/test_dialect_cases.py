"""The cases of `golden/dialect-lines-3.jsonl`: each is read as it says there.

A case expects some facts of the reading. Every fact has its function here; one that has none fails.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any, Final

import pytest

from archive.derive.headers.dates import played
from kifu_core import ParsedGame, ParseResult, games
from kifu_core.errors import Issue
from kifu_core.game import GameKind
from kifu_core.shogi.formats.writing import branches
from tests.cases import each
from tests.shared import GOLDEN, need_shared

pytestmark = pytest.mark.shared

FILE = GOLDEN / "dialect-lines-3.jsonl"
CASES = [json.loads(line) for line in FILE.read_text("utf-8").splitlines()] if FILE.is_file() else []


class Reading:
    """What is read of a case, by the game that it names or by the one that its text is taken for."""

    def __init__(self, case: dict[str, Any]) -> None:
        text = case["input"]
        data = base64.b64decode(text) if case["encoding"] == "base64" else text.encode()
        self.kind: GameKind[Any] = games.kind_of(data.decode(errors="replace"))
        self.result: ParseResult
        if case["format_hint"] in games.GAMES:
            self.result = games.GAMES[case["format_hint"]].formats.load(data)
        else:
            self.kind, self.result = games.load(data)

    @property
    def game(self) -> ParsedGame:
        return self.result.games[0]

    @property
    def issues(self) -> list[Issue]:
        return [*self.result.issues, *(issue for game in self.result.games for issue in game.issues)]

    def written(self, file_format: str) -> str:
        return games.of_record(self.game.record).formats.dump(self.game.record, file_format).strip()

    def ending(self, field: str) -> Any:
        return getattr(self.game.ending, field, None)


def moves(reading: Reading) -> str:
    """The moves of a game of Quoridor."""
    found = [entry["move"] for entry in reading.game.record["moves"] if "move" in entry]
    return " ".join(str(move.get("wall") or move["to"]) for move in found)


def comments(reading: Reading) -> dict[str, list[str]]:
    entries = enumerate(reading.game.record["moves"])
    return {str(ply): entry["comments"] for ply, entry in entries if "comments" in entry}


def variations(reading: Reading) -> list[int]:
    """How many variations there are, and how many moves are in all of them."""
    found = [branch for branch in branches(reading.game.record) if not branch.is_main]
    return [len(found), sum("move" in entry for branch in found for entry in branch.entries)]


FACTS: Final[dict[str, Callable[[Reading], Any]]] = {
    "usi_main_line": lambda reading: reading.written("usi").partition(" moves ")[2],
    "start_sfen": lambda reading: " ".join(reading.written("sfen").removeprefix("sfen ").split(" ")[:3]),
    "plies": lambda reading: sum("move" in entry for entry in reading.game.record["moves"]),
    "ending_word": lambda reading: reading.ending("word"),
    "ending_special": lambda reading: reading.ending("special"),
    "ending_ply": lambda reading: reading.ending("ply"),
    "winner (0 Black, 1 White, null nobody)": lambda reading: reading.ending("winner"),
    "header": lambda reading: reading.game.record["header"],
    "comments_by_ply": comments,
    "variations (count, moves)": variations,
    "games": lambda reading: len(reading.result.games),
    "format": lambda reading: reading.result.format,
    "day": lambda reading: played(reading.game.record["header"]).text,
    "game": lambda reading: reading.kind.name,
    "moves": moves,
    "code": lambda reading: reading.written("qf"),
    "nothing unread": lambda reading: not reading.game.unread,
    "issue": lambda reading: [issue.code for issue in reading.issues if issue.severity != "info"],
}
"""What a case may expect, and how it is seen."""


def agrees(expected: Any, found: Any) -> bool:
    """Of headers and comments a case names only some; of issues, that there is one."""
    if isinstance(expected, dict):
        return all(found.get(key) == value for key, value in expected.items())
    if isinstance(found, list) and isinstance(expected, str):
        return bool(found)
    return bool(found == expected)


def test_the_file_has_its_cases():
    need_shared()
    assert len(CASES) == len({case["id"] for case in CASES}) == 56


@each("case", CASES, ids=lambda case: case["id"])
def test_a_case_is_read_as_stated(case):
    reading = Reading(case)
    found = {name: FACTS[name](reading) for name in case["expected"]}
    assert {
        name: found[name] for name, value in case["expected"].items() if not agrees(value, found[name])
    } == {}
