"""Put a game in its place among the stored ones: insert it, unite it with the game that it is an edition of,
or merge games.

These functions run inside the transactions of `archive.store`. `archive.store.matching` decides which games
are the same, `archive.derive.editions` what they are together.
"""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from archive.derive.editions import Edition, edition, fit, union
from archive.derive.game import DerivedEntry, DerivedGame, derive_stored, storable
from archive.index.schema import BLACK_WINS, DRAW, WHITE_WINS
from archive.models import Entry, Game, GameAlias, GameRecord, GameSeries, Upload, codec
from archive.store import changes, matching
from archive.store.changes import Change, identity


def stored_edition(game: Game) -> Edition:
    """Return a stored game as an edition to unite with others."""
    stored = GameRecord.objects.get(game=game)
    return edition_in(game, stored)


def edition_in(game: Game, stored: GameRecord) -> Edition:
    """Return a stored game as an edition, given its stored record."""
    return Edition(bytes(stored.record), stored.parsed_facts or _told(game))


def _told(game: Game) -> dict[str, Any]:
    """Return what the columns say about a game that was stored without its parsed facts."""
    winner = game.result if game.result in (BLACK_WINS, WHITE_WINS) else None
    ending = [game.special, game.special, game.plies, winner, game.result == DRAW]
    return {"kind": game.record_kind, "ending": ending if game.special or winner is not None else None}


def put(change: Change, derived: DerivedGame) -> tuple[int, bool]:
    """Store a game where it belongs; return its id and whether it is new."""
    known = changes.known_games([identity(derived)]).get(identity(derived))
    return (add_edition(change, known, derived), False) if known else place(change, derived)


def place(change: Change, derived: DerivedGame) -> tuple[int, bool]:
    """Store a game with an unknown digest, as an edition of another game or as a new one; return its id and
    whether it is new."""
    found = matching.target(derived, change.names.players)
    if found is not None:
        return add_edition(change, found, derived), False
    (pk,) = changes.insert_games(change, [derived]).values()
    return pk, True


def add_edition(change: Change, game: Game, derived: DerivedGame) -> int:
    """Add to a stored game what an edition has more; return the id of the resulting game."""
    mine = stored_edition(game)
    whole = union([mine, edition(derived)])
    if whole == mine:
        change.records[game.pk] = mine.record
        return game.pk
    return settle(change, game, derive_with(game, whole, mine))


def derive_with(game: Game, whole: Edition, mine: Edition | None = None) -> DerivedGame:
    """Derive a stored game from another record.

    `mine` is what the game says now. If both have the same moves and it stays the same game, it keeps its
    rows.
    """
    record = codec.unpack(whole.record)
    if mine is not None and codec.same_moves(record, codec.unpack(mine.record)):
        derived = derive_stored(record, whole.parsed_facts, game.space, game.index_rows)
        if changes.keeps_rows(game, derived):
            return derived
    return derive_stored(record, whole.parsed_facts, game.space)


def settle(change: Change, game: Game, derived: DerivedGame) -> int:
    """Write what a stored game has become, merge it with games that are now the same, and return its id.

    If several games become one, the oldest id stays and the others become its aliases.
    """
    while other := _same_as(change, derived, game.pk):
        whole = union([edition(derived), stored_edition(other)])
        game, gone = sorted((game, other), key=lambda one: one.pk)
        repoint(change, gone, game)
        derived = derive_with(game, whole)
    if _is_written(change, game, derived):
        change.records[game.pk] = derived.record
    else:
        changes.rewrite_games(change, [(game, derived)])
    return game.pk


def _same_as(change: Change, derived: DerivedGame, pk: int) -> Game | None:
    change.know([derived])
    matching.lock([derived], change.names.players)
    known = changes.known_games([identity(derived)]).get(identity(derived))
    if known is not None and known.pk != pk:
        return known
    return matching.target(derived, change.names.players, without=pk)


def _is_written(change: Change, game: Game, derived: DerivedGame) -> bool:
    """Return whether the stored game is already what it has become."""
    stored = GameRecord.objects.get(game=game)
    if (bytes(stored.record), stored.parsed_facts) != (derived.record, derived.parsed_facts):
        return False
    series = GameSeries.objects.filter(game=game).values_list("series", flat=True).first()
    return bytes(series or b"") == derived.series and changes.has_columns(change, game, derived)


def unite_editions(change: Change, game: Game, by: DerivedGame | None = None) -> int:
    """Make a game anew from its editions; return its id.

    With `by`, an edition that has just been read, editions that contradict it are left out.
    """
    mine = stored_edition(game)
    entries = Entry.objects.filter(game=game).order_by("pk")
    # What is being deleted says nothing any more, unless there is nothing else.
    said = list(entries.exclude(upload__state=Upload.State.DELETING)) or list(entries)
    editions = [edition_of(entry, mine) for entry in said]
    if by is not None:
        editions = [found for found in editions if fit(found, edition(by))]
    pk = settle(change, game, derive_with(game, union(editions), mine))
    restate(pk)
    return pk


def edition_of(entry: Entry, of_game: Edition) -> Edition:
    """Return what an entry says as an edition; `of_game` is what its game says."""
    record = of_game.record if entry.record is None else bytes(entry.record)
    return Edition(record, entry.parsed_facts or of_game.parsed_facts)


def restate(pk: int) -> None:
    """Mark one of a game's entries as the one that brought it: the first that agrees with it, or else the
    first."""
    entries = Entry.objects.filter(game=pk).order_by("pk")
    brought = entries.filter(state=Entry.State.STORED).first() or entries.first()
    if brought is not None:
        entries.exclude(pk=brought.pk).update(state=Entry.State.DUPLICATE)
        entries.filter(pk=brought.pk).update(state=Entry.State.STORED)


def describe(row: Entry, entry: DerivedEntry) -> None:
    """Write into a row everything that was read, except the game."""
    row.path = storable(entry.path)
    row.index = entry.index
    row.part = entry.part
    row.issues = [storable(asdict(issue)) for issue in entry.issues]
    row.beyond_jkf = storable(entry.beyond_jkf)
    row.encoding = entry.encoding
    row.format = entry.format
    row.program = storable(entry.program)


def own_record(record: bytes, of_game: bytes) -> bytes | None:
    """Return what an entry keeps of its own record: nothing if it says the same as the game's."""
    same = record == of_game or codec.unpack(record) == codec.unpack(of_game)
    return None if same else record


def one_edition(games: Sequence[DerivedGame]) -> DerivedGame:
    """Return the union of editions of one identity that arrived together."""
    first = games[0]
    whole = union([edition(game) for game in games])
    if whole == edition(first):
        return first
    return derive_stored(codec.unpack(whole.record), whole.parsed_facts, first.space)


def repoint(change: Change, gone: Game, game: Game) -> None:
    """Make a game an edition of another: its entries and aliases move there, and its id becomes an alias."""
    changes.keep_own_records([gone])
    Entry.objects.filter(game=gone, state=Entry.State.STORED).update(state=Entry.State.DUPLICATE)
    Entry.objects.filter(game=gone).update(game=game)
    gone.aliases.update(game=game)
    changes.remove_rows(change, gone)
    changes.drop_games([gone])
    GameAlias.objects.create(pk=gone.pk, space=gone.space, game=game)
    change.moved[gone.pk] = game.pk
