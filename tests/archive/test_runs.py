"""Patterns sought by the runs of columns: the first places are those that replaying every game finds."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest

from archive.columns.duck import memory_database
from archive.columns.first_matches import find_in_lines, forked_candidates, needs_lines
from archive.columns.folder import runs_of
from archive.columns.forked import ForkedGames
from archive.columns.lines import pack_lines
from archive.columns.positions import Positions
from archive.columns.runs import Runs, make_runs
from archive.columns.segments import parquet_source, write_segment
from archive.columns.spans import Spans, intersection, reaching, restricted, spans_of_runs
from benchmarks import population
from kifu_core.jkf import Record
from kifu_core.shogi.patterns import Pattern, parse, text_of
from tests.archive.columns import paths_of, place_in
from tests.archive.test_columns import of_game
from tests.kifu_core.random_games import random_record
from tests.kifu_core.test_patterns import drawn

ROWS = 60
MADE = 30


@pytest.fixture(scope="module")
def records() -> list[Record]:
    created = [population.record(number) for number in range(MADE)]
    return created + [random_record(seed, plies=40, forks=seed % 4) for seed in range(30)]


@pytest.fixture
def file(records, settings, tmp_path) -> Path:
    settings.DATA_DIR = tmp_path.parent
    positions, path = Positions(), tmp_path / "0.parquet"
    for slot, record in enumerate(records):
        positions.add(of_game(slot), pack_lines(record))
    write_segment(positions, path)
    return path


def replayed(pattern: Pattern, records: list[Record]) -> dict[int, tuple[int, int, bool]]:
    places = {slot: place_in(pattern, list(paths_of(record))) for slot, record in enumerate(records)}
    return {slot: place for slot, place in places.items() if place is not None}


def test_runs_made_of_a_file_are_those_made_of_its_columns(file):
    formatted = runs_of(file).read_bytes()
    make_runs(file)
    assert runs_of(file).read_bytes() == formatted


def test_rows_made_of_runs_are_those_of_the_file(file, records):
    slots = np.arange(0, len(records), 2, dtype=np.int32)
    rows = ForkedGames(Runs(file), slots)
    with memory_database() as database:
        columns = f"SELECT slot, node, last, ply, turn, s55, white_FU FROM {parquet_source([file])}"
        present = database.execute(f"{columns} WHERE slot % 2 = 0 ORDER BY slot, node").fetchnumpy()
    numbers = np.arange(len(rows))
    assert slots[rows.game].tolist() == present["slot"].tolist()
    assert (rows.last - numbers).tolist() == (present["last"] - present["node"]).tolist()
    assert (rows.ply.tolist(), rows.turn.tolist()) == (present["ply"].tolist(), present["turn"].tolist())
    for name in ("s55", "white_FU"):
        assert rows.column(name).tolist() == present[name].tolist()
    led = rows.parent >= 0
    assert (rows.ply[led] == rows.ply[rows.parent[led]] + 1).all() and (rows.ply[~led] == 0).all()
    assert (rows.last[rows.parent[led]] >= numbers[led]).all()
    assert np.count_nonzero(rows.parent[led] != numbers[led] - 1) > 30


def test_first_places_are_those_that_replaying_finds(file, records):
    random, lines = Random(7), [line for record in records for line in paths_of(record)]
    runs, result, left = Runs(file), 0, 0
    for _ in range(80):
        pattern = drawn(random, random.choice(lines))
        places = find_in_lines(runs, pattern)
        matches = dict(
            zip(places.slot, zip(places.ply, places.own, places.mirrored, strict=True), strict=True)
        )
        expected = replayed(pattern, records)
        if needs_lines(pattern):
            varied = {slot for slot, record in enumerate(records) if len(list(paths_of(record))) > 1}
            assert {*expected} & varied <= {*forked_candidates(runs, pattern).tolist()}, text_of(pattern)
            left += len({*expected} & varied)
            expected = {slot: place for slot, place in expected.items() if slot not in varied}
        assert matches == expected, text_of(pattern)
        few = np.isin(np.arange(len(records)), random.sample(range(len(records)), random.choice([1, 3, 20])))
        among_few = find_in_lines(runs, pattern, few).slot.tolist()
        assert among_few == [slot for slot in places.slot.tolist() if few[slot]], text_of(pattern)
        result += len(matches)
    assert result > 60 and left > 0


def test_a_first_place_tells_the_piece_that_moves_there(file, records):
    places = find_in_lines(Runs(file), parse("P7f own:black line:main"))
    created = places.slot < MADE
    assert (places.turn[created] == places.ply[created] & 1).all()
    moved = [*zip(places.slot[created], places.ply[created], places.kind[created], strict=True)]
    pieces = [records[slot]["moves"][ply + 1]["move"]["piece"] for slot, ply, _ in moved]
    assert [piece == "FU" for piece in pieces] == [kind == 1 for _, _, kind in moved]
    assert "FU" in pieces


def rows_of(spans: Spans) -> list[int]:
    return [row for first, end in zip(spans.first, spans.end, strict=True) for row in range(first, end)]


@pytest.mark.parametrize("seed", range(40))
def test_spans_are_what_their_rows_are_one_by_one(seed):
    random = np.random.default_rng(seed)
    held_rows = [random.random(ROWS) < random.random() for _ in range(2)]
    runs = []
    for held in held_rows:
        starts = np.append(np.flatnonzero(np.append(True, held[1:] != held[:-1])), ROWS).astype(np.int32)
        runs.append((starts, held[starts[:-1]]))
    one, two = (spans_of_runs(*run) for run in runs)
    both = np.flatnonzero(held_rows[0] & held_rows[1]).tolist()
    assert rows_of(intersection(one, two)[0]) == rows_of(restricted(one, *runs[1])) == both
    few = one.among(np.arange(min(1, len(one.first))))
    assert rows_of(restricted(few, *runs[1])) == [row for row in rows_of(few) if held_rows[1][row]]
    none = np.zeros(len(one.first), np.int32)
    for gap in (None, 1, 3):
        expected = [
            row
            for row in range(ROWS)
            if any(row < after and (gap is None or after <= row + gap) for after in rows_of(one))
        ]
        assert rows_of(reaching(one, none, gap)) == expected
