"""Counters of parts of busy positions (`archive.index.part_counters`); on PostgreSQL the table of Django's
cache for numbers that processes share (`archive.caching.values`). SQLite has a folder for these.

That table is unlogged: after a crash of the server all are counted anew.

Endings that were stored under another word than JKF's name get that name: so they are found and counted.
"""

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from kifu_core.shogi.specials import BY_WORD

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


def name_endings(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    games = apps.get_model("archive", "Game").objects.filter(kind="shogi")
    for word in games.order_by().values_list("special", flat=True).distinct():
        kind = BY_WORD.get(word)
        if kind and kind.special:
            games.filter(special=word).update(special=kind.special)


class Migration(migrations.Migration):
    dependencies = (("archive", "0039_lines_of_waiting_games"),)
    operations = (
        migrations.AddField(
            model_name="hotposition",
            name="parted",
            field=models.BooleanField(default=False, db_default=False),
        ),
        migrations.CreateModel(
            name="HotPart",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "key",
                        "part",
                        "flags",
                        "move",
                        "result",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("key", models.BigIntegerField()),
                ("part", models.SmallIntegerField()),
                ("flags", models.SmallIntegerField()),
                ("move", models.SmallIntegerField()),
                ("result", models.SmallIntegerField()),
                ("n", models.BigIntegerField()),
                ("rated", models.BigIntegerField()),
                ("rating_sum", models.BigIntegerField()),
                ("first_played", models.IntegerField()),
                ("last_played", models.IntegerField()),
            ],
        ),
        migrations.RunPython(forwards, backwards),
        migrations.RunPython(name_endings, migrations.RunPython.noop),
    )
