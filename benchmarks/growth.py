"""What an archive of so many games takes, computed from figures that were measured: no run, only arithmetic.

    python -m benchmarks.growth [--games 1000000 100000000] [--shards 32] [--node-gb 2000] [--json]

Every figure that it begins with is named with where it was measured (docs/scaling.md, docs/benchmarks.md);
measured anew, it is changed here and nowhere else. The table is the one of docs/scaling.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import ceil
from typing import Final

from benchmarks.support import interpreter

ROWS_A_GAME: Final = 112
"""Of games of 111 plies on average, forks included (`index.py`: 113 million rows of 1,009,000 games)."""
DISTINCT: Final = 0.88
"""Share of the rows that are the first of their position (`index.py`, the same run)."""
BYTES_A_ROW: Final = 105
"""On PostgreSQL, table and index (`index.py`, the same run)."""
BYTES_A_GAME: Final = 14_150
"""On PostgreSQL, everything, with the index, without texts (`index.py`, the same run)."""
RECORD_BYTES: Final = 1_490
"""Of these, the record with its keys (the same run): it is distributed by game."""
TEXT_BYTES: Final = 1_840
"""Of a game with comments of 200 kanji, text and its index, on PostgreSQL (`text.py`)."""
STORE_MS: Final = 2.5
"""Of a processor, for a game from a small file to committed (`ingest.py`, PostgreSQL)."""
SERVER_MS: Final = 0.5
"""Of the server's processor for the same (`ingest.py`, PostgreSQL)."""

SEGMENT_GAMES: Final = 500_000
"""Games of a segment on one server (`archive.index.postgresql`); spread, so many for each shard."""
KEY_BITS: Final = 62
"""Bits of a key that are a hash (docs/position-keys.md)."""
SLOTS: Final = 2**31 - 1
"""What an int4 can number."""
REWRITTEN: Final = 2
"""Slots that a game takes in its life: one more for each time that it plays something else than before."""

SIZES: Final = (10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000)
_DAY_MS: Final = 86_400_000


@dataclass(frozen=True, slots=True)
class Growth:
    """An archive of so many games: `spread_gb` is what distribution puts on the nodes, `local_gb` what stays
    on the coordinator, in 10^9 bytes; `segments` those of one server, `segments_spread` those of shards;
    `colliding` the expected pairs of different positions with one key; `slots_used` the share of what an int4
    can number."""

    games: int
    rows: int
    positions: int
    spread_gb: float
    local_gb: float
    segments: int
    segments_spread: int
    nodes: int
    rows_a_shard: int
    colliding: float
    slots_used: float
    days_of_a_core: float


def growth(games: int, shards: int = 32, node_gb: float = 2_000) -> Growth:
    """Return what an archive of so many games takes, on nodes of which each keeps up to `node_gb`."""
    rows = games * ROWS_A_GAME
    positions = int(rows * DISTINCT)
    spread = games * (ROWS_A_GAME * BYTES_A_ROW + RECORD_BYTES) / 1e9
    local = games * (BYTES_A_GAME - ROWS_A_GAME * BYTES_A_ROW - RECORD_BYTES + TEXT_BYTES) / 1e9
    return Growth(
        games=games,
        rows=rows,
        positions=positions,
        spread_gb=spread,
        local_gb=local,
        segments=ceil(games / SEGMENT_GAMES),
        segments_spread=ceil(games / (SEGMENT_GAMES * shards)),
        nodes=ceil(spread / node_gb),
        rows_a_shard=rows // shards,
        colliding=colliding_pairs(positions),
        slots_used=games * REWRITTEN / SLOTS,
        days_of_a_core=games * (STORE_MS + SERVER_MS) / _DAY_MS,
    )


def colliding_pairs(positions: int) -> float:
    """Return how many pairs of so many different positions are expected to share a key (the birthday bound).

    >>> round(colliding_pairs(98_560_000_000))
    1053
    """
    return positions * (positions - 1) / 2.0 ** (KEY_BITS + 1)


def table(sizes: Sequence[int], shards: int, node_gb: float) -> str:
    """Return the table of docs/scaling.md."""
    of = [growth(games, shards, node_gb) for games in sizes]
    rows = [
        ("games", [_number(one.games) for one in of]),
        ("rows of the index", [_number(one.rows) for one in of]),
        ("different positions", [_number(one.positions) for one in of]),
        ("index and records, GB", [_gb(one.spread_gb) for one in of]),
        ("everything else, with texts, GB", [_gb(one.local_gb) for one in of]),
        ("segments on one server", [_number(one.segments) for one in of]),
        (f"segments on {shards} shards", [_number(one.segments_spread) for one in of]),
        (f"nodes of {_gb(node_gb)} GB", [_number(one.nodes) for one in of]),
        ("rows of a shard", [_number(one.rows_a_shard) for one in of]),
        ("expected pairs of positions with one key", [_small(one.colliding) for one in of]),
        ("slots used of int4", [f"{100 * one.slots_used:.3g} %" for one in of]),
        ("days of one core to read all", [_small(one.days_of_a_core) for one in of]),
    ]
    head, *rest = ["| " + " | ".join([name, *cells]) + " |" for name, cells in rows]
    return "\n".join([head, "| " + " | ".join(["---"] * (len(of) + 1)) + " |", *rest])


def _number(value: float) -> str:
    """Return a number in the words of the table: thousands with a comma, from a million on in millions."""
    if value < 1_000_000:
        return f"{value:,.0f}"
    return f"{value / 1e6:,.3g} million" if value < 1e9 else f"{value / 1e6:,.0f} million"


def _gb(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.2g}"


def _small(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.2g}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__)
    parser.add_argument("--games", type=int, nargs="+", default=SIZES)
    parser.add_argument("--shards", type=int, default=32)
    parser.add_argument("--node-gb", type=float, default=2_000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    interpreter.announce(only_json=options.json)
    if options.json:
        rows = [asdict(growth(one, options.shards, options.node_gb)) for one in options.games]
        print(interpreter.as_json(rows))
    else:
        print(table(options.games, options.shards, options.node_gb))


if __name__ == "__main__":
    main()
