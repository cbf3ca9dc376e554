"""Parts of a dump: files of games' lines, each with a file of what the table has of the same games."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import Any, Final

import orjson
from django.conf import settings
from django.urls import reverse

from archive.dumps.packing import id_of, packed, to_disk, unpacked
from archive.dumps.tables import COLUMNS
from archive.export.lists import Told, line
from archive.models import LARGEST_ID
from archive.queries.games.bulk import BulkReader, read_in_bulk
from archive.queries.games.dump_marks import left_of
from archive.queries.games.filters import GameFilters
from archive.queries.games.game_json import row_json
from archive.queries.games.listing import GameRow
from archive.queries.scope import PUBLIC

MOST_GAMES: Final = 50_000
MOST_BYTES: Final = 512 * 1024 * 1024
"""What the lines of a part may take before they are compressed, to about a tenth."""

_HELD: Final = 500
"""Games that are asked for together what the lists do not tell."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part that is whole; `size` in bytes, `sha256` as hexadecimal digits."""

    number: int
    games: int
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Reach:
    """How far a dump has come: behind the game `after`, and whether that is the end."""

    after: int
    complete: bool


def lines_file(folder: Path, number: int) -> Path:
    """Return where the lines of a part lie while a dump is made."""
    return folder / f"part-{number}.ndjson.zst"


def rows_file(folder: Path, number: int) -> Path:
    """Return where the rows of a part lie while a dump is made."""
    return folder / f"rows-{number}.ndjson"


def write_part(folder: Path, number: int, after: int, until: int, deadline: float) -> tuple[Part, Reach]:
    """Write a part of the games from behind `after` up to `until`; it ends earlier where it has enough, or
    where it is the time `deadline` of the monotonic clock."""
    games = read_in_bulk(PUBLIC, GameFilters(), after, LARGEST_ID)
    told = _told()
    with packed(lines_file(folder, number)) as lines, rows_file(folder, number).open("wb") as rows:
        held: list[GameRow] = []
        complete = True
        for found in games.found():
            if found is None:
                continue
            if found.row.id > until:
                break
            lines.write(line(found, told))
            held.append(found.row)
            after = found.row.id
            if len(held) == _HELD:
                rows.write(_rows(held))
                held = []
            if _is_enough(lines.lines, lines.unpacked, deadline):
                complete = False
                break
        rows.write(_rows(held))
        to_disk(rows)
    _check(games)
    part = Part(number, lines.lines, lines.size, lines.digest.hexdigest())
    return part, Reach(after, complete)


def _is_enough(games: int, size: int, deadline: float) -> bool:
    return games >= MOST_GAMES or size >= MOST_BYTES or monotonic() > deadline


def _check(games: BulkReader) -> None:
    if games.error is not None:
        raise games.error


def _told() -> Told:
    """Return what tells of games as lists do. Without a public address of the archive, theirs are paths."""
    public = "" if settings.PUBLIC_URL is None else str(settings.PUBLIC_URL)
    base = public + reverse("api:game", args=[0]).removesuffix("0")
    return lambda row: row_json(row, f"{base}{row.id}", "public")


def _rows(held: list[GameRow]) -> bytes:
    """Return the rows of games as lines of JSON."""
    return b"".join(orjson.dumps(_row(row)) + b"\n" for row in held)


def _row(row: GameRow) -> dict[str, Any]:
    """Return what the table has of a game (`archive.dumps.tables.COLUMNS`)."""
    days = {"played_from": row.played_from, "played_to": row.played_to, "precision": row.precision}
    facts = row_json(row, "", "public") | days
    return {name: facts[name] for name in COLUMNS}


def gone_of(folder: Path, number: int) -> set[int]:
    """Return the games of a part that are public no more."""
    gone: set[int] = set()
    with rows_file(folder, number).open("rb") as rows:
        ids = (id_of(row) for row in rows)
        while some := [*islice(ids, _HELD)]:
            gone |= left_of(PUBLIC, some)
    return gone


def without(folder: Path, part: Part, gone: set[int]) -> Part:
    """Write a part again without some of its games."""
    kept, rows_kept = (path(folder, part.number) for path in (lines_file, rows_file))
    new, new_rows = (path.with_suffix(".new") for path in (kept, rows_kept))
    with packed(new) as lines:
        for line in _others(unpacked(kept), gone):
            lines.write(line)
    with rows_kept.open("rb") as old, new_rows.open("wb") as rows:
        rows.writelines(_others(old, gone))
        to_disk(rows)
    # Killed between the two, the sizes tell that they are not of one part (`Making.resumed`).
    new_rows.replace(rows_kept)
    new.replace(kept)
    return Part(part.number, lines.lines, lines.size, lines.digest.hexdigest())


def _others(lines: Any, gone: set[int]) -> Iterator[bytes]:
    return (line for line in lines if id_of(line) not in gone)
