"""Entries by their state: an upload's counts, and the pages of its failures and of the others."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("archive", "0011_player_keys"),)
    operations = (
        migrations.AddIndex("entry", models.Index(fields=["upload", "state", "seq"], name="entry_state")),
    )
