from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("archive", "0043_words_of_the_administration"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="game",
            index=models.Index(
                condition=models.Q(("record_kind", "problem")),
                fields=["space", "plies", "id"],
                name="game_problems",
            ),
        ),
    ]
