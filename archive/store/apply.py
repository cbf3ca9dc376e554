"""Writes plans to the database. Each function runs inside a transaction of `archive.store.change`."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from itertools import chain
from typing import Any, Final, NamedTuple

from django.db import connection, transaction
from django.utils import timezone

from archive.columns import slots as columns
from archive.derive import series
from archive.derive.editions import edition
from archive.derive.formations import FormationRow
from archive.derive.game import DerivedGame, index_rows
from archive.derive.text import EVALUATIONS
from archive.derive.verdicts import RecordVerdict, record_verdicts
from archive.index import schema
from archive.index.engine import engine
from archive.index.packed_keys import pack_keys, unpack_keys
from archive.index.schema import GameAtKey
from archive.index.texts import text_index
from archive.models import (
    GAMES_OF,
    LABELS,
    Arrival,
    CollectionGame,
    Entry,
    Game,
    GameAlias,
    GameAnalysis,
    GameFormation,
    GameIdentity,
    GamePlayer,
    GameRecord,
    GameSeries,
    GameText,
    Label,
    Share,
    codec,
)
from archive.store import collected, history
from archive.store.change import Change, Indexed
from archive.store.existing import batched, read
from archive.store.game_analyses import renew_analyses
from archive.store.game_rows import game_row
from archive.store.hidden_bytes import hide_by_game
from archive.store.plan import NEW, Existing, NotReadError, Plan, Unread
from archive.store.problems import forget_problems
from archive.store.verdicts import insert_record_verdicts, remove_record_verdicts
from kifu_core.games import SHOGI

Row = tuple[str | int | bytes | date | None, ...]

_GAME_COLUMNS: Final = (
    "kind", "record_kind", "space", "digest", "digest_version", "stem", "slot", "player0_id", "player1_id",
    "event_id", "place_id", "site", "played_from", "played_to", "precision", "played", "handicap", "result",
    "special", "plies", "index_version", "index_rows", "calendar", "round", "opening", "header_data",
    "features", "formations_version", "corrected", "masked",
)  # fmt: skip
_PLAYER_COLUMNS: Final = ("player_id", "played", "slot", "colour", "rating", "named_id")
_INSERT_GAMES: Final = f"""
    INSERT INTO archive_game ({", ".join(_GAME_COLUMNS)}) VALUES {{places}} RETURNING id, slot
"""
_DROP_GAMES: Final = "DELETE FROM archive_game WHERE id IN ({places})"
_UPDATE_GAME: Final = f"""
    UPDATE archive_game SET {", ".join(f"{name} = %s" for name in _GAME_COLUMNS)}, changed = %s,
        network_version = 0
    WHERE id = %s
"""
_UPDATE_RECORD: Final = """
    UPDATE archive_gamerecord SET record = %s, parsed_facts = %s, base = %s, base_facts = %s
    WHERE game_id = %s
