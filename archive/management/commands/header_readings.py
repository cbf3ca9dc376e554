"""Print how the headers of files are read: `manage.py header_readings PATH...`."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from django.core.management.base import BaseCommand, CommandParser

import kifu_core
from archive.derive import headers
from kifu_core.errors import KifuError
from kifu_core.games import SHOGI

SUFFIXES: Final = frozenset(f".{name}" for name in (*SHOGI.formats.readers, *SHOGI.formats.writers))


class HeaderReading(NamedTuple):
    """A header's value and its reading, empty if it was not understood."""

    value: str
    text: str


def day_reading(value: str) -> str:
    """Return a day with its calendar and time of day."""
    day = headers.read_day(value)
    until = f" to {day.end}" if day.end and day.end != day.start and day.precision == "day" else ""
    return " ".join(filter(None, (day.text + until, day.calendar if day.text else "", day.time)))


def limit_reading(value: str) -> str:
    """Return a time limit in seconds."""
    limit = headers.read_limit(value)
    if limit is None:
        return ""
    parts = [f"{limit.main} s", f"byoyomi {limit.byoyomi}", f"increment {limit.increment}"]
    return ", ".join(part for part in parts if not part.endswith(" 0")) + (
        f", {limit.periods} periods" if limit.periods else ""
    )


def used_reading(value: str) -> str:
    """Return used times in seconds."""
    used = headers.read_used(value)
    return ", ".join(f"{name} {count}" for name, count in used.items()) if used else ""


def player_reading(value: str) -> str:
    """Return a player's name, titles, rank, handicap, rating and place."""
    person = headers.read_player(value)
    rating = f"R{person.rating}" if person.rating else ""
    details = filter(None, (*person.titles, person.rank, person.handicap, rating, person.place))
    return " | ".join([person.name or "(nobody)", *details])


READERS: Final[dict[str, tuple[tuple[str, ...], Callable[[str], str]]]] = {
    "dates": ((*headers.BEGINNINGS, *headers.ENDS, "発表年月", "放送日", "*放送日"), day_reading),
    "time limits": ((*headers.LIMITS, "先手持ち時間", "後手持ち時間", "TIME+", "TIME-"), limit_reading),
    "used times": (("消費時間",), used_reading),
    "players": (("先手", "後手", "上手", "下手"), player_reading),
}
"""Header names, and a function that returns the reading of a value as text."""


class Command(BaseCommand):
    requires_system_checks = ()
    help = "Print all distinct date, time-limit and player headers of files with their readings."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("paths", nargs="+", type=Path, help="files and folders")
        parser.add_argument("--unread", action="store_true", help="print only what was not understood")

    def handle(self, *args: Any, **options: Any) -> None:
        values: dict[str, set[str]] = {kind: set() for kind in READERS}
        for header in headers_of(options["paths"]):
            for kind, (names, _) in READERS.items():
                values[kind] |= {header[name] for name in names if header.get(name, "").strip()}
        for kind, (_, reader) in READERS.items():
            readings = [HeaderReading(value, reader(value)) for value in sorted(values[kind])]
            self._print(kind, readings, options["unread"])

    def _print(self, kind: str, readings: list[HeaderReading], unread: bool) -> None:
        understood = sum(bool(reading.text) for reading in readings)
        share = 100 * understood / len(readings) if readings else 100.0
        self.stdout.write(
            f"{kind}: {understood} of {len(readings)} distinct values understood ({share:.1f} %)"
        )
        for reading in readings:
            if not (unread and reading.text):
                self.stdout.write(f"  {reading.value!r}: {reading.text or '(not understood)'}")


def headers_of(paths: list[Path]) -> Iterator[dict[str, str]]:
    """Yield the headers of all records in files and folders; other files are skipped."""
    for path in paths:
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in files:
            if file.is_file() and (file == path or file.suffix.lower() in SUFFIXES):
                yield from _headers_in(file)


def _headers_in(file: Path) -> Iterator[dict[str, str]]:
    try:
        games = kifu_core.load(file.read_bytes(), file.name).games
    except KifuError:
        return
    yield from (game.record["header"] for game in games)
