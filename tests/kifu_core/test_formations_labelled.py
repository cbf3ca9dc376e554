"""Games made for the tests, labelled with castles and openings before any pattern was looked for in them."""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from kifu_core.shogi.formations import BY_NAME, FORMATIONS, find_in_line, with_parents
from kifu_core.shogi.moves import from_usi
from kifu_core.shogi.position import Position
from kifu_core.shogi.rules import is_legal
from tests.cases import each

DATA: Final = Path(__file__).parents[1] / "data" / "formations"
SIDES: Final = ("black", "white")


@dataclass(frozen=True)
class Labelled:
    """A game with the labelled formations of Black and White, and those that they only resemble."""

    game: str
    start: Position
    moves: list[int]
    has: tuple[set[str], set[str]]
    near: tuple[set[str], set[str]]


def _rows(file: str) -> list[dict[str, str]]:
    with (DATA / file).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def _labelled() -> list[Labelled]:
    lines = (line.split(": position ") for line in (DATA / "games.txt").read_text("utf-8").splitlines())
    games = dict(lines)
    return [_game(row, games[row["game"]]) for row in _rows("labels.csv")]


def _game(row: dict[str, str], text: str) -> Labelled:
    start, moves = text.split(" moves ")
    return Labelled(
        row["game"],
        Position.initial() if start == "startpos" else Position.from_sfen(start.removeprefix("sfen ")),
        [from_usi(usi) for usi in moves.split()],
        (set(row["black"].split()), set(row["white"].split())),
        (set(row["not_black"].split()), set(row["not_white"].split())),
    )


def _opinions() -> dict[tuple[str, str], set[tuple[str, str]]]:
    """Return the differences that are matters of opinion, by game and side: what is found or missed."""
    opinions: dict[tuple[str, str], set[tuple[str, str]]] = {}
    for row in _rows("differences.csv"):
        for where in row["games"].split():
            game, side = where.split(":")
            opinions.setdefault((game, side), set()).add((row["is"], row["formation"]))
    return opinions


GAMES: Final = _labelled()
KNOWN: Final = _opinions()


def _has(one: Labelled, color: int) -> set[str]:
    return with_parents(one.has[color])


def _recognised(one: Labelled, color: int) -> set[str]:
    return {arose.name for arose in find_in_line(one.start, one.moves) if arose.color == color}


@cache
def agreement() -> dict[str, tuple[int, int]]:
    """Return of each formation in how many sides of games labels and patterns agree, of how many that have it
    by either."""
    both, either = Counter[str](), Counter[str]()
    for one in GAMES:
        for color in range(2):
            has, recognised = _has(one, color), _recognised(one, color)
            both.update(has & recognised)
            either.update(has | recognised)
    return {name.name: (both[name.name], either[name.name]) for name in FORMATIONS}


@each("one", GAMES, ids=lambda one: one.game)
def test_all_moves_can_be_played(one: Labelled) -> None:
    position = one.start.copy()
    for move in one.moves:
        assert is_legal(position, move)
        position.do_move(move)


@each("one", GAMES, ids=lambda one: one.game)
def test_labels_name_what_there_is_and_never_the_same_as_near_and_had(one: Labelled) -> None:
    for has, near in zip(one.has, one.near, strict=True):
        assert has | near <= set(BY_NAME)
        assert not with_parents(has) & near


def test_there_are_enough_games_and_each_has_its_line() -> None:
    assert len(GAMES) >= 120
    assert len((DATA / "games.txt").read_text("utf-8").splitlines()) == len({one.game for one in GAMES})


def test_every_formation_is_labelled_somewhere() -> None:
    had = {name for one in GAMES for color in range(2) for name in _has(one, color)}
    assert had == set(BY_NAME)


@each("one", GAMES, ids=lambda one: one.game)
def test_patterns_find_what_is_labelled_but_for_known_differences(one: Labelled) -> None:
    for color, side in enumerate(SIDES):
        has, recognised = _has(one, color), _recognised(one, color)
        differences = {("found", name) for name in recognised - has} | {
            ("missed", name) for name in has - recognised
        }
        assert differences == KNOWN.get((one.game, side), set()), side


def test_known_differences_are_of_games_that_there_are_and_have_reasons() -> None:
    assert {game for game, _ in KNOWN} <= {one.game for one in GAMES}
    assert all(row["reason"] and row["formation"] in BY_NAME for row in _rows("differences.csv"))


def test_patterns_and_labels_agree_in_nine_of_ten_formations() -> None:
    """Print the agreement by formation; pytest shows it with -s."""
    counts = agreement()
    for name, (both, either) in counts.items():
        print(f"{100 * both / either:5.1f} % {both:3} of {either:3} {name}")
    both, either = (sum(part) for part in zip(*counts.values(), strict=True))
    assert both / either > 0.9
