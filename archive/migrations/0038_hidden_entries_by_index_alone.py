from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("archive", "0037_columns_gone_by_space"),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name="entry",
            name="entry_hidden",
        ),
        migrations.AddIndex(
            model_name="entry",
            index=models.Index(
                condition=models.Q(("hidden", True)), fields=["upload", "part", "hidden"], name="entry_hidden"
            ),
        ),
    ]
