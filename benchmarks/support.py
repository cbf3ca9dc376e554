"""Shared parts of benchmarks: databases for one run, rounds of timed work, targets, the report."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import sysconfig
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeVar

from kifu_core import IS_COMPILED
from tests.postgres import postgres_url

Key = TypeVar("Key")
Part = TypeVar("Part")
Round = Callable[[], list[float]]
"""One round of work; returns the seconds of each part, always of the same parts."""

OPTIMISED: Final = "--enable-optimizations"
DURABLE: Final = {
    "listen_addresses": "",
    "max_connections": "60",
    "shared_buffers": "4GB",
    "effective_cache_size": "12GB",
    "work_mem": "64MB",
    "max_wal_size": "8GB",
    "checkpoint_timeout": "15min",
    "random_page_cost": "1.1",
    "jit": "off",
    "fsync": "on",
    "synchronous_commit": "on",
    "full_page_writes": "on",
    "autovacuum": "on",
}
"""Settings of PostgreSQL; docs/scaling.md recommends the same to operators."""


# --- databases -------------------------------------------------------------------------------------------


@contextmanager
def database(engine: str, keep: Path | None = None) -> Iterator[Path]:
    """Set Django up for an archive on `postgresql` or `sqlite`; yield the folder of its data.

    The archive is empty and removed afterwards. With `keep` it stays in that folder for the next run.
    TEST_DATABASE_URL is ignored, because the settings of that server are unknown.
    """
    os.environ.pop("TEST_DATABASE_URL", None)
    os.environ.pop("DATABASE_URL", None)
    os.environ.update(DJANGO_SETTINGS_MODULE="archive.project.settings", SECRET_KEY="only-for-benchmarks")
    with nullcontext(keep) if keep else TemporaryDirectory(prefix="kifu-bench-") as name:
        folder = Path(name).resolve() / engine
        folder.mkdir(parents=True, exist_ok=True)
        os.environ["ARCHIVE_DATA_DIR"] = str(folder)
        if engine == "sqlite":
            _migrate()
            yield folder
            return
        with postgres_url(keep and folder / "server", **DURABLE) as url:
            os.environ["DATABASE_URL"] = url
            _migrate()
            try:
                yield folder
            finally:
                from django.db import connections

                connections.close_all()


def _migrate() -> None:
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)


# --- timing ----------------------------------------------------------------------------------------------


def own(work: Callable[[Part], object], parts: Iterable[Part]) -> Round:
    """Return a round of this work in this process, measured in processor time."""
    fixed = list(parts)

    def timed() -> list[float]:
        times = []
        for part in fixed:
            began = time.process_time()
            work(part)
            times.append(time.process_time() - began)
        return times

    return timed


def shortest(contestants: Mapping[Key, Round], rounds: int) -> dict[Key, float]:
    """Return the seconds that each contestant needs for all its parts.

    Contestants take turns, and for each part the shortest time of all rounds counts: other programs only add
    time, so ratios of these sums are also valid on a busy machine.
    """
    best = {name: timed() for name, timed in contestants.items()}
    for _ in range(rounds - 1):
        for name, timed in contestants.items():
            best[name] = list(map(min, best[name], timed()))
    return {name: sum(times) for name, times in best.items()}


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that at least this share of the values do not exceed; 0 without values."""
    ranked = sorted(values)
    return ranked[max(0, -int(-share * len(ranked) // 1) - 1)] if ranked else 0.0


# --- targets ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Target:
    """A figure and its bound: a maximum, or with `least` a minimum.

    The figure is None where it cannot be measured, as without the peer to compare with.
    """

    name: str
    figure: float | None
    bound: float
    unit: str = ""
    least: bool = False

    @property
    def missed(self) -> bool:
        if self.figure is None:
            return False
        # A NaN misses its target.
        return not (self.figure >= self.bound if self.least else self.figure <= self.bound)

    def __str__(self) -> str:
        figure = "" if self.figure is None else f" {self.figure:.4g}{self.unit},"
        return f"{self.name}:{figure} target at {'least' if self.least else 'most'} {self.bound:g}{self.unit}"


def verdict(targets: Iterable[Target]) -> bool:
    """Print targets that are missed or not measured to standard error; return whether one is missed.

    Benchmarks exit with this as their status, so that `make bench` fails.
    """
    all_targets = list(targets)
    for target in all_targets:
        if target.missed or target.figure is None:
            say(f"{'missed' if target.missed else 'not measured'}: {target}")
    return any(target.missed for target in all_targets)


# --- the report ------------------------------------------------------------------------------------------


def options_of(description: str | None) -> argparse.ArgumentParser:
    """Return a parser of options that shows a module's docstring and has `--json`."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="print the figures as one line of JSON")
    return parser


def python_build() -> dict[str, Any]:
    """Return name, version and build of this Python: figures of different builds do not compare.

    `optimised` says whether `configure` was given --enable-optimizations (up to a third faster); None where
    the build does not say. `compiled` says whether the record library is.
    """
    options = sysconfig.get_config_var("CONFIG_ARGS")
    return {
        "implementation": platform.python_implementation(),
        "version": platform.python_version(),
        "compiler": platform.python_compiler(),
        "optimised": None if options is None else OPTIMISED in options,
        "compiled": IS_COMPILED,
    }


def announce(*, only_json: bool = False) -> None:
    """Print a line about this Python; with `only_json` to standard error."""
    build = python_build()
    options = {None: "unknown options", True: OPTIMISED, False: f"no {OPTIMISED}"}[build["optimised"]]
    line = f"{build['implementation']} {build['version']}, {build['compiler']}, built with {options}"
    line += f"; the record library is {'compiled' if IS_COMPILED else 'pure Python'}"
    print(line, file=sys.stderr if only_json else sys.stdout, flush=True)


def as_json(figures: Mapping[str, Any]) -> str:
    """Return figures as a line of JSON, with the Python that was measured."""
    return json.dumps({"python": python_build(), **figures}, ensure_ascii=False)


def say(text: str) -> None:
    """Print progress to standard error, so that standard output holds only the report."""
    print(text, file=sys.stderr, flush=True)
