"""Restores the records of games while a backup is imported."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from django.db import connection

from archive.derive import formations, series, text
from archive.derive.game import index_rows, row_result
from archive.index import schema
from archive.index.engine import engine
from archive.index.packed_keys import pack_keys
from archive.index.schema import IndexRow
from archive.index.texts import text_index
from archive.models import Game, GameRecord, codec
from archive.store import apply
from archive.store.verdicts import write_record_verdicts
from kifu_core.jkf import Record


class Restored(NamedTuple):
    """A record to restore, and its parsed facts. `base` is as in `GameRecord`, as JSON."""

    record: Record
    parsed_facts: Mapping[str, Any]
    base: Record | None = None
    base_facts: Mapping[str, Any] | None = None


class UnknownIndexError(ValueError):
    """A game uses an unknown version of the index."""


def restore_records(records: Mapping[int, Restored]) -> list[int]:
    """Store the records of games, by id, with their rows, series, texts and formations.

    Runs in the caller's transaction and does not update counters. Returns the games whose number of rows has
    changed; they are updated. Raises UnknownIndexError, KeyError for an unknown game, and the error of the
    replay for an invalid record.
    """
    games = Game.objects.in_bulk(records)
    rows: list[IndexRow] = []
    stored, changed = [], []
    for pk, (record, facts, base, base_facts) in records.items():
        own, codes = _rows(games[pk], record)
        rows += own
        keys = pack_keys(own, codes, games[pk].kind, games[pk].space)
        packed = codec.pack(base) if base is not None else None
        stored.append(
            GameRecord(
                game_id=pk, record=codec.pack(record), parsed_facts=facts, base=packed, base_facts=base_facts,
                keys=keys,
            )
        )  # fmt: skip
        if len(own) != games[pk].index_rows:
            games[pk].index_rows = len(own)
            changed.append(games[pk])
    GameRecord.objects.bulk_create(stored)
    Game.objects.bulk_update(changed, ["index_rows"])
    pairs = [(games[pk], restored.record) for pk, restored in records.items()]
    apply.write_formations(
        {game.slot: formations.formation_rows(record, game.record_kind) for game, record in pairs}
    )
    Game.objects.filter(pk__in=records).update(formations_version=formations.VERSION)
    game_series = {game.pk: series.series_of(record, game.header_data) for game, record in pairs}
    apply.write_series({pk: series.pack(one) for pk, one in game_series.items()})
    write_record_verdicts((game, record, game_series[game.pk].evaluations) for game, record in pairs)
    with connection.cursor() as cursor:
        engine().insert(cursor, sorted(rows))
        text_index().write(cursor, {game.pk: text.text(record) for game, record in pairs})
    return [game.pk for game in changed]


def _rows(game: Game, record: Record) -> tuple[list[IndexRow], tuple[str, ...]]:
    """Return a game's rows in its version of the index, and the code of each. Raises UnknownIndexError."""
    if game.index_version not in schema.KEY_VERSIONS:
        raise UnknownIndexError(f"game {game.pk} is in version {game.index_version} of the index")
    derived, codes = index_rows(record, game.kind, game.space, game.index_version)
    played, slot, shown = game.played, game.slot, row_result(game.record_kind, game.result)
    rows = [IndexRow(key, played, slot, ply, move, flags, shown) for key, ply, move, flags in derived]
    return rows, codes
