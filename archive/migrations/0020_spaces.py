"""Libraries that only their members read: names, uploads and former ids lie in a space, as games do."""

from __future__ import annotations

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

USER = settings.AUTH_USER_MODEL
CASCADE = django.db.models.deletion.CASCADE
PROTECT = django.db.models.deletion.PROTECT
IN_SPACE = ("event", "eventalias", "player", "playeralias", "upload", "gamealias", "gonegame", "goneupload")
NAMED = (
    ("event", "event"),
    ("eventalias", "event_alias"),
    ("player", "player"),
    ("playeralias", "player_alias"),
)


def _id() -> models.BigAutoField[int, int]:
    return models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")


def _unique(name: str, *fields: str) -> models.UniqueConstraint:
    return models.UniqueConstraint(fields=fields, name=name)


class Migration(migrations.Migration):
    dependencies = (("archive", "0019_import_paths"),)
    operations = (
        migrations.CreateModel(
            "Space",
            [
                ("id", _id()),
                (
                    "kind",
                    models.CharField(choices=[("person", "own library"), ("group", "group")], max_length=6),
                ),
                ("name", models.TextField(blank=True)),
                ("created", models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            "Membership",
            [
                ("id", _id()),
                ("owner", models.BooleanField(default=False)),
                ("since", models.DateTimeField(auto_now_add=True)),
                (
                    "space",
                    models.ForeignKey(
                        "archive.Space", on_delete=CASCADE, related_name="memberships", db_index=False
                    ),
                ),
                ("user", models.ForeignKey(USER, on_delete=CASCADE, related_name="memberships")),
            ],
        ),
        migrations.AddConstraint("Membership", _unique("member_of_space", "space", "user")),
        migrations.CreateModel(
            "Invitation",
            [
                ("id", _id()),
                ("key", models.CharField(max_length=64, unique=True)),
                ("owner", models.BooleanField(default=False)),
                ("expires", models.DateTimeField()),
                ("by", models.ForeignKey(USER, on_delete=CASCADE, related_name="+")),
                (
                    "space",
                    models.ForeignKey("archive.Space", on_delete=CASCADE, related_name="invitations"),
                ),
            ],
        ),
        migrations.CreateModel(
            "Share",
            [
                ("id", _id()),
                ("key", models.CharField(max_length=64, null=True, unique=True)),
                ("made", models.DateTimeField(auto_now_add=True)),
                ("by", models.ForeignKey(USER, on_delete=CASCADE, related_name="+")),
                ("game", models.ForeignKey("archive.Game", on_delete=PROTECT, related_name="shares")),
                (
                    "user",
                    models.ForeignKey(USER, on_delete=CASCADE, null=True, related_name="shared_games"),
                ),
            ],
        ),
        migrations.AddConstraint("Share", _unique("share_with_user", "game", "user")),
        migrations.RemoveConstraint("player", "player_key"),
        migrations.RemoveConstraint("upload", "upload_of_user"),
        migrations.RemoveIndex("player", "player_reading"),
        migrations.RemoveIndex("playeralias", "player_alias_key"),
        *[
            migrations.AddField(model, "space", models.BigIntegerField(db_default=0, default=0))
            for model in IN_SPACE
        ],
        migrations.AddField("upload", "moving_to", models.BigIntegerField(null=True)),
        *[migrations.AlterField(model, "name", models.TextField()) for model, _ in NAMED],
        *[migrations.AddConstraint(model, _unique(f"{name}_name", "space", "name")) for model, name in NAMED],
        migrations.AddConstraint("player", _unique("player_key", "space", "key")),
        migrations.AddIndex(
            "player", models.Index(fields=["space", "reading", "name"], name="player_reading")
        ),
        migrations.AddIndex("playeralias", models.Index(fields=["space", "key"], name="player_alias_key")),
        migrations.AddConstraint("upload", _unique("upload_of_user", "uploader", "space", "sha256")),
    )
