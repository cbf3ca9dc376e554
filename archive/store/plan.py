"""Decide what becomes of games: which are new, which are editions of a stored game, which become one game.

No function here reads or writes the database. A plan is made from rows that were read before (`Existing`). If
some are missing, `Plan.unread` lists them; then they are read, and the plan is made again.

A game with the identity of another one is an edition of it. Otherwise three rules decide:

- same moves, and no contradiction between the headers: they are editions of one game
- a record that stops, a longer one that continues it, the same players and day: it is a snapshot
- more than one candidate: the game stays separate, and readers see likely twins
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from operator import itemgetter
from typing import Any, Final, NamedTuple

from archive.derive import formations
from archive.derive.editions import Edition, edition, is_beginning, union
from archive.derive.game import SHORT_PLIES, DerivedGame, Identity, derive_stored
from archive.index import schema
from archive.index.schema import UNKNOWN
from archive.models import Game, codec
from archive.store.names import Names

NEW: Final = 1 << 62
"""Provisional ids of the games that a plan inserts are above this, so they sort after those of stored
games."""

STOPPED: Final = ("", "CHUDAN")
"""The endings of a record that a longer one may continue: none, or interrupted."""

Players = tuple[int | None, int | None]
"""The ids of two players by colour."""


class Pairing(NamedTuple):
    """The players and the exact day of a game, which a snapshot shares with its game."""

    space: int
    kind: str
    players: Players
    day: str


class Facts(NamedTuple):
    """The facts by which games are compared. Unknown players are None; an unknown day or time is empty.

    `day` is as exact as it is known; `time` is when the game began.
    """

    space: int
    kind: str
    record_kind: str
    digest: bytes
    stem: bytes
    plies: int
    players: Players
    day: str
    time: str
    result: int
    special: str

    @property
    def identity(self) -> Identity:
        """Return space and digest."""
        return self.space, self.digest

    @property
    def stopped(self) -> bool:
        """Return whether the record may be a snapshot of a longer game."""
        return self.result == UNKNOWN and self.special in STOPPED

    @property
    def pairing(self) -> Pairing | None:
        """Return the players and the day; None unless all of them are known."""
        if self.record_kind != "game" or None in self.players or len(self.day) < len("2024-05-01"):
            return None
        return Pairing(self.space, self.kind, self.players, self.day)


Derivation = Callable[[Edition, int, int | None], DerivedGame]
"""Derives a game from an edition, its space, and the number of rows that it keeps."""


def derive_edition(source: Edition, space: int, kept_rows: int | None = None) -> DerivedGame:
    """Return `derive_stored` of an edition."""
    return derive_stored(codec.unpack(source.record), source.parsed_facts, space, kept_rows)


def facts(game: DerivedGame, names: Names) -> Facts:
    """Return the facts of a game that is not stored. Raises KeyError for a player that `names` lacks."""
    black, white = (names.players[game.space, name] if name else None for name in game.players)
    return Facts(
        game.space, game.kind, game.record_kind, game.digest, game.stem, game.plies, (black, white),
        _day(game), game.header_data.get("time", ""), game.result, game.special,
    )  # fmt: skip


def stored_facts(game: Game) -> Facts:
    """Return the facts of a stored game."""
    return Facts(
        game.space, game.kind, game.record_kind, bytes(game.digest), bytes(game.stem or b""), game.plies,
        (game.player0_id, game.player1_id), _day(game), game.header_data.get("time", ""), game.result,
        game.special,
    )  # fmt: skip


def _day(game: DerivedGame | Game) -> str:
    """Return the first day as exactly as it is known: 2024-05-01, 2024-05, 2024 or nothing."""
    played: date | None = game.played_from
    if played is None:
        return ""
    day: str = game.header_data.get("day", "")
    return day or played.isoformat()[: {"year": 4, "month": 7}.get(game.precision, 10)]


def agree(one: Facts, other: Facts) -> bool:
    """Return whether players, day and result agree wherever both are known. A day agrees with its month and
    its year."""
    names = all(None in pair or pair[0] == pair[1] for pair in zip(one.players, other.players, strict=True))
    result = UNKNOWN in (one.result, other.result) or one.result == other.result
    return names and result and _prefixes(one.day, other.day)


def _prefixes(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)


# --- stored games ----------------------------------------------------------------------------------------


class Details(NamedTuple):
    """A stored game's packed series, and the ratings of its named players by colour."""

    series: bytes = b""
    ratings: Mapping[int, int | None] = {}


