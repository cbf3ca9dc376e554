from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("archive", "0034_columns"),
    ]

    operations = [
        migrations.AddField(
            model_name="game",
            name="formations_version",
            field=models.SmallIntegerField(db_default=0, default=0),
        ),
        migrations.CreateModel(
            name="GameFormation",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "formation",
                        "slot",
                        "colour",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("formation", models.SmallIntegerField()),
                ("slot", models.IntegerField()),
                ("colour", models.SmallIntegerField()),
                ("ply", models.SmallIntegerField()),
            ],
            options={
                "indexes": [models.Index(fields=["slot"], name="gameformation_of_slot")],
            },
        ),
    ]
