"""The rows of the index, behind the program's back."""

from __future__ import annotations

from django.db import connection, transaction

from archive.index import sqlite
from archive.index.engine import engine
from archive.index.schema import IndexRow

TABLES = {"sqlite": (sqlite.RECENT, sqlite.SETTLED), "postgresql": ("archive_occurrence",)}


def change_rows(statement: str, *values: object) -> None:
    """Run a statement on each table that holds rows, its `{rows}`; once if it has none."""
    statements = dict.fromkeys(statement.format(rows=table) for table in TABLES[connection.vendor])
    with connection.cursor() as cursor:
        for each in statements:
            cursor.execute(each, values)


def change_keys(key: int, condition: str, *values: object) -> None:
    """Give rows that meet a condition another key: another place, which on Citus no UPDATE brings them to."""
    columns = ", ".join(IndexRow._fields)
    with transaction.atomic(), connection.cursor() as cursor:
        for table in TABLES[connection.vendor]:
            cursor.execute(f"SELECT {columns} FROM {table} WHERE {condition}", values)
            rows = [IndexRow(*row)._replace(key=key) for row in cursor.fetchall()]
            cursor.execute(f"DELETE FROM {table} WHERE {condition}", values)
            engine().insert(cursor, sorted(rows))


def empty_index() -> None:
    change_rows("DELETE FROM {rows}")
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("UPDATE archive_occurrence_settling SET recent = 0, next = -1 << 63")
            # Django empties the tables of models only.
            cursor.execute("INSERT INTO archive_textindex (archive_textindex) VALUES ('delete-all')")
