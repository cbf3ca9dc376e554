"""Games that were taken down: entries that bring them again are held until the staff lets them in."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict
from typing import Final

from archive.derive.editions import Edition
from archive.derive.game import DerivedEntry, DerivedGame, derive_stored, storable
from archive.models import Entry, Game, TakenDown, codec
from archive.store import changes, dedupe, matching
from archive.store.changes import Change, Identity, identity
from kifu_core.errors import Issue

TAKEN_DOWN: Final = "taken-down"


def remember(games: Sequence[Game], *, hidden: bool) -> None:
    """Remember the identities of games about to be deleted: their own and those of their editions."""
    for game in games:
        mine = dedupe.stored_edition(game)
        editions = [dedupe.edition_of(entry, mine) for entry in Entry.objects.filter(game=game)]
        known = {(game.space, bytes(game.digest))}
        known |= {identity(_derived(edition, game.space)) for edition in (mine, *editions)}
        _insert(known, game.pk, hidden=hidden)


def remember_as_read_now(row: Entry, game: DerivedGame) -> None:
    """Remember what the entry of a taken-down game says now, since an older reading may have differed."""
    _insert([identity(game)], None, hidden=row.hidden)


def _insert(identities: Iterable[Identity], game: int | None, *, hidden: bool) -> None:
    rows = [TakenDown(space=space, digest=digest, game=game, hidden=hidden) for space, digest in identities]
    TakenDown.objects.bulk_create(rows, ignore_conflicts=True)


def _derived(edition: Edition, space: int) -> DerivedGame:
    """Derive what identifies an edition; its rows in the index do not matter."""
    return derive_stored(codec.unpack(edition.record), edition.parsed_facts, space, kept_rows=0)


def held(games: Iterable[DerivedGame]) -> dict[Identity, bool]:
    """Return the games among these that were taken down, and whether their bytes were hidden too."""
    wanted = {identity(game) for game in games}
    digests = [digest for _, digest in wanted]
    found = TakenDown.objects.filter(digest__in=digests).values_list("space", "digest", "hidden")
    taken = {(space, bytes(digest)): hidden for space, digest, hidden in found} if wanted else {}
    return {known: hidden for known, hidden in taken.items() if known in wanted}


def hold(row: Entry, entry: DerivedEntry, *, hidden: bool) -> None:
    """Mark a row as the entry of a taken-down game; the record is kept so that it can be let in."""
    assert entry.game is not None
    row.state, row.game_id = Entry.State.HELD, None
    row.hidden = row.hidden or hidden
    row.record, row.parsed_facts = entry.game.record, dict(entry.game.parsed_facts)
    row.issues = [storable(asdict(issue)) for issue in (*entry.issues, Issue(TAKEN_DOWN, "error"))]


def let_in(ids: Collection[int]) -> int:
    """Store the games of held entries after all, and forget that they were taken down; return how many."""
    held = Entry.objects.filter(pk__in=ids, state=Entry.State.HELD).exclude(record=None)
    entries = held.select_related("upload").order_by("pk")
    games = {
        row.pk: derive_stored(codec.unpack(row.record or b""), row.parsed_facts, row.upload.space)
        for row in entries
    }

    def work(change: Change) -> int:
        matching.lock(games.values(), change.names.players)
        waiting = list(entries.filter(pk__in=games))
        for row in waiting:
            _let_in(change, row, games[row.pk])
        change.write_rows()
        change.write_counters()
        return len(waiting)

    return changes.run(games.values(), work)


def _let_in(change: Change, row: Entry, game: DerivedGame) -> None:
    mine = TakenDown.objects.filter(space=game.space, digest=game.digest)
    TakenDown.objects.filter(game__in=[one.game for one in mine if one.game is not None]).delete()
    mine.delete()
    row.game_id, new = dedupe.put(change, game)
    row.state = Entry.State.STORED if new else Entry.State.DUPLICATE
    row.hidden = False
    row.record = dedupe.own_record(game.record, change.records[row.game_id])
    row.issues = [issue for issue in row.issues if issue["code"] != TAKEN_DOWN]
    row.save()
