"""Checks all of the archive. It only reads, and runs while the archive is used.

Each check yields a `Difference` for each fault. A game that changed meanwhile is checked again.
"""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b, sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper
from django.db.models import Model

from archive.columns import checking as columns
from archive.derive import formations, headers, series
from archive.derive import text as record_text
from archive.derive.corrections import correct
from archive.derive.editions import Edition
from archive.derive.game import DIGEST_VERSION, DerivedRow, digest, index_rows, row_result, stem
from archive.derive.masking import Sides, mask_facts, mask_record, masks_of, masks_of_rows, sides_of
from archive.derive.verdicts import record_verdicts
from archive.index import counters as hot
from archive.index import part_counters, schema
from archive.index.engine import engine
from archive.index.packed_keys import pack_keys
from archive.index.schema import IndexRow
from archive.index.texts import text_index
from archive.models import (
    LABELS,
    NAMED,
    Correction,
    Game,
    GameAnalysis,
    GameFormation,
    GameRecord,
    GameSeries,
    GameText,
    Player,
    Upload,
    UploadChunk,
    codec,
)
from archive.store.existing import ACTIVE, corrections_of
from archive.store.name_trees import root_of
from archive.store.verdicts import has_record_verdicts
from kifu_core.classes import PUBLIC
from kifu_core.games import of_record
from kifu_core.jkf import Record


@dataclass(frozen=True, slots=True)
class Difference:
    """A fault. `check` is its kind, `where` the affected thing."""

    check: str
    where: str
    text: str


ProgressCallback = Callable[[int, int], None]
"""Called with the numbers of checked games and of all games."""


def verify(
    sample: int | None = None, seed: int | None = None, report: ProgressCallback | None = None
) -> Iterator[Difference]:
    """Yield all faults. With `sample`, only so many random games are derived again, and the search for rows
    without an owner, which reads all of the index, is skipped. Raises UndecidedError while transactions are
    in doubt."""
    with transaction.atomic(), connection.cursor() as cursor:
        engine().lock_decided(cursor)
    ids = list(Game.objects.order_by("pk").values_list("pk", flat=True))
    if sample is not None and sample < len(ids):
        ids = sorted(random.Random(seed).sample(ids, sample))
    yield from games(ids, report)
    yield from counters()
    yield from uploads()
    yield from spaces()
    yield from corrections()
    yield from names()
    if sample is None:
        yield from orphans()
        yield from texts()
        yield from files_of_columns()


# --- games -----------------------------------------------------------------------------------------------


def games(ids: Sequence[int], report: ProgressCallback | None = None) -> Iterator[Difference]:
    """Yield differences between stored games and their records, and colliding keys among these games."""
    with _KeyTable() as keys:
        for number, pk in enumerate(ids, start=1):
            derived = _derive(pk)
            differences = _differences(derived) if derived else []
            if differences and (derived := _derive(pk)):
                # A writer may have changed the game between two reads.
                differences = _differences(derived)
            if derived:
                yield from differences
                yield from _collisions(derived, keys)
            elif _without_record(pk):
                yield Difference("record", f"game {pk}", "is not there")
            if report:
                report(number, len(ids))


@dataclass(frozen=True, slots=True)
class _Derived:
    game: Game
    record: Record
    rows: tuple[DerivedRow, ...]
    codes: tuple[str, ...]


def _derive(pk: int) -> _Derived | None:
    game = Game.objects.filter(pk=pk).first()
    stored = GameRecord.objects.filter(pk=pk).first()
    if game is None or stored is None:
        return None
    game.stored = stored
    record = game.jkf
    version = game.index_version if game.index_version in schema.KEY_VERSIONS else None
    return _Derived(game, record, *index_rows(record, game.kind, game.space, version))


def _without_record(pk: int) -> bool:
    """Return whether a game has no record. Reads the record first: a deletion removes both."""
    return not GameRecord.objects.filter(pk=pk).exists() and Game.objects.filter(pk=pk).exists()


