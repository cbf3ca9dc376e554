from __future__ import annotations

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

# The index needs what Django's schema editor does not know: no rowid on SQLite; partitions, covered columns
# and slots out of a sequence on PostgreSQL. Later changes to these tables are SQL per engine too: an
# AlterField on SQLite would rebuild the table and drop WITHOUT ROWID without a word.
SQLITE = [
    """
    CREATE TABLE archive_occurrence (
        key bigint NOT NULL,
        played integer NOT NULL,
        slot integer NOT NULL,
        ply smallint NOT NULL,
        move smallint NOT NULL,
        flags smallint NOT NULL,
        result smallint NOT NULL,
        PRIMARY KEY (key, played, slot, ply, move)
    ) WITHOUT ROWID
    """,
]
POSTGRESQL = [
    """
    CREATE TABLE archive_occurrence (
        key bigint NOT NULL,
        played integer NOT NULL,
        slot integer NOT NULL,
        ply smallint NOT NULL,
        move smallint NOT NULL,
        flags smallint NOT NULL,
        result smallint NOT NULL,
        PRIMARY KEY (key, played, slot, ply, move) INCLUDE (flags, result)
    ) PARTITION BY RANGE (slot)
    """,
    "CREATE SEQUENCE archive_slot AS integer MINVALUE 1 OWNED BY archive_game.slot",
    # Records are compressed already: TOAST need not try.
    "ALTER TABLE archive_gamerecord ALTER COLUMN record SET STORAGE EXTERNAL",
    "ALTER TABLE archive_entry ALTER COLUMN record SET STORAGE EXTERNAL",
]


