"""Restore the records of existing games while an archive is imported from a backup."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from django.db import connection

from archive.derive import formations, series, text
from archive.derive.game import index_rows, row_result
from archive.index import schema
from archive.index.engine import engine
from archive.index.schema import IndexRow
from archive.index.texts import text_index
from archive.models import Game, GameRecord, codec
from archive.store import apply
from kifu_core.jkf import Record


class Restored(NamedTuple):
    """A record to restore, and the other facts that its game is derived from."""

    record: Record
    parsed_facts: Mapping[str, Any]


class UnknownIndexError(ValueError):
    """A game uses a version of the index that this program does not know."""


def restore_records(records: Mapping[int, Restored]) -> list[int]:
    """Store the records of games, by id, and everything derived from them: rows in the index, series, texts,
    formations.

    Runs within the caller's transaction and leaves counters alone. Return the games whose number of rows has
    changed; they are updated. Raises UnknownIndexError, KeyError for a game that does not exist, and for an
    invalid record whatever its replay raises.
    """
    games = Game.objects.in_bulk(records)
    rows: list[IndexRow] = []
    stored, others = [], []
    for pk, (record, facts) in records.items():
        found = _rows(games[pk], record)
        rows += found
        keys = schema.pack_keys(row.key for row in found)
        stored.append(GameRecord(game_id=pk, record=codec.pack(record), parsed_facts=facts, keys=keys))
        if len(found) != games[pk].index_rows:
            games[pk].index_rows = len(found)
            others.append(games[pk])
    GameRecord.objects.bulk_create(stored)
    Game.objects.bulk_update(others, ["index_rows"])
    found_formations = {
        games[pk].slot: formations.found(one.record, games[pk].record_kind) for pk, one in records.items()
    }
    apply.write_formations(found_formations)
    Game.objects.filter(pk__in=records).update(formations_version=formations.VERSION)
    apply.write_series(
        {pk: series.pack(series.series_of(one.record, games[pk].header_data)) for pk, one in records.items()}
    )
    with connection.cursor() as cursor:
        engine().insert(cursor, sorted(rows))
        text_index().write(cursor, {pk: text.text(one.record) for pk, one in records.items()})
    return [game.pk for game in others]


def _rows(game: Game, record: Record) -> list[IndexRow]:
    """Return a game's rows in its version of the index. Raises UnknownIndexError."""
    if game.index_version not in schema.KEY_VERSIONS:
        raise UnknownIndexError(f"game {game.pk} is in version {game.index_version} of the index")
    derived, _ = index_rows(record, game.kind, game.space, game.index_version)
    played, slot, shown = game.played, game.slot, row_result(game.record_kind, game.result)
    return [IndexRow(key, played, slot, ply, move, flags, shown) for key, ply, move, flags in derived]
