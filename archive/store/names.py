"""The ids of the players, events and places of games, and new rows for those that are not stored yet."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db.models import BooleanField, ExpressionWrapper, Q, Value
from django.db.models.functions import Coalesce

from archive.derive.game import DerivedGame
from archive.derive.masking import Mask, masked, masks_of_rows
from archive.models import NAMED, Label, Name, NameKind, Player

SpaceName = tuple[int, str]
"""A space, and a normalized name in it."""


@dataclass(frozen=True, slots=True)
class NameIds:
    """The row of a name, and the root of its tree of merged rows: the one that it means."""

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
    """The ids of players, events and places, by kind, space and normalized name."""

    ids: Mapping[NameKind, dict[SpaceName, NameIds]]
    attributed: dict[tuple[int, int], NameIds | None] = field(default_factory=dict)
    """Players to whom corrections attribute sides of games, by space and row; None if the space has no such
    player, so that the name in the header counts."""
    masks: dict[int, Mask] = field(default_factory=dict)
    """The masks of those of the players whose names were taken down, by the root of their rows."""

    def has_names_of(self, game: DerivedGame) -> bool:
        """Return whether the ids of all names of a game are known, before corrections too."""
        if game.base is not None and not self.has_names_of(game.base):
            return False
        attributed = all((game.space, row) in self.attributed for row in game.attributed if row)
        return attributed and all(name in self.ids[kind] for kind in NAMED for name in names_of(kind, game))

    def players_of(self, game: DerivedGame) -> tuple[NameIds | None, NameIds | None]:
        """Return the players of a game by colour; None for an unknown one. Raises KeyError if a name has no
        id."""
        named = (self.ids["player"][game.space, name] if name else None for name in game.players)
        black, white = (
            (self.attributed[game.space, row] if row else None) or person
            for person, row in zip(named, game.attributed, strict=True)
        )
        return black, white

    def label_of(self, kind: Label, game: DerivedGame) -> NameIds | None:
        """Return the event or place of a game; None for a game without one."""
        return next((self.ids[kind][name] for name in names_of(kind, game)), None)

    def add_names_of(self, games: Collection[DerivedGame]) -> None:
        """Add the ids of the names of games. Inserts rows for new names."""
        more = get_or_create_names(games)
        for kind, ids in more.ids.items():
            self.ids[kind].update(ids)
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
    """Return the id of a player, event or place; None for an unknown one."""
    return ids.home if ids else None


def names_of(kind: NameKind, game: DerivedGame) -> list[SpaceName]:
    """Return the names of a kind that a game has in its headers."""
    names = game.players if kind == "player" else (getattr(game, kind),)
    return [(game.space, name) for name in names if name]


def get_or_create_names(games: Collection[DerivedGame]) -> Names:
    """Return the ids of the names of games, before corrections too. Inserts new names."""
    games = [*games, *(game.base for game in games if game.base is not None)]
    ids = {
        kind: _ids(model, {name for game in games for name in names_of(kind, game)})
        for kind, model in NAMED.items()
    }
    attributed = {(game.space, row) for game in games for row in game.attributed if row}
    names = Names(ids, _attributed(attributed))
    people = [*ids["player"].values(), *filter(None, names.attributed.values())]
    names.masks.update(masks_of_rows(Player.masked({ids.home for ids in people if ids.taken_down})))
    return names


def _attributed(rows: Collection[tuple[int, int]]) -> dict[tuple[int, int], NameIds | None]:
    if not rows:
        return {}
    stored = Player.objects.filter(pk__in={row for _, row in rows})
    columns = ("space", "pk", Coalesce("home_id", "pk"), _taken_down(Player))
    ids = {
        (space, row): NameIds(row, home, taken_down)
        for space, row, home, taken_down in stored.values_list(*columns)
    }
    return {row: ids.get(row) for row in rows}


def _taken_down(model: type[Name]) -> Any:
    condition = Q(taken_down__isnull=False) if model is Player else Value(value=False)
    return ExpressionWrapper(condition, output_field=BooleanField())


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
    rows = stored.values_list("space", "key", "pk", Coalesce("home_id", "pk"), _taken_down(model))
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
