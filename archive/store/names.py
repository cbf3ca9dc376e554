"""The ids of the players and events of games, and new rows for those that are not stored yet."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from django.db.models import BooleanField, ExpressionWrapper, Q, Value
from django.db.models.functions import Coalesce

from archive.derive.game import DerivedGame
from archive.derive.masking import Mask, masked, masks_of_rows
from archive.models import Event, Name, Player

SpaceName = tuple[int, str]
"""A space, and a normalized name in it."""


@dataclass(frozen=True, slots=True)
class NameIds:
    """The row of a name, and the root of its tree of merged rows: the player or event that it means."""

    row: int
    home: int
    taken_down: bool = False
    """Whether it is a player whose name was taken down."""

    @property
    def named(self) -> int | None:
        """Return the row unless it is the root (`GamePlayer.named`)."""
        return None if self.row == self.home else self.row


@dataclass(frozen=True, slots=True)
class Names:
    """The ids of players and events, by space and normalized name."""

    players: dict[SpaceName, NameIds]
    events: dict[SpaceName, NameIds]
    attributed: dict[tuple[int, int], NameIds | None] = field(default_factory=dict)
    """Players to whom corrections attribute sides of games, by space and row; None if the space has no such
    player, so that the name in the header counts."""
    masks: dict[int, Mask] = field(default_factory=dict)
    """The masks of those of the players whose names were taken down, by the root of their rows."""

    def has_names_of(self, game: DerivedGame) -> bool:
        """Return whether the ids of the players and the event of a game are known, before corrections too."""
        if game.base is not None and not self.has_names_of(game.base):
            return False
        players = all((game.space, name) in self.players for name in game.players if name)
        attributed = all((game.space, row) in self.attributed for row in game.attributed if row)
        return players and attributed and (not game.event or (game.space, game.event) in self.events)

    def players_of(self, game: DerivedGame) -> tuple[NameIds | None, NameIds | None]:
        """Return the players of a game by colour; None for an unknown one. Raises KeyError if a name has no
        id."""
        named = (self.players[game.space, name] if name else None for name in game.players)
        black, white = (
            (self.attributed[game.space, row] if row else None) or person
            for person, row in zip(named, game.attributed, strict=True)
        )
        return black, white

    def event_of(self, game: DerivedGame) -> NameIds | None:
        """Return the event of a game; None for a game without one."""
        return self.events[game.space, game.event] if game.event else None

    def add_names_of(self, games: Collection[DerivedGame]) -> None:
        """Add the ids of the players and events of games. Inserts rows for new names."""
        more = get_or_create_names(games)
        self.players.update(more.players)
        self.events.update(more.events)
        self.attributed.update(more.attributed)
        self.masks.update(more.masks)

    def masked(self, game: DerivedGame) -> DerivedGame:
        """Return a game with initials in place of the names of its players that were taken down. Raises
        KeyError if a name has no id."""
        if not self.masks:
            return game
        people = self.players_of(game)
        black, white = (self.masks.get(ids.home) if ids else None for ids in people)
        if not (black or white):
            return game
        self.attributed.update({(game.space, ids.row): ids for ids in people if ids})
        first, second = (ids.row if ids else None for ids in people)
        return masked(game, (black, white), (first, second))


def home_of(ids: NameIds | None) -> int | None:
    """Return the id of a player or event; None for an unknown one."""
    return ids.home if ids else None


def get_or_create_names(games: Collection[DerivedGame]) -> Names:
    """Return the ids of the players and events of games, before corrections too. Inserts new names."""
    games = [*games, *(game.base for game in games if game.base is not None)]
    players = {(game.space, name) for game in games for name in game.players if name}
    events = {(game.space, game.event) for game in games if game.event}
    attributed = {(game.space, row) for game in games for row in game.attributed if row}
    names = Names(_ids(Player, players), _ids(Event, events), _attributed(attributed))
    people = [*names.players.values(), *filter(None, names.attributed.values())]
    names.masks.update(masks_of_rows(Player.masked({ids.home for ids in people if ids.taken_down})))
    return names


def _attributed(rows: Collection[tuple[int, int]]) -> dict[tuple[int, int], NameIds | None]:
    if not rows:
        return {}
    stored = Player.objects.filter(pk__in={row for _, row in rows})
    columns = ("space", "pk", Coalesce("home_id", "pk"), _TAKEN_DOWN[Player])
    ids = {
        (space, row): NameIds(row, home, taken_down)
        for space, row, home, taken_down in stored.values_list(*columns)
    }
    return {row: ids.get(row) for row in rows}


_TAKEN_DOWN: Final[Mapping[type[Name], Any]] = {
    Player: ExpressionWrapper(Q(taken_down__isnull=False), output_field=BooleanField()),
    Event: Value(value=False, output_field=BooleanField()),
}


def _ids(model: type[Name], names: Collection[SpaceName]) -> dict[SpaceName, NameIds]:
    """Return the ids of names. Those with the same key are equal. New ones are inserted in the order of their
    keys."""
    if not names:
        return {}
    keys = {(space, name): (space, model.key_of(name)) for space, name in names}
    sealed = (
        {(space, Player.sealed(key)): (space, key) for space, key in keys.values()} if model is Player else {}
    )
    spaces = {space for space, _ in names}
    texts = {key for pairs in (keys.values(), sealed) for _, key in pairs}
    stored = model._default_manager.filter(space__in=spaces, key__in=texts)
    rows = stored.values_list("space", "key", "pk", Coalesce("home_id", "pk"), _TAKEN_DOWN[model])
    ids = _by_key(rows, sealed)
    missing = {keys[name]: name for name in sorted(names, reverse=True) if keys[name] not in ids}
    if missing:
        new = [model(space=space, name=name) for _key, (space, name) in sorted(missing.items())]
        model._default_manager.bulk_create(new, ignore_conflicts=True)
        ids.update(_by_key(rows.all(), sealed))
    return {name: ids[key] for name, key in keys.items()}


def _by_key(
    rows: Iterable[tuple[int, str, int, int, bool]], sealed: Mapping[SpaceName, SpaceName]
) -> dict[SpaceName, NameIds]:
    return {
        sealed.get((space, key), (space, key)): NameIds(row, home, taken_down)
        for space, key, row, home, taken_down in rows
    }
