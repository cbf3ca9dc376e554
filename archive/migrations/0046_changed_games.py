from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("archive", "0039_lines_of_waiting_games"),
    ]

    operations = [
        migrations.AddField(
            model_name="game",
            name="changed",
            field=models.DateTimeField(null=True),
        ),
    ]
