"""The parts of a writing transaction. Only `archive.store` calls these.

All transactions take locks in the same order, so that writers never wait in a circle: counters (shared),
players, events, known games by id, new games by digest, occurrences, entries, counters by key, the upload.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import chain
from typing import Final, TypeVar

from django.core.exceptions import ObjectDoesNotExist
from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper
from django.db.utils import DatabaseError
from django.utils import timezone

from archive.columns import slots as columns
from archive.derive import formations
from archive.derive.formations import FoundFormation
from archive.derive.game import DerivedGame, DerivedRow, index_rows, row_result
from archive.index import counters, part_counters, schema, versions
from archive.index.away import UndecidedError
from archive.index.engine import engine
from archive.index.schema import GameAtKey, IndexRow, pack_keys, unpack_keys
from archive.index.texts import text_index
from archive.models import (
    Arrival,
    Entry,
    Game,
    GameEvent,
    GameFormation,
    GamePlayer,
    GameRecord,
    GameSeries,
    GameText,
    Share,
)
from archive.store.names import Names, names_of
from kifu_core.games import SHOGI

log = logging.getLogger(__name__)

T = TypeVar("T")
Identity = tuple[int, bytes]
"""Space and digest."""

Value = str | int | bytes | date | None
Row = tuple[Value, ...]

Indexed = tuple[Sequence[DerivedRow], Sequence[str]]
"""What `index_rows` gives: rows and their codes."""

ATTEMPTS: Final = 5
"""Runs of a transaction that fails only because of another one."""

_ROWS_A_STATEMENT: Final = 500

_GAME_COLUMNS: Final = (
    "kind", "record_kind", "space", "digest", "digest_version", "stem", "slot", "player0_id", "player1_id",
    "event_id", "site", "played_from", "played_to", "precision", "played", "handicap", "result", "special",
    "plies", "index_version", "index_rows", "calendar", "round", "opening", "header_data", "features",
    "formations_version",
)  # fmt: skip
_INSERT_GAMES: Final = f"""
    INSERT INTO archive_game ({", ".join(_GAME_COLUMNS)}) VALUES {{places}}
    ON CONFLICT (space, digest) DO NOTHING RETURNING id, space, digest, slot
"""
_DROP_GAMES: Final = "DELETE FROM archive_game WHERE id IN ({places})"
_UPDATE_GAME: Final = f"""
    UPDATE archive_game SET {", ".join(f"{name} = %s" for name in _GAME_COLUMNS)}, changed = %s WHERE id = %s
