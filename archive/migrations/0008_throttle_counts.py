"""On PostgreSQL a table for counts of throttles (`archive.http.limits.postgresql`); SQLite has a file.

Unlogged: a count costs no write-ahead log, and after a crash of the server all begin anew.
"""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

# Room in every page for new versions of its rows, and no index on what changes: updates stay in the page.
FORWARDS = """
CREATE UNLOGGED TABLE archive_throttle (
    key bytea PRIMARY KEY,
    until double precision NOT NULL,
    total bigint NOT NULL
) WITH (fillfactor = 50)
"""
BACKWARDS = "DROP TABLE archive_throttle"


def forwards(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(FORWARDS)


def backwards(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(BACKWARDS)


class Migration(migrations.Migration):
    dependencies = (("archive", "0007_taking_down"),)
    operations = (migrations.RunPython(forwards, backwards),)
