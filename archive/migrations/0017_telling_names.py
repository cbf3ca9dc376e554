"""Columns are called by what is in them."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = (("archive", "0016_account_rights"),)
    operations = (
        migrations.RenameField("Upload", "reading", "rereads"),
        migrations.RenameField("Entry", "reading", "rereads"),
        migrations.RenameField("Entry", "beside", "parsed_facts"),
        migrations.RenameField("Entry", "extra", "beyond_jkf"),
        migrations.RenameField("GameRecord", "beside", "parsed_facts"),
        migrations.RenameField("Game", "details", "header_data"),
    )
