"""Keys of players' names, in which 髙 and 高 are one character; players who are one by them become one."""

from itertools import groupby
from typing import Final

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

BATCH: Final = 2000


def fill_keys(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Give every name its key and make those one that have the same: the oldest id stays.

    The games of the others are the oldest one's, their names further names of it. Their games may be one
    by now, which reading uploads again finds out.
    """
    from archive.derive.headers import folded

    player, alias = (apps.get_model("archive", name) for name in ("Player", "PlayerAlias"))
    named = sorted((folded(name), pk, name) for pk, name in player.objects.values_list("pk", "name"))
    for key, group in groupby(named, lambda row: row[0]):
        (_, first, _), *others = group
        for _, pk, name in others:
            _give(apps, pk, first)
            player.objects.filter(pk=pk).delete()
            alias.objects.create(name=name, key=key, player_id=first, former=pk)
    for model in (player, alias):
        rows = list(model.objects.order_by("pk"))
        for row in rows:
            row.key = folded(row.name)
        model.objects.bulk_update(rows, ["key"], batch_size=BATCH)
    if schema_editor.connection.vendor == "postgresql":
        # Tables with checks that wait for the end of the transaction cannot be changed.
        schema_editor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        schema_editor.execute("SET CONSTRAINTS ALL DEFERRED")


def _give(apps: StateApps, player: int, other: int) -> None:
    """Make a player's games and names another one's."""
    game, played = (apps.get_model("archive", name) for name in ("Game", "GamePlayer"))
    mine = played.objects.filter(player_id=player)
    for colour in (0, 1):
        slots = mine.filter(colour=colour).values("slot")
        game.objects.filter(slot__in=slots).update(**{f"player{colour}_id": other})
    mine.update(player_id=other)
    apps.get_model("archive", "PlayerAlias").objects.filter(player_id=player).update(player_id=other)


class Migration(migrations.Migration):
    dependencies = (("archive", "0010_game_addresses"),)
    operations = (
        migrations.AddField("player", "key", models.TextField(default=""), preserve_default=False),
        migrations.AddField("playeralias", "key", models.TextField(default=""), preserve_default=False),
        migrations.AddField("playeralias", "former", models.BigIntegerField(null=True, unique=True)),
        migrations.RunPython(fill_keys, migrations.RunPython.noop),
        migrations.AddConstraint("player", models.UniqueConstraint(fields=["key"], name="player_key")),
        migrations.AddIndex("playeralias", models.Index(fields=["key"], name="player_alias_key")),
    )
