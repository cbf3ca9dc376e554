"""A count of changes of what the public archive holds (`archive.index.changes`): of its own games, names and
uploads, and not of what libraries hold. Triggers count, on both engines.

It begins with a number drawn at random, so that a database which takes the place of another one repeats none.

And for how many people an invitation is, and into which group one that makes accounts leads; and addresses of
mail with their domains in ASCII (`archive.accounts.names.normal_address`).
"""

from collections.abc import Iterator
from typing import Final

import django.db.models.deletion
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

TABLES: Final = (
    "player", "event", "playeralias", "eventalias", "game", "gamealias", "gonegame", "takendown", "leftspace",
    "goneupload", "columnsegment", "upload", "entry",
)  # fmt: skip
"""What belongs to a game without being here changes with its row."""

_OF_SPACE: Final = {
    "INSERT": "NEW.space = 0",
    "UPDATE": "OLD.space = 0 OR NEW.space = 0",
    "DELETE": "OLD.space = 0",
}
# An upload to a library holds public games after some of its games were published.
_OF_UPLOADS: Final = _OF_SPACE | {
    "UPDATE": "OLD.space = 0 OR NEW.space = 0 OR OLD.state <> NEW.state"
    " AND 'deleting' IN (OLD.state, NEW.state) AND {holds_public}"
}
_OF_ENTRIES: Final = {
    "INSERT": "{new_is_public}",
    "UPDATE": "{old_is_public} OR {new_is_public}",
    "DELETE": "{old_is_public}",
}
WHEN: Final = dict.fromkeys(TABLES, _OF_SPACE) | {"upload": _OF_UPLOADS, "entry": _OF_ENTRIES}

_HOLDS: Final = (
    "EXISTS (SELECT 1 FROM archive_entry e JOIN archive_game g ON g.id = e.game_id"
    " WHERE e.upload_id = {0} AND g.space = 0)"
)
_IS: Final = "EXISTS (SELECT 1 FROM archive_game g WHERE g.id = {0} AND g.space = 0)"

_SQLITE: Final = (
    "CREATE TABLE archive_changes (public bigint NOT NULL)",
    "INSERT INTO archive_changes VALUES (abs(random() % 1000000000000))",
)
_SQLITE_TRIGGER: Final = """
CREATE TRIGGER archive_public_{deed}_{table} AFTER {deed} ON archive_{table} WHEN {when}
BEGIN UPDATE archive_changes SET public = public + 1; END
"""
# As in 0026: no transaction waits for another one, and each counts once.
_POSTGRESQL: Final = f"""
ALTER TABLE archive_changes ADD COLUMN public bigint NOT NULL DEFAULT 0;
UPDATE archive_changes SET public = floor(random() * 1000000000000);
CREATE FUNCTION archive_holds_public(upload bigint) RETURNS boolean LANGUAGE sql STABLE
    AS $$ SELECT {_HOLDS.format("upload")} $$;
CREATE FUNCTION archive_is_public(game bigint) RETURNS boolean LANGUAGE sql STABLE
    AS $$ SELECT {_IS.format("game")} $$;
CREATE FUNCTION archive_note_public() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('archive.public', true) = pg_current_xact_id()::text THEN
        RETURN NULL;
    END IF;
    UPDATE archive_changes SET public = public + 1 WHERE id = (
        SELECT id FROM archive_changes LIMIT 1 FOR UPDATE SKIP LOCKED
    );
    IF NOT FOUND THEN
        INSERT INTO archive_changes (times, public) VALUES (0, 1);
    END IF;
    PERFORM set_config('archive.public', pg_current_xact_id()::text, true);
    RETURN NULL;
END
$$;
"""
_POSTGRESQL_TRIGGER: Final = """
CREATE TRIGGER archive_public_{deed} AFTER {deed} ON archive_{table}
    FOR EACH ROW WHEN ({when}) EXECUTE FUNCTION archive_note_public()
"""
_BACKWARDS: Final = """
DROP FUNCTION archive_note_public() CASCADE;
DROP FUNCTION archive_holds_public(bigint), archive_is_public(bigint);
ALTER TABLE archive_changes DROP COLUMN public;
"""


def _triggers(sqlite: bool) -> Iterator[str]:
    held, public = (_HOLDS, _IS) if sqlite else ("archive_holds_public({0})", "archive_is_public({0})")
    asked = {
        "holds_public": held.format("NEW.id"),
        "new_is_public": public.format("NEW.game_id"),
        "old_is_public": public.format("OLD.game_id"),
    }
    trigger = _SQLITE_TRIGGER if sqlite else _POSTGRESQL_TRIGGER
    for table, deeds in WHEN.items():
        for deed, when in deeds.items():
            yield trigger.format(table=table, deed=deed.lower(), when=when.format(**asked))


def forwards(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    sqlite = schema_editor.connection.vendor == "sqlite"
    for statement in (*(_SQLITE if sqlite else (_POSTGRESQL,)), *_triggers(sqlite)):
        schema_editor.execute(statement)


def backwards(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    if schema_editor.connection.vendor == "sqlite":
        for table, deeds in WHEN.items():
            for deed in deeds:
                schema_editor.execute(f"DROP TRIGGER archive_public_{deed.lower()}_{table}")
        schema_editor.execute("DROP TABLE archive_changes")
    else:
        schema_editor.execute(_BACKWARDS)


def addresses_in_ascii(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    addresses = apps.get_model("account", "EmailAddress")
    for pk, email in addresses.objects.values_list("pk", "email"):
        local, _at, domain = email.rpartition("@")
        try:
            normal = f"{local}@{domain.encode('idna').decode('ascii')}".lower()
        except UnicodeError:
            continue
        if normal != email and not addresses.objects.filter(email=normal).exists():
            addresses.objects.filter(pk=pk).update(email=normal)


class Migration(migrations.Migration):
    dependencies = (
        ("archive", "0044_problems"),
        ("account", "0009_emailaddress_unique_primary_email"),
    )
    operations = (
        migrations.RunPython(forwards, backwards),
        migrations.RunPython(addresses_in_ascii, migrations.RunPython.noop),
        migrations.AddField("invitation", "left", models.SmallIntegerField(default=1, db_default=1)),
        migrations.AddField("accountinvitation", "left", models.SmallIntegerField(default=1, db_default=1)),
        migrations.AddField(
            "accountinvitation",
            "group",
            models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to="archive.space"
            ),
        ),
    )
