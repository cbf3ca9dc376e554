"""The rows of entries: their descriptions and records, and the union of a game's entries."""

from dataclasses import asdict

from archive.derive.editions import Edition, compatible, edition
from archive.derive.game import DerivedEntry, DerivedGame, storable
from archive.models import Entry, Game, Upload, codec
from archive.store.apply import PlacedGame, plan_and_apply_one
from archive.store.change import Change
from archive.store.existing import stored_editions


def stored_edition(game: Game) -> Edition:
    """Return a stored game as an edition."""
    return stored_editions([game])[game.pk]


def edition_of(entry: Entry, game: Edition) -> Edition:
    """Return an entry of a game as an edition."""
    record = game.record if entry.record is None else bytes(entry.record)
    return Edition(record, entry.parsed_facts or game.parsed_facts)


def unite_editions(change: Change, game: Game, by: DerivedGame | None = None) -> PlacedGame:
    """Make a stored game the union of its editions; return the resulting game. Editions that contradict `by`,
    a new reading, are left out. Raises IndexDamagedError."""
    change.note(game.space, game.pk)
    mine = stored_edition(game)
    entries = Entry.objects.filter(game=game).order_by("pk")
    # Entries of an upload that is being deleted count only if there are no others.
    counted = list(entries.exclude(upload__state=Upload.State.DELETING)) or list(entries)
    editions = [edition_of(entry, mine) for entry in counted]
    if by is not None:
        editions = [each for each in editions if compatible(each, edition(by))]
    placed = plan_and_apply_one(change, lambda plan: plan.unite(game.pk, editions))
    mark_first(placed.pk)
    return placed


def mark_first(pk: int) -> None:
    """Mark exactly one entry of a game as STORED: one that is, else the first."""
    entries = Entry.objects.filter(game=pk).order_by("pk")
    first = entries.filter(state=Entry.State.STORED).first() or entries.first()
    if first is not None:
        entries.exclude(pk=first.pk).update(state=Entry.State.DUPLICATE)
        entries.filter(pk=first.pk).update(state=Entry.State.STORED)


def describe(row: Entry, entry: DerivedEntry) -> None:
    """Copy an entry to its row, except the game."""
    row.path = storable(entry.path)
    row.index = entry.index
    row.part = entry.part
    row.issues = [storable(asdict(issue)) for issue in entry.issues]
    row.beyond_jkf = storable(entry.beyond_jkf)
    row.encoding = entry.encoding
    row.format = entry.format
    row.program = storable(entry.program)


def own_record(record: bytes, game_record: bytes) -> bytes | None:
    """Return the record of an entry; None if its game has the same one."""
    same = record == game_record or codec.unpack(record) == codec.unpack(game_record)
    return None if same else record
