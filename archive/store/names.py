"""The ids of the players and events of games, and new rows for those that are not stored yet."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from archive.derive.game import DerivedGame
from archive.derive.headers import folded
from archive.models import Event, EventAlias, Player, PlayerAlias

SpaceName = tuple[int, str]
"""A space, and a normalized name in it."""


@dataclass(frozen=True, slots=True)
class Names:
    """The ids of players and events, by space and normalized name."""

    players: dict[SpaceName, int]
    events: dict[SpaceName, int]

    def has_names_of(self, game: DerivedGame) -> bool:
        """Return whether the ids of the players and the event of a game are known, before corrections too."""
        if game.base is not None and not self.has_names_of(game.base):
            return False
        players = all((game.space, name) in self.players for name in game.players if name)
        return players and (not game.event or (game.space, game.event) in self.events)

    def event(self, game: DerivedGame) -> int | None:
        """Return the id of the event of a game; None for a game without an event."""
        return self.events[game.space, game.event] if game.event else None

    def add_names_of(self, games: Collection[DerivedGame]) -> None:
        """Add the ids of the players and events of games. Inserts rows for new names."""
        more = get_or_create_names(games)
        self.players.update(more.players)
        self.events.update(more.events)


def get_or_create_names(games: Collection[DerivedGame]) -> Names:
    """Return the ids of the players and events of games, before corrections too. Inserts new names."""
    games = [*games, *(game.base for game in games if game.base is not None)]
    players = {(game.space, name) for game in games for name in game.players if name}
    events = {(game.space, game.event) for game in games if game.event}
    return Names(_players(players), _events(events))


def _players(names: Collection[SpaceName]) -> dict[SpaceName, int]:
    """Return the ids of players. Names are equal if `folded` makes them equal. New ones are inserted in the
    order of their keys."""
    if not names:
        return {}
    keys = {(space, name): (space, folded(name)) for space, name in names}
    spaces, texts = {space for space, _ in names}, {key for _, key in keys.values()}
    own = Player.objects.filter(space__in=spaces, key__in=texts).values_list("space", "key", "pk")
    others = PlayerAlias.objects.filter(space__in=spaces, key__in=texts)
    ids = _ids(own.union(others.values_list("space", "key", "player_id"), all=True))
    missing = {keys[name]: name for name in sorted(names, reverse=True) if keys[name] not in ids}
    if missing:
        new = [Player(space=space, name=name) for _key, (space, name) in sorted(missing.items())]
        Player.objects.bulk_create(new, ignore_conflicts=True)
        ids.update(_ids(own.all()))
    return {name: ids[key] for name, key in keys.items()}


def _events(names: Collection[SpaceName]) -> dict[SpaceName, int]:
    """Return the ids of events. New ones are inserted in the order of their names."""
    if not names:
        return {}
    spaces, texts = {space for space, _ in names}, {name for _, name in names}
    own = Event.objects.filter(space__in=spaces, name__in=texts).values_list("space", "name", "pk")
    others = EventAlias.objects.filter(space__in=spaces, name__in=texts)
    ids = _ids(own.union(others.values_list("space", "name", "event_id"), all=True))
    missing = sorted(set(names) - ids.keys())
    if missing:
        new = [Event(space=space, name=name) for space, name in missing]
        Event.objects.bulk_create(new, ignore_conflicts=True)
        ids.update(_ids(own.all()))
    return ids


def _ids(rows: Iterable[tuple[int, str, int]]) -> dict[SpaceName, int]:
    return {(space, text): pk for space, text, pk in rows}
