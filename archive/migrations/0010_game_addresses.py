"""Games by the place that their records name: servers write the game's address there."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("archive", "0009_hidden_bytes"),)
    operations = (
        migrations.AddIndex(
            "game", models.Index(fields=["site"], condition=~models.Q(site=""), name="game_site")
        ),
    )