@dataclass(slots=True)
class Existing:
    """The stored games that were read, locked until the transaction ends.

    All games with an identity of `identified`, and all that could be the same as one of `compared`, are among
    them. `held` has the identities that were taken down, and whether their bytes are hidden.
    """

    names: Names
    games: dict[int, Game] = field(default_factory=dict)
    editions: dict[int, Edition] = field(default_factory=dict)
    details: dict[int, Details] = field(default_factory=dict)
    held: dict[Identity, bool] = field(default_factory=dict)
    identified: set[Identity] = field(default_factory=set)
    compared: set[Facts] = field(default_factory=set)
    computed: dict[object, Any] = field(default_factory=dict)
    """Results of earlier attempts at the same plan."""

    def derive(self, source: Edition, space: int, kept_rows: int | None = None) -> DerivedGame:
        """Return the game of an edition, derived once."""
        key = _hashable(source), space, kept_rows
        if key not in self.computed:
            self.computed[key] = derive_edition(source, space, kept_rows)
        game: DerivedGame = self.computed[key]
        return game

    def unite(self, editions: Sequence[Edition]) -> Edition:
        """Return the `union` of editions, computed once."""
        key = tuple(map(_hashable, editions))
        if key not in self.computed:
            self.computed[key] = union(editions)
        united: Edition = self.computed[key]
        return united


def _hashable(source: Edition) -> tuple[bytes, str]:
    return source.record, repr(source.parsed_facts)


@dataclass(slots=True)
class Unread:
    """Rows that a plan needs and `Existing` lacks: the stored games with the identity of some games, those
    that could be the same as some games, and editions and details by id."""

    identify: list[DerivedGame] = field(default_factory=list)
    compare: dict[Facts, DerivedGame] = field(default_factory=dict)
    editions: set[int] = field(default_factory=set)
    details: set[int] = field(default_factory=set)

    def __bool__(self) -> bool:
        return bool(self.identify or self.compare or self.editions or self.details)


class NotReadError(Exception):
    """A decision needs stored games that have not been read; they are in `Plan.unread`."""


# --- the plan --------------------------------------------------------------------------------------------


