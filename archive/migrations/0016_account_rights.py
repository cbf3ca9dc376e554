"""What was allowed for Django's accounts, and noted of them, is so for the archive's own."""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps


def take_over(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Let the rights and log entries of `auth.User` be those of `archive.User`, which took its table."""
    types = apps.get_model("contenttypes", "ContentType").objects
    if not types.filter(app_label="archive", model="user").exists():
        types.filter(app_label="auth", model="user").update(app_label="archive")


class Migration(migrations.Migration):
    dependencies = (
        ("archive", "0015_player_readings"),
        ("contenttypes", "0002_remove_content_type_name"),
    )
    operations = (migrations.RunPython(take_over, migrations.RunPython.noop),)
