"""The sessions in which uploads came without an account."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("archive", "0012_entry_state"),)
    operations = (
        migrations.CreateModel(
            "Sender",
            [
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.CharField(blank=True, max_length=32)),
                ("first", models.BooleanField()),
                (
                    "upload",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="senders",
                        to="archive.upload",
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=["upload", "key"], name="sender_of_upload")],
                "indexes": [models.Index(fields=["key", "upload"], name="sender_uploads")],
            },
        ),
    )
