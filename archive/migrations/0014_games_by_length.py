"""An index of games by the plies of their main line, for lists of the longest and the shortest.

About 16 bytes a game on SQLite, 25 on PostgreSQL."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("archive", "0013_sender"),)
    operations = (migrations.AddIndex("game", models.Index(fields=["plies", "slot"], name="game_plies")),)
