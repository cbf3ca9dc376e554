"""Which request brought an upload: who works on it tells it in the log."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("archive", "0031_heard_processes"),)
    operations = (
        migrations.AddField(
            "upload", "request", models.CharField(blank=True, db_default="", default="", max_length=64)
        ),
    )
