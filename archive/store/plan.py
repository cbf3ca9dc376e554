"""Decides which games are new, which are editions of a stored game, and which stored games are merged.

Nothing here reads or writes the database. A plan is made from rows that were read before (`Existing`). If it
needs others, it lists them in `Plan.unread`; `archive.store.existing` reads them, and the plan is made again.

A game with the identity of a stored game is an edition of it. For other games there are three rules:

- Two games with the same moves, whose headers do not contradict each other, are editions of one game.
- A record without a result is a snapshot of a longer one if that has the same players and day, and begins
  with the same moves. The two are editions of one game.
- If more than one stored game matches, the game stays separate, and its page shows the others as likely
  twins.

A game with corrections is compared both with and without them. The editions of a plan are always without
corrections; these are applied whenever a game is derived from its editions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, Final, NamedTuple

from archive.derive.corrections import Corrected, GameCorrection, correct
from archive.derive.editions import Edition, derive_edition, edition, final_edition, is_beginning, union
from archive.derive.game import SHORT_PLIES, DerivedGame, Identity
from archive.models import Game, codec
from archive.store.facts import Facts, Pairing, agree, facts, is_prefix, stored_facts
from archive.store.game_rows import Details, derive_again, has_row, ratings_of
from archive.store.names import Names

NEW: Final = 1 << 62
"""Games that a plan inserts have provisional ids above this number, so that they sort after stored games."""

# --- stored games ----------------------------------------------------------------------------------------


class CorrectedGame(NamedTuple):
    """A stored game with corrections: its edition after them, itself before them, and the corrections in
    their order."""

    final: Edition
    base: DerivedGame
    corrections: tuple[GameCorrection, ...]


@dataclass(slots=True)
class Existing:
    """What a transaction has read so far: stored games, locked until it ends, and their rows by id."""

    names: Names
    games: dict[int, Game] = field(default_factory=dict)
    editions: dict[int, Edition] = field(default_factory=dict)
    """The unions of editions, before corrections."""
    corrected: dict[int, CorrectedGame] = field(default_factory=dict)
    """Those of `games` that have corrections."""
    uploaded: dict[Identity, int] = field(default_factory=dict)
    """Identities of editions as they were uploaded, with the game of each (`GameIdentity`)."""
    details: dict[int, Details] = field(default_factory=dict)
    taken_down: dict[Identity, bool] = field(default_factory=dict)
    """Identities of games that were taken down, and whether their bytes are hidden."""
    identified: set[Identity] = field(default_factory=set)
    """Identities by which stored games were searched for; `games` has every game with one of them."""
    compared: set[Facts] = field(default_factory=set)
    """Facts by which stored games were searched for; `games` has every game that could be the same."""
    computed: dict[object, Any] = field(default_factory=dict)
    """Results of `derive` and `unite`, for the next attempts at the same plan."""

    def derive(self, source: Edition, space: int, kept_rows: int | None = None) -> DerivedGame:
        """Return `derive_edition` of an edition, computed only once."""
        key = _hashable(source), space, kept_rows
        if key not in self.computed:
            self.computed[key] = derive_edition(source, space, kept_rows)
        game: DerivedGame = self.computed[key]
        return game

    def correct(self, source: Edition, corrections: Sequence[GameCorrection]) -> Corrected:
        """Return an edition after corrections, computed only once."""
        key = _hashable(source), tuple(each.id for each in corrections)
        if key not in self.computed:
            self.computed[key] = correct(source, corrections)
        corrected: Corrected = self.computed[key]
        return corrected

    def final(self, pk: int) -> Edition:
        """Return the stored edition of a game, with its corrections."""
        return self.corrected[pk].final if pk in self.corrected else self.editions[pk]

    def unite(self, editions: Sequence[Edition]) -> Edition:
        """Return the `union` of editions, computed only once."""
        key = tuple(map(_hashable, editions))
        if key not in self.computed:
            self.computed[key] = union(editions)
        united: Edition = self.computed[key]
        return united


def _hashable(source: Edition) -> tuple[bytes, str]:
    return source.record, repr(source.parsed_facts)


@dataclass(slots=True)
class Unread:
    """What a plan needs and `Existing` lacks."""

    identify: list[DerivedGame] = field(default_factory=list)
    """Stored games with the identity of one of these are to be read."""
    compare: dict[Facts, DerivedGame] = field(default_factory=dict)
    """Stored games that could be the same as one of these are to be read."""
    editions: set[int] = field(default_factory=set)
    """Ids of stored games whose editions are to be read."""
    details: set[int] = field(default_factory=set)
    """Ids of stored games whose details are to be read."""

    def __bool__(self) -> bool:
        return bool(self.identify or self.compare or self.editions or self.details)


class NotReadError(Exception):
    """A decision needs rows that have not been read. They were added to `Plan.unread`."""


class SameGameError(Exception):
    """A correction would make a game equal to the game `other`."""

    def __init__(self, other: int) -> None:
        super().__init__(other)
        self.other = other


# --- the plan --------------------------------------------------------------------------------------------


class Plan:
    """Decisions about games, which are written later (`archive.store.apply`).

    Games have the ids of stored games, or provisional ids above `NEW`. All methods that decide raise
    NotReadError if they need rows that have not been read.
    """

    def __init__(self, existing: Existing) -> None:
        self.existing = existing
        self.unread = Unread()
        self.games: dict[int, DerivedGame] = {}
        """The games to write, by id: new ones, and stored ones that change."""
        self.merged: dict[int, int] = {}
        """The games that become editions of another one, each with the id of that one."""
        self.game_ids: dict[Identity, int] = {}
        """For each identity that `plan` was given, the id of its game. That may have been merged since
        (`home`)."""
        self.corrections = {pk: game.corrections for pk, game in existing.corrected.items()}
        """The corrections of games, in their order."""
        self._new = NEW
        self._facts: dict[int, Facts] = {}
        self._base_facts: dict[int, Facts] = {}
        """The facts of corrected games before their corrections."""
        self._by_identity: dict[Identity, int] = {}
        self._by_stem: dict[tuple[int, bytes], set[int]] = defaultdict(set)
        self._by_pairing: dict[Pairing | None, set[int]] = defaultdict(set)
        for pk, game in existing.games.items():
            corrected = existing.corrected.get(pk)
            self._add_facts(pk, stored_facts(game), corrected.base if corrected else None)

    @property
    def inserted(self) -> dict[int, DerivedGame]:
        """The games to insert, by provisional id."""
        return {pk: game for pk, game in self.games.items() if pk >= NEW}

    @property
    def changed(self) -> list[tuple[Game, DerivedGame]]:
        """The stored games to rewrite. They must be written in this order, because a game may get an identity
        that one before it had."""
        return [(self.existing.games[pk], game) for pk, game in self.games.items() if pk < NEW]

    def home(self, pk: int) -> int:
        """Return the id of the game that a game was merged into; its own id if it was not merged."""
        while pk in self.merged:
            pk = self.merged[pk]
        return pk

    def edition(self, pk: int) -> Edition:
        """Return a game, as it is after the decisions so far, as an edition."""
        if pk in self.games:
            return edition(self.games[pk])
        self._require_read([pk])
        return self.existing.editions[pk]

    def place(self, game: DerivedGame) -> int:
        """Add a game to the one that it is an edition of, or insert it if there is none. Return the id of the
        resulting game."""
        match = self.find(game)
        if match is not None:
            return self.add(match, game)
        self._new += 1
        self._write(self._new, game)
        return self._new

    def find(self, game: DerivedGame, except_for: int | None = None) -> int | None:
        """Return the id of the game that `game` is an edition of; None if there is none, or more than one.
        The game `except_for` is not considered."""
        same = self.identify(game)
        return self._match(game, except_for) if same in (None, except_for) else same

    def identify(self, game: DerivedGame) -> int | None:
        """Return the id of the game with the same identity, now or in an edition as uploaded, if any."""
        if game.identity not in self.existing.identified or not self.existing.names.has_names_of(game):
            self.unread.identify.append(game)
            raise NotReadError
        pk = self.existing.uploaded.get(game.identity)
        return self._by_identity.get(game.identity) if pk is None else self.home(pk)

    def add(self, pk: int, game: DerivedGame) -> int:
        """Add an edition to a game. Return the id of the resulting game: it may be merged with another
        one."""
        before = self.edition(pk)
        united = self.existing.unite([before, edition(game)])
        return pk if united == before else self.replace_and_merge(pk, self.derive(pk, united))

    def derive(self, pk: int, source: Edition) -> DerivedGame:
        """Return a game as derived from another edition and its corrections. A stored game keeps its rows in
        the index if they stay the same."""
        if pk >= NEW:
            return self.existing.derive(source, self._facts[pk].space)
        self._require_read([pk])
        corrections = self.corrections.get(pk)
        corrected = self.existing.correct(source, corrections) if corrections else None
        stored, game = self.existing.final(pk), self.existing.games[pk]
        return derive_again(game, stored, self._details(pk), source, corrected, self.existing.derive)

    def correct(self, pk: int, corrections: Iterable[GameCorrection]) -> None:
        """Replace the corrections of a stored game. Raises SameGameError if it would then have the identity
        of another one."""
        self._require_read([pk])
        self.corrections[pk] = tuple(corrections)
        derived = self.derive(pk, self.edition(pk))
        other = self.identify(derived)
        if other not in (None, pk):
            assert other is not None
            raise SameGameError(other)
        self._write(pk, derived)

    def refresh(self, pk: int) -> None:
        """Derive a stored game again: names of its players may have been taken down or restored."""
        self._require_read([pk])
        self._write(pk, self.derive(pk, self.edition(pk)))

    def replace_and_merge(self, pk: int, derived: DerivedGame) -> int:
        """Replace a game with a derived one, and merge it with all games that are the same now. Return the id
        of the resulting game, which is the oldest of their ids."""
        self._require_read([pk])
        while (other := self.find(derived, pk)) is not None:
            united = self.existing.unite([edition(derived), self.edition(other)])
            pk, merged = sorted((pk, other))
            self._merge(merged, pk)
            derived = self.derive(pk, united)
        self._write(pk, derived)
        return pk

    def change(self, pk: int, derived: DerivedGame) -> None:
        """Replace a game with a derived one. Only if its identity changes, merge it with games that are the
        same now."""
        self._require_read([pk])
        if derived.identity == self._facts[pk].identity:
            self._write(pk, derived)
        else:
            self.replace_and_merge(pk, derived)

    def unite(self, pk: int, editions: Sequence[Edition]) -> int:
        """Make a game the union of these editions. Return the id of the resulting game: it may be merged with
        another one."""
        return self.replace_and_merge(pk, self.derive(pk, self.existing.unite(editions)))

    def move(self, pk: int, derived: DerivedGame) -> int:
        """Move a stored game to the space of `derived`, or merge it with the same game there. Return the id
        of the resulting game."""
        self._require_read([pk])
        match = self.find(derived)
        if match is None:
            self._write(pk, derived)
            return pk
        united = self.existing.unite([edition(derived), self.edition(match)])
        self._merge(pk, match)
        return self.replace_and_merge(match, self.derive(match, united))

    # --- candidates ---

    def _match(self, game: DerivedGame, except_for: int | None) -> int | None:
        """Return the id of the game with the same moves; without one, of the game that is a snapshot of this
        one or has it as a snapshot. None if there is none, or more than one."""
        game_facts = facts(game, self.existing.names)
        if game_facts not in self.existing.compared:
            self.unread.compare[game_facts] = game
            raise NotReadError
        alike = [
            pk
            for pk in self._games_with_same_moves(game_facts)
            if pk != except_for and self._agrees(game_facts, pk)
        ]
        if alike:
            return alike[0] if len(alike) == 1 else None
        snapshots = [pk for pk in self._snapshot_candidates(game_facts) if pk != except_for]
        self._require_read(snapshots)
        related = [pk for pk in snapshots if self._continues(game, pk)]
        return related[0] if len(related) == 1 else None

    def _agrees(self, game_facts: Facts, pk: int) -> bool:
        base = self._base_facts.get(pk)
        return agree(game_facts, self._facts[pk]) or (base is not None and agree(game_facts, base))

    def _games_with_same_moves(self, game_facts: Facts) -> Iterable[int]:
        if game_facts.plies < SHORT_PLIES:
            return ()
        return self._by_stem.get((game_facts.space, game_facts.stem), ())

    def _snapshot_candidates(self, game_facts: Facts) -> Iterator[int]:
        """Yield the games with the same pairing of which one may be a snapshot of the other."""
        if game_facts.pairing is None:
            return
        for pk in self._by_pairing.get(game_facts.pairing, ()):
            other = self._facts[pk]
            shorter = min(game_facts, other, key=lambda one: one.plies)
            if game_facts.plies != other.plies and shorter.stopped and is_prefix(game_facts.time, other.time):
                yield pk

    def _continues(self, game: DerivedGame, pk: int) -> bool:
        """Return whether the longer of two games begins with the moves of the other."""
        records = codec.unpack(game.record), codec.unpack(self.edition(pk).record)
        return is_beginning(*(records if game.plies < self._facts[pk].plies else reversed(records)))

    # --- rows that must have been read ---

    def _details(self, pk: int) -> Details:
        if pk not in self.existing.details:
            self.unread.details.add(pk)
            raise NotReadError
        return self.existing.details[pk]

    def _require_read(self, ids: Iterable[int]) -> None:
        """Raise NotReadError if one of these games is stored and its edition has not been read."""
        missing = {pk for pk in ids if pk < NEW and pk not in self.existing.editions}
        if missing:
            self.unread.editions |= missing
            raise NotReadError

    # --- planned games ---

    def _add_facts(self, pk: int, own: Facts, base: DerivedGame | None) -> None:
        self._facts[pk] = own
        if base is not None:
            before = self._base_facts[pk] = facts(base, self.existing.names)
            self._by_stem[before.space, before.stem].add(pk)
        self._by_identity[own.identity] = pk
        self._by_stem[own.space, own.stem].add(pk)
        self._by_pairing[own.pairing].add(pk)

    def _remove_facts(self, pk: int) -> None:
        if (own := self._facts.pop(pk, None)) is None:
            return
        if before := self._base_facts.pop(pk, None):
            self._by_stem[before.space, before.stem].discard(pk)
        if self._by_identity.get(own.identity) == pk:
            del self._by_identity[own.identity]
        self._by_stem[own.space, own.stem].discard(pk)
        self._by_pairing[own.pairing].discard(pk)

    def _write(self, pk: int, derived: DerivedGame) -> None:
        self._require_names(derived)
        derived = self.existing.names.masked(derived)
        self._require_names(derived)
        self.games.pop(pk, None)
        self._remove_facts(pk)
        self._add_facts(pk, facts(derived, self.existing.names), derived.base)
        if pk >= NEW or not self._is_unchanged(pk, derived):
            self.games[pk] = derived

    def _require_names(self, game: DerivedGame) -> None:
        """Raise NotReadError if the ids of the names of a game have not been read."""
        if not self.existing.names.has_names_of(game):
            self.unread.identify.append(game)
            raise NotReadError

    def _is_unchanged(self, pk: int, derived: DerivedGame) -> bool:
        return (
            self.edition(pk) == edition(derived)
            and self.existing.final(pk) == final_edition(derived)
            and self._has_corrections(pk, derived)
            and has_row(self.existing.games[pk], derived, self.existing.names)
            and self._details(pk) == (derived.series, ratings_of(derived))
        )

    def _has_corrections(self, pk: int, derived: DerivedGame) -> bool:
        stored = self.existing.corrected[pk].corrections if pk in self.existing.corrected else ()
        new = [(each.id, derived.failures.get(each.id)) for each in self.corrections.get(pk, ())]
        return [(each.id, each.failed) for each in stored] == new

    def _merge(self, pk: int, home: int) -> None:
        if moved := self.corrections.pop(pk, ()):
            self.corrections[home] = (*self.corrections.get(home, ()), *moved)
        self.games.pop(pk, None)
        self._remove_facts(pk)
        self.merged[pk] = home


def plan(games: Iterable[DerivedGame], existing: Existing) -> Plan:
    """Plan to store games, no two of which have the same identity.

    Games whose identity is stored come first, in the order of the stored ids, then the others. Games that
    were taken down are left out.
    """
    result = Plan(existing)
    matched: list[tuple[int, DerivedGame]] = []
    unmatched: list[DerivedGame] = []
    for game in games:
        with suppress(NotReadError):
            match = result.identify(game)
            if match is not None:
                matched.append((match, game))
            elif game.identity not in existing.taken_down:
                unmatched.append(game)
    for match, game in sorted(matched, key=itemgetter(0)):
        with suppress(NotReadError):
            result.game_ids[game.identity] = result.add(result.home(match), game)
    for game in unmatched:
        with suppress(NotReadError):
            result.game_ids[game.identity] = result.place(game)
    return result


def plan_changes(games: Mapping[int, DerivedGame], existing: Existing) -> Plan:
    """Plan to replace stored games with derived ones, by id, with their corrections. If the identity of a
    game changes, it may be merged with another one."""
    result = Plan(existing)
    for pk, derived in games.items():
        with suppress(NotReadError):
            if result.home(pk) == pk:
                result.change(pk, derived)
    return result
