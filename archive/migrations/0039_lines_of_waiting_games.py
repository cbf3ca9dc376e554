from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("archive", "0038_hidden_entries_by_index_alone"),
    ]

    operations = [
        migrations.AddField(
            model_name="columnwaiting",
            name="lines",
            field=models.BinaryField(null=True),
        ),
    ]
