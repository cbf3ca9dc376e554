"""The words of the states of hooks and of the reasons of reports; the tables stay as they are."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("archive", "0040_parts_and_shared_numbers"),)
    operations = (
        migrations.AlterField(
            model_name="hook",
            name="disabled",
            field=models.CharField(
                blank=True,
                choices=[
                    ("failing", "it failed for too long"),
                    ("gone", "the receiver says that it is gone (410)"),
                    ("rights", "you may no longer read there"),
                    ("query", "the query is no longer valid"),
                    ("slow", "the query takes too long"),
                ],
                max_length=10,
            ),
        ),
        migrations.AlterField(
            model_name="report",
            name="reason",
            field=models.CharField(
                choices=[
                    ("wrong", "The record or its names are wrong"),
                    ("personal", "It names a person who does not want it"),
                    ("rights", "It must not be published"),
                    ("abuse", "It is offensive, or not a game"),
                    ("other", "Something else"),
                ],
                max_length=10,
                verbose_name="reason",
            ),
        ),
    )
