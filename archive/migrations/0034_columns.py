"""Files of columns, and the games that are to be in them: all of shogi's."""

from typing import Final

import django.utils.timezone
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

NOTED: Final = ("columnsegment",)
"""What is shown changes with these tables, too (0026)."""

TRIGGER: Final = """
CREATE TRIGGER archive_changed AFTER INSERT OR UPDATE OR DELETE ON archive_{table}
    FOR EACH ROW EXECUTE FUNCTION archive_note_change();
"""
WAITING: Final = """
INSERT INTO archive_columnwaiting (slot, space, since)
SELECT slot, space, CURRENT_TIMESTAMP FROM archive_game WHERE kind = 'shogi' ORDER BY slot
"""
NOTHING: Final = migrations.RunSQL.noop


def note(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    if schema_editor.connection.vendor == "postgresql":
        for table in NOTED:
            schema_editor.execute(TRIGGER.format(table=table))


class Migration(migrations.Migration):
    dependencies = (("archive", "0033_no_constraints"),)
    operations = (
        migrations.CreateModel(
            "ColumnWaiting",
            [
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("slot", models.IntegerField(unique=True)),
                ("space", models.BigIntegerField(default=0)),
                ("since", models.DateTimeField(default=django.utils.timezone.now)),
            ],
        ),
        migrations.CreateModel(
            "ColumnGone",
            [
                ("slot", models.IntegerField(primary_key=True, serialize=False)),
                ("waited", models.BooleanField()),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["slot"], name="columngone_waited", condition=models.Q(("waited", True))
                    )
                ]
            },
        ),
        migrations.CreateModel(
            "ColumnSegment",
            [
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("space", models.BigIntegerField()),
                ("name", models.CharField(max_length=60, unique=True)),
                ("first", models.IntegerField()),
                ("last", models.IntegerField()),
                ("games", models.IntegerField()),
                ("rows", models.IntegerField()),
                ("size", models.BigIntegerField()),
                ("sha256", models.CharField(max_length=64)),
                ("version", models.SmallIntegerField()),
                ("made", models.DateTimeField(default=django.utils.timezone.now)),
                ("retired", models.DateTimeField(null=True)),
            ],
        ),
        migrations.RunPython(note, migrations.RunPython.noop),
        migrations.RunSQL(WAITING, NOTHING),
    )