"""
_UPDATE_RECORD: Final = "UPDATE archive_gamerecord SET record = %s, parsed_facts = %s WHERE game_id = %s"
_RATINGS: Final = "SELECT colour, rating FROM archive_gameplayer WHERE slot = %s"


class IndexDamagedError(Exception):
    """The index does not hold the rows that a stored record gives; `reindex_positions` repairs the game."""


@dataclass(slots=True)
class Change:
    """The changes of one transaction to the index, collected while games are written and applied once."""

    cursor: CursorWrapper
    names: Names
    pending: list[IndexRow] = field(default_factory=list)
    added: list[IndexRow] = field(default_factory=list)
    removed: list[IndexRow] = field(default_factory=list)
    ratings: dict[tuple[int, int], int] = field(default_factory=dict)
    codes: dict[int, str] = field(default_factory=dict)
    records: dict[int, bytes] = field(default_factory=dict)
    """The records by now of known games that an edition came for."""
    moved: dict[int, int] = field(default_factory=dict)
    """Ids that became aliases, to the games they are now."""

    def know(self, games: Collection[DerivedGame]) -> None:
        """Look up or create the ids of the players and events of these games."""
        names = names_of(games)
        self.names.players.update(names.players)
        self.names.events.update(names.events)

    def event(self, game: DerivedGame) -> int | None:
        """Return the id of a game's event; None where it has none."""
        return self.names.events[game.space, game.event] if game.event else None

    def take_slots(self, count: int) -> list[int]:
        """Return slots that no game has, nor had when the transaction began, since ratings are known by
        slot."""
        slots = engine().take_slots(self.cursor, count)
        too_low = max((row.slot for row in self.removed), default=0) + 1 - slots[0]
        return [slot + max(0, too_low) for slot in slots]

    def home(self, pk: int) -> int:
        """Return the id under which a game is now found."""
        while pk in self.moved:
            pk = self.moved[pk]
        return pk

    def add(self, indexed: Indexed, slot: int, record_kind: str, played: int, result: int) -> None:
        """Index a game in a new slot."""
        rows, codes = indexed
        shown = row_result(record_kind, result)
        self.pending += [
            IndexRow(key, played, slot, ply, move, flags, shown) for key, ply, move, flags in rows
        ]
        if slot % _check_every() == 0:
            self.codes.update((row.key, code) for row, code in zip(rows, codes, strict=True))

    def write_rows(self) -> None:
        """Insert what was added since the last time, in the order of the primary key."""
        if self.pending:
            engine().insert(self.cursor, sorted(self.pending))
        self.added += self.pending
        self.pending = []

    def write_counters(self) -> None:
        """Update the counters. Only the upload is written after them."""
        counters.update(self.cursor, self.added, self.removed, self.ratings)

    def promote(self) -> None:
        """Create counters for keys that have become hot, after the commit."""
        with connection.cursor() as cursor:
            cold = self.codes.keys() - engine().hot(cursor, self.codes) if self.codes else set()
            hot = engine().crowded(cursor, cold, schema.HOT_GAMES) if cold else set()
            busy = part_counters.busy(cursor, self.codes.keys() - cold, schema.PARTED_ROWS)
        for key in sorted(busy):
            counters.promote_parts(key)
        for key in sorted(hot):
            try:
                counters.promote(key, self.codes[key])
            except UndecidedError as error:
                # What was written is committed; the key's next game will have it looked at again.
                log.warning("key %d gets no counters yet: %s", key, error)
                return


def _check_every() -> int:
    """Return n, where one game in n checks whether its keys have become hot."""
    return max(1, schema.HOT_GAMES // 20)


def run(games: Iterable[DerivedGame], work: Callable[[Change], T], *, decided: bool = False) -> T:
    """Run `work` in one transaction, with the names of `games` in place; run it again if others interfered.

    `work` must write rows and counters through its `Change`. It must be `decided` if it removes rows without
    knowing that they exist. Raises RetiredVersionError, and then UndecidedError.
    """
    games = list(games)
    for attempt in range(1, ATTEMPTS + 1):
        engine().make_room()
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                (engine().lock_decided if decided else engine().lock_shared)(cursor)
                versions.check_current()
                change = Change(cursor, names_of(games))
                result = work(change)
            break
        except DatabaseError as error:
            if attempt == ATTEMPTS or not engine().may_retry(error):
                raise
        except ObjectDoesNotExist:
            # A game or an entry went between two looks at it.
            if attempt == ATTEMPTS:
                raise
    change.promote()
    return result


def identity(game: DerivedGame) -> Identity:
    """Return what identifies a game."""
    return game.space, game.digest


def known_games(identities: Iterable[Identity]) -> dict[Identity, Game]:
    """Return the stored games among these, locked in the order of their ids."""
    spaces: dict[int, list[bytes]] = {}
    for space, digest in identities:
        spaces.setdefault(space, []).append(digest)
    found = [
        game
        for space, digests in spaces.items()
        for game in Game.objects.select_for_update().filter(space=space, digest__in=digests).order_by("id")
    ]
    return {(game.space, bytes(game.digest)): game for game in found}


def insert_games(change: Change, games: Sequence[DerivedGame]) -> dict[Identity, int]:
    """Insert games that were unknown a moment ago; return the ids of those that nobody else inserted
    meanwhile."""
    games = sorted(games, key=identity)
    slots = dict(zip(map(identity, games), change.take_slots(len(games)), strict=True))
    ids: dict[Identity, int] = {}
    for part in _parts(games):
        places = ", ".join([f"({', '.join(['%s'] * len(_GAME_COLUMNS))})"] * len(part))
        values = [value for game in part for value in _values(change, game, slots[identity(game)])]
        change.cursor.execute(_INSERT_GAMES.format(places=places), values)
        ids.update(((space, bytes(digest)), pk) for pk, space, digest, _ in change.cursor.fetchall())
    inserted = [game for game in games if identity(game) in ids]
    GameRecord.objects.bulk_create(
        [
            GameRecord(
                game_id=ids[identity(game)],
                record=game.record,
                parsed_facts=game.parsed_facts,
                keys=_packed(game.rows),
            )
            for game in inserted
        ]
    )
    GameSeries.objects.bulk_create(
        [GameSeries(game_id=ids[identity(game)], series=game.series) for game in inserted if game.series]
    )
    text_index().write(change.cursor, {ids[identity(game)]: game.text for game in inserted})
    _add_to_index(change, [(game, slots[identity(game)]) for game in inserted])
    now = timezone.now()
    arrivals = [(ids[identity(game)], game.space, now, False) for game in inserted]
    _insert("archive_arrival", ("game", "space", "at", "moved"), arrivals)
    columns.wait(
        (slots[identity(game)], game.space, game.lines) for game in inserted if game.kind == SHOGI.name
    )
    change.records.update({ids[identity(game)]: game.record for game in inserted})
    return ids


def _packed(rows: Iterable[DerivedRow]) -> bytes:
    return pack_keys([row.key for row in rows])


def _parts(items: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), _ROWS_A_STATEMENT):
        yield items[start : start + _ROWS_A_STATEMENT]


