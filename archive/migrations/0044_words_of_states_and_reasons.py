"""The words of the states of entries and of the reasons of reports; the tables stay as they are."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("archive", "0039_lines_of_waiting_games"),)
    operations = (
        migrations.AlterField(
            model_name="entry",
            name="state",
            field=models.CharField(
                choices=[
                    ("stored", "added"),
                    ("duplicate", "already here"),
                    ("failed", "failed"),
                    ("deleted", "game deleted"),
                    ("held", "held for the staff"),
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
