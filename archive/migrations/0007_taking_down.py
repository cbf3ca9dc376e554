"""What is taken down: ids that answer 410, uploads that are being deleted, the keys of each game's rows."""

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps


def store_as_it_is(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Keys are hashes: TOAST need not try to compress them."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("ALTER TABLE archive_gamerecord ALTER COLUMN keys SET STORAGE EXTERNAL")


class Migration(migrations.Migration):
    dependencies = (("archive", "0001_squashed_0006"),)
    operations = (
        migrations.CreateModel(
            name="GoneGame",
            fields=[("id", models.BigIntegerField(primary_key=True, serialize=False))],
        ),
        migrations.CreateModel(
            name="GoneUpload",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("upload_id", models.BigIntegerField(unique=True)),
            ],
        ),
        migrations.AddField("gamerecord", "keys", models.BinaryField(null=True)),
        migrations.RunPython(store_as_it_is, migrations.RunPython.noop),
        migrations.AddIndex(
            "upload",
            models.Index(fields=["id"], condition=models.Q(state="deleting"), name="upload_deleting"),
        ),
    )