def _differences(derived: _Derived) -> list[Difference]:
    game, where = derived.game, f"game {derived.game.pk}"
    faults = []
    if game.digest_version == DIGEST_VERSION and _digest(derived) != bytes(game.digest):
        faults.append(Difference("digest", where, "is not the digest of the stored record"))
    if bytes(game.stem or b"") != stem(derived.record, game.kind):
        faults.append(Difference("stem", where, "is not the hash of the stored moves"))
    if game.index_rows != len(derived.rows):
        faults.append(Difference("rows", where, f"index_rows is {game.index_rows}, not {len(derived.rows)}"))
    faults += [
        Difference("column", where, f"{name} is {stored}, not {expected}")
        for name, stored, expected in _columns(derived)
        if stored != expected
    ]
    stored_series = GameSeries.objects.filter(game=game).values_list("series", flat=True).first()
    from_record = series.series_of(derived.record, game.header_data)
    evaluated = bool(from_record.evaluations) or GameAnalysis.objects.filter(game=game).exists()
    if game.features != record_text.features(derived.record, evaluated=evaluated):
        faults.append(Difference("features", where, "are not those of the stored record"))
    if bytes(stored_series or b"") != series.pack(from_record):
        faults.append(Difference("series", where, "are not those of the stored record"))
    if not has_record_verdicts(game, record_verdicts(derived.record, from_record.evaluations, game.space)):
        faults.append(Difference("verdicts", where, "are not those of the stored record"))
    stored_text = GameText.objects.filter(game=game).values_list("text", flat=True).first()
    if stored_text is None or stored_text != record_text.text(derived.record):
        faults.append(Difference("text", where, "is not that of the stored record"))
    if game.formations_version == formations.VERSION and _formations(game) != sorted(
        formations.formation_rows(derived.record, game.record_kind)
    ):
        faults.append(Difference("formations", where, "are not those of the stored record"))
    faults += _corrections(game)
    keys = game.stored.keys
    if keys is not None and bytes(keys) != pack_keys(derived.rows, derived.codes, game.kind, game.space):
        faults.append(Difference("keys", where, "are not those of the stored record"))
    if game.index_version not in schema.KEY_VERSIONS:
        faults.append(Difference("version", where, f"version {game.index_version} of the index is not known"))
    expected, indexed = _expected(derived), _indexed(derived)
    if expected != indexed:
        text = f"{len(expected - indexed)} rows are missing, {len(indexed - expected)} are wrong"
        faults.append(Difference("rows", where, text))
    return faults


def _corrections(game: Game) -> Iterator[Difference]:
    """Compare a game with its base after its corrections."""
    where, stored = f"game {game.pk}", game.stored
    if (stored.base is None) == game.corrected or (game.masked and stored.base is None):
        yield Difference("corrections", where, f"corrected is {game.corrected}, which its record is not")
    if stored.base is None:
        return
    corrections = corrections_of([game.pk])[game.pk]
    corrected = correct(Edition(bytes(stored.base), stored.base_facts or {}), corrections)
    after = codec.unpack(corrected.edition.record), dict(corrected.edition.parsed_facts)
    if any(sides := _sides(game)):
        mask_record(after[0], sides)
        after = after[0], mask_facts(after[1], masks_of(sides))
    if after != (game.jkf, stored.parsed_facts):
        yield Difference("corrections", where, "do not lead from the base to the stored record")
    if {each.id: each.failed for each in corrections if each.failed is not None} != corrected.failures:
        yield Difference("corrections", where, "do not say which of them failed")


def _sides(game: Game) -> Sides:
    players = {pk for pk in (game.player0_id, game.player1_id) if game.masked and pk is not None}
    return sides_of(game, masks_of_rows(Player.masked(players)))


def corrections() -> Iterator[Difference]:
    """Find corrections that apply to games without a base."""
    corrected = Game.objects.filter(corrected=True).values("pk")
    stray = Correction.objects.filter(subject=Correction.Subject.GAME, state__in=ACTIVE)
    stray = stray.filter(subject_id__in=Game.objects.values("pk")).exclude(subject_id__in=corrected)
    for pk, game in stray.values_list("pk", "subject_id"):
        yield Difference("corrections", f"correction {pk}", f"applies to game {game}, which has no base")


def _formations(game: Game) -> list[tuple[int, ...]]:
    return sorted(GameFormation.objects.filter(slot=game.slot).values_list("formation", "colour", "ply"))


