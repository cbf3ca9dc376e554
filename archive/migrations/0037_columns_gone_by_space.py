from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("archive", "0036_lists_of_spaces"),
    ]

    operations = [
        migrations.AddField(
            model_name="columngone",
            name="space",
            field=models.BigIntegerField(null=True),
        ),
    ]