def _values(change: Change, game: DerivedGame, slot: int) -> list[Value]:
    """Return a game's columns in the order of `_GAME_COLUMNS`."""
    players = [change.names.players[game.space, name] if name else None for name in game.players]
    event = change.event(game)
    return [
        game.kind, game.record_kind, game.space, game.digest, game.digest_version, game.stem, slot, *players,
        event, game.site, game.played_from, game.played_to, game.precision, game.played, game.handicap,
        game.result, game.special, game.plies, schema.INDEX_VERSION, game.row_count, game.calendar,
        game.round, game.opening, json.dumps(game.header_data), game.features,
        formations.VERSION,
    ]  # fmt: skip


def has_columns(change: Change, game: Game, derived: DerivedGame) -> bool:
    """Return whether the stored row of a game, and its players' ratings, equal those of a derived game."""
    stored = Game.objects.values(*_GAME_COLUMNS).get(pk=game.pk)
    wanted = dict(zip(_GAME_COLUMNS, _values(change, derived, game.slot), strict=True))
    wanted["header_data"] = derived.header_data  # type: ignore[assignment]
    for column in ("digest", "stem"):
        stored[column] = bytes(stored[column] or b"")
    return stored == wanted and _ratings(game) == _named_ratings(derived)


def _add_to_index(change: Change, games: Sequence[tuple[DerivedGame, int]]) -> None:
    """Insert the rows of games in new slots, and list the games with their players and events."""
    players, events = list[Row](), list[Row]()
    for game, slot in games:
        change.add((game.rows, game.codes), slot, game.record_kind, game.played, game.result)
        for colour, (name, rating) in enumerate(zip(game.players, game.ratings, strict=True)):
            if not name:
                continue
            player = change.names.players[game.space, name]
            players.append((player, game.played, slot, colour, rating))
            if rating is not None:
                change.ratings[slot, colour] = rating
        if game.event:
            events.append((change.names.events[game.space, game.event], game.played, slot))
    _insert("archive_gameplayer", ("player_id", "played", "slot", "colour", "rating"), players)
    _insert("archive_gameevent", ("event_id", "played", "slot"), events)
    _add_formations({slot: game.formations for game, slot in games})