"""


class IndexDamagedError(Exception):
    """The index lacks rows of a stored game. The command `reindex_positions` repairs it."""


# --- plans -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AppliedPlan:
    """A plan that was written to the database."""

    plan: Plan
    inserted: Mapping[int, int]
    """The ids of the inserted games by their provisional ids."""

    def game(self, pk: int) -> PlacedGame:
        """Return the stored game that a game of the plan is part of now. `pk` may be a provisional id."""
        home = self.plan.home(pk)
        return PlacedGame(self.inserted.get(home, home), home >= NEW, self.plan.edition(home).record)


class PlacedGame(NamedTuple):
    """The stored game that a game was added to, or inserted as."""

    pk: int
    new: bool
    """Whether it was inserted."""
    record: bytes


def plan_and_apply(
    change: Change, decide: Callable[[Existing], Plan], games: Sequence[DerivedGame] = ()
) -> AppliedPlan:
    """Call `decide` until its plan needs no more rows, and apply that plan. The stored games that match
    `games` are read before the first call. Raises IndexDamagedError."""
    existing = Existing(change.names)
    if games:
        read(existing, Unread(identify=[*games]))
    while (plan := decide(existing)).unread:
        read(existing, plan.unread)
    return apply(change, plan)


def plan_and_apply_one(change: Change, decide: Callable[[Plan], int]) -> PlacedGame:
    """Plan and apply one decision, which returns the id of a game; return that game. Raises
    IndexDamagedError."""
    pks: list[int] = []

    def attempt(existing: Existing) -> Plan:
        plan = Plan(existing)
        with suppress(NotReadError):
            pks.append(decide(plan))
        return plan

    return plan_and_apply(change, attempt).game(pks[-1])


def place(change: Change, game: DerivedGame) -> PlacedGame:
    """Add a game to the stored game that it is an edition of, or insert it if there is none. Raises
    IndexDamagedError."""
    return plan_and_apply_one(change, lambda plan: plan.place(game))


def find(change: Change, game: DerivedGame) -> int | None:
    """Return the id of the stored game that a game is an edition of; None if there is none, or more than
    one."""
    existing = Existing(change.names)
    while True:
        plan = Plan(existing)
        with suppress(NotReadError):
            return plan.find(game)
        read(existing, plan.unread)


def apply(change: Change, plan: Plan) -> AppliedPlan:
    """Write a plan: merge, rewrite and insert games. Raises IndexDamagedError."""
    for pk in plan.merged:
        if pk < NEW:
            merge(change, plan.existing.games[pk], plan.home(pk))
    editions = plan.existing.editions
    keep_own_records([game for game, derived in plan.changed if editions[game.pk] != edition(derived)])
    rewrite_games(change, plan.changed)
    for game, derived in plan.changed:
        if game.corrected or derived.base is not None:
            history.write(game.pk, plan.corrections.get(game.pk, ()), derived)
    _hide_bytes(plan)
    inserted = insert_games(change, plan.inserted)
    changed = [(derived, game.pk) for game, derived in plan.changed]
    history.remember_shown([*changed, *((plan.games[pk], ids) for pk, ids in inserted.items())])
    return AppliedPlan(plan, inserted)


def _hide_bytes(plan: Plan) -> None:
    """Hide the bytes of games that are masked now, and of those that are merged into masked games; show those
    of games that were masked."""
    changed = {game.pk for game, derived in plan.changed if game.masked != derived.masked}
    homes = {plan.home(pk) for pk in plan.merged} & plan.existing.games.keys()
    if games := changed | {pk for pk in homes if plan.existing.games[pk].masked}:
        hide_by_game(Entry.objects.filter(game__in=games))


def merge(change: Change, game: Game, home: int) -> None:
    """Merge a game into another one, which gets its entries and aliases. Its id becomes an alias of the other
    game. Raises IndexDamagedError."""
    keep_own_records([game])
    Entry.objects.filter(game=game, state=Entry.State.STORED).update(state=Entry.State.DUPLICATE)
    Entry.objects.filter(game=game).update(game=home)
    game.aliases.update(game=home)
    collected.follow(game.pk, home)
    remove_rows(change, game)
    drop_games(change, [game])
    history.follow(game.pk, home)
    change.note(Game.objects.values_list("space", flat=True).get(pk=home), home)
    GameAlias.objects.create(pk=game.pk, space=game.space, game_id=home)
    change.moved[game.pk] = home


def insert_games(change: Change, games: Mapping[int, DerivedGame]) -> dict[int, int]:
    """Insert games. Map their provisional ids, by which `games` has them, to their ids."""
    if not games:
        return {}
    ordered = sorted(games, key=lambda pk: games[pk].identity)
    slots = dict(zip(ordered, change.take_slots(len(ordered)), strict=True))
    by_slot: dict[int, int] = {}
    for part in batched(ordered):
        places = ", ".join([f"({', '.join(['%s'] * len(_GAME_COLUMNS))})"] * len(part))
        values = [value for pk in part for value in _values(change, games[pk], slots[pk])]
        change.cursor.execute(_INSERT_GAMES.format(places=places), values)
        by_slot.update((slot, pk) for pk, slot in change.cursor.fetchall())
    ids = {pk: by_slot[slots[pk]] for pk in ordered}
    for pk in ordered:
        change.note(games[pk].space, ids[pk])
    GameRecord.objects.bulk_create(_record_row(ids[pk], game) for pk, game in games.items())
    GameSeries.objects.bulk_create(
        GameSeries(game_id=ids[pk], series=game.series) for pk, game in games.items() if game.series
    )
    for pk, game in games.items():
        insert_record_verdicts(ids[pk], game.space, _record_verdicts(game))
    text_index().write(change.cursor, {ids[pk]: games[pk].text for pk in ordered})
    _add_to_index(change, [(games[pk], slots[pk]) for pk in ordered])
    now = timezone.now()
    arrivals = [(ids[pk], games[pk].space, now, False) for pk in ordered]
    _insert("archive_arrival", ("game", "space", "at", "moved"), arrivals)
    shogi = [pk for pk in ordered if games[pk].kind == SHOGI.name]
    columns.add_waiting((slots[pk], games[pk].space, games[pk].lines) for pk in shogi)
    return ids


def _record_verdicts(game: DerivedGame) -> tuple[RecordVerdict, ...]:
    if not game.features & EVALUATIONS:
        return ()
    return record_verdicts(codec.unpack(game.record), series.unpack(game.series).evaluations, game.space)


def _record_row(pk: int, game: DerivedGame) -> GameRecord:
    keys = pack_keys(game.rows, game.codes, game.kind, game.space)
    base = (game.base.record, game.base.parsed_facts) if game.base else (None, None)
    return GameRecord(
        game_id=pk, record=game.record, parsed_facts=game.parsed_facts, base=base[0], base_facts=base[1],
        keys=keys,
    )  # fmt: skip


def _values(change: Change, game: DerivedGame, slot: int) -> list[Any]:
    row = game_row(game, change.names, slot)
    row["header_data"] = json.dumps(row["header_data"])
    return [row[column] for column in _GAME_COLUMNS]


def _add_to_index(change: Change, games: Sequence[tuple[DerivedGame, int]]) -> None:
    """Add games, each with its new slot, to the index and to the lists of games by name and formation."""
    players = list[Row]()
    for game, slot in games:
        change.add((game.rows, game.codes), slot, game.record_kind, game.played, game.result)
        players += _player_rows(change, game, slot)
    _insert("archive_gameplayer", _PLAYER_COLUMNS, players)
    for kind in LABELS:
        _insert_labels(kind, [_label_row(kind, change, game, slot) for game, slot in games])
    _add_formations({slot: game.formations for game, slot in games})


def _player_rows(change: Change, game: DerivedGame, slot: int) -> Iterator[Row]:
    seats = zip(change.names.players_of(game), game.ratings, strict=True)
    for colour, (player, rating) in enumerate(seats):
        if player is not None:
            yield player.home, game.played, slot, colour, rating, player.named
            if rating is not None:
                change.ratings[slot, colour] = rating


def _label_row(kind: Label, change: Change, game: DerivedGame, slot: int) -> Row | None:
    label = change.names.label_of(kind, game)
    return (label.home, game.played, slot, label.named) if label else None


def _label_columns(kind: Label) -> tuple[str, ...]:
    return f"{kind}_id", "played", "slot", "named_id"


def _insert_labels(kind: Label, rows: Iterable[Row | None]) -> None:
    _insert(f"archive_game{kind}", _label_columns(kind), [row for row in rows if row])


def _add_formations(formations_by_slot: Mapping[int, Sequence[FormationRow]]) -> None:
    """Insert formations by slot, in the order of the primary key. The slots must not have any yet."""
    rows = sorted(
        (number, slot, colour, ply)
        for slot, formations in formations_by_slot.items()
        for number, colour, ply in formations
    )
    _insert("archive_gameformation", ("formation", "slot", "colour", "ply"), rows)


def _insert(table: str, columns: Sequence[str], rows: Sequence[Row]) -> None:
    places = f"({', '.join(['%s'] * len(columns))})"
    with connection.cursor() as cursor:
        for part in batched(rows):
            statement = f"INSERT INTO {table} ({', '.join(columns)}) VALUES {', '.join([places] * len(part))}"
            cursor.execute(statement, [*chain.from_iterable(part)])


def write_formations(formations_by_slot: Mapping[int, Sequence[FormationRow]]) -> None:
    """Replace the formations of those slots whose stored ones differ."""
    stored: dict[int, set[FormationRow]] = {slot: set() for slot in formations_by_slot}
    rows = GameFormation.objects.filter(slot__in=formations_by_slot)
    for slot, *row in rows.values_list("slot", "formation", "colour", "ply"):
        stored[slot].add(FormationRow(*row))
    changed = {slot: new for slot, new in formations_by_slot.items() if stored[slot] != {*new}}
    GameFormation.objects.filter(slot__in=changed).delete()
    _add_formations(changed)


def remove_rows(change: Change, game: Game, *, scan: bool = False, repair: bool = False) -> None:
    """Remove the rows of a game from the index by its stored keys. With `scan`, search its segment for them.

    Raises IndexDamagedError if rows are missing; with `repair`, searches the segment instead.
    """
    change.write_rows()
    _remember_ratings(change, [game.slot])
    if scan:
        change.removed += engine().delete_slot(change.cursor, game.slot)
        return
    keys = keys_of([game])[game.pk]
    rows = engine().delete(change.cursor, keys, game.played, game.slot)
    change.removed += rows
    if len(rows) == game.index_rows:
        return
    if not repair:
        raise IndexDamagedError(f"game {game.pk}: {len(rows)} rows instead of {game.index_rows}")
    change.removed += engine().delete_slot(change.cursor, game.slot)


def _remember_ratings(change: Change, slots: Collection[int]) -> None:
    """Copy the ratings of games to `change`: when the counters are written, they are no longer stored."""
    rated = GamePlayer.objects.filter(slot__in=slots)
    for slot, colour, rating in rated.values_list("slot", "colour", "rating"):
        if rating is not None:
            change.ratings[slot, colour] = rating


def keys_of(games: Collection[Game]) -> dict[int, Sequence[int]]:
    """Return the keys of games in the index, by id. If no keys are stored with a game, its record is
    replayed."""
    stored = GameRecord.objects.filter(game__in=games).values_list("game_id", "keys")
    keys: dict[int, Sequence[int]] = {pk: unpack_keys(packed) for pk, packed in stored if packed is not None}
    for game in games:
        if game.pk not in keys:
            rows = index_rows(game.jkf, game.kind, game.space, game.index_version)[0]
            keys[game.pk] = sorted({row.key for row in rows})
    return keys


def remove_rows_of_games(change: Change, games: Collection[Game], *, repair: bool = False) -> None:
    """Remove the rows of several games with one statement; if some are missing, game by game with
    `remove_rows`. Raises IndexDamagedError, unless `repair`."""
    change.write_rows()
    keys = keys_of(games)
    places: list[GameAtKey] = []
    for game in games:
        played, slot = game.played, game.slot
        places += [(key, played, slot) for key in keys[game.pk]]
    places.sort()
    try:
        with transaction.atomic():
            removed, hot_rows = engine().delete_places(change.cursor, places)
            if removed != sum(game.index_rows for game in games):
                raise IndexDamagedError(f"{removed} rows removed")
        _remember_ratings(change, [game.slot for game in games])
        change.removed += hot_rows
    except IndexDamagedError:
        for game in games:
            remove_rows(change, game, repair=repair)


def reindex_game(change: Change, game: Game, indexed: Indexed, *, scan: bool = False) -> None:
    """Replace the rows of a stored game in the index. The game gets a new slot. Raises IndexDamagedError,
    unless `scan`."""
    remove_rows(change, game, scan=scan)
    (slot,) = change.take_slots(1)
    for colour in (0, 1):
        if (game.slot, colour) in change.ratings:
            change.ratings[slot, colour] = change.ratings[game.slot, colour]
    for model in GAMES_OF.values():
        model._default_manager.filter(slot=game.slot).update(slot=slot)
    if game.kind == SHOGI.name:
        columns.mark_gone([(game.slot, game.space)])
        columns.add_waiting([(slot, game.space, None)])
    GameFormation.objects.filter(slot=game.slot).update(slot=slot)
    game.slot, game.index_rows, game.index_version = slot, len(indexed[0]), schema.INDEX_VERSION
    game.save(update_fields=["slot", "index_rows", "index_version"])
    GameRecord.objects.filter(game=game).update(keys=pack_keys(*indexed, game.kind, game.space))
    change.add(indexed, slot, game.record_kind, game.played, game.result)


def rewrite_games(change: Change, games: Sequence[tuple[Game, DerivedGame]]) -> None:
    """Replace stored games with derived ones. Games that keep their rows in the index keep their slots, the
    others get new ones. Raises IndexDamagedError."""
    if not games:
        return
    _rewrite_in_new_slots(change, [pair for pair in games if pair[1].kept_rows is None])
    _rewrite_in_place(change, [pair for pair in games if pair[1].kept_rows is not None])
    write_series({game.pk: derived.series for game, derived in games})
    remove_record_verdicts([game.pk for game, derived in games if game.features & EVALUATIONS])
    for game, derived in games:
        insert_record_verdicts(game.pk, derived.space, _record_verdicts(derived))
    renew_analyses([game.pk for game, _derived in games if game.features & EVALUATIONS])
    forget_problems([game.pk for game, derived in games if game.space != derived.space])
    write_texts({game.pk: derived.text for game, derived in games})


def _rewrite_in_place(change: Change, games: Sequence[tuple[Game, DerivedGame]]) -> None:
    write_formations({game.slot: derived.formations for game, derived in games})
    _update_rows(change, [(game, derived, game.slot) for game, derived in games])
    change.cursor.executemany(_UPDATE_RECORD, [_record_values(*pair) for pair in games])
    _write_names(change, {game.slot: derived for game, derived in games})


def _write_names(change: Change, games: Mapping[int, DerivedGame]) -> None:
    """Replace the rows of the names of those slots whose stored ones differ."""
    seats = GamePlayer.objects.filter(slot__in=games).order_by("slot", "colour")
    players: dict[int, list[Row]] = {slot: [] for slot in games}
    for row in seats.values_list(*_PLAYER_COLUMNS):
        players[row[2]].append(row)
    new_players = {slot: [*_player_rows(change, game, slot)] for slot, game in games.items()}
    others = [slot for slot in games if players[slot] != new_players[slot]]
    GamePlayer.objects.filter(slot__in=others).delete()
    _insert("archive_gameplayer", _PLAYER_COLUMNS, [row for slot in others for row in new_players[slot]])
    for kind in LABELS:
        _write_labels(kind, change, games)


def _write_labels(kind: Label, change: Change, games: Mapping[int, DerivedGame]) -> None:
    rows = GAMES_OF[kind]._default_manager.filter(slot__in=games)
    stored: dict[int, Row] = {row[2]: row for row in rows.values_list(*_label_columns(kind))}
    new = {slot: _label_row(kind, change, game, slot) for slot, game in games.items()}
    moved = [slot for slot in games if stored.get(slot) != new[slot]]
    rows.filter(slot__in=moved).delete()
    _insert_labels(kind, [new[slot] for slot in moved])


def _record_values(game: Game, derived: DerivedGame) -> list[Any]:
    base = derived.base
    return [
        derived.record, json.dumps(derived.parsed_facts), base and base.record,
        json.dumps(base.parsed_facts) if base else None, game.pk,
    ]  # fmt: skip


def _update_rows(change: Change, games: Sequence[tuple[Game, DerivedGame, int]]) -> None:
    now = timezone.now()
    for game, derived, _slot in games:
        change.note(game.space, game.pk)
        change.note(derived.space, game.pk)
    change.cursor.executemany(
        _UPDATE_GAME, [[*_values(change, derived, slot), now, game.pk] for game, derived, slot in games]
    )


def _rewrite_in_new_slots(change: Change, games: Sequence[tuple[Game, DerivedGame]]) -> None:
    if not games:
        return
    old = [game for game, _ in games]
    remove_rows_of_games(change, old)
    forget_slots([game.slot for game in old])
    columns.mark_gone([(game.slot, game.space) for game in old if game.kind == SHOGI.name])
    slots = change.take_slots(len(games))
    columns.add_waiting(
        (slot, derived.space, derived.lines)
        for (_, derived), slot in zip(games, slots, strict=True)
        if derived.kind == SHOGI.name
    )
    _update_rows(change, [(game, derived, slot) for (game, derived), slot in zip(games, slots, strict=True)])
    GameRecord.objects.bulk_create(
        [_record_row(game.pk, derived) for game, derived in games],
        update_conflicts=True,
        unique_fields=["game"],
        update_fields=["record", "parsed_facts", "base", "base_facts", "keys"],
    )
    _add_to_index(change, [(derived, slot) for (_, derived), slot in zip(games, slots, strict=True)])


def write_series(packed: Mapping[int, bytes]) -> None:
    """Write the packed series of games, by id; delete those that are empty."""
    GameSeries.objects.filter(game__in=[pk for pk, series in packed.items() if not series]).delete()
    GameSeries.objects.bulk_create(
        [GameSeries(game_id=pk, series=series) for pk, series in packed.items() if series],
        update_conflicts=True,
        unique_fields=["game"],
        update_fields=["series"],
    )


def write_texts(texts: Mapping[int, str]) -> None:
    """Replace the texts of those games, by id, whose stored ones differ."""
    stored = dict(GameText.objects.filter(game__in=texts.keys()).values_list("game_id", "text"))
    changed = {pk: text for pk, text in texts.items() if stored.get(pk) != text}
    with connection.cursor() as cursor:
        text_index().remove(cursor, changed.keys())
        text_index().write(cursor, changed)


def forget_slots(slots: Collection[int]) -> None:
    """Remove slots from the lists of games by name and formation."""
    GameFormation.objects.filter(slot__in=slots).delete()
    for model in GAMES_OF.values():
        model._default_manager.filter(slot__in=slots).delete()


def keep_own_records(games: Collection[Game]) -> None:
    """Give entries without a record of their own that of their game before corrections, which is about to
    change."""
    entries = Entry.objects.filter(game__in=games, record=None)
    for pk in entries.order_by().values_list("game_id", flat=True).distinct():
        record, base = GameRecord.objects.values_list("record", "base").get(game=pk)
        Entry.objects.filter(game=pk, record=None).update(record=bytes(base or record))


_COUNT_DEPARTURE: Final = """
    INSERT INTO archive_leftspace (space, times) VALUES (%s, 1)
    ON CONFLICT (space) DO UPDATE SET times = archive_leftspace.times + 1
