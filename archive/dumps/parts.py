"""Parts of a dump: a file of games' lines, and a file of rows for the table with the same games."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import Any, Final

from django.conf import settings
from django.urls import reverse

from archive.derive.series import limits_of
from archive.dumps.main_lines import by_side, main_line
from archive.dumps.packing import id_of, packed, to_disk, unpacked
from archive.dumps.tables import StoredRow, TimeInTable
from archive.export.lists import game_line
from archive.models import LARGEST_ID
from archive.names.kana_readings import reading
from archive.queries.games.analyses import preferred_evaluations
from archive.queries.games.bulk import GameWithRecord, read_in_bulk
from archive.queries.games.dump_marks import removed_games
from archive.queries.games.filters import GameFilters
from archive.queries.games.game_json import GameInfo, ToGameInfo
from archive.queries.scope import PUBLIC
from archive.shapes.encoding import encode

MOST_GAMES: Final = 50_000
MOST_BYTES: Final = 512 * 1024 * 1024
"""Bytes of a part's lines before compression, which reduces them to about a tenth."""

_BATCH: Final = 500
"""Games that are looked up together."""


@dataclass(frozen=True, slots=True)
class DumpPart:
    """A complete part: the number of its games, the size in bytes and the SHA-256 of its lines."""

    number: int
    games: int
    size: int
    sha256: str


def lines_file(folder: Path, number: int) -> Path:
    """Return the path of a part's lines in the folder of an unfinished dump."""
    return folder / f"part-{number}.ndjson.zst"


def rows_file(folder: Path, number: int) -> Path:
    """Return the path of a part's rows in the folder of an unfinished dump."""
    return folder / f"rows-{number}.ndjson"


def write_part(
    folder: Path, number: int, after: int, until: int, deadline: float
) -> tuple[DumpPart, int, bool]:
    """Write a part of the games with ids above `after`, up to `until`.

    It ends earlier at `MOST_GAMES`, at `MOST_BYTES`, or at `deadline`, a time of the monotonic clock. Return
    the part, its last id, and whether it has the last of all games.
    """
    games = read_in_bulk(PUBLIC, GameFilters(), after, LARGEST_ID)
    to_info = _to_info()
    complete = True
    with packed(lines_file(folder, number)) as lines, rows_file(folder, number).open("wb") as rows:
        for game in games.with_records():
            if game is None:
                continue
            if game.row.id > until:
                break
            lines.write(game_line(game, to_info))
            rows.write(_table_row(game))
            after = game.row.id
            if lines.lines >= MOST_GAMES or lines.unpacked >= MOST_BYTES or monotonic() > deadline:
                complete = False
                break
        to_disk(rows)
    if games.error is not None:
        raise games.error
    return DumpPart(number, lines.lines, lines.size, lines.digest.hexdigest()), after, complete


def _to_info() -> ToGameInfo:
    """Return the builder of games; without a public address of the archive, their addresses are paths."""
    site = "" if settings.PUBLIC_URL is None else str(settings.PUBLIC_URL)
    base = site + reverse("api:game", args=[0]).removesuffix("0")
    return lambda row: GameInfo.from_row(row, f"{base}{row.id}", "public")


def _table_row(game: GameWithRecord) -> bytes:
    """Return the row of a game and its positions, as one line."""
    row, data = game.row, game.game.header_data
    people: Sequence[dict[str, Any]] = data.get("players") or ({}, {})
    stored = StoredRow.from_row(
        row,
        url="",
        space="public",
        played_from=row.played_from,
        played_to=row.played_to,
        precision=row.precision,
        program=game.program,
        event_id=row.event_id,
        place_id=row.place_id,
        **by_side(row.kind, "id", (row.first_id, row.second_id)),
        **by_side(row.kind, "reading", (row.first, row.second), reading),
        **by_side(row.kind, "rank", people, lambda person: person.get("rank", "")),
        **by_side(row.kind, "titles", people, lambda person: person.get("titles", [])),
        **by_side(row.kind, "time", limits_of(data), lambda limit: limit and TimeInTable(**asdict(limit))),
        **main_line(row.kind, game.game.jkf, preferred_evaluations(game.game)),
    )
    return encode(stored) + b"\n"


def unpublished_games(folder: Path, number: int) -> set[int]:
    """Return the games of a part that are no longer public."""
    unpublished: set[int] = set()
    with rows_file(folder, number).open("rb") as rows:
        ids = map(id_of, rows)
        while batch := [*islice(ids, _BATCH)]:
            unpublished |= removed_games(PUBLIC, batch)
    return unpublished


def remove_games(folder: Path, part: DumpPart, games: set[int]) -> DumpPart:
    """Rewrite a part without some games."""
    old_lines, old_rows = lines_file(folder, part.number), rows_file(folder, part.number)
    new_lines, new_rows = old_lines.with_suffix(".new"), old_rows.with_suffix(".new")
    with packed(new_lines) as lines:
        for line in _without(unpacked(old_lines), games):
            lines.write(line)
    with old_rows.open("rb") as before, new_rows.open("wb") as rows:
        rows.writelines(_without(before, games))
        to_disk(rows)
    # If the process is killed between the two, the sizes disagree (`UnfinishedDump.resume`).
    new_rows.replace(old_rows)
    new_lines.replace(old_lines)
    return DumpPart(part.number, lines.lines, lines.size, lines.digest.hexdigest())


def _without(lines: Iterable[bytes], games: set[int]) -> Iterator[bytes]:
    return (line for line in lines if id_of(line) not in games)
