from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("archive", "0035_formations"),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name="game",
            name="game_played",
        ),
        migrations.RemoveIndex(
            model_name="game",
            name="game_plies",
        ),
        migrations.AddIndex(
            model_name="game",
            index=models.Index(fields=["space", "played", "slot"], name="game_of_space"),
        ),
        migrations.AddIndex(
            model_name="game",
            index=models.Index(fields=["space", "plies", "slot"], name="game_plies_of_space"),
        ),
        migrations.AddIndex(
            model_name="game",
            index=models.Index(fields=["space", "id"], name="game_came_of_space"),
        ),
    ]