def _columns(derived: _Derived) -> list[tuple[str, object, object]]:
    """Return columns that follow from the record: name, stored value, expected value."""
    game, record = derived.game, derived.record
    columns: list[tuple[str, object, object]] = [
        ("plies", game.plies, len(of_record(record).replay.main_moves(record)))
    ]
    if game.digest_version == DIGEST_VERSION:
        # Of another version days may have been read in another way.
        day = headers.played(record["header"])
        columns += [("played_from", game.played_from, day.start), ("played_to", game.played_to, day.end)]
    return columns


def _digest(derived: _Derived) -> bytes:
    """Return the digest of a game, before its players were masked."""
    game, record = derived.game, derived.record
    if game.masked and game.stored.base is not None:
        base = Edition(bytes(game.stored.base), game.stored.base_facts or {})
        record = codec.unpack(correct(base, corrections_of([game.pk])[game.pk]).edition.record)
    return digest(record, game.kind, game.result)


def _expected(derived: _Derived) -> set[IndexRow]:
    game = derived.game
    result = row_result(game.record_kind, game.result)
    played, slot = game.played, game.slot
    return {IndexRow(key, played, slot, ply, move, flags, result) for key, ply, move, flags in derived.rows}


def _indexed(derived: _Derived) -> set[IndexRow]:
    keys, game = {row.key for row in derived.rows}, derived.game
    with connection.cursor() as cursor:
        return set(engine().select(cursor, keys, game.played, game.slot))


def _collisions(derived: _Derived, keys: _KeyTable) -> Iterator[Difference]:
    kind, space = derived.game.kind, derived.game.space
    pairs = {
        (row.key, f"{kind} {space} {code}") for row, code in zip(derived.rows, derived.codes, strict=True)
    }
    for key, code in keys.add(pairs):
        yield Difference("collision", f"key {key}", f"stands for two positions, one of them {code}")


class _KeyTable:
    """All keys with their codes, in a file, because there may be 10^8 of them."""

    def __enter__(self) -> _KeyTable:
        with TemporaryDirectory(prefix="verify-") as folder:
            self.table = sqlite3.connect(Path(folder) / "keys.sqlite3", isolation_level=None)
            self.table.execute("PRAGMA journal_mode = OFF")
            self.table.execute("CREATE TABLE seen (key INTEGER PRIMARY KEY, code BLOB) WITHOUT ROWID")
        # The open file is unlinked, so the system deletes it even if this process is killed.
        return self

    def __exit__(self, *_: object) -> None:
        self.table.close()

    def add(self, pairs: Iterable[tuple[int, str]]) -> list[tuple[int, str]]:
        """Store pairs of key and code; return those whose key has another code."""
        collisions = []
        self.table.execute("BEGIN")
        for key, code in pairs:
            # The orientation bits are not part of the hash.
            digest = blake2b(code.encode(), digest_size=16).digest()
            self.table.execute("INSERT OR IGNORE INTO seen VALUES (?, ?)", (key >> 2, digest))
            (first,) = self.table.execute("SELECT code FROM seen WHERE key = ?", (key >> 2,)).fetchone()
            if first != digest:
                collisions.append((key, code))
        self.table.execute("COMMIT")
        return collisions


# --- counters --------------------------------------------------------------------------------------------


def counters() -> Iterator[Difference]:
    """Yield counters that differ from the GROUP BY of the rows. Both are read without a lock, so a difference
    is checked again while nobody writes."""
    with connection.cursor() as cursor:
        keys = hot.keys(cursor)
    for key in keys:
        with connection.cursor() as cursor:
            same = hot.stored(cursor, key) == hot.expected(key)
        if not same:
            yield from _wrong_counters(key)
    yield from _parts(keys)


def _parts(keys: Sequence[int]) -> Iterator[Difference]:
    """Yield parts of busy keys that differ from their rows, checked as counters are."""
    with connection.cursor() as cursor:
        busy = part_counters.keys_with_parts(cursor, keys)
    for key in sorted(busy):
        with connection.cursor() as cursor:
            same = part_counters.stored(cursor, key) == part_counters.expected(key)
        if not same:
            yield from _wrong_parts(key)


