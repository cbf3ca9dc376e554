"""The paths within imports under which uploads came."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("archive", "0018_taken_down"),)
    operations = (migrations.AddField("Upload", "paths", models.JSONField(null=True)),)
