"""Positions as columns: what is in the files, and that questions find what replaying every game finds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from archive.columns.asking import GameWith, games_with
from archive.columns.positions import OfGame, Positions
from archive.columns.schema import COUNTS, HANDS, SQUARES, TYPES
from archive.columns.segments import reading, write_segment
from archive.duck import bounded
from benchmarks import generate
from kifu_core import load
from kifu_core.jkf import Record
from kifu_core.shogi.moves import to_usi
from kifu_core.shogi.patterns import Pattern, find, parse, text_of
from kifu_core.shogi.position import Position
from kifu_core.shogi.replay import can_play, packed_move, start
from tests.archive.games import KIF
from tests.kifu_core.random_games import random_record
from tests.kifu_core.test_patterns import drawn

FORKED = """手合割：平手
手数----指手---------消費時間--
   1 ７六歩(77)
   2 ３四歩(33)
   3 ２二角成(88)
   4 同　銀(31)

変化：3手
   3 ２六歩(27)
   4 ８四歩(83)

変化：4手
   4 ４四歩(43)

変化：1手
   1 ２六歩(27)
"""


def record_of(text: str) -> Record:
    (game,) = load(text).games
    return game.record


def of_game(slot: int) -> OfGame:
    return OfGame(slot, 0, 730_000, black_rating=1500)


def written(tmp_path: Path, records: list[Record]) -> str:
    """The records as rows of two files; what they are read from."""
    paths = [tmp_path / "0.parquet", tmp_path / "1.parquet"]
    middle = len(records) // 2
    for path, slots in zip(paths, (range(middle), range(middle, len(records))), strict=True):
        positions = Positions()
        for slot in slots:
            positions.add(of_game(slot), records[slot])
        assert write_segment(positions, path) == path.stat().st_size
    assert sorted(tmp_path.iterdir()) == paths
    return reading(paths)


def asked(sql: str) -> list[tuple[object, ...]]:
    with bounded() as database:
        return database.execute(sql).fetchall()


# --- the rows -------------------------------------------------------------------------------------------


def test_a_row_is_a_position_square_by_square(settings, tmp_path):
    settings.DATA_DIR = tmp_path.parent
    record = random_record(3, plies=60, forks=0)
    source = written(tmp_path, [record])
    position = start(record)
    names = ["ply", "turn", "move", *SQUARES, *HANDS.values(), *COUNTS.values()]
    found = asked(f"SELECT {', '.join(names)} FROM {source} ORDER BY node")
    moves = [packed_move(entry["move"]) for entry in record["moves"] if "move" in entry]
    assert len(found) == len(moves) + 1
    for ply, (row, move) in enumerate(zip(found, [*moves, 0], strict=True)):
        hands = [position.hands[color][kind] for color, kind in HANDS]
        counts = [position.board.count(-kind if color else kind) for color, kind in COUNTS]
        assert list(row) == [ply, position.turn, move, *position.board, *hands, *counts]
        if move:
            position.do_move(move)


def test_what_follows_a_position_has_the_numbers_up_to_its_last(settings, tmp_path):
    settings.DATA_DIR = tmp_path.parent
    source = written(tmp_path, [record_of(FORKED)])
    found = asked(f"SELECT node, last, ply, fork, move FROM {source} ORDER BY node")
    told = [(*row[:4], to_usi(row[4]) if row[4] else "") for row in found]
    assert told == [
        (0, 8, 0, False, "7g7f"),
        (1, 7, 1, False, "3c3d"),
        (2, 7, 2, False, "8h2b+"),
        (3, 4, 3, False, "3a2b"),
        (4, 4, 4, False, ""),
        (5, 7, 3, True, "8c8d"),
        (6, 6, 4, True, ""),
        (7, 7, 4, True, ""),
        (8, 8, 1, True, ""),
    ]


def test_the_types_are_as_the_schema_says(settings, tmp_path):
    settings.DATA_DIR = tmp_path.parent
    source = written(tmp_path, [record_of(KIF)])
    found = asked(f"SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM {source})")
    assert dict(found) == TYPES and len(found) == 7 + 4 + 81 + 14 + 28


def test_what_a_game_has_not_is_null(settings, tmp_path):
    settings.DATA_DIR = tmp_path.parent
    source = written(tmp_path, [record_of(KIF)])
    found = asked(f"SELECT DISTINCT slot, result, played, black_rating, white_rating FROM {source}")
    assert found == [(0, 0, 730_000, 1500, None)]


def test_a_hand_of_more_than_a_set_is_told(settings, tmp_path):
    settings.DATA_DIR = tmp_path.parent
    source = written(tmp_path, [record_of("sfen 4k4/9/9/9/9/9/9/9/4K4 b 99P98r 1")])
    assert asked(f"SELECT black_hand_FU, white_hand_HI, black_OU FROM {source}") == [(99, 98, 1)]


# --- questions ------------------------------------------------------------------------------------------


def paths_of(record: Record) -> Iterator[list[Position]]:
    """Every line of a record from its start to an end, the main one first."""
    branches = [([start(record)], record["moves"][1:])]
    while branches:
        line, entries = branches.pop(0)
        position = line[-1].copy()
        for entry in entries:
            branches += [(line[:], fork) for fork in entry.get("forks", ())]
            if "move" not in entry:
                continue
            if not can_play(position, packed_move(entry["move"])):
                break
            position.do_move(packed_move(entry["move"]))
            line.append(position.copy())
        yield line


def replayed(pattern: Pattern, records: list[Record]) -> dict[int, tuple[int, int, bool]]:
    """By slot, the first ply of a pattern in any line, for whom, and whether mirrored."""
    found = {}
    for slot, record in enumerate(records):
        lines = list(paths_of(record))[: 1 if pattern.main else None]
        places = [where for line in lines if (where := find(pattern, line))]
        if places:
            found[slot] = min((one.plies[0], one.own, one.mirrored) for one in places)
    return found


def told(games: list[GameWith]) -> dict[int, tuple[int, int, bool]]:
    return {one.slot: (one.ply, one.own, one.mirrored) for one in games}


@pytest.fixture(scope="module")
def records() -> list[Record]:
    """Generated games, which begin as people's do, and random ones with forks."""
    made = [generate.record(number) for number in range(30)]
    return made + [random_record(seed, plies=40, forks=1) for seed in range(30)]


