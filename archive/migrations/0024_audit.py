"""The audit log."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("archive", "0023_pages_of_owner"),
    ]

    operations = [
        migrations.CreateModel(
            name="AuditLine",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField(auto_now_add=True, db_index=True, verbose_name="when")),
                (
                    "deed",
                    models.CharField(
                        choices=[
                            ("sign-in", "signed in"),
                            ("sign-in-failed", "failed to sign in"),
                            ("sign-out", "signed out"),
                            ("account", "changed the way in"),
                            ("rights", "changed rights"),
                            ("members", "changed members"),
                            ("share", "shared"),
                            ("publish", "published"),
                            ("take-back", "took back"),
                            ("delete", "deleted"),
                            ("hide", "hid or showed bytes"),
                            ("let-in", "let held games in"),
                        ],
                        max_length=20,
                        verbose_name="what was done",
                    ),
                ),
                ("account", models.BigIntegerField(null=True, verbose_name="account")),
                ("name", models.CharField(blank=True, max_length=150, verbose_name="who")),
                ("what", models.TextField(blank=True, verbose_name="to what")),
                ("address", models.CharField(blank=True, max_length=64, verbose_name="from where")),
            ],
            options={
                "verbose_name": "line of the audit log",
                "verbose_name_plural": "audit log",
                "default_permissions": ("view",),
            },
        ),
    ]
