"""The tables as they were after seven migrations, and accounts of our own.

Archives that have all of those take this one for applied; others are refused (`manage.py migrate` says so).
"""

import django.contrib.auth.models
import django.contrib.auth.validators
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

# The index needs what Django's schema editor does not know: no rowid on SQLite; partitions, covered columns
# and slots out of a sequence on PostgreSQL. Later changes to these tables are SQL per engine too: an
# AlterField on SQLite would rebuild the table and drop WITHOUT ROWID without a word.
_COLUMNS = """
        key bigint NOT NULL,
        played integer NOT NULL,
        slot integer NOT NULL,
        ply smallint NOT NULL,
        move smallint NOT NULL,
        flags smallint NOT NULL,
        result smallint NOT NULL,
        PRIMARY KEY (key, played, slot, ply, move)"""
_ROW = "key, played, slot, ply, move, flags, result"
# On SQLite two tables behind a view (`archive.index.sqlite`).
SQLITE = [
    f"CREATE TABLE archive_occurrence_settled ({_COLUMNS}) WITHOUT ROWID",
    f"CREATE TABLE archive_occurrence_recent ({_COLUMNS}) WITHOUT ROWID",
    "CREATE TABLE archive_occurrence_settling (recent integer NOT NULL, next bigint NOT NULL)",
    f"INSERT INTO archive_occurrence_settling VALUES (0, {-(2**63)})",
    f"""
    CREATE VIEW archive_occurrence AS
    SELECT {_ROW} FROM archive_occurrence_recent UNION ALL SELECT {_ROW} FROM archive_occurrence_settled
    """,
]
POSTGRESQL = [
    f"CREATE TABLE archive_occurrence ({_COLUMNS} INCLUDE (flags, result)) PARTITION BY RANGE (slot)",
    "CREATE SEQUENCE archive_slot AS integer MINVALUE 1 OWNED BY archive_game.slot",
    # Records are compressed already: TOAST need not try.
    "ALTER TABLE archive_gamerecord ALTER COLUMN record SET STORAGE EXTERNAL",
    "ALTER TABLE archive_entry ALTER COLUMN record SET STORAGE EXTERNAL",
]


def create_index(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    for statement in {"sqlite": SQLITE, "postgresql": POSTGRESQL}[schema_editor.connection.vendor]:
        schema_editor.execute(statement)


REPLACED = (
    "0001_initial",
    "0002_game_headers",
    "0002_entry_part",
    "0003_game_series",
    "0004_editions",
    "0005_rarer_games",
    "0006_recent_rows",
)


class Migration(migrations.Migration):
    initial = True

    replaces = [("archive", name) for name in REPLACED]
    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [
        migrations.CreateModel(
            name="User",
            fields=[
                ("id", models.AutoField(primary_key=True, serialize=False)),
                ("password", models.CharField(max_length=128, verbose_name="password")),
                ("last_login", models.DateTimeField(blank=True, null=True, verbose_name="last login")),
                (
                    "is_superuser",
                    models.BooleanField(
                        default=False,
                        help_text="Designates that this user has all permissions without explicitly "
                        "assigning them.",
                        verbose_name="superuser status",
                    ),
                ),
                (
                    "username",
                    models.CharField(
                        error_messages={"unique": "A user with that username already exists."},
                        help_text="Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only.",
                        max_length=150,
                        unique=True,
                        validators=[django.contrib.auth.validators.UnicodeUsernameValidator()],
                        verbose_name="username",
                    ),
                ),
                ("first_name", models.CharField(blank=True, max_length=150, verbose_name="first name")),
                ("last_name", models.CharField(blank=True, max_length=150, verbose_name="last name")),
                ("email", models.EmailField(blank=True, max_length=254, verbose_name="email address")),
                (
                    "is_staff",
                    models.BooleanField(
                        default=False,
                        help_text="Designates whether the user can log into this admin site.",
                        verbose_name="staff status",
                    ),
                ),
                (
                    "is_active",
                    models.BooleanField(
                        default=True,
                        help_text="Designates whether this user should be treated as active. "
                        "Unselect this instead of deleting accounts.",
                        verbose_name="active",
                    ),
                ),
                (
                    "date_joined",
                    models.DateTimeField(default=django.utils.timezone.now, verbose_name="date joined"),
                ),
                (
                    "groups",
                    models.ManyToManyField(
                        blank=True,
                        help_text="The groups this user belongs to. A user will get all permissions granted "
                        "to each of their groups.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.group",
                        verbose_name="groups",
                    ),
                ),
                (
                    "user_permissions",
                    models.ManyToManyField(
                        blank=True,
                        help_text="Specific permissions for this user.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.permission",
                        verbose_name="user permissions",
                    ),
                ),
            ],
            options={
                "verbose_name": "user",
                "verbose_name_plural": "users",
                "db_table": "auth_user",
                "abstract": False,
            },
            managers=[("objects", django.contrib.auth.models.UserManager())],
        ),
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
                ("calendar", models.CharField(blank=True, default="", max_length=9)),
                ("round", models.TextField(blank=True, default="")),
                ("opening", models.TextField(blank=True, default="")),
                ("details", models.JSONField(default=dict)),
                ("stem", models.BinaryField(max_length=16, null=True)),
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
                ("beside", models.JSONField(default=dict)),
            ],
        ),
        migrations.CreateModel(
            name="GameSeries",
            fields=[
                (
                    "game",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="series",
                        serialize=False,
                        to="archive.game",
                    ),
                ),
                ("series", models.BinaryField()),
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
                            ("deleting", "being deleted"),
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
                ("reading", models.IntegerField(default=0)),
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
                ("part", models.IntegerField(default=0)),
                ("reading", models.IntegerField(default=0)),
                ("beside", models.JSONField(default=dict)),
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
        migrations.AddIndex(model_name="game", index=models.Index(fields=["stem"], name="game_stem")),
        migrations.AddIndex(
            model_name="game",
            index=models.Index(
                fields=["kind", "played", "slot"], name="game_rarer", condition=~models.Q(kind="shogi")
            ),
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
            database_operations=[migrations.RunPython(create_index)],
        ),
    ]