def _add_formations(found: Mapping[int, Sequence[FoundFormation]]) -> None:
    """Insert the formations of games, by slot, in the order of the primary key. The slots must have none
    yet."""
    rows = sorted((number, slot, colour, ply) for slot, some in found.items() for number, colour, ply in some)
    _insert("archive_gameformation", ("formation", "slot", "colour", "ply"), rows)


def _insert(table: str, columns: Sequence[str], rows: Sequence[Row]) -> None:
    """Insert rows without an object of a model for each."""
    places = f"({', '.join(['%s'] * len(columns))})"
    with connection.cursor() as cursor:
        for part in _parts(rows):
            statement = f"INSERT INTO {table} ({', '.join(columns)}) VALUES {', '.join([places] * len(part))}"
            cursor.execute(statement, [*chain.from_iterable(part)])


def write_formations(found: Mapping[int, Sequence[FoundFormation]]) -> None:
    """Write the formations of games, by slot, as their records now give them."""
    there: dict[int, set[FoundFormation]] = {slot: set() for slot in found}
    stored = GameFormation.objects.filter(slot__in=found)
    for slot, *row in stored.values_list("slot", "formation", "colour", "ply"):
        there[slot].add(FoundFormation(*row))
    others = {slot: some for slot, some in found.items() if there[slot] != {*some}}
    GameFormation.objects.filter(slot__in=others).delete()
    _add_formations(others)


def remove_rows(change: Change, game: Game, *, scan: bool = False, anyhow: bool = False) -> None:
    """Remove a game from the index: by the keys that it keeps, or by reading its segment.

    If the number of rows is not the expected one, raise IndexDamagedError; with `anyhow`, look for the others
    in the segment instead.
    """
    change.write_rows()
    _know_ratings(change, [game.slot])
    if scan:
        change.removed += engine().delete_slot(change.cursor, game.slot)
        return
    keys = keys_of([game])[game.pk]
    rows = engine().delete(change.cursor, keys, game.played, game.slot)
    change.removed += rows
    if len(rows) == game.index_rows:
        return
    if not anyhow:
        raise IndexDamagedError(f"game {game.pk}: {len(rows)} rows found, {game.index_rows} expected")
    change.removed += engine().delete_slot(change.cursor, game.slot)


def _know_ratings(change: Change, slots: Collection[int]) -> None:
    """Keep the ratings of games, by slot, for the counters: the lists may be gone by then."""
    rated = GamePlayer.objects.filter(slot__in=slots)
    for slot, colour, rating in rated.values_list("slot", "colour", "rating"):
        if rating is not None:
            change.ratings[slot, colour] = rating


def keys_of(games: Collection[Game]) -> dict[int, Sequence[int]]:
    """Return the keys under which games have rows, by id. Games stored without their keys are replayed."""
    found: dict[int, Sequence[int]] = {}
    kept = GameRecord.objects.filter(game__in=games).values_list("game_id", "keys")
    found.update((pk, unpack_keys(packed)) for pk, packed in kept if packed is not None)
    for game in games:
        if game.pk not in found:
            rows_then = index_rows(game.jkf, game.kind, game.space, game.index_version)[0]
            found[game.pk] = sorted({row.key for row in rows_then})
    return found


def take_out(change: Change, games: Collection[Game], *, anyhow: bool = False) -> None:
    """Remove games from the index as `remove_rows` does, but all at once; one by one only if the index lacks
    some of their rows. Raises IndexDamagedError, unless `anyhow`."""
    change.write_rows()
    keys = keys_of(games)
    places: list[GameAtKey] = []
    for game in games:
        played, slot = game.played, game.slot
        places += [(key, played, slot) for key in keys[game.pk]]
    places.sort()
    try:
        with transaction.atomic():
            removed, warm = engine().take_out(change.cursor, places)
            if removed != sum(game.index_rows for game in games):
                raise IndexDamagedError(f"{removed} rows found")
        _know_ratings(change, [game.slot for game in games])
        change.removed += warm
    except IndexDamagedError:
        for game in games:
            remove_rows(change, game, anyhow=anyhow)


