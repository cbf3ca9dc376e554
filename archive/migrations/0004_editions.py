"""Editions of one game: what they share (`stem`), what each says beside its record, and its reading."""

from __future__ import annotations

from typing import Any, Final

from django.db import migrations, models

BATCH: Final = 500


def fill_stems(apps: Any, schema_editor: Any) -> None:
    """Hash the main lines of the games that there are."""
    from archive.ingest import records
    from archive.ingest.ready import stem

    game = apps.get_model("archive", "Game")
    stored = apps.get_model("archive", "GameRecord")
    waiting = game.objects.filter(stem__isnull=True).order_by("pk")
    while batch := list(waiting[:BATCH]):
        packed = dict(stored.objects.filter(game__in=batch).values_list("game_id", "record"))
        for row in batch:
            row.stem = stem(records.unpack(packed[row.pk]), row.kind)
        game.objects.bulk_update(batch, ["stem"])


class Migration(migrations.Migration):
    dependencies = [
        ("archive", "0003_game_series"),
    ]

    operations = [
        migrations.AddField("upload", "reading", models.IntegerField(default=0)),
        migrations.AlterField(
            "upload",
            "state",
            models.CharField(
                choices=[
                    ("received", "received"),
                    ("processing", "in progress"),
                    ("done", "done"),
                    ("failed", "failed"),
                    ("deleting", "being deleted"),
                ],
                default="received",
                max_length=10,
            ),
        ),
        migrations.AddField("entry", "reading", models.IntegerField(default=0)),
        migrations.AddField("entry", "beside", models.JSONField(default=dict)),
        migrations.AddField("gamerecord", "beside", models.JSONField(default=dict)),
        migrations.AddField("game", "stem", models.BinaryField(max_length=16, null=True)),
        migrations.AddIndex("game", models.Index(fields=["stem"], name="game_stem")),
        migrations.RunPython(fill_stems, migrations.RunPython.noop),
    ]
