"""How much room an archive takes, and how fast its rows could be written with nothing else to do."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Final

MOST_ROWS: Final = 500_000
_COLUMNS: Final = "key, played, slot, ply, move, flags, result"
_BARE: Final = """
    CREATE TABLE bench_bare (key bigint NOT NULL, played integer NOT NULL, slot integer NOT NULL,
    ply smallint NOT NULL, move smallint NOT NULL, flags smallint NOT NULL, result smallint NOT NULL)
"""
_INDEXED: Final = "CREATE UNIQUE INDEX bench_key ON bench_bare (key, played, slot, ply, move)"


def _rows() -> list[tuple[int, ...]]:
    from django.db import connection

    with connection.cursor() as cursor:
        # In the order of games, as a bare writer would get them.
        cursor.execute(f"SELECT {_COLUMNS} FROM archive_occurrence ORDER BY slot, ply LIMIT {MOST_ROWS}")
        return list(cursor.fetchall())


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
        "bytes a row (target 110, limit 16)": (heap + indexes) / rows,
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
        "bytes a row (target 35, limit 16)": index / rows,
        "bytes a game, everything": whole / games,
        "GB": whole / 1e9,
    }  # fmt: skip


def _index_bytes(cursor: object) -> float:
    """What the table takes: as much as a copy of it alone in a file."""
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="kifu-bench-") as folder:
        name = Path(folder) / "copy.sqlite3"
        execute = cursor.execute  # type: ignore[attr-defined]
        execute(f"ATTACH '{name}' AS copy")
        execute("SELECT sql FROM main.sqlite_master WHERE name = 'archive_occurrence'")
        sql = cursor.fetchone()[0].replace("archive_occurrence", "copy.archive_occurrence")  # type: ignore[attr-defined]
        execute("PRAGMA copy.page_size = 16384")
        execute(sql)
        execute("INSERT INTO copy.archive_occurrence SELECT * FROM main.archive_occurrence")
        execute("DETACH copy")
        return float(name.stat().st_size)


def bare_copy(folder: Path) -> dict[str, float]:
    """Rows a second of the same rows, written by nothing but COPY (executemany on SQLite)."""
    from django.db import connection, transaction

    from archive.index import postgresql
    from archive.index.schema import Row

    rows = [Row(*row) for row in _rows()]
    found = {}
    for name, statements in (("bare, no index", [_BARE]), ("bare, with the index", [_BARE, _INDEXED])):
        with connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
            begun = time.perf_counter()
            with transaction.atomic():
                if connection.vendor == "postgresql":
                    postgresql.insert(cursor, rows, "bench_bare")
                else:
                    places = ", ".join(["%s"] * 7)
                    cursor.executemany(f"INSERT INTO bench_bare ({_COLUMNS}) VALUES ({places})", rows)
            found[name] = len(rows) / (time.perf_counter() - begun)
            cursor.execute("DROP TABLE bench_bare")
    return found
