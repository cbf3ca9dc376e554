"""On PostgreSQL the table of Django's cache for numbers that processes share (`archive.queries.kept`); SQLite
has a folder for them.

Unlogged: after a crash of the server all are counted anew.
"""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

FORWARDS = """
CREATE UNLOGGED TABLE archive_counted (
    cache_key varchar(255) PRIMARY KEY,
    value text NOT NULL,
    expires timestamptz NOT NULL
);
CREATE INDEX archive_counted_expires ON archive_counted (expires);
"""
BACKWARDS = "DROP TABLE archive_counted"


def forwards(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(FORWARDS)


def backwards(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(BACKWARDS)


class Migration(migrations.Migration):
    dependencies = (("archive", "0039_lines_of_waiting_games"),)
    operations = (migrations.RunPython(forwards, backwards),)
