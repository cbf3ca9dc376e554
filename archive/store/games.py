"""Delete, replace and index again games that are stored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from archive.derive.game import DerivedGame, index_rows
from archive.models import Entry, Game
from archive.store import changes, dedupe, deletion, matching, taken_down
from archive.store.changes import Change


def delete_games(ids: Iterable[int], *, hide_bytes: bool = False) -> int:
    """Delete games with everything that is theirs; return how many there were.

    Their entries stay and say that the game was deleted; their bytes are there for everybody, or are hidden.
    Entries that bring these games again are held (`archive.store.taken_down`).
    Raises IndexDamagedError.
    """
    wanted = list(ids)

    def work(change: Change) -> int:
        games = list(Game.objects.select_for_update().filter(pk__in=wanted).order_by("pk"))
        taken_down.remember(games, hidden=hide_bytes)
        found = Entry.objects.filter(game__in=games)
        hidden = {"hidden": True} if hide_bytes else {}
        found.update(game=None, record=None, state=Entry.State.DELETED, **hidden)
        deletion.drop(change, games)
        change.write_counters()
        return len(games)

    return changes.run((), work)


def replace_games(replacements: Mapping[int, DerivedGame]) -> dict[int, int]:
    """Give stored games a new normalization of the same record; return the id each one is found under now.

    Each gets a new slot. One whose new identity is another game's becomes that game's edition: its id is
    left as an alias. Ids that do not exist are left out. Raises IndexDamagedError.
    """

    def work(change: Change) -> dict[int, int]:
        matching.lock(replacements.values(), change.names.players)
        ids = changes.park_digests(list(replacements))
        for pk in ids:
            # One that was merged into a game before it is that game's edition by now.
            if game := Game.objects.filter(pk=pk).first():
                dedupe.settle(change, game, replacements[pk])
        change.write_rows()
        change.write_counters()
        return {pk: change.home(pk) for pk in ids}

    return changes.run(replacements.values(), work)


def reindex_games(ids: Iterable[int], *, scan: bool = False) -> int:
    """Reindex stored games from their records, in new slots; return how many there were.

    `scan` finds the old rows by reading whole segments: the way out of IndexDamagedError.
    """
    wanted = list(ids)

    def work(change: Change) -> int:
        games = list(Game.objects.select_for_update().filter(pk__in=wanted).order_by("pk"))
        for game in games:
            record = game.jkf
            indexed = index_rows(record, game.kind, game.space)
            changes.reindex_game(change, game, indexed, scan=scan)
            changes.derive_series(game, record)
        change.write_rows()
        change.write_counters()
        return len(games)

    return changes.run((), work)