def create_index(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    for statement in {"sqlite": SQLITE, "postgresql": POSTGRESQL}[schema_editor.connection.vendor]:
        schema_editor.execute(statement)


def drop_index(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    schema_editor.execute("DROP TABLE archive_occurrence")


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Event",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.TextField(unique=True)),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="Game",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("kind", models.CharField(max_length=16)),
                (
                    "record_kind",
                    models.CharField(
                        choices=[
                            ("game", "game"),
                            ("problem", "problem"),
                            ("tree", "opening tree"),
                            ("position", "position"),
                        ],
                        max_length=10,
                    ),
                ),
                ("space", models.BigIntegerField(default=0)),
                ("digest", models.BinaryField(max_length=16)),
                ("digest_version", models.SmallIntegerField()),
                ("slot", models.IntegerField(unique=True)),
                ("site", models.TextField(blank=True)),
                ("played_from", models.DateField(null=True)),
                ("played_to", models.DateField(null=True)),
                (
                    "precision",
                    models.CharField(
                        blank=True,
                        choices=[("", "unknown"), ("year", "year"), ("month", "month"), ("day", "day")],
                        max_length=5,
                    ),
                ),
                ("played", models.IntegerField()),
                ("handicap", models.CharField(max_length=10)),
                (
                    "result",
                    models.SmallIntegerField(
                        choices=[(0, "colour 0 wins"), (1, "colour 1 wins"), (2, "draw"), (3, "unknown")]
                    ),
                ),
                ("special", models.TextField(blank=True)),
                ("plies", models.IntegerField()),
                ("index_version", models.SmallIntegerField()),
                ("index_rows", models.IntegerField()),
                (
                    "event",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="archive.event",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="HotMove",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "key",
                        "flags",
                        "move",
                        "result",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("key", models.BigIntegerField()),
                ("flags", models.SmallIntegerField()),
                ("move", models.SmallIntegerField()),
                ("result", models.SmallIntegerField()),
                ("n", models.BigIntegerField()),
                ("rated", models.BigIntegerField()),
                ("rating_sum", models.BigIntegerField()),
                ("last_played", models.IntegerField()),
            ],
        ),
        migrations.CreateModel(
            name="HotPosition",
            fields=[
                ("key", models.BigIntegerField(primary_key=True, serialize=False)),
                ("code", models.TextField()),
            ],
        ),
        migrations.CreateModel(
            name="IndexState",
            fields=[
                ("version", models.SmallIntegerField(primary_key=True, serialize=False)),
                (
                    "state",
                    models.CharField(
                        choices=[("filling", "filling"), ("live", "live"), ("retired", "retired")],
                        max_length=10,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Player",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.TextField(unique=True)),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="EventAlias",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.TextField(unique=True)),
                (
                    "event",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="aliases",
                        to="archive.event",
                    ),
                ),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="GameRecord",
            fields=[
                (
                    "game",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="stored",
                        serialize=False,
                        to="archive.game",
                    ),
                ),
                ("record", models.BinaryField()),
            ],
        ),
        migrations.CreateModel(
            name="GameAlias",
            fields=[
                ("id", models.BigIntegerField(primary_key=True, serialize=False)),
                (
                    "game",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="aliases", to="archive.game"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="GameEvent",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "event_id",
                        "played",
                        "slot",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("played", models.IntegerField()),
                ("slot", models.IntegerField(unique=True)),
                (
                    "event",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="archive.event",
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="game",
            name="player0",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="archive.player",
            ),
        ),
        migrations.AddField(
            model_name="game",
            name="player1",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="archive.player",
            ),
        ),
        migrations.CreateModel(
            name="PlayerAlias",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.TextField(unique=True)),
                (
                    "player",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="aliases",
                        to="archive.player",
                    ),
                ),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="Upload",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("sha256", models.CharField(max_length=64)),
                ("name", models.TextField(blank=True)),
                ("size", models.BigIntegerField()),
                ("source", models.CharField(max_length=20)),
                ("received", models.DateTimeField(auto_now_add=True)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("received", "received"),
                            ("processing", "in progress"),
                            ("done", "done"),
                            ("failed", "failed"),
                        ],
                        default="received",
                        max_length=10,
                    ),
                ),
                ("expected", models.IntegerField(null=True)),
                ("reason", models.JSONField(null=True)),
                ("claimed_by", models.CharField(max_length=64, null=True)),
                ("claimed_until", models.DateTimeField(null=True)),
                ("tries", models.IntegerField(default=0)),
                ("finished", models.DateTimeField(null=True)),
                (
                    "uploader",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="uploads",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Entry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("seq", models.IntegerField()),
                ("path", models.TextField(blank=True)),
                ("index", models.IntegerField(default=0)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("stored", "stored"),
                            ("duplicate", "known game"),
                            ("failed", "failed"),
                            ("deleted", "game deleted"),
                        ],
                        max_length=10,
                    ),
                ),
                ("record", models.BinaryField(null=True)),
                ("issues", models.JSONField(default=list)),
                ("extra", models.JSONField(default=dict)),
                ("encoding", models.CharField(blank=True, max_length=20)),
                ("format", models.CharField(blank=True, max_length=20)),
                ("program", models.TextField(blank=True)),
                (
                    "game",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="entries",
                        to="archive.game",
                    ),
                ),
                (
                    "upload",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="entries",
                        to="archive.upload",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "entries",
            },
        ),
        migrations.CreateModel(
            name="UploadChunk",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "upload_id", "n", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("n", models.IntegerField()),
                ("bytes", models.BinaryField()),
                (
                    "upload",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="chunks",
                        to="archive.upload",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="GamePlayer",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "player_id",
                        "played",
                        "slot",
                        "colour",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("played", models.IntegerField()),
                ("slot", models.IntegerField()),
                ("colour", models.SmallIntegerField()),
                ("rating", models.SmallIntegerField(null=True)),
                (
                    "player",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="archive.player",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("slot", "colour"), name="gameplayer_of_slot")
                ],
            },
        ),
        migrations.AddIndex(
            model_name="game",
            index=models.Index(fields=["played", "slot"], name="game_played"),
        ),
        migrations.AddConstraint(
            model_name="game",
            constraint=models.UniqueConstraint(fields=("space", "digest"), name="game_identity"),
        ),
        migrations.AddIndex(
            model_name="upload",
            index=models.Index(
                condition=models.Q(("state__in", ["received", "processing"])),
                fields=["received"],
                name="upload_unfinished",
            ),
        ),
        migrations.AddConstraint(
            model_name="upload",
            constraint=models.UniqueConstraint(fields=("uploader", "sha256"), name="upload_of_user"),
        ),
        migrations.AddConstraint(
            model_name="upload",
            constraint=models.UniqueConstraint(
                condition=models.Q(("uploader__isnull", True)), fields=("sha256",), name="upload_of_nobody"
            ),
        ),
        migrations.AddConstraint(
            model_name="entry",
            constraint=models.UniqueConstraint(fields=("upload", "seq"), name="entry_of_upload"),
        ),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name="Occurrence",
                    fields=[
                        (
                            "pk",
                            models.CompositePrimaryKey(
                                "key",
                                "played",
                                "slot",
                                "ply",
                                "move",
                                blank=True,
                                editable=False,
                                primary_key=True,
                                serialize=False,
                            ),
                        ),
                        ("key", models.BigIntegerField()),
                        ("played", models.IntegerField()),
                        ("slot", models.IntegerField()),
                        ("ply", models.SmallIntegerField()),
                        ("move", models.SmallIntegerField()),
                        ("flags", models.SmallIntegerField()),
                        ("result", models.SmallIntegerField()),
                    ],
                ),
            ],
            database_operations=[migrations.RunPython(create_index, drop_index)],
        ),
    ]
