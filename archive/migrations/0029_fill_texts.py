"""The texts of games that are there, and the forms of names. About 1,000 games a second.

Each batch is a transaction of its own: interrupted, it goes on where it was when it is run again. Until it
is done the archive is not up to date, and nobody is served by it.
"""

from __future__ import annotations

from typing import Any, Final

from django.db import migrations, transaction
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

BATCH: Final = 500
NAMES: Final = ("Player", "PlayerAlias", "Event", "EventAlias")


def fill(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    for name in NAMES:
        _fill_names(apps.get_model("archive", name))
    game, text = apps.get_model("archive", "Game"), apps.get_model("archive", "GameText")
    # Ids are written in their order, so the last one tells how far it came.
    last = text.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    columns = ("pk", "kind", "header_data", "stored__record")
    left = game.objects.exclude(stored=None).order_by("pk").values_list(*columns)
    while rows := list(left.filter(pk__gt=last)[:BATCH]):
        _fill_games(game, rows)
        last = rows[-1][0]


def _fill_names(model: Any) -> None:
    from archive.names.search_text import searched

    last = 0
    while rows := list(model.objects.filter(pk__gt=last).order_by("pk")[:BATCH]):
        for row in rows:
            row.searched = searched(row.name)
        model.objects.bulk_update(rows, ["searched"])
        last = rows[-1].pk


def _fill_games(game: Any, rows: list[tuple[Any, ...]]) -> None:
    from django.db import connection

    from archive.derive import series, text
    from archive.index.texts import text_index
    from archive.models import codec

    texts: dict[int, str] = {}
    alike: dict[int, list[int]] = {}
    for pk, _kind, header_data, packed in rows:
        record = codec.unpack(packed)
        texts[pk] = text.text(record)
        evaluated = bool(series.series_of(record, header_data).evaluations)
        alike.setdefault(text.features(record, evaluated=evaluated), []).append(pk)
    with transaction.atomic(), connection.cursor() as cursor:
        text_index().write(cursor, texts)
        for features, pks in alike.items():
            game.objects.filter(pk__in=pks).update(features=features)


class Migration(migrations.Migration):
    atomic = False
    dependencies = (("archive", "0028_texts"),)
    operations = (migrations.RunPython(fill, migrations.RunPython.noop),)