def _wrong_parts(key: int) -> Iterator[Difference]:
    for side, (_, part, flags, move, result, *numbers) in _mismatches(key, part_counters):
        where = f"key {key} part {part} flags {flags} move {move} result {result}"
        yield Difference("counter", where, f"{side}: {' '.join(map(str, numbers))}")


def _wrong_counters(key: int) -> Iterator[Difference]:
    for side, (_, flags, move, result, n, rated, rating_sum, last) in _mismatches(key, hot):
        where = f"key {key} flags {flags} move {move} result {result}"
        yield Difference("counter", where, f"{side}: n={n} rated={rated} sum={rating_sum} last={last}")


def _mismatches(key: int, source: Any) -> Iterator[tuple[str, Any]]:
    """Yield rows of a key that are only among the stored counters ("kept"), or only among counted rows."""
    with transaction.atomic(), connection.cursor() as cursor:
        engine().lock_exclusive(cursor)
        stored, counted = {*source.stored(cursor, key)}, {*source.expected(key)}
    yield from (("kept", row) for row in sorted(stored - counted))
    yield from (("counted", row) for row in sorted(counted - stored))


# --- spaces ----------------------------------------------------------------------------------------------

_OF_OTHER_SPACE: Final = """
    UNION ALL SELECT 'game', g.id, 'has the {kind} of another space' FROM archive_game g
    JOIN archive_{kind} n ON n.id = g.{kind}_id WHERE n.space <> g.space
"""
_MERGED_ELSEWHERE: Final = """
    UNION ALL SELECT '{kind}', n.id, 'is merged with one of another space' FROM archive_{kind} a
    JOIN archive_{kind} n ON n.id IN (a.home_id, a.merged_into_id) WHERE n.space <> a.space
"""
_OTHER_SPACE: Final = f"""
    SELECT 'game', g.id, 'has a player of another space' FROM archive_game g
    JOIN archive_player p ON p.id IN (g.player0_id, g.player1_id) WHERE p.space <> g.space
    UNION ALL
    SELECT 'entry', e.id, 'is shown where its game is not' FROM archive_game g
    JOIN archive_entry e ON e.game_id = g.id JOIN archive_upload u ON u.id = e.upload_id
    WHERE g.space <> {PUBLIC} AND u.space <> g.space AND NOT e.hidden
    UNION ALL
    SELECT 'entry', e.id, 'has bytes with a name that was taken down' FROM archive_game g
    JOIN archive_entry e ON e.game_id = g.id WHERE g.masked <> 0 AND NOT e.hidden
    {"".join(_OF_OTHER_SPACE.format(kind=kind) for kind in LABELS)}
    {"".join(_MERGED_ELSEWHERE.format(kind=kind) for kind in NAMED)}
"""


def spaces() -> Iterator[Difference]:
    """Yield rows in another space than their owner."""
    with connection.cursor() as cursor:
        cursor.execute(_OTHER_SPACE)
        rows = cursor.fetchall()
    for kind, pk, text in rows:
        yield Difference("space", f"{kind} {pk}", text)


# --- names -----------------------------------------------------------------------------------------------

_NOT_AT_HOME: Final = """
    SELECT d.slot FROM archive_game{kind} d
    JOIN archive_{kind} n ON n.id = coalesce(d.named_id, d.{kind}_id)
    WHERE d.{kind}_id <> coalesce(n.home_id, n.id)
    UNION ALL SELECT d.slot FROM archive_game{kind} d WHERE d.named_id = d.{kind}_id
"""


_WRONG_MASKS: Final = """
    SELECT d.slot FROM archive_gameplayer d JOIN archive_game g ON g.slot = d.slot
    JOIN archive_player p ON p.id = d.player_id
    WHERE ((g.masked >> d.colour) & 1) <> CASE WHEN p.taken_down IS NULL THEN 0 ELSE 1 END
"""


