"""Lists of games in bulk: a line of JSON for each game with its record, or a row of a table without it."""

from collections.abc import Callable, Iterator
from typing import Any, Final

import orjson

from archive.export.csv_text import UTF8, lines
from archive.models import codec
from archive.queries.games.bulk import BulkReader, GameWithRecord
from archive.queries.games.listing import GameRow

Told = Callable[[GameRow], dict[str, Any]]
"""What is told of a game in a list, as `game_json` has it."""

COLUMNS: Final = (
    "id", "url", "game", "record_kind", "date", "end_date", "black", "white", "event", "round", "site",
    "handicap", "opening", "result", "special", "plies", "calendar", "space",
    "black_rating", "white_rating", "time_control", "has", "arrived", "changed",
)  # fmt: skip

_PIECE: Final = 64 * 1024


def ndjson(games: BulkReader, told: Told) -> Iterator[bytes]:
    """Yield a line for each game: the fields of the list, its record in JKF, and the cursor after it.

    The last line says whether the list is complete, and where to go on. An answer without that line was cut
    off.
    """
    for found in games.found():
        if found is None:
            yield b""
        else:
            yield line(found, told)
    yield orjson.dumps(ending(games)) + b"\n"


def line(found: GameWithRecord, told: Told) -> bytes:
    """Return the line of a game. Its id comes first."""
    facts = told(found.row) | {"cursor": str(found.row.id)}
    return b"".join((orjson.dumps(facts)[:-1], b',"record":', codec.to_json(found.game.jkf), b"}\n"))


def ending(games: BulkReader) -> dict[str, Any]:
    """Return the line after the last game."""
    told: dict[str, Any] = {"complete": games.complete, "games": games.games, "cursor": str(games.after)}
    return told if games.error is None else told | {"error": games.error.code}


def table(games: BulkReader, told: Told) -> Iterator[bytes]:
    """Yield CSV with a row for each game. The number of the last one is the cursor of what follows."""
    yield UTF8 + lines([COLUMNS])
    rows: list[list[Any]] = []
    for row in games.rows():
        if row is not None:
            found = told(row)
            found["has"] = " ".join(found["has"])
            rows.append([found[name] for name in COLUMNS])
        else:
            yield lines(rows)
            rows = []
    if games.error is not None:
        raise games.error


def in_pieces(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Join small pieces to larger ones; an empty one hands on what there is."""
    held: list[bytes] = []
    size = 0
    for chunk in chunks:
        held.append(chunk)
        size += len(chunk)
        if size >= _PIECE or not chunk:
            yield b"".join(held)
            held, size = [], 0
    yield b"".join(held)
