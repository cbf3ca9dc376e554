"""A larger archive out of one that the store has filled: each game again, as another with the same opening.

Only the rows are copied, inside PostgreSQL, in a tenth of the time that making and storing games takes. What
several games reach stays shared, so its numbers grow with the copies; what one game alone reaches gets
another key in each copy, as it would in other games. Days move by a few, so that games do not pile up on one.
Players and events have as many times the games. Uploads and their entries are not copied.
"""

from __future__ import annotations

from typing import Final

from django.db import connection, transaction

COLOUR_AND_SIDE: Final = 3
"""The bits of a key that tell how the board lies."""

_SHARED: Final = """
    CREATE UNLOGGED TABLE bench_shared AS
    SELECT key, count(*) AS n FROM archive_occurrence GROUP BY key HAVING count(*) > 1
"""
_KEY: Final = f"""
    CASE WHEN s.key IS NOT NULL THEN d.key
    ELSE (hashint8extended(d.key, %(copy)s) & ~{COLOUR_AND_SIDE}::bigint) | (d.key & {COLOUR_AND_SIDE}) END
"""
_ROWS: Final = f"""
    INSERT INTO archive_occurrence (key, played, slot, ply, move, flags, result)
    SELECT {_KEY} AS key, d.played + %(copy)s, d.slot + %(by)s, d.ply, d.move, d.flags, d.result
    FROM archive_occurrence d LEFT JOIN bench_shared s ON s.key = d.key
    WHERE d.slot >= %(first)s AND d.slot < %(end)s ORDER BY 1
"""
_LISTED: Final = {
    "archive_gameplayer": "player_id, played + %(copy)s, slot + %(by)s, colour, rating",
    "archive_gameevent": "event_id, played + %(copy)s, slot + %(by)s",
    "archive_gamerecord": "game_id + %(by)s, record, parsed_facts",
    "archive_gameseries": "game_id + %(by)s, series",
    "archive_gametext": "game_id + %(by)s, text",
}
_INTO: Final = {
    "archive_gameplayer": "player_id, played, slot, colour, rating",
    "archive_gameevent": "event_id, played, slot",
    "archive_gamerecord": "game_id, record, parsed_facts",
    "archive_gameseries": "game_id, series",
    "archive_gametext": "game_id, text",
}
_AGAIN: Final = {
    "id": "id + %(by)s",
    "slot": "slot + %(by)s",
    "played": "played + %(copy)s",
    "digest": "decode(md5(encode(digest, 'hex') || %(copy)s::text), 'hex')",
    "stem": "decode(md5(encode(stem, 'hex') || %(copy)s::text), 'hex')",
}
"""Columns of a game that are its own; the others are the same in all copies."""

_MARK: Final = """
    INSERT INTO archive_hotposition (key, code)
    SELECT key, '' FROM bench_shared WHERE n * %s >= %s ON CONFLICT DO NOTHING
"""
BATCH: Final = 20_000
"""Slots that one statement copies: their rows are sorted in memory, and inserted as a large import's are."""


def copy_games(times: int) -> None:
    """Make the archive so many times as large. All games must lie in slots from 1 on."""
    from archive.index import counters, schema

    with connection.cursor() as cursor:
        cursor.execute("SELECT max(slot), max(id) FROM archive_game")
        last = max(cursor.fetchone())
        cursor.execute("DROP TABLE IF EXISTS bench_shared")
        cursor.execute(_SHARED)
        cursor.execute("ALTER TABLE bench_shared ADD PRIMARY KEY (key)")
        cursor.execute("ANALYZE bench_shared")
    _make_room(times * last)
    for copy in range(1, times):
        _copy(copy, last)
        print(f"  copied {copy} of {times - 1} times", flush=True)
    with connection.cursor() as cursor:
        cursor.execute(_MARK, [times, schema.HOT_GAMES])
        cursor.execute("DROP TABLE bench_shared")
        cursor.execute("SELECT setval('archive_slot', %s)", [times * last + 1])
        cursor.execute("SELECT setval(pg_get_serial_sequence('archive_game', 'id'), %s)", [times * last + 1])
    counters.rebuild()


def _make_room(slots: int) -> None:
    """Attach the segments that so many slots need."""
    from archive.index import postgresql

    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT setval('archive_slot', %s)", [slots])
    postgresql.make_room()


def _copy(copy: int, last: int) -> None:
    """One more copy of the first slots."""
    place = {"copy": copy, "by": copy * last}
    with connection.cursor() as cursor:
        names = _columns_of_game()
        values = ", ".join(_AGAIN.get(name.strip('"'), name) for name in names)
        cursor.execute(
            f"INSERT INTO archive_game ({', '.join(names)}) SELECT {values} FROM archive_game "
            f"WHERE slot <= {last}",
            place,
        )
        for table, columns in _LISTED.items():
            of_first = "game_id" if "game_id" in _INTO[table] else "slot"
            cursor.execute(
                f"INSERT INTO {table} ({_INTO[table]}) SELECT {columns} FROM {table} "
                f"WHERE {of_first} <= {last}",
                place,
            )
        for first in range(1, last + 1, BATCH):
            cursor.execute(_ROWS, {**place, "first": first, "end": min(first + BATCH, last + 1)})


def _columns_of_game() -> list[str]:
    from archive.models import Game

    names = [str(field.column) for field in Game._meta.concrete_fields]
    return [connection.ops.quote_name(name) for name in names]