class Plan:
    """The decisions about some games.

    `games` has the games to write by id: new ones (from `NEW` on) and stored ones that change. `merged` maps
    each stored game that becomes an alias to the game that it is an edition of.
    """

    def __init__(self, existing: Existing) -> None:
        self.existing = existing
        self.unread = Unread()
        self.games: dict[int, DerivedGame] = {}
        self.merged: dict[int, int] = {}
        self.placed: dict[Identity, int] = {}
        self._new = NEW
        self._facts: dict[int, Facts] = {}
        self._by_identity: dict[Identity, int] = {}
        self._by_stem: dict[tuple[int, bytes], set[int]] = defaultdict(set)
        self._by_pairing: dict[Pairing | None, set[int]] = defaultdict(set)
        for pk, game in existing.games.items():
            self._list(pk, stored_facts(game))

    @property
    def inserted(self) -> dict[int, DerivedGame]:
        """Return the games to insert, by provisional id."""
        return {pk: game for pk, game in self.games.items() if pk >= NEW}

    @property
    def changed(self) -> list[tuple[Game, DerivedGame]]:
        """Return the stored games to rewrite, in the order of decisions: a game may take the identity that an
        earlier one gives up."""
        return [(self.existing.games[pk], game) for pk, game in self.games.items() if pk < NEW]

    def home(self, pk: int) -> int:
        """Return the id of the game that a game is now part of."""
        while pk in self.merged:
            pk = self.merged[pk]
        return pk

    def edition(self, pk: int) -> Edition:
        """Return a game as planned so far. Raises NotReadError."""
        if pk in self.games:
            return edition(self.games[pk])
        self._read([pk])
        return self.existing.editions[pk]

    def place(self, game: DerivedGame) -> int:
        """Add a game to the one that it is an edition of, or insert it; return the id of the resulting game.
        Raises NotReadError."""
        match = self.find(game)
        if match is not None:
            return self.add(match, game)
        self._new += 1
        self._write(self._new, game)
        return self._new

    def find(self, game: DerivedGame, other_than: int | None = None) -> int | None:
        """Return the game that another one is an edition of, other than one to leave out; None if there is
        none, or more than one. Raises NotReadError."""
        same = self.identify(game)
        return self._match(game, other_than) if same in (None, other_than) else same

    def identify(self, game: DerivedGame) -> int | None:
        """Return the game with the same identity. Raises NotReadError."""
        if game.identity not in self.existing.identified or not self.existing.names.cover(game):
            self.unread.identify.append(game)
            raise NotReadError
        return self._by_identity.get(game.identity)

    def add(self, pk: int, game: DerivedGame) -> int:
        """Unite a game with an edition of it; return the id of the resulting game. Raises NotReadError."""
        mine = self.edition(pk)
        united = self.existing.unite([mine, edition(game)])
        return pk if united == mine else self.settle(pk, self.derive(pk, united))

    def derive(self, pk: int, source: Edition) -> DerivedGame:
        """Derive a game from another edition. A stored game keeps its rows if they stay the same. Raises
        NotReadError."""
        if pk >= NEW:
            return self.existing.derive(source, self._facts[pk].space)
        self._read([pk])
        stored = self.existing.editions[pk]
        game = self.existing.games[pk]
        return derive_again(game, stored, self._details(pk), source, self.existing.derive)

    def settle(self, pk: int, derived: DerivedGame) -> int:
        """Replace a game with a derived one, and merge it with games that are now the same; return its id.

        The oldest id stays. Raises NotReadError.
        """
        self._read([pk])
        while (other := self.find(derived, pk)) is not None:
            united = self.existing.unite([edition(derived), self.edition(other)])
            pk, merged = sorted((pk, other))
            self._merge(merged, pk)
            derived = self.derive(pk, united)
        self._write(pk, derived)
        return pk

    def change(self, pk: int, derived: DerivedGame) -> None:
        """Replace a game with a derived one, and merge it with another only if its identity changes. Raises
        NotReadError."""
        self._read([pk])
        if derived.identity == self._facts[pk].identity:
            self._write(pk, derived)
        else:
            self.settle(pk, derived)

    def unite(self, pk: int, editions: Sequence[Edition]) -> int:
        """Make a game the union of these editions; return the id of the resulting game. Raises
        NotReadError."""
        return self.settle(pk, self.derive(pk, self.existing.unite(editions)))

    def move(self, pk: int, derived: DerivedGame) -> int:
        """Move a stored game to another space, or merge it with the same game there; return the id of the
        resulting game. Raises NotReadError."""
        self._read([pk])
        match = self.find(derived)
        if match is None:
            self._write(pk, derived)
            return pk
        united = self.existing.unite([edition(derived), self.edition(match)])
        self._merge(pk, match)
        return self.settle(match, self.derive(match, united))

    # --- candidates ---

    def _match(self, game: DerivedGame, other_than: int | None) -> int | None:
        """Return the only game that this one is an edition or a snapshot of, or that is a snapshot of it."""
        mine = facts(game, self.existing.names)
        if mine not in self.existing.compared:
            self.unread.compare[mine] = game
            raise NotReadError
        alike = [pk for pk in self._same_moves(mine) if pk != other_than and agree(mine, self._facts[pk])]
        if alike:
            return alike[0] if len(alike) == 1 else None
        snapshots = [pk for pk in self._snapshots(mine) if pk != other_than]
        self._read(snapshots)
        related = [pk for pk in snapshots if self._continues(game, pk)]
        return related[0] if len(related) == 1 else None

    def _same_moves(self, mine: Facts) -> Iterable[int]:
        return self._by_stem.get((mine.space, mine.stem), ()) if mine.plies >= SHORT_PLIES else ()

    def _snapshots(self, mine: Facts) -> Iterator[int]:
        """Yield the games of the same players and day where the shorter of the two has stopped."""
        if mine.pairing is None:
            return
        for pk in self._by_pairing.get(mine.pairing, ()):
            other = self._facts[pk]
            shorter = min(mine, other, key=lambda one: one.plies)
            if mine.plies != other.plies and shorter.stopped and _prefixes(mine.time, other.time):
                yield pk

    def _continues(self, game: DerivedGame, pk: int) -> bool:
        """Return whether the longer of two records continues the other one."""
        records = codec.unpack(game.record), codec.unpack(self.edition(pk).record)
        return is_beginning(*(records if game.plies < self._facts[pk].plies else reversed(records)))

    # --- rows that were read ---

    def _details(self, pk: int) -> Details:
        if pk not in self.existing.details:
            self.unread.details.add(pk)
            raise NotReadError
        return self.existing.details[pk]

    def _read(self, ids: Iterable[int]) -> None:
        """Raise NotReadError if one of these games is stored and has not been read."""
        missing = {pk for pk in ids if pk < NEW and pk not in self.existing.editions}
        if missing:
            self.unread.editions |= missing
            raise NotReadError

    # --- planned games ---

    def _list(self, pk: int, own: Facts) -> None:
        self._facts[pk] = own
        self._by_identity[own.identity] = pk
        self._by_stem[own.space, own.stem].add(pk)
        self._by_pairing[own.pairing].add(pk)

    def _unlist(self, pk: int) -> None:
        if (own := self._facts.pop(pk, None)) is None:
            return
        if self._by_identity.get(own.identity) == pk:
            del self._by_identity[own.identity]
        self._by_stem[own.space, own.stem].discard(pk)
        self._by_pairing[own.pairing].discard(pk)

    def _write(self, pk: int, derived: DerivedGame) -> None:
        self.games.pop(pk, None)
        self._unlist(pk)
        self._list(pk, facts(derived, self.existing.names))
        if pk >= NEW or not self._is_unchanged(pk, derived):
            self.games[pk] = derived

    def _is_unchanged(self, pk: int, derived: DerivedGame) -> bool:
        return (
            self.edition(pk) == edition(derived)
            and _has_row(self.existing.games[pk], derived, self.existing.names)
            and self._details(pk) == (derived.series, _ratings(derived))
        )

    def _merge(self, pk: int, home: int) -> None:
        self.games.pop(pk, None)
        self._unlist(pk)
        self.merged[pk] = home