@pytest.fixture
def source(records, settings, tmp_path) -> str:
    settings.DATA_DIR = tmp_path.parent
    return written(tmp_path, records)


@pytest.mark.parametrize(
    "text",
    [
        "P7f",
        "P7f own:white",
        "P8f mirror:yes",
        "!P7f ply:3..",
        "{X,x}5e",
        "X5e then<=10 x5e",
        "P7f P2f kept:5",
        "P7f kept:3 ply:2..9 then P2e turn:own",
        "hand:P>=1,p=0 turn:enemy",
        "board:P<=7,+P=0",
        "P7f then<=2 P2f then P2e line:main",
        "K5i ply:30",
    ],
)
def test_a_question_finds_the_games_that_replaying_finds(text, records, source):
    pattern = parse(text)
    with bounded() as database:
        assert told(games_with(database, pattern, source)) == replayed(pattern, records)


def test_drawn_questions_find_the_games_that_replaying_finds(records, source):
    random, lines = Random(5), [line for record in records for line in paths_of(record)]
    found = 0
    with bounded() as database:
        for _ in range(150):
            pattern = drawn(random, random.choice(lines))
            games = games_with(database, pattern, source)
            assert told(games) == replayed(pattern, records), text_of(pattern)
            found += len(games)
    assert found > 150


def test_the_move_of_a_place_is_that_of_its_line(settings, tmp_path):
    settings.DATA_DIR = tmp_path.parent
    source = written(tmp_path, [record_of(FORKED)])
    with bounded() as database:
        (one,) = games_with(database, parse("P7f p3d own:black ply:2.. P2f"), source)
    assert (one.ply, to_usi(one.move)) == (3, "8c8d")