def reindex_game(change: Change, game: Game, indexed: Indexed, *, scan: bool = False) -> None:
    """Index a stored game again with other rows in a new slot; everything else about it stays."""
    remove_rows(change, game, scan=scan)
    (slot,) = change.take_slots(1)
    for colour in (0, 1):
        if (game.slot, colour) in change.ratings:
            change.ratings[slot, colour] = change.ratings[game.slot, colour]
    GamePlayer.objects.filter(slot=game.slot).update(slot=slot)
    GameEvent.objects.filter(slot=game.slot).update(slot=slot)
    if game.kind == SHOGI.name:
        columns.leave([(game.slot, game.space)])
        columns.wait([(slot, game.space, None)])
    GameFormation.objects.filter(slot=game.slot).update(slot=slot)
    game.slot, game.index_rows, game.index_version = slot, len(indexed[0]), schema.INDEX_VERSION
    game.save(update_fields=["slot", "index_rows", "index_version"])
    GameRecord.objects.filter(game=game).update(keys=_packed(indexed[0]))
    change.add(indexed, slot, game.record_kind, game.played, game.result)


def keeps_rows(game: Game, derived: DerivedGame) -> bool:
    """Return whether a stored game, and its players, would keep their rows; both versions must have the same
    moves."""
    return (
        game.index_version == schema.INDEX_VERSION
        and (game.record_kind, game.played, game.result)
        == (derived.record_kind, derived.played, derived.result)
        and (bytes(game.digest), game.digest_version) == (derived.digest, derived.digest_version)
        and _ratings(game) == _named_ratings(derived)
    )


def _ratings(game: Game) -> dict[int, int | None]:
    """Return the ratings of a stored game's named players, by colour."""
    with connection.cursor() as cursor:
        cursor.execute(_RATINGS, [game.slot])
        return dict(cursor.fetchall())


def _named_ratings(derived: DerivedGame) -> dict[int, int | None]:
    return {colour: derived.ratings[colour] for colour in (0, 1) if derived.players[colour]}


def rewrite_games(change: Change, games: Sequence[tuple[Game, DerivedGame]]) -> None:
    """Write several stored games anew at once; games that keep their rows keep their slots. Raises
    IndexDamagedError."""
    if not games:
        return
    keep_own_records([game for game, _ in games])
    _move(change, [pair for pair in games if pair[1].kept_rows is None])
    _restate(change, [pair for pair in games if pair[1].kept_rows is not None])
    write_series({game.pk: derived.series for game, derived in games})
    write_texts({game.pk: derived.text for game, derived in games})
    change.records.update((game.pk, derived.record) for game, derived in games)


def _restate(change: Change, games: Sequence[tuple[Game, DerivedGame]]) -> None:
    """Write the present columns of games, except their place in the index and in the lists of players and
    days."""
    write_formations({game.slot: derived.formations for game, derived in games})
    _update(change, [(game, derived, game.slot) for game, derived in games])
    change.cursor.executemany(
        _UPDATE_RECORD,
        [[derived.record, json.dumps(derived.parsed_facts), game.pk] for game, derived in games],
    )
    events = [(game, change.event(derived)) for game, derived in games]
    others = [(game, event) for game, event in events if event != game.event_id]
    GameEvent.objects.filter(slot__in=[game.slot for game, _ in others]).delete()
    GameEvent.objects.bulk_create(
        [GameEvent(event_id=event, played=game.played, slot=game.slot) for game, event in others if event]
    )


def _update(change: Change, games: Sequence[tuple[Game, DerivedGame, int]]) -> None:
    """Write the columns of stored games that are now in these slots."""
    now = timezone.now()
    change.cursor.executemany(
        _UPDATE_GAME, [[*_values(change, derived, slot), now, game.pk] for game, derived, slot in games]
    )


