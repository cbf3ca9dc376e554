from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("archive", "0041_words_of_states_and_reasons"),
    ]

    operations = [
        migrations.AddField(
            model_name="game",
            name="changed",
            field=models.DateTimeField(null=True),
        ),
        migrations.AlterField(
            model_name="auditline",
            name="deed",
            field=models.CharField(
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
                    ("import", "imported"),
                    ("reread", "had read again"),
                ],
                max_length=20,
                verbose_name="what was done",
            ),
        ),
    ]
