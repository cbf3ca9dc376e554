"""Games that were taken down are known when they are sent again."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("archive", "0017_telling_names"),)
    operations = (
        migrations.CreateModel(
            "TakenDown",
            [
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("space", models.BigIntegerField()),
                ("digest", models.BinaryField(max_length=16)),
                ("game", models.BigIntegerField(null=True)),
                ("hidden", models.BooleanField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=["space", "digest"], name="taken_down_identity")
                ],
            },
        ),
        migrations.AlterField(
            "Entry",
            "state",
            models.CharField(
                choices=[
                    ("stored", "stored"),
                    ("duplicate", "known game"),
                    ("failed", "failed"),
                    ("deleted", "game deleted"),
                    ("held", "held for the staff"),
                ],
                max_length=10,
            ),
        ),
    )