def _move(change: Change, games: Sequence[tuple[Game, DerivedGame]]) -> None:
    """Index stored games anew, in new slots."""
    if not games:
        return
    old = [game for game, _ in games]
    take_out(change, old)
    forget_slots([game.slot for game in old])
    columns.leave([(game.slot, game.space) for game in old if game.kind == SHOGI.name])
    slots = change.take_slots(len(games))
    columns.wait(
        (slot, derived.space, derived.lines)
        for (_, derived), slot in zip(games, slots, strict=True)
        if derived.kind == SHOGI.name
    )
    _update(change, [(game, derived, slot) for (game, derived), slot in zip(games, slots, strict=True)])
    GameRecord.objects.bulk_create(
        [
            GameRecord(
                game_id=game.pk,
                record=derived.record,
                parsed_facts=derived.parsed_facts,
                keys=_packed(derived.rows),
            )
            for game, derived in games
        ],
        update_conflicts=True,
        unique_fields=["game"],
        update_fields=["record", "parsed_facts", "keys"],
    )
    _add_to_index(change, [(derived, slot) for (_, derived), slot in zip(games, slots, strict=True)])


def write_series(packed: Mapping[int, bytes]) -> None:
    """Write the series of games, by id, as their records now give them."""
    GameSeries.objects.filter(game__in=[pk for pk, found in packed.items() if not found]).delete()
    GameSeries.objects.bulk_create(
        [GameSeries(game_id=pk, series=found) for pk, found in packed.items() if found],
        update_conflicts=True,
        unique_fields=["game"],
        update_fields=["series"],
    )


def write_texts(texts: Mapping[int, str]) -> None:
    """Write the texts of games, by id, as their records now give them."""
    there = dict(GameText.objects.filter(game__in=texts.keys()).values_list("game_id", "text"))
    others = {pk: text for pk, text in texts.items() if there.get(pk) != text}
    with connection.cursor() as cursor:
        text_index().forget(cursor, others.keys())
        text_index().write(cursor, others)


def forget_slots(slots: Collection[int]) -> None:
    """Remove slots, and their formations, from the lists of players' and events' games."""
    GameFormation.objects.filter(slot__in=slots).delete()
    GamePlayer.objects.filter(slot__in=slots).delete()
    GameEvent.objects.filter(slot__in=slots).delete()


def keep_own_records(games: Collection[Game]) -> None:
    """Store the record of each game with the entries that had it as their own, before it gets another."""
    having = Entry.objects.filter(game__in=games, record=None)
    for pk in having.order_by().values_list("game_id", flat=True).distinct():
        old = GameRecord.objects.values_list("record", flat=True).get(game=pk)
        Entry.objects.filter(game=pk, record=None).update(record=bytes(old))


_LEFT: Final = """
    INSERT INTO archive_leftspace (space, times) VALUES (%s, 1)
    ON CONFLICT (space) DO UPDATE SET times = archive_leftspace.times + 1
"""


def note_left(spaces: Iterable[int]) -> None:
    """Note that games have left spaces. Do this last in a transaction, because others wait for it."""
    with connection.cursor() as cursor:
        for space in sorted(set(spaces)):
            cursor.execute(_LEFT, [space])


def drop_games(games: Collection[Game]) -> None:
    """Delete games that only their own tables refer to."""
    forget_slots([game.slot for game in games])
    columns.leave([(game.slot, game.space) for game in games if game.kind == SHOGI.name])
    Share.objects.filter(game__in=games).delete()
    Arrival.objects.filter(game__in=[game.pk for game in games]).delete()
    GameSeries.objects.filter(game__in=games).delete()
    with connection.cursor() as cursor:
        text_index().forget(cursor, [game.pk for game in games])
    GameRecord.objects.filter(game__in=games).delete()
    # Not by a query set: it would read the rows, and all that might refer to them, before it deletes them.
    for part in _parts([game.pk for game in games]):
        connection.cursor().execute(_DROP_GAMES.format(places=", ".join(["%s"] * len(part))), list(part))