"""


def count_departures(spaces: Iterable[int]) -> None:
    """Count that games have left these spaces (`LeftSpace`). Call this last in a transaction, because it
    locks rows that other writers need."""
    with connection.cursor() as cursor:
        for space in sorted(set(spaces)):
            cursor.execute(_COUNT_DEPARTURE, [space])


def drop_games(change: Change, games: Collection[Game]) -> None:
    """Delete games that have no entries, aliases or rows in the index."""
    for game in games:
        change.note(game.space, game.pk)
    forget_slots([game.slot for game in games])
    columns.mark_gone([(game.slot, game.space) for game in games if game.kind == SHOGI.name])
    Share.objects.filter(game__in=games).delete()
    GameIdentity.objects.filter(game__in=games).delete()
    CollectionGame.objects.filter(game__in=games).delete()
    Arrival.objects.filter(game__in=[game.pk for game in games]).delete()
    GameSeries.objects.filter(game__in=games).delete()
    remove_record_verdicts([game.pk for game in games if game.features & EVALUATIONS])
    GameAnalysis.objects.filter(game__in=games).delete()
    forget_problems([game.pk for game in games])
    with connection.cursor() as cursor:
        text_index().remove(cursor, [game.pk for game in games])
    GameRecord.objects.filter(game__in=games).delete()
    # QuerySet.delete would first read these rows, and all rows that may refer to them.
    for part in batched([game.pk for game in games]):
        connection.cursor().execute(_DROP_GAMES.format(places=", ".join(["%s"] * len(part))), list(part))
