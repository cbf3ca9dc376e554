"""On SQLite the index becomes two tables behind a view (`archive.index.sqlite`)."""

from __future__ import annotations

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

COLUMNS = "key, played, slot, ply, move, flags, result"
FORWARDS = (
    "ALTER TABLE archive_occurrence RENAME TO archive_occurrence_settled",
    """
    CREATE TABLE archive_occurrence_recent (
        key bigint NOT NULL,
        played integer NOT NULL,
        slot integer NOT NULL,
        ply smallint NOT NULL,
        move smallint NOT NULL,
        flags smallint NOT NULL,
        result smallint NOT NULL,
        PRIMARY KEY (key, played, slot, ply, move)
    ) WITHOUT ROWID
    """,
    "CREATE TABLE archive_occurrence_settling (recent integer NOT NULL, next bigint NOT NULL)",
    f"INSERT INTO archive_occurrence_settling VALUES (0, {-(2**63)})",
    f"""
    CREATE VIEW archive_occurrence AS
    SELECT {COLUMNS} FROM archive_occurrence_recent UNION ALL SELECT {COLUMNS} FROM archive_occurrence_settled
    """,
)
BACKWARDS = (
    "DROP VIEW archive_occurrence",
    "INSERT INTO archive_occurrence_settled SELECT * FROM archive_occurrence_recent",
    "DROP TABLE archive_occurrence_recent",
    "DROP TABLE archive_occurrence_settling",
    "ALTER TABLE archive_occurrence_settled RENAME TO archive_occurrence",
)


def forwards(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    _run(schema_editor, FORWARDS)


def backwards(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    _run(schema_editor, BACKWARDS)


def _run(schema_editor: BaseDatabaseSchemaEditor, statements: tuple[str, ...]) -> None:
    if schema_editor.connection.vendor == "sqlite":
        for statement in statements:
            schema_editor.execute(statement)


class Migration(migrations.Migration):
    dependencies = (("archive", "0005_rarer_games"),)
    operations = (migrations.RunPython(forwards, backwards),)
