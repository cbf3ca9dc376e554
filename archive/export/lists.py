"""Lists of games in bulk: NDJSON with records, or CSV without them."""

from collections.abc import Iterator
from typing import Any, Final

import orjson

from archive.export.csv_text import BOM, csv_lines
from archive.models import codec
from archive.queries.games.bulk import BulkReader, GameWithRecord
from archive.queries.games.game_json import COLUMNS, ToGameInfo
from archive.shapes.encoding import encode

_PIECE: Final = 64 * 1024


def ndjson(games: BulkReader, to_info: ToGameInfo) -> Iterator[bytes]:
    """Yield a line for each game: the fields of lists, its record in JKF, and the cursor of what follows it.

    The last line says whether the list is complete, and where to continue. A stream without it was cut off.
    """
    for game in games.with_records():
        yield b"" if game is None else game_line(game, to_info)
    end: dict[str, Any] = {"complete": games.complete, "games": games.games, "cursor": str(games.after)}
    if games.collection is not None:
        end["collection"] = {"title": games.collection.title, "description": games.collection.description}
    if games.error is not None:
        end["error"] = games.error.code
    yield orjson.dumps(end) + b"\n"


def game_line(game: GameWithRecord, to_info: ToGameInfo) -> bytes:
    """Return the line of a game. It begins with the id; one of a collection has its places there."""
    members = encode(to_info(game.row)).removesuffix(b"}")
    if game.places:
        members += b',"places":' + orjson.dumps([place._asdict() for place in game.places])
    return b'%s,"cursor":"%d","record":%s}\n' % (members, game.row.id, codec.to_json(game.game.jkf))


def table(games: BulkReader, to_info: ToGameInfo) -> Iterator[bytes]:
    """Yield CSV with a row for each game. The number of the last one is the cursor of what follows it."""
    yield BOM + csv_lines([COLUMNS])
    rows: list[list[Any]] = []
    for row in games.rows():
        if row is not None:
            game = to_info(row)
            rows.append([getattr(game, name) for name in COLUMNS])
        else:
            yield csv_lines(rows)
            rows = []
    if games.error is not None:
        raise games.error


def in_pieces(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Join chunks to pieces of about 64 KiB. An empty chunk ends a piece early."""
    joined: list[bytes] = []
    size = 0
    for chunk in chunks:
        joined.append(chunk)
        size += len(chunk)
        if size >= _PIECE or not chunk:
            yield b"".join(joined)
            joined, size = [], 0
    yield b"".join(joined)
