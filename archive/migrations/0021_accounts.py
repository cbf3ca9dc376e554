"""Roles of accounts, tokens for programs, invitations."""

from __future__ import annotations

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps
from django.db.models import Q

import archive.models

ROLES = [
    ("reader", "reader"),
    ("contributor", "contributor"),
    ("curator", "curator"),
    ("administrator", "administrator"),
]
CURATING = ("delete_upload", "delete_game")


def give_roles(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Give accounts the roles that say what they could do before: staff that could delete curates. Other
    staff keeps the single rights that it had, beside the role that everybody has."""
    users = apps.get_model("archive", "User").objects
    of_curators = Q(content_type__app_label="archive", codename__in=CURATING)
    rights = apps.get_model("auth", "Permission").objects.filter(of_curators)
    own, by_group = Q(user_permissions__in=rights), Q(groups__permissions__in=rights)
    curators = users.filter(own | by_group, is_staff=True).values_list("pk", flat=True)
    users.filter(pk__in=[*curators]).update(role="curator")
    users.filter(is_superuser=True).update(role="administrator")


class Migration(migrations.Migration):
    dependencies = (("archive", "0020_spaces"),)
    operations = (
        migrations.AlterModelManagers("User", [("objects", archive.models.UserManager())]),
        migrations.AddField(
            "User",
            "role",
            models.CharField(
                "role", max_length=13, choices=ROLES, default="contributor", db_default="contributor"
            ),
        ),
        migrations.CreateModel(
            "Token",
            [
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=80)),
                ("digest", models.CharField(max_length=64, unique=True)),
                ("scopes", models.JSONField()),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("expires", models.DateTimeField(null=True)),
                ("last_used", models.DateTimeField(null=True)),
                (
                    "user",
                    models.ForeignKey(
                        settings.AUTH_USER_MODEL, django.db.models.deletion.CASCADE, related_name="tokens"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            "AccountInvitation",
            [
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("digest", models.CharField(max_length=64, unique=True)),
                ("role", models.CharField(max_length=13, choices=ROLES)),
                ("note", models.CharField(max_length=80, blank=True)),
                ("made", models.DateTimeField(auto_now_add=True)),
                ("expires", models.DateTimeField()),
                ("used", models.DateTimeField(null=True)),
                (
                    "made_by",
                    models.ForeignKey(
                        settings.AUTH_USER_MODEL,
                        django.db.models.deletion.SET_NULL,
                        null=True,
                        related_name="invitations_made",
                    ),
                ),
                (
                    "used_by",
                    models.ForeignKey(
                        settings.AUTH_USER_MODEL,
                        django.db.models.deletion.SET_NULL,
                        null=True,
                        related_name="invitations_used",
                    ),
                ),
            ],
        ),
        migrations.RunPython(give_roles, migrations.RunPython.noop),
    )
