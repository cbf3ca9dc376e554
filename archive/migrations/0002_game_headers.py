"""What headers tell of a game: calendar, round, opening, and the rest as JSON."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("archive", "0001_initial"),
    ]

    operations = [
        migrations.AddField("game", "calendar", models.CharField(blank=True, default="", max_length=9)),
        migrations.AddField("game", "round", models.TextField(blank=True, default="")),
        migrations.AddField("game", "opening", models.TextField(blank=True, default="")),
        migrations.AddField("game", "details", models.JSONField(default=dict)),
    ]
