"""Pages in the words of the archive's owner, and what visitors report of games."""

from __future__ import annotations

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

PAGES = [("terms", "Terms of use"), ("privacy", "Privacy"), ("contact", "Contact")]
REASONS = [
    ("wrong", "The record or its names are wrong"),
    ("personal", "It tells of a person who does not want it"),
    ("rights", "It may not be published"),
    ("abuse", "It is offensive, or no game at all"),
    ("other", "Something else"),
]


def _id() -> models.BigAutoField[int, int]:
    return models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")


def _user(name: str) -> models.ForeignKey[object, object]:
    return models.ForeignKey(
        settings.AUTH_USER_MODEL,
        django.db.models.deletion.SET_NULL,
        null=True,
        related_name="+",
        verbose_name=name,
    )


class Migration(migrations.Migration):
    dependencies = (("archive", "0022_fair_use"),)
    operations = (
        migrations.CreateModel(
            "SiteText",
            [
                ("id", _id()),
                ("page", models.CharField("page", max_length=10, choices=PAGES)),
                ("language", models.CharField("language", max_length=2, choices=settings.LANGUAGES)),
                ("text", models.TextField("text", max_length=100_000)),
                ("changed", models.DateTimeField("changed", auto_now=True)),
            ],
            {
                "verbose_name": "page of the archive's owner",
                "verbose_name_plural": "pages of the archive's owner",
                "constraints": [
                    models.UniqueConstraint(fields=["page", "language"], name="site_text_of_language")
                ],
            },
        ),
        migrations.CreateModel(
            "Report",
            [
                ("id", _id()),
                ("game", models.BigIntegerField("game")),
                ("reason", models.CharField("reason", max_length=10, choices=REASONS)),
                ("text", models.TextField("what they write", blank=True)),
                ("by", _user("reported by")),
                ("made", models.DateTimeField("reported", auto_now_add=True)),
                ("settled", models.DateTimeField("settled", null=True)),
                ("settled_by", _user("settled by")),
            ],
            {
                "verbose_name": "report of a game",
                "verbose_name_plural": "reports of games",
                "indexes": [
                    models.Index(fields=["game"], condition=models.Q(settled=None), name="report_open")
                ],
            },
        ),
    )
