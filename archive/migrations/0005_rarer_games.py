"""An index of the games that are not shogi, in the order of lists."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("archive", "0004_editions"),)
    operations = (
        migrations.AddIndex(
            "game",
            models.Index(
                fields=["kind", "played", "slot"], name="game_rarer", condition=~models.Q(kind="shogi")
            ),
        ),
    )
