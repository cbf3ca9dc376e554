"""How often games have left a space."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("archive", "0024_audit"),)
    operations = (
        migrations.CreateModel(
            "LeftSpace",
            [
                ("space", models.BigIntegerField(primary_key=True, serialize=False)),
                ("times", models.BigIntegerField()),
            ],
        ),
    )
