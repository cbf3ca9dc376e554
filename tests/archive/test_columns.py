"""Positions as columns: what is in the files, and that questions find what replaying every game finds."""

from __future__ import annotations

from pathlib import Path
from random import Random
from struct import iter_unpack

import pytest

from archive.columns.duck import duck_query, memory_database
from archive.columns.finding import find_first_matches
from archive.columns.first_matches import FirstMatches
from archive.columns.folder import runs_of
from archive.columns.lines import contents, line_of, pack_lines, unpack_lines
from archive.columns.positions import PositionGame, Positions
from archive.columns.schema import COUNTS, HANDS, SQUARES, TYPES
from archive.columns.segments import merge_segments, parquet_source, write_segment
from archive.columns.state import ColumnState
from archive.web.replay.record import find_node, position_at
from benchmarks import population
from kifu_core import load
from kifu_core.jkf import Record
from kifu_core.shogi.moves import to_usi
from kifu_core.shogi.patterns import Pattern, parse, text_of
from kifu_core.shogi.position import Position
from kifu_core.shogi.replay import can_play, main_moves, packed_move, start
from tests.archive.columns import paths_of, place_in
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


def of_game(slot: int) -> PositionGame:
    return PositionGame(slot, 0, 730_000, black_rating=1500)


def write_file(tmp_path: Path, records: list[Record]) -> str:
    """The records as rows of two files, of one for one record; what they are read from."""
    middle = len(records) // 2
    parts = [slots for slots in (range(middle), range(middle, len(records))) if slots]
    paths = [tmp_path / f"{number}.parquet" for number in range(len(parts))]
    for path, slots in zip(paths, parts, strict=True):
        positions = Positions()
        for slot in slots:
            positions.add(of_game(slot), pack_lines(records[slot]))
        assert write_segment(positions, path) == path.stat().st_size
    assert sorted(tmp_path.iterdir()) == sorted([*paths, *map(runs_of, paths)])
    return parquet_source(paths)


def query(sql: str) -> list[tuple[object, ...]]:
    with memory_database() as database:
        return database.execute(sql).fetchall()


# --- the rows -------------------------------------------------------------------------------------------


def test_a_row_is_a_position_square_by_square(settings, tmp_path):
    settings.DATA_DIR = tmp_path.parent
    record = random_record(3, plies=60, forks=0)
    source = write_file(tmp_path, [record])
    position = start(record)
    names = ["ply", "turn", "move", *SQUARES, *HANDS.values(), *COUNTS.values()]
    rows = query(f"SELECT {', '.join(names)} FROM {source} ORDER BY node")
    moves = [packed_move(entry["move"]) for entry in record["moves"] if "move" in entry]
    assert len(rows) == len(moves) + 1
    for ply, (row, move) in enumerate(zip(rows, [*moves, 0], strict=True)):
        hands = [position.hands[color][kind] for color, kind in HANDS]
        counts = [position.board.count(-kind if color else kind) for color, kind in COUNTS]
        assert list(row) == [ply, position.turn, move, *position.board, *hands, *counts]
        if move:
            position.do_move(move)


