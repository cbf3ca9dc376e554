"""The texts of games and names in the form in which they are searched; 0029 fills it in.

On PostgreSQL a function that is the same as `archive.names.search_text.pieces` makes the pieces of a text:
each character with the one after it, or alone before a blank and at the end. On SQLite the store writes them.
"""

from __future__ import annotations

from typing import Final

import django.db.models.deletion
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

NAMES: Final = ("player", "playeralias", "event", "eventalias")

FORWARDS: Final = {
    "sqlite": (
        """
        CREATE VIRTUAL TABLE archive_textindex USING fts5(
            pieces, content = '', columnsize = 0, detail = none, tokenize = 'ascii'
        )
        """,
    ),
    "postgresql": (
        """
        CREATE FUNCTION archive_pieces(text) RETURNS tsvector
        LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 5000 AS $$
            SELECT array_to_tsvector(coalesce(array_agg(
                CASE WHEN following IS NULL OR following = ' ' OR following = E'\\n' THEN this
                ELSE this || following END
            ), '{}'))
            FROM unnest(string_to_array($1, NULL), string_to_array(substr($1, 2), NULL)) AS u(this, following)
            WHERE this <> ' ' AND this <> E'\\n'
        $$
        """,
        "CREATE INDEX archive_textindex ON archive_gametext USING gin (archive_pieces(text))",
    ),
}
BACKWARDS: Final = {
    "sqlite": ("DROP TABLE archive_textindex",),
    "postgresql": ("DROP INDEX archive_textindex", "DROP FUNCTION archive_pieces(text)"),
}


def forwards(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    for statement in FORWARDS[schema_editor.connection.vendor]:
        schema_editor.execute(statement)


def backwards(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    for statement in BACKWARDS[schema_editor.connection.vendor]:
        schema_editor.execute(statement)


class Migration(migrations.Migration):
    dependencies = (("archive", "0027_arrivals"),)
    operations = (
        migrations.AddField("game", "features", models.SmallIntegerField(default=0, db_default=0)),
        *(
            migrations.AddField(name, "searched", models.TextField(default="", db_default=""))
            for name in NAMES
        ),
        migrations.CreateModel(
            "GameText",
            [
                (
                    "game",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="text",
                        serialize=False,
                        to="archive.game",
                    ),
                ),
                ("text", models.TextField(blank=True)),
            ],
        ),
        migrations.RunPython(forwards, backwards),
    )
