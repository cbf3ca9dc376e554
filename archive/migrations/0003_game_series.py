"""A table of its own for what engines and clocks tell of a game."""

from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("archive", "0002_entry_part"),
    ]

    operations = [
        migrations.CreateModel(
            name="GameSeries",
            fields=[
                (
                    "game",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="series",
                        serialize=False,
                        to="archive.game",
                    ),
                ),
                ("series", models.BinaryField()),
            ],
        ),
    ]
