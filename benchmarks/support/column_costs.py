"""What columns and tags of castles and openings add to the import of games."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from statistics import median
from typing import Any, Final

from benchmarks.support.importing import GAMES_A_FILE, empty_archive, take_in, write_files
from benchmarks.support.processes import server_seconds

TARGET_PERCENT: Final = 15
"""The most that columns and tags may add to the processor time of a game."""


@contextmanager
def _without_columns() -> Iterator[None]:
    """Games stored meanwhile get no tags and do not wait for columns."""
    from unittest.mock import patch

    from archive.columns import slots
    from archive.derive import formations, game

    with (
        patch.object(formations, "found", lambda *_: ()),
        patch.object(game, "pack_lines", lambda *_: None),
        patch.object(slots, "wait", lambda _: None),
    ):
        yield


def _processor_seconds(do: Callable[[], object]) -> float:
    """Return the processor seconds of a call, those of PostgreSQL's process for it included."""
    before = time.process_time() + server_seconds()
    do()
    return time.process_time() + server_seconds() - before


def measure_columns(engine: str, games: int, rounds: int) -> dict[str, Any]:
    """Return the processor milliseconds of a game without columns and tags, and those that each step adds.

    All are medians of the rounds; games stored with tags are compared with those without in the same round.
    Files above the size that is merged add nothing for merging.
    """
    spent: dict[str, list[float]] = defaultdict(list)

    def timed(name: str, do: Callable[[], object], count: int = games) -> None:
        spent[name].append(1000 * _processor_seconds(do) / count)

    with empty_archive(engine) as folder:
        from archive.columns import building
        from archive.columns.folder import place
        from archive.columns.segments import merge_segments
        from archive.models import ColumnSegment
        from kifu_core.classes import PUBLIC

        take_in(write_files(folder / "first", range(GAMES_A_FILE)), 1)
        building.build()
        for turn in range(rounds):
            first = GAMES_A_FILE + 2 * turn * games
            without = write_files(folder / f"without {turn}", range(first, first + games))
            with_them = write_files(folder / f"with {turn}", range(first + games, first + 2 * games))
            # In turn, and each of them first as often: what grows, or drifts, meets both.
            for plain in (turn % 2 == 0, turn % 2 == 1):
                with _without_columns() if plain else nullcontext():
                    name, files = ("without", without) if plain else ("stored with them", with_them)
                    timed(name, lambda: take_in(files, 1))  # noqa: B023
            timed("columns", building.build)
        small = ColumnSegment.objects.filter(retired=None, size__lt=building.SMALL_BYTES)
        paths = [place(PUBLIC, one.name) for one in small if one.games >= games]
        for _ in range(rounds if paths else 0):
            timed("put together", lambda: merge_segments(paths, [], folder / "one.parquet"), rounds * games)
    stored = zip(spent["without"], spent.pop("stored with them"), strict=True)
    spent["stored with them"] = [more - plain for plain, more in stored]
    figures = {name: round(median(times), 3) for name, times in spent.items()}
    share = sum(figures.values()) / figures["without"] - 1
    return {"engine": engine, "games": games, "rounds": rounds, "ms_a_game": figures, "more": round(share, 3)}


def show_columns(figures: dict[str, Any]) -> None:
    print(f"{figures['engine']}: {figures['games']} games a round, {figures['rounds']} rounds; ms a game")
    for name, spent in figures["ms_a_game"].items():
        print(f"  {name:<18}{spent:{'8' if name == 'without' else '+8'}.3f}")
    print(f"  {figures['more']:+.1%} with columns and tags")
