"""Games that were taken down: entries that bring them again are held until the staff releases them.

Games can be restored from the records of their entries."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from typing import Final

from archive.derive.editions import Edition, derive_edition
from archive.derive.game import DerivedEntry, DerivedGame, Identity, storable
from archive.models import Entry, Game, GameAlias, GameIdentity, GoneGame, TakenDown
from archive.store import apply
from archive.store.change import Change, run
from archive.store.corrections import restore_corrections
from archive.store.entry_rows import edition_of, own_record, stored_edition
from archive.store.existing import lock
from archive.store.hidden_bytes import hide_by_game
from kifu_core.errors import Issue

TAKEN_DOWN: Final = "taken-down"


def remember(games: Sequence[Game], *, hidden: bool) -> None:
    """Remember the identities of games before they are deleted: their own and those of their editions."""
    identities: dict[Identity, int | None] = {}
    rows = GameIdentity.objects.filter(game__in=games).values_list("space", "digest", "game")
    identities |= {(space, bytes(digest)): pk for space, digest, pk in rows}
    for game in games:
        mine = stored_edition(game)
        editions = [edition_of(entry, mine) for entry in Entry.objects.filter(game=game)]
        # `kept_rows` saves the derivation of rows.
        derived = (derive_edition(each, game.space, kept_rows=0) for each in (mine, *editions))
        own = {(game.space, bytes(game.digest)), *(each.identity for each in derived)}
        identities |= dict.fromkeys(own, game.pk)
    _insert(identities, hidden=hidden)


def remember_as_read_now(row: Entry, game: DerivedGame) -> None:
    """Remember the present reading of an entry whose game was taken down; an earlier one may differ."""
    _insert({game.identity: None}, hidden=row.hidden)


def _insert(games: Mapping[Identity, int | None], *, hidden: bool) -> None:
    """Insert identities, each with the id of its game."""
    rows = [
        TakenDown(space=space, digest=digest, game=game, hidden=hidden)
        for (space, digest), game in sorted(games.items())
    ]
    TakenDown.objects.bulk_create(rows, ignore_conflicts=True)


def hold(row: Entry, entry: DerivedEntry, *, hidden: bool) -> None:
    """Mark a row as held, with its record, so that it can be released."""
    assert entry.game is not None
    row.state, row.game_id = Entry.State.HELD, None
    row.hidden = row.hidden or hidden
    row.record, row.parsed_facts = entry.game.record, dict(entry.game.parsed_facts)
    row.issues = [storable(asdict(issue)) for issue in (*entry.issues, Issue(TAKEN_DOWN, "error"))]


def release_held(ids: Collection[int]) -> int:
    """Store the games of held entries, and forget that they were taken down; return their number."""
    held = Entry.objects.filter(pk__in=ids, state=Entry.State.HELD).exclude(record=None)
    entries = held.select_related("upload").order_by("pk")
    games = {
        row.pk: derive_edition(Edition(bytes(row.record or b""), row.parsed_facts), row.upload.space)
        for row in entries
    }

    def work(change: Change) -> int:
        lock(games.values(), change.names)
        waiting = list(entries.filter(pk__in=games))
        for row in waiting:
            _release(change, row, games[row.pk])
        hide_by_game(Entry.objects.filter(pk__in=[row.pk for row in waiting]))
        change.write_rows()
        change.write_counters()
        return len(waiting)

    return run(games.values(), work)


def _release(change: Change, row: Entry, game: DerivedGame) -> None:
    own = TakenDown.objects.filter(space=game.space, digest=game.digest)
    TakenDown.objects.filter(game__in=[*own.exclude(game=None).values_list("game", flat=True)]).delete()
    own.delete()
    placed = apply.place(change, game)
    change.note(game.space, placed.pk)
    row.game_id = placed.pk
    row.state = Entry.State.STORED if placed.new else Entry.State.DUPLICATE
    # Only the next reading removes an entry that the latest one lacks.
    row.hidden = row.rereads < row.upload.rereads
    row.record = own_record(game.record, placed.record)
    row.issues = [issue for issue in row.issues if issue["code"] != TAKEN_DOWN]
    row.save()


def restore_games(ids: Collection[int]) -> dict[int, int]:
    """Restore games that were taken down, from the records of their entries. Map their former ids, which
    become aliases, to the new ones. Their corrections apply again, or wait as proposals."""
    spaces = dict(GoneGame.objects.filter(pk__in=ids).values_list("pk", "space"))
    deleted = Entry.objects.filter(taken_from__in=spaces, state=Entry.State.DELETED).exclude(record=None)
    entries = deleted.select_related("upload").order_by("pk")
    games = {
        row.pk: derive_edition(
            Edition(bytes(row.record or b""), row.parsed_facts), spaces[row.taken_from or 0]
        )
        for row in entries
    }

    def work(change: Change) -> dict[int, int]:
        lock(games.values(), change.names)
        homes: dict[int, int] = {}
        for row in entries.filter(pk__in=games):
            former = row.taken_from
            row.taken_from = None
            _release(change, row, games[row.pk])
            if former is not None and row.game_id is not None:
                homes[former] = row.game_id
        restored = {former: change.home(home) for former, home in homes.items()}
        for former, home in restored.items():
            _become_alias(former, home)
        for former, home in restored.items():
            restore_corrections(change, former, home)
        hide_by_game(Entry.objects.filter(game__in=restored.values()))
        change.write_rows()
        change.write_counters()
        return restored

    return run(games.values(), work)


def _become_alias(former: int, home: int) -> None:
    gone = GoneGame.objects.filter(pk=former)
    for space in gone.values_list("space", flat=True):
        GameAlias.objects.create(pk=former, space=space, game_id=home)
    gone.delete()