def names() -> Iterator[Difference]:
    """Yield merged names that lead to another root than is stored, or in a circle, and games of names that
    were merged. Those that wait for `archive.store.people.settle_names` are no faults."""
    for kind, model in NAMED.items():
        parents = dict(model._default_manager.values_list("pk", "merged_into_id").exclude(merged_into=None))
        for row in model._default_manager.exclude(merged_into=None, home=None):
            root = root_of(row.pk, parents)
            if root is None:
                yield Difference("name", f"{kind} {row.pk}", "is merged in a circle")
            elif row.root_id != root:
                yield Difference("name", f"{kind} {row.pk}", f"belongs to {row.root_id}, not to {root}")
        if not model._default_manager.filter(unsettled=True).exists():
            with connection.cursor() as cursor:
                cursor.execute(_NOT_AT_HOME.format(kind=kind))
                slots = cursor.fetchall()
            for (slot,) in slots:
                yield Difference("name", f"slot {slot}", f"its {kind} is not that of its name")
    if not Player.objects.filter(unsettled=True).exists():
        with connection.cursor() as cursor:
            cursor.execute(_WRONG_MASKS)
            slots = cursor.fetchall()
        for (slot,) in slots:
            yield Difference("name", f"slot {slot}", "does not have its player's name or initials")


# --- rows without an owner -------------------------------------------------------------------------------

_ROWS_AT: Final = """
    SELECT slot, count(*) FROM archive_occurrence WHERE slot BETWEEN %s AND %s GROUP BY slot
"""
_LAST_ROW: Final = "SELECT coalesce(max(slot), 0) FROM archive_occurrence"
_SLOTS: Final = 500_000
"""The number of slots that are compared at a time."""
_LISTS: Final = """
    SELECT '{table}', d.slot FROM {table} d
    WHERE NOT EXISTS (
        SELECT 1 FROM archive_game g WHERE g.slot = d.slot AND g.played = d.played AND {same}
    )
"""
_PLAYERS: Final = _LISTS.format(
    table="archive_gameplayer",
    same="d.player_id = CASE d.colour WHEN 0 THEN g.player0_id ELSE g.player1_id END",
)
_LABELS: Final = " UNION ALL ".join(
    _LISTS.format(table=f"archive_game{kind}", same=f"d.{kind}_id = g.{kind}_id") for kind in LABELS
)
_FORMATIONS: Final = """
    SELECT DISTINCT 'archive_gameformation', d.slot FROM archive_gameformation d
    WHERE NOT EXISTS (SELECT 1 FROM archive_game g WHERE g.slot = d.slot)
"""
_UNLISTED: Final = f"""
    SELECT 'archive_game', g.slot FROM archive_game g
    LEFT JOIN archive_gameplayer p0 ON p0.slot = g.slot AND p0.colour = 0
    LEFT JOIN archive_gameplayer p1 ON p1.slot = g.slot AND p1.colour = 1
    {" ".join(f"LEFT JOIN archive_game{kind} {kind} ON {kind}.slot = g.slot" for kind in LABELS)}
    WHERE (g.player0_id IS NOT NULL AND p0.slot IS NULL) OR (g.player1_id IS NOT NULL AND p1.slot IS NULL)
        OR {" OR ".join(f"(g.{kind}_id IS NOT NULL AND {kind}.slot IS NULL)" for kind in LABELS)}
"""


def _misplaced(cursor: CursorWrapper) -> Iterator[tuple[int, int, int | None, int]]:
    """Yield slots whose rows differ from their games': slot, rows, game, expected rows. Both are read without
    a lock, so differences are checked twice."""
    cursor.execute(_LAST_ROW)
    last = max(cursor.fetchone()[0], Game.objects.order_by("slot").values_list("slot", flat=True).last() or 0)
    for first in range(0, last + 1, _SLOTS):
        if differences := _compare_slots(cursor, first, first + _SLOTS - 1):
            yield from sorted(differences & _compare_slots(cursor, first, first + _SLOTS - 1))


def _compare_slots(cursor: CursorWrapper, first: int, last: int) -> set[tuple[int, int, int | None, int]]:
    cursor.execute(_ROWS_AT, [first, last])
    rows = dict(cursor.fetchall())
    games = Game.objects.filter(slot__range=(first, last)).values_list("slot", "pk", "index_rows")
    expected = {slot: (pk, number) for slot, pk, number in games}
    return {
        (slot, rows.get(slot, 0), *expected.get(slot, (None, 0)))
        for slot in rows.keys() | expected.keys()
        if rows.get(slot, 0) != expected.get(slot, (None, 0))[1]
    }


