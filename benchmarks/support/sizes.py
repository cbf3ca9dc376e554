"""How much room an archive takes, and what its rows are."""

from __future__ import annotations

from pathlib import Path
from typing import Final

ROW_BYTES: Final = "bytes a row"
ROW_BYTES_TARGET: Final = "bytes a row, target"
ROW_BYTES_LIMIT: Final = "bytes a row, limit"
_SAMPLED: Final = 256
"""Keys are evenly spread, so the index between two of them is as the whole; this part of it is read."""


def _count() -> tuple[int, int]:
    from archive.models import Game, Occurrence

    return Occurrence.objects.count(), Game.objects.count()


def sizes(folder: Path) -> dict[str, float]:
    """Bytes: of the index for each row, of everything for each game, and what it consists of."""
    from django.db import connection

    rows, games = _count()
    if connection.vendor == "sqlite":
        return _sqlite_sizes(folder, rows, games)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT coalesce(sum(pg_table_size(inhrelid)), 0), coalesce(sum(pg_indexes_size(inhrelid)), 0), "
            "count(*) FROM pg_inherits WHERE inhparent = 'archive_occurrence'::regclass"
        )
        heap, indexes, segments = (int(value) for value in cursor.fetchone())
        cursor.execute("SELECT pg_database_size(current_database())")
        whole = int(cursor.fetchone()[0])
        cursor.execute(
            "SELECT pg_total_relation_size('archive_gamerecord'), (SELECT count(*) FROM archive_hotposition)"
        )
        records, hot = cursor.fetchone()
    return {
        "games": games, "rows": rows, "segments": segments, "hot positions": hot,
        ROW_BYTES: (heap + indexes) / rows, ROW_BYTES_TARGET: 110, ROW_BYTES_LIMIT: 16,
        "of these heap": heap / rows, "of these index": indexes / rows,
        "bytes a game, everything": whole / games, "of these records": records / games,
        "GB": whole / 1e9,
    }  # fmt: skip


def _sqlite_sizes(folder: Path, rows: int, games: int) -> dict[str, float]:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        cursor.fetchall()
        cursor.execute("SELECT count(*) FROM archive_hotposition")
        hot = cursor.fetchone()[0]
        index = _index_bytes(cursor)
    whole = (folder / "archive.sqlite3").stat().st_size
    return {
        "games": games, "rows": rows, "hot positions": hot,
        ROW_BYTES: index / rows, ROW_BYTES_TARGET: 35, ROW_BYTES_LIMIT: 16,
        "bytes a game, everything": whole / games,
        "GB": whole / 1e9,
    }  # fmt: skip


def _index_bytes(cursor: object) -> float:
    """What the tables take: as much as a copy of them alone in a file."""
    import re
    from tempfile import TemporaryDirectory

    from archive.index import sqlite

    with TemporaryDirectory(prefix="kifu-bench-") as folder:
        name = Path(folder) / "copy.sqlite3"
        execute = cursor.execute  # type: ignore[attr-defined]
        execute(f"ATTACH '{name}' AS copy")
        execute("PRAGMA copy.page_size = 16384")
        for table in (sqlite.RECENT, sqlite.SETTLED):
            execute("SELECT sql FROM main.sqlite_master WHERE name = %s", [table])
            execute(re.sub(rf'"?{table}"?', f"copy.{table}", cursor.fetchone()[0], count=1))  # type: ignore[attr-defined]
            execute(f"INSERT INTO copy.{table} SELECT * FROM main.{table}")
        execute("DETACH copy")
        return float(name.stat().st_size)


def shares() -> dict[str, float]:
    """Of the rows of the archive: the share that are distinct positions, that are the only one of theirs,
    that lie in variations. Counted over a part of all keys."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT sum(n), count(*), sum(CASE WHEN n = 1 THEN 1 ELSE 0 END), sum(forked) FROM (
                SELECT count(*) AS n, sum(d.flags & 1) AS forked FROM archive_occurrence d
                WHERE d.key BETWEEN %s AND %s GROUP BY d.key
            ) x
            """,
            [1 << 61, (1 << 61) + (1 << 64) // _SAMPLED],
        )
        rows, distinct, alone, forked = (float(value or 0) for value in cursor.fetchone())
    rows = rows or 1.0
    return {
        "rows looked at": rows,
        "% distinct positions": 100 * distinct / rows,
        "% in positions seen once": 100 * alone / rows,
        "% in variations": 100 * forked / rows,
    }
