"""The preconditions of operations on players, events and places: rows and games must allow them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from django.db.models import Q

from archive.derive import headers
from archive.derive.name_operations import (
    MOST_SEATS,
    AddSpelling,
    Merge,
    Merged,
    NameEditError,
    Operation,
    Seat,
    SetField,
    Split,
    TakeDown,
    check_field,
    check_merge,
    outranks,
    valid_value,
)
from archive.models import NAMED, AnyName, Event, Game, GamePlayer, Player
from archive.models import NameKind as Kind
from archive.store.name_trees import root_of


def check_all(row: AnyName, operations: Sequence[Operation]) -> None:
    """Check that operations can be applied now, without applying them: a proposal names only what its author
    may see."""
    for index, operation in enumerate(operations):
        try:
            check_shown(row)
            _CHECKS[type(operation)](row, operation)
        except NameEditError as error:
            raise NameEditError(error.code, index) from error


def check_shown(row: AnyName) -> None:
    """Refuse to change a name that was taken down: it must be the same when it is restored."""
    if isinstance(row, Player) and row.taken_down is not None:
        raise NameEditError("name-taken-down")


def check_field_of(row: AnyName, operation: SetField) -> None:
    operation.new = valid_value(row.KIND, operation.name, operation.new)
    check_field(operation, value_of(row, operation.name), row.set_by.get(operation.name))
    if not outranks(operation.by, operation.old_by):
        raise NameEditError("fact-changed")
    if operation.name == "parent":
        _check_parent(row, operation.new)


def value_of(row: AnyName, name: str) -> Any:
    return getattr(row, "parent_id" if name == "parent" else name)


def _check_parent(event: AnyName, parent: int | None) -> None:
    """Refuse a series of another space, and a circle of series."""
    if parent is None:
        return
    if not Event.objects.filter(pk=parent, space=event.space).exists():
        raise NameEditError("unknown-target")
    parents = dict(Event.objects.exclude(parent=None).values_list("pk", "parent_id"))
    if root_of(event.pk, {**parents, event.pk: parent}) is None:
        raise NameEditError("in-a-circle")


def spelling_of(row: AnyName, operation: AddSpelling) -> tuple[str, AnyName | None]:
    """Return the name that an operation adds, and the row that has it already. Raises NameEditError."""
    kind, model = row.KIND, type(row)
    plain = headers.plain(operation.name)
    name = (headers.player_name(operation.name) if kind == "player" else plain) or plain
    key = model.key_of(valid_value(kind, "name", name))
    same_name = model._default_manager.filter(space=row.space)
    if kind == "player" and same_name.filter(key=Player.sealed(key)).exists():
        raise NameEditError("name-taken-down")
    other = same_name.filter(key=key).first()
    if other is not None and (operation.row != other.pk or other.merged_into_id is not None):
        raise NameEditError("has-name" if other.root_id == row.root_id else "other-has-name")
    return name, other


def merge_target(row: AnyName, into: int) -> AnyName:
    """Return the row that another one can be merged into. Raises NameEditError."""
    kind = row.KIND
    target = NAMED[kind]._default_manager.filter(pk=into).first()
    check_merge(_merged(kind, row), _merged(kind, target) if target else None)
    if target is None:
        raise NameEditError("unknown-target")
    check_shown(target)
    return target


def _merged(kind: Kind, row: AnyName) -> Merged:
    return Merged(row.pk, row.space, row.merged_into_id, row.root_id, len(rows_of_tree(kind, row.root_id)))


def rows_of_tree(kind: Kind, root: int) -> list[tuple[int, int | None]]:
    """Return the rows of a tree, each with the one that it was merged into."""
    rows = NAMED[kind]._default_manager.filter(Q(pk=root) | Q(home=root))
    return list(rows.values_list("pk", "merged_into_id"))


def check_split(row: AnyName, operation: Split) -> Player:
    """Return the player whose games an operation gives to a namesake. Raises NameEditError."""
    player = check_alone(row)
    if not 0 < len(operation.games) <= MOST_SEATS:
        raise NameEditError("malformed")
    if operation.row is not None:
        namesake_of(player, operation.row)
    for seat in operation.games:
        game_of(player, seat)
    return player


def game_of(player: Player, seat: Seat) -> Game:
    game = Game.objects.select_for_update().filter(pk=seat.game, space=player.space).first()
    side = GamePlayer.objects.filter(slot=game.slot, colour=seat.colour).first() if game else None
    if game is None or side is None or side.player_id != player.pk:
        raise NameEditError("other-game")
    return game


def check_alone(row: AnyName, _operation: object = None) -> Player:
    """Return a row that is a player and was not merged. Raises NameEditError."""
    if not isinstance(row, Player) or row.merged_into_id is not None:
        raise NameEditError("merged-already")
    return row


def namesake_of(player: Player, pk: int) -> Player:
    """Return a namesake by its number. Raises NameEditError."""
    namesake = Player.objects.filter(pk=pk, namesake=player).first()
    if namesake is None:
        raise NameEditError("unknown-target")
    return namesake


_CHECKS: Final[dict[type, Callable[[Any, Any], object]]] = {
    SetField: check_field_of, AddSpelling: spelling_of,
    Merge: lambda row, merge: merge_target(row, merge.into), Split: check_split,
    TakeDown: check_alone,
}  # fmt: skip
