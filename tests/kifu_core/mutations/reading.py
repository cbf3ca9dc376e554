"""Readings of texts in a form that can be compared, and their check against what a kind expects."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, NamedTuple

from kifu_core import KifuError, ParsedGame, ParseResult, dump, load
from kifu_core.decoding import decode
from kifu_core.errors import Issue
from kifu_core.shogi.formats.writing import branches
from tests.kifu_core.accounting import issues_of, losses, plain
from tests.kifu_core.mutations.kinds import Expected, Kind


class Facts(NamedTuple):
    """What is compared of a game. Lines are moves as USI writes them, by the ply where they begin."""

    start: str
    lines: tuple[tuple[int, tuple[str, ...]], ...]
    ending: tuple[object, ...]
    comments: tuple[tuple[int, int, tuple[str, ...]], ...] = ()
    times: tuple[object, ...] = ()
    header: tuple[tuple[str, str], ...] = ()

    @property
    def moves(self) -> tuple[str, ...]:
        return self.lines[0][1]

    @property
    def played(self) -> tuple[object, ...]:
        return self.start, self.lines, self.ending


@lru_cache(maxsize=64)
def read(data: str | bytes) -> ParseResult | KifuError:
    """The reading of a text in a file without a name: only the text shows its format."""
    try:
        return load(data)
    except KifuError as error:
        return error


def facts_of(game: ParsedGame) -> Facts:
    record, ending = game.record, game.ending
    lines, comments, times = [], [], []
    for number, branch in enumerate(branches(record)):
        lines.append((branch.ply, tuple(_usi(entry["move"]) for entry in branch.entries if "move" in entry)))
        ply = branch.ply - 1
        for entry in branch.entries:
            ply += "move" in entry
            if "comments" in entry:
                comments.append((number, ply, tuple(map(plain, entry["comments"]))))
            if "time" in entry:
                times.append((number, ply, _seconds(entry["time"]["now"]), _seconds(entry["time"]["total"])))
    first = [
        (-1, 0, tuple(map(plain, entry["comments"]))) for entry in record["moves"][:1] if "comments" in entry
    ]
    return Facts(
        dump(record, "sfen").rpartition(" ")[0],
        tuple(lines),
        (ending.special, ending.ply, ending.winner, ending.draw) if ending else (),
        (*first, *comments),
        tuple(times),
        tuple(sorted((name, plain(value)) for name, value in record["header"].items())),
    )


def _usi(move: Any) -> str:
    to = f"{move['to']['x']}{'abcdefghi'[move['to']['y'] - 1]}"
    if "from" not in move:
        return f"{move['piece']}*{to}"
    source = move["from"]
    return f"{source['x']}{'abcdefghi'[source['y'] - 1]}{to}{'+' if move.get('promote') else ''}"


def _seconds(time: Any) -> int:
    return int(time.get("h", 0) * 3600 + time["m"] * 60 + time["s"])


ACCOUNTED: Final = ("kif", "ki2", "csa", "bod")
"""The formats of which each line says something by itself."""


class Reading:
    """The games of a mutated text, and those that are expected: the text's own, as often as it holds them."""

    def __init__(self, kind: Kind, text: str, data: str | bytes) -> None:
        self.kind, self.data, self.result = kind, data, read(data)
        whole = read(text)
        assert isinstance(whole, ParseResult)
        self.expected = [facts_of(game) for game in whole.games] * kind.games
        games = self.result.games if isinstance(self.result, ParseResult) else ()
        self.found = [facts_of(game) for game in games]
        issues = issues_of(self.result) if isinstance(self.result, ParseResult) else []
        self.issues = [issue for issue in issues if issue.severity != "info"]

    @property
    def is_same(self) -> bool:
        return self.found == self.expected

    @property
    def is_as_expected(self) -> bool:
        match self.kind.expected:
            case Expected.SAME_GAME:
                return self.is_same
            case Expected.SAME_MOVES:
                return [one.played for one in self.found] == [one.played for one in self.expected]
            case Expected.BEGINNING:
                pairs = zip(self.found, self.expected, strict=False)
                return all(one.moves == other.moves[: len(one.moves)] for one, other in pairs)
            case Expected.REPORTED:
                return self.is_same or isinstance(self.result, KifuError) or any(map(_shows, self.issues))
            case Expected.REFUSED:
                return not any(one.moves for one in self.found)

    def __str__(self) -> str:
        """What was read instead, and which issues say so."""
        if isinstance(self.result, KifuError):
            return f"refused: {self.result.code}"
        codes = dict.fromkeys(issue.code for issue in self.issues)
        return f"{_difference(self.found, self.expected)}; {' '.join(codes) or 'in silence'}"

    def lost_lines(self) -> list[tuple[int, str]]:
        """The lines that are nowhere; a text on one line, and another form of the same game, lose none."""
        same = self.is_same and self.kind.expected is not Expected.SAME_MOVES
        if same or isinstance(self.result, KifuError) or self.result.format not in ACCOUNTED:
            return []
        text = decode(self.data)[0] if isinstance(self.data, bytes) else self.data
        return losses(text, self.result) if "\n" in text.strip() else []


def _shows(issue: Issue) -> bool:
    return issue.line is not None and bool(issue.source_line)


def fault(kind: Kind, text: str) -> str:
    """What is wrong with the reading of a mutated text; empty if nothing is, or the kind does not apply."""
    data = kind.mutate(text)
    reading = None if data is None else Reading(kind, text, data)
    return "" if reading is None or reading.is_as_expected else str(reading)


def lost_lines(kind: Kind, text: str) -> list[tuple[int, str]]:
    """The lines of a mutated text that are nowhere; none of a form in which each should be read as it is."""
    data = kind.mutate(text)
    if data is None or kind.expected in (Expected.SAME_GAME, Expected.REFUSED):
        return []
    return Reading(kind, text, data).lost_lines()


def _difference(found: list[Facts], expected: list[Facts]) -> str:
    """The first fact that differs."""
    if len(found) != len(expected):
        return f"{len(found)} games, not {len(expected)}"
    for one, other in zip(found, expected, strict=True):
        for name, here, there in zip(Facts._fields, one, other, strict=True):
            if here != there:
                if name == "lines":
                    if one.moves != other.moves:
                        return f"{len(one.moves)} moves, not {len(other.moves)}"
                    return f"{len(one.lines) - 1} variations, not {len(other.lines) - 1}"
                return f"{name} {str(here)[:60]}, not {str(there)[:60]}"
    return "nothing differs"