_OWNED: Final[tuple[tuple[type[Model], str, type[Model]], ...]] = (
    (GameRecord, "game_id", Game),
    (GameSeries, "game_id", Game),
    (UploadChunk, "upload_id", Upload),
)
"""Tables without a database constraint to the rows' owners."""
_AT_ONCE: Final = 10_000


def _ownerless() -> Iterator[Difference]:
    """Yield rows without a game or upload. They are checked twice, because a deletion can come between two
    reads."""
    for table, column, owner in _OWNED:
        rows, last = table._default_manager.order_by(column).values_list(column, flat=True).distinct(), -1
        while ids := list(rows.filter(**{f"{column}__gt": last})[:_AT_ONCE]):
            last = ids[-1]
            missing = {*ids} - {*owner._default_manager.filter(pk__in=ids).values_list("pk", flat=True)}
            for pk in rows.filter(**{f"{column}__in": missing}) if missing else ():
                yield Difference(
                    "orphan", f"{owner._meta.model_name} {pk}", f"{table._meta.db_table} has rows of it"
                )


_UNSENT: Final = """
    SELECT g.id FROM archive_game g WHERE NOT EXISTS (SELECT 1 FROM archive_entry e WHERE e.game_id = g.id)
"""


def orphans() -> Iterator[Difference]:
    """Yield slots without a game or with wrong rows, games without entries, rows without a game or upload,
    and inconsistent lists."""
    with connection.cursor() as cursor:
        for slot, n, pk, expected in _misplaced(cursor):
            text = f"{n} rows and no game" if pk is None else f"{n} rows, game {pk} has {expected}"
            yield Difference("orphan", f"slot {slot}", text)
        cursor.execute(_UNSENT)
        for (pk,) in cursor.fetchall():
            yield Difference("orphan", f"game {pk}", "no entry has brought it")
        yield from _ownerless()
        cursor.execute(f"{_PLAYERS} UNION ALL {_LABELS} UNION ALL {_UNLISTED} UNION ALL {_FORMATIONS}")
        for table, slot in cursor.fetchall():
            yield Difference("list", f"slot {slot}", f"{table} does not agree with the games")


# --- texts -----------------------------------------------------------------------------------------------


def texts() -> Iterator[Difference]:
    """Yield games whose text differs from the text index."""
    for game in text_index().faulty_games():
        yield Difference("text index", f"game {game}", "is not there with the pieces of its text")


# --- columns ---------------------------------------------------------------------------------------------


def files_of_columns() -> Iterator[Difference]:
    """Yield damaged files of columns, and slots in no file or in several."""
    for name, text in columns.wrong_files():
        yield Difference("columns", f"file {name}", text)
    for slot, text in columns.wrong_slots():
        yield Difference("columns", f"slot {slot}", text)


# --- uploads ---------------------------------------------------------------------------------------------


def uploads() -> Iterator[Difference]:
    """Yield uploads with other bytes than were received, or another number of entries than expected. Leaves
    out uploads that are being deleted."""
    existing = Upload.objects.exclude(state=Upload.State.DELETING)
    for pk in existing.order_by("pk").values_list("pk", flat=True):
        upload = Upload.objects.get(pk=pk)
        checksum, size = sha256(), 0
        for n in upload.chunks.order_by("n").values_list("n", flat=True):
            piece = bytes(upload.chunks.values_list("bytes", flat=True).get(n=n))
            checksum.update(piece)
            size += len(piece)
        if (checksum.hexdigest(), size) != (upload.sha256, upload.size):
            yield Difference("upload", f"upload {pk}", "its bytes are not those that were received")
        # Entries with hidden bytes stay, even if a later reading lacks them.
        entries = upload.entries.exclude(hidden=True, rereads__lt=upload.rereads)
        done, count = upload.state == Upload.State.DONE, entries.count()
        if done and upload.expected is not None and count != upload.expected:
            yield Difference("entries", f"upload {pk}", f"{count} are there, {upload.expected} were found")
