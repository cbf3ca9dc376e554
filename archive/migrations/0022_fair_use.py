"""Uploads that wait for a curator, and the counters that games are charged to."""

from __future__ import annotations

from django.db import migrations, models

STATES = [
    ("received", "received"),
    ("processing", "in progress"),
    ("done", "done"),
    ("failed", "failed"),
    ("waiting", "waits for a curator"),
    ("deleting", "being deleted"),
]


class Migration(migrations.Migration):
    dependencies = (("archive", "0021_accounts"),)
    operations = (
        migrations.AddField("upload", "payer", models.CharField(blank=True, db_default="", max_length=64)),
        migrations.AlterField(
            "upload", "state", models.CharField(choices=STATES, default="received", max_length=10)
        ),
    )
