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
    """The reading of one value of a header; `text` is empty where it was not understood."""

    value: str
    text: str


def day_reading(value: str) -> str:
    """Write a day as it was read, with its calendar and time of day."""
    day = headers.read_day(value)
    until = f" to {day.end}" if day.end and day.end != day.start and day.precision == "day" else ""
    known = [day.text + until, day.calendar if day.text else "", day.time]
    return " ".join(part for part in known if part)


def limit_reading(value: str) -> str:
    """Write a time limit in seconds."""
    limit = headers.read_limit(value)
    if limit is None:
        return ""
    parts = [f"{limit.main} s", f"byoyomi {limit.byoyomi}", f"increment {limit.increment}"]
    return ", ".join(part for part in parts if not part.endswith(" 0")) + (
        f", {limit.periods} periods" if limit.periods else ""
    )


def used_reading(value: str) -> str:
    """Write used times in seconds."""
    used = headers.read_used(value)
    return ", ".join(f"{name} {count}" for name, count in used.items()) if used else ""


def player_reading(value: str) -> str:
    """Write a player's name and what was split off it; nobody is a reading as well."""
    person = headers.read_player(value)
    beside = [
        *person.titles,
        person.rank,
        person.handicap,
        f"R{person.rating}" if person.rating else "",
        person.place,
    ]
    return " | ".join([person.name or "(nobody)", *(part for part in beside if part)])


READERS: Final[dict[str, tuple[tuple[str, ...], Callable[[str], str]]]] = {
    "dates": ((*headers.BEGINNINGS, *headers.ENDS, "発表年月", "放送日", "*放送日"), day_reading),
    "time limits": ((*headers.LIMITS, "先手持ち時間", "後手持ち時間", "TIME+", "TIME-"), limit_reading),
    "used times": (("消費時間",), used_reading),
    "players": (("先手", "後手", "上手", "下手"), player_reading),
}
"""What is printed: header names, and how a value of theirs reads as text."""


class Command(BaseCommand):
    requires_system_checks = ()
    help = "Print all distinct date, time-limit and player headers of files with their readings."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("paths", nargs="+", type=Path, help="files and folders")
        parser.add_argument("--unread", action="store_true", help="print only what was not understood")

    def handle(self, *args: Any, **options: Any) -> None:
        found: dict[str, set[str]] = {kind: set() for kind in READERS}
        for header in headers_of(options["paths"]):
            for kind, (names, _) in READERS.items():
                found[kind] |= {header[name] for name in names if header.get(name, "").strip()}
        for kind, (_, reader) in READERS.items():
            self._print(
                kind,
                [HeaderReading(value, reader(value)) for value in sorted(found[kind])],
                options["unread"],
            )

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
    """Yield the headers of all records in files and folders; files that are no records are passed over."""
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
