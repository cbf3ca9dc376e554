"""Records, series and uploads' bytes without constraints of the database, so that they can lie on other
servers; and without the triggers that note a change: these rows change in transactions that write the row of
their game, which notes it.
"""

from typing import Any, Final

import django.db.models.deletion
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

UNNOTED: Final = ("gamerecord", "gameseries")
_NOTE: Final = """
CREATE TRIGGER archive_changed AFTER INSERT OR UPDATE OR DELETE ON archive_{table}
    FOR EACH ROW EXECUTE FUNCTION archive_note_change();
"""


def forwards(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    if schema_editor.connection.vendor == "postgresql":
        for table in UNNOTED:
            schema_editor.execute(f"DROP TRIGGER archive_changed ON archive_{table}")


def backwards(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    if schema_editor.connection.vendor == "postgresql":
        for table in UNNOTED:
            schema_editor.execute(_NOTE.format(table=table))


def _of_game(name: str) -> models.OneToOneField[Any, Any]:
    return models.OneToOneField(
        db_constraint=False,
        on_delete=django.db.models.deletion.PROTECT,
        primary_key=True,
        related_name=name,
        serialize=False,
        to="archive.game",
    )


class Migration(migrations.Migration):
    dependencies = (("archive", "0032_upload_request"),)
    operations = (
        migrations.RunPython(forwards, backwards),
        migrations.AlterField("gamerecord", "game", _of_game("stored")),
        migrations.AlterField("gameseries", "game", _of_game("series")),
        migrations.AlterField(
            "uploadchunk",
            "upload",
            models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="chunks",
                to="archive.upload",
            ),
        ),
    )
