"""Entries whose bytes only the staff sees."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("archive", "0008_throttle_counts"),)
    operations = (
        migrations.AddField("entry", "hidden", models.BooleanField(default=False, db_default=False)),
        migrations.AddIndex(
            "entry",
            models.Index(fields=["upload", "part"], condition=models.Q(hidden=True), name="entry_hidden"),
        ),
    )
