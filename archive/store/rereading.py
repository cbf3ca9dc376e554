"""Rereads entries: their games change in place and keep their ids.

If the new reading is an edition of another game, or a new game, the entry moves there. A game without further
entries becomes an alias of that one. An entry that can no longer be read keeps its earlier reading.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Final

from archive.derive.editions import Edition, compatible, derive_edition, edition, same_text
from archive.derive.game import DerivedEntry, DerivedGame, storable
from archive.index.engine import engine
from archive.models import Entry, Game
from archive.store import apply, deletion, existing, history, taken_down
from archive.store.apply import PlacedGame
from archive.store.change import Change
from archive.store.entry_rows import describe, edition_of, own_record, stored_edition, unite_editions
from kifu_core.errors import Issue

KEPT: Final = "kept-reading"
"""The issue of an entry that has its earlier reading."""


def reread_entries(
    change: Change, entries: Sequence[DerivedEntry], rows: Mapping[int, int], rereads: int
) -> list[Entry]:
    """Update the rows of entries, by `seq`, to their new reading; return the rows."""
    left: dict[int, int | None] = {}
    updated = []
    for entry in _unchanged_first(entries):
        row = Entry.objects.get(pk=rows[entry.seq])
        before = row.game_id
        row.seq, row.rereads = entry.seq, rereads
        _update(change, row, entry)
        row.save()
        updated.append(row)
        if entry.game and row.game_id is not None and before != row.game_id:
            change.note(entry.game.space, row.game_id)
        if before is not None and change.home(before) != row.game_id:
            left[before] = row.game_id
    for pk, destination in left.items():
        _leave(change, pk, destination)
    return updated


def where_games_are(entries: Sequence[DerivedEntry], rows: Mapping[int, int]) -> list[DerivedEntry]:
    """Return the entries with their games in the present spaces of their rows' games: a published game has
    left its upload's space."""
    stored = Entry.objects.filter(pk__in=[rows[entry.seq] for entry in entries]).exclude(game=None)
    spaces = dict(stored.values_list("pk", "game__space"))
    return [
        replace(entry, game=in_space(entry.game, spaces.get(rows[entry.seq], entry.game.space)))
        if entry.game
        else entry
        for entry in entries
    ]


def in_space(game: DerivedGame, space: int) -> DerivedGame:
    """Return a game derived for another space."""
    if game.space == space:
        return game
    return derive_edition(edition(game), space)


def _unchanged_first(entries: Sequence[DerivedEntry]) -> list[DerivedEntry]:
    """Return first the entries whose games exist unchanged: otherwise another entry could take over such a
    game."""
    stored = existing.games_by_identity([entry.game.identity for entry in entries if entry.game])
    return sorted(entries, key=lambda entry: entry.game is None or entry.game.identity not in stored)


def _update(change: Change, row: Entry, entry: DerivedEntry) -> None:
    if entry.game is None:
        _not_read(row, entry)
        return
    describe(row, entry)
    if row.state == Entry.State.DELETED:
        taken_down.remember_as_read_now(row, entry.game)
        return
    hidden = existing.taken_down({entry.game.identity}).get(entry.game.identity)
    if hidden is not None:
        taken_down.hold(row, entry, hidden=hidden)
        return
    if row.state == Entry.State.HELD:
        row.hidden = False
    if row.game_id is None:
        placed = apply.place(change, entry.game)
    else:
        placed = _follow(change, row, row.game_id, entry.game)
    if placed.new or placed.pk != row.game_id:
        row.state = Entry.State.STORED if placed.new else Entry.State.DUPLICATE
    row.game_id = placed.pk
    if Game.objects.filter(pk=placed.pk, corrected=True).exists():
        history.remember([(entry.game, placed.pk)])
    row.record = own_record(entry.game.record, placed.record)
    row.parsed_facts = dict(entry.game.parsed_facts)


def _not_read(row: Entry, entry: DerivedEntry) -> None:
    if row.game_id is None:
        describe(row, entry)
        return
    row.issues = [storable(asdict(issue)) for issue in (*entry.issues, Issue(KEPT, "warning"))]


def _follow(change: Change, row: Entry, game_id: int, derived: DerivedGame) -> PlacedGame:
    """Return the game of an entry by its new reading."""
    game = Game.objects.select_for_update().get(pk=game_id)
    match = apply.find(change, derived)
    if match not in (None, game.pk) or (match is None and not _is_continued(game, row, edition(derived))):
        return apply.place(change, derived)
    row.record, row.parsed_facts = derived.record, dict(derived.parsed_facts)
    row.save()
    return unite_editions(change, game, derived)


def _is_continued(game: Game, row: Entry, new: Edition) -> bool:
    """Return whether a game becomes the new reading of its entry.

    It does if the text is the same, and either the entry alone is the complete game, or no other edition
    contradicts the new reading. Entries that were reread before count among the others.
    """
    mine = stored_edition(game)
    old = edition_of(row, mine)
    if not compatible(old, mine) or not same_text(old, new):
        return False
    others = game.entries.exclude(pk=row.pk)
    digest = derive_edition(mine, game.space, kept_rows=0).digest if game.corrected else bytes(game.digest)
    if derive_edition(old, game.space, kept_rows=0).digest == digest:
        others = others.filter(upload_id=row.upload_id, rereads=row.rereads)
    return all(compatible(edition_of(other, mine), new) for other in others)


def _leave(change: Change, pk: int, destination: int | None) -> None:
    """Update a game that an entry has left. After its last entry, make it an alias of the destination, or
    delete it if there is none."""
    game = Game.objects.select_for_update().filter(pk=pk).first()
    if game is None:
        return
    if game.entries.exists():
        unite_editions(change, game)
    elif destination is None:
        engine().lock_decided(change.cursor)
        deletion.drop(change, [game], repair=True)
    else:
        history.release(pk)
        apply.merge(change, game, change.home(destination))