def plan(games: Iterable[DerivedGame], existing: Existing) -> Plan:
    """Plan to store games with different identities. `Plan.placed` says which game each is part of.

    Stored games with these identities come first, in the order of their ids, then the others. Games that were
    taken down are left out.
    """
    result = Plan(existing)
    matched: list[tuple[int, DerivedGame]] = []
    unmatched: list[DerivedGame] = []
    for game in games:
        with suppress(NotReadError):
            match = result.identify(game)
            if match is not None:
                matched.append((match, game))
            elif game.identity not in existing.held:
                unmatched.append(game)
    for match, game in sorted(matched, key=itemgetter(0)):
        with suppress(NotReadError):
            result.placed[game.identity] = result.add(result.home(match), game)
    for game in unmatched:
        with suppress(NotReadError):
            result.placed[game.identity] = result.place(game)
    return result


def plan_changes(games: Mapping[int, DerivedGame], existing: Existing) -> Plan:
    """Plan to replace stored games, by id, with derived ones. One whose identity changes may merge with
    another."""
    result = Plan(existing)
    for pk, derived in games.items():
        with suppress(NotReadError):
            if result.home(pk) == pk:
                result.change(pk, derived)
    return result


def derive_again(
    game: Game, mine: Edition, details: Details, source: Edition, derive: Derivation = derive_edition
) -> DerivedGame:
    """Derive a stored game, which is the edition `mine`, from another edition; it keeps its rows if they stay
    the same."""
    if _same_moves(mine, source):
        derived = derive(source, game.space, game.index_rows)
        if _keeps_rows(game, details, derived):
            return derived
    return derive(source, game.space, None)


def _same_moves(one: Edition, other: Edition) -> bool:
    return codec.same_moves(codec.unpack(one.record), codec.unpack(other.record))


# --- the row of a game -----------------------------------------------------------------------------------


def game_row(game: DerivedGame, names: Names, slot: int) -> dict[str, Any]:
    """Return the columns of a game in a slot."""
    black, white = (names.players[game.space, name] if name else None for name in game.players)
    return {
        "kind": game.kind, "record_kind": game.record_kind, "space": game.space, "digest": game.digest,
        "digest_version": game.digest_version, "stem": game.stem, "slot": slot, "player0_id": black,
        "player1_id": white, "event_id": names.event(game), "site": game.site,
        "played_from": game.played_from, "played_to": game.played_to, "precision": game.precision,
        "played": game.played, "handicap": game.handicap, "result": game.result, "special": game.special,
        "plies": game.plies, "index_version": schema.INDEX_VERSION, "index_rows": game.row_count,
        "calendar": game.calendar, "round": game.round, "opening": game.opening,
        "header_data": game.header_data, "features": game.features, "formations_version": formations.VERSION,
    }  # fmt: skip


def _has_row(game: Game, derived: DerivedGame, names: Names) -> bool:
    row = game_row(derived, names, game.slot)
    stored = {name: getattr(game, name) for name in row}
    return stored | {name: bytes(stored[name] or b"") for name in ("digest", "stem")} == row


def _keeps_rows(game: Game, details: Details, derived: DerivedGame) -> bool:
    return (
        game.index_version == schema.INDEX_VERSION
        and (game.record_kind, game.played, game.result)
        == (derived.record_kind, derived.played, derived.result)
        and (bytes(game.digest), game.digest_version) == (derived.digest, derived.digest_version)
        and details.ratings == _ratings(derived)
    )


def _ratings(derived: DerivedGame) -> dict[int, int | None]:
    return {colour: derived.ratings[colour] for colour in (0, 1) if derived.players[colour]}
