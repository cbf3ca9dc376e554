"""What players' names are sorted by, as far as their reading is known.

About 30 bytes a player, and as many again in the index; nothing for games.
"""

from typing import Final

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

BATCH: Final = 2000


def fill(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Give every player the reading of the name."""
    from archive.names.kana_readings import reading

    model = apps.get_model("archive", "Player")
    last = 0
    while rows := list(model.objects.filter(pk__gt=last).order_by("pk")[:BATCH]):
        for row in rows:
            row.reading = reading(row.name)
        model.objects.bulk_update(rows, ["reading"])
        last = rows[-1].pk


class Migration(migrations.Migration):
    dependencies = (("archive", "0014_games_by_length"),)
    operations = (
        migrations.AddField(
            "player", "reading", models.TextField(blank=True, default=""), preserve_default=False
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.AddIndex("player", models.Index(fields=["reading", "name"], name="player_reading")),
    )