def test_what_follows_a_position_has_the_numbers_up_to_its_last(settings, tmp_path):
    settings.DATA_DIR = tmp_path.parent
    source = write_file(tmp_path, [record_of(FORKED)])
    result = query(f"SELECT node, last, ply, fork, move FROM {source} ORDER BY node")
    rows = [(*row[:4], to_usi(row[4]) if row[4] else "") for row in result]
    assert rows == [
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


def test_the_number_of_a_position_tells_its_line():
    record = record_of(FORKED)
    assert [line_of(record, node) for node in range(10)] == [
        "", "", "", "", "", "3.0", "3.0", "3.0-4.0", "1.0", "",
    ]  # fmt: skip


def test_lines_are_told_as_pages_find_them(tmp_path):
    for seed in range(5):
        record = random_record(seed, plies=30, forks=2)
        positions = Positions()
        positions.add(of_game(0), pack_lines(record))
        columns = positions.columns()
        for node, ply in zip(columns["node"].tolist(), columns["ply"].tolist(), strict=True):
            path = line_of(record, node)
            result = find_node(record, path, ply)
            assert (result.path, result.ply) == (path, ply)
            position, _last, _played = position_at(record, result)
            assert [columns[name][node] for name in SQUARES] == [*position.board]


def test_the_types_are_as_the_schema_says(settings, tmp_path):
    settings.DATA_DIR = tmp_path.parent
    source = write_file(tmp_path, [record_of(KIF)])
    rows = query(f"SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM {source})")
    assert dict(rows) == TYPES and len(rows) == 7 + 6 + 81 + 14 + 28


def test_what_a_game_has_not_is_null(settings, tmp_path):
    settings.DATA_DIR = tmp_path.parent
    source = write_file(tmp_path, [record_of(KIF)])
    rows = query(f"SELECT DISTINCT slot, result, played, black_rating, white_rating FROM {source}")
    assert rows == [(0, 0, 730_000, 1500, None)]


def test_a_hand_of_more_than_a_set_is_told(settings, tmp_path):
    settings.DATA_DIR = tmp_path.parent
    source = write_file(tmp_path, [record_of("sfen 4k4/9/9/9/9/9/9/9/4K4 b 99P98r 1")])
    assert query(f"SELECT black_hand_FU, white_hand_HI, black_OU FROM {source}") == [(99, 98, 1)]


def plainly(record: Record, most: int) -> list[tuple[int, ...]]:
    """The rows of a record: each position with what leads on from it, by going through it without haste."""
    rows, parents = list[list[int]](), list[int]()

    def put(position, ply, parent, fork):
        hands = [position.hands[color][kind] for color, kind in HANDS]
        counts = [position.board.count(-kind if color else kind) for color, kind in COUNTS]
        number = len(rows)
        parents.append(parent)
        rows.append([number, number, ply, fork, position.turn, 0, *position.board, *hands, *counts])
        while parent >= 0:
            rows[parent][1], parent = number, parents[parent]
        return number

    first = start(record)
    waiting = [(record["moves"][1:], first, 0, put(first, 0, -1, 0), 0)]
    while waiting and len(rows) < most:
        entries, position, ply, parent, fork = waiting.pop()
        begun = not fork
        for entry in entries:
            waiting += [(other, position.copy(), ply, parent, 1) for other in entry.get("forks", ())]
            if "move" not in entry:
                continue
            move = packed_move(entry["move"])
            if not can_play(position, move) or len(rows) == most:
                break
            if begun:
                rows[parent][5] = move
            position.do_move(move)
            ply, begun = ply + 1, True
            parent = put(position, ply, parent, fork)
    return [tuple(row) for row in rows]


ODD = {
    "a handicap": """手合割：二枚落ち
   1 ６二銀(71)
   2 ７六歩(77)
   3 ５四歩(53)
""",
    "a position": "sfen 4k4/9/9/4+P4/9/9/9/9/4K4 w 99P2rb 1",
    "forks": FORKED,
}


@pytest.mark.parametrize("most", [1, 2, 7, 40, 30_000])
def test_the_rows_of_all_sorts_of_records_are_those_of_going_through_them_plainly(most, monkeypatch):
    monkeypatch.setattr("archive.columns.positions.MOST_NODES", most)
    monkeypatch.setattr("archive.columns.positions._BATCH_POSITIONS", 40 * most)
    records = [random_record(seed, plies=40, forks=seed % 4) for seed in range(12)]
    records += [population.record(number) for number in range(4)] + [*map(record_of, ODD.values())]
    illegal = random_record(5, plies=40, forks=2)
    illegal["moves"][9] = illegal["moves"][11]
    positions = Positions()
    for slot, record in enumerate([*records, illegal]):
        positions.add(of_game(slot), pack_lines(record))
    columns = positions.columns()
    assert [*columns] == [*TYPES]
    names = ("node", "last", "ply", "fork", "turn", "move", *SQUARES, *HANDS.values(), *COUNTS.values())
    result = zip(*(columns[name].tolist() for name in names), strict=True)
    plain = [plainly(record, most) for record in [*records, illegal]]
    assert [*result] == [row for rows in plain for row in rows]
    assert columns["slot"].tolist() == [slot for slot, rows in enumerate(plain) for _ in rows]
    assert len(positions) == sum(map(len, plain))


def test_lines_are_packed_alike_whether_the_moves_of_the_only_one_are_known_or_not():
    for seed in range(12):
        record = random_record(seed, plies=30, forks=0)
        assert pack_lines(record, main_moves(record)) == pack_lines(record)


def test_packed_lines_tell_where_each_leaves_another_its_moves_and_the_start():
    read = unpack_lines(pack_lines(record_of(FORKED)))
    assert [*zip(*[iter(read.numbers)] * 3, strict=True)] == [(-1, 0, 4), (0, 2, 2), (1, 1, 1), (0, 0, 1)]
    moves = [to_usi(move) for (move,) in iter_unpack("<H", read.moves)]
    assert moves == ["7g7f", "3c3d", "8h2b+", "3a2b", "2g2f", "8c8d", "4c4d", "2g2f"]
    assert read.start == contents(Position.initial()) + b"\0"


@pytest.mark.parametrize("slots", [((0, 1), (2, 3)), ((2, 3), (0, 1)), ((0, 2), (1, 3)), ((1, 3), (0, 2))])
@pytest.mark.parametrize("gone", [[], [1], [1, 3]])
def test_files_put_together_have_their_games_in_order_but_for_those_that_are_gone(
    slots, gone, settings, tmp_path
):
    settings.DATA_DIR = tmp_path.parent
    records = [random_record(seed, plies=20, forks=1) for seed in range(4)]
    paths, complete = [tmp_path / "0.parquet", tmp_path / "1.parquet"], tmp_path / "whole.parquet"
    for path, some in zip(paths, slots, strict=True):
        positions = Positions()
        for slot in some:
            positions.add(of_game(slot), pack_lines(records[slot]))
        write_segment(positions, path)
    held, left_out = merge_segments(paths, [*gone, 99], tmp_path / "one.parquet")
    positions = Positions()
    for slot in sorted({0, 1, 2, 3} - {*gone}):
        positions.add(of_game(slot), pack_lines(records[slot]))
    write_segment(positions, complete)
    one = tmp_path / "one.parquet"
    assert query(f"FROM {parquet_source([one])}") == query(f"FROM {parquet_source([complete])}")
    assert runs_of(one).read_bytes() == runs_of(complete).read_bytes()
    assert (held.games, held.rows, left_out) == (4 - len(gone), len(positions), gone)


# --- questions ------------------------------------------------------------------------------------------


def replayed(pattern: Pattern, records: list[Record]) -> dict[int, tuple[int, int, bool]]:
    """By slot, the first ply of a pattern in any line, for whom, and whether mirrored."""
    result = {}
    for slot, record in enumerate(records):
        place = place_in(pattern, list(paths_of(record)))
        if place is not None:
            result[slot] = place
    return result


def first_places(places: FirstMatches) -> dict[int, tuple[int, int, bool]]:
    places_of = zip(places.ply.tolist(), places.own.tolist(), places.mirrored.tolist(), strict=True)
    return dict(zip(places.slot.tolist(), places_of, strict=True))


def matches_in(tmp_path: Path, pattern: Pattern) -> FirstMatches:
    with duck_query(60) as question:
        return find_first_matches(
            question, ColumnState(tuple(sorted(tmp_path.glob("*.parquet"))), (), 0), pattern
        )


@pytest.fixture(scope="module")
def records() -> list[Record]:
    """Generated games, which begin as people's do, and random ones with forks."""
    created = [population.record(number) for number in range(30)]
    return created + [random_record(seed, plies=40, forks=1) for seed in range(30)]


@pytest.fixture
def folder(records, settings, tmp_path) -> Path:
    settings.DATA_DIR = tmp_path.parent
    write_file(tmp_path, records)
    return tmp_path


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
def test_a_question_finds_the_games_that_replaying_finds(text, records, folder):
    pattern = parse(text)
    assert first_places(matches_in(folder, pattern)) == replayed(pattern, records)


def test_drawn_questions_find_the_games_that_replaying_finds(records, folder):
    random, lines = Random(5), [line for record in records for line in paths_of(record)]
    result = 0
    for _ in range(80):
        pattern = drawn(random, random.choice(lines))
        places = first_places(matches_in(folder, pattern))
        assert places == replayed(pattern, records), text_of(pattern)
        result += len(places)
    assert result > 80


def test_the_move_of_a_place_is_that_of_its_line(settings, tmp_path):
    settings.DATA_DIR = tmp_path.parent
    write_file(tmp_path, [record_of(FORKED)])
    places = matches_in(tmp_path, parse("P7f p3d own:black ply:2.. P2f"))
    assert (places.ply.tolist(), [*map(to_usi, places.move.tolist())]) == ([3], ["8c8d"])


PUSHED = """手合割：平手
手数----指手---------消費時間--
   1 ７六歩(77)
   2 ３四歩(33)
   3 ２六歩(27)
   4 ８四歩(83)

変化：3手
   3 ７五歩(76)
   4 ８四歩(83)
"""


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("P7f p3d ply:2 kept:1 own:black then P7e", False),
        ("P7f p3d ply:2 kept:1 own:black then P2f", True),
        ("P7f p3d ply:2 own:black then P7e", True),
        ("P7g ply:0 kept:0 own:black then P7e kept:1", True),
        ("p3d ply:2 kept:2 own:black then P7e then p8d", True),
        ("P7f ply:1 kept:3 own:black then P7e then p8d", False),
    ],
)
def test_what_has_to_stay_and_what_follows_lie_on_one_line(settings, tmp_path, text, found):
    settings.DATA_DIR = tmp_path.parent
    records = [record_of(PUSHED)]
    write_file(tmp_path, records)
    places = first_places(matches_in(tmp_path, parse(text)))
    assert bool(places) is found
    assert places == replayed(parse(text), records)
