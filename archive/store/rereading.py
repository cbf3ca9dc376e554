"""Entries that are read again: their games are changed in place and keep their ids.

A game follows its entry. Where the new reading is a further edition of another game, or of none that is
known, the entry goes there; a game that loses its last entry so becomes an alias of where that went. What can
not be read any more keeps what was read before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Final

from archive.derive.game import ReadyEntry, ReadyGame, storable
from archive.derive.merge import Edition, edition, fit, goes_on
from archive.models import Entry, Game
from archive.store import changes, dedupe, matching
from archive.store.changes import Change, identity
from kifu_core.errors import Issue

KEPT: Final = "kept-reading"


def update(
    change: Change, entries: Sequence[ReadyEntry], rows: Mapping[int, int], reading: int
) -> list[Entry]:
    """Bring rows (`seq` of what was read to id) up to what was read now; the rows as they are then."""
    left: dict[int, int] = {}
    updated = []
    for entry in _known_first(entries):
        row = Entry.objects.get(pk=rows[entry.seq])
        before = row.game_id
        row.seq, row.reading = entry.seq, reading
        _update(change, row, entry)
        row.save()
        updated.append(row)
        if before is not None and row.game_id is not None and change.home(before) != row.game_id:
            left[before] = row.game_id
    for pk, destination in left.items():
        _leave(change, pk, destination)
    return updated


def _known_first(entries: Sequence[ReadyEntry]) -> list[ReadyEntry]:
    """Those whose games are known as they are come first: a game has to be missed by its own text before it
    becomes another one's."""
    known = changes.known_games([identity(entry.game) for entry in entries if entry.game])
    return sorted(entries, key=lambda entry: entry.game is None or identity(entry.game) not in known)


def _update(change: Change, row: Entry, entry: ReadyEntry) -> None:
    if entry.game is None:
        _not_read(row, entry)
        return
    dedupe.describe(row, entry)
    if row.state == Entry.State.DELETED:
        return
    if row.game_id is None:
        pk, new = dedupe.put(change, entry.game)
    else:
        pk, new = _follow(change, row, row.game_id, entry.game)
    if new or pk != row.game_id:
        row.state = Entry.State.STORED if new else Entry.State.DUPLICATE
    row.game_id = pk
    row.record = dedupe.own_record(entry.game.record, change.records[pk])
    row.beside = dict(entry.game.beside)


def _not_read(row: Entry, entry: ReadyEntry) -> None:
    if row.game_id is None:
        dedupe.describe(row, entry)
        return
    kept = [*entry.issues, Issue(KEPT, "warning")]
    row.issues = [storable(asdict(issue)) for issue in kept]


def _follow(change: Change, row: Entry, game_id: int, ready: ReadyGame) -> tuple[int, bool]:
    """The game that an entry of a game belongs to by what it says now, and whether that is new."""
    game = Game.objects.select_for_update().get(pk=game_id)
    found = _found(change, ready)
    if found is None and _is_continued(game, row, edition(ready)):
        found = game
    if found is None:
        return dedupe.place(change, ready)
    if found.pk != game.pk:
        return dedupe.add_edition(change, found, ready), False
    row.record, row.beside = ready.record, dict(ready.beside)
    row.save()
    return dedupe.rebuild(change, game, ready), False


def _found(change: Change, ready: ReadyGame) -> Game | None:
    known = changes.known_games([identity(ready)]).get(identity(ready))
    return known or matching.target(ready, change.names.players)


def _is_continued(game: Game, row: Entry, new: Edition) -> bool:
    """Whether a game becomes what its entry says now: that is of the same text, and the entry was at one with
    the game. It said all that the game is, or nothing that the others say is against the new reading.

    Where another entry's new reading has already changed the game, or found it, this one was not.
    """
    mine = dedupe.stored_edition(game)
    old = dedupe.edition_of(row, mine)
    if not fit(old, mine) or not goes_on(old, new):
        return False
    others = game.entries.exclude(pk=row.pk)
    if dedupe.again(game, old).digest == bytes(game.digest):
        others = others.filter(upload_id=row.upload_id, reading=row.reading)
    return all(fit(dedupe.edition_of(other, mine), new) for other in others)


def _leave(change: Change, pk: int, destination: int) -> None:
    """An entry has left a game."""
    game = Game.objects.select_for_update().filter(pk=pk).first()
    if game is None:
        return
    if game.entries.exists():
        dedupe.rebuild(change, game)
    else:
        dedupe.repoint(change, game, Game.objects.get(pk=change.home(destination)))
