"""Writes corrections of names: fields, further spellings, merges, separations of namesakes.

Each change is one transaction, in which nobody else writes games (`run(alone=True)`): uploads read to which
player a name belongs. If a player has more games than `SEATS_AT_ONCE`, the others follow in transactions of
their own (`settle_names`). Meanwhile `unsettled` marks the row.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Final, cast

from django.db import transaction
from django.db.models import F, Max, Q
from django.utils import timezone

from archive.derive.masking import initials_of, mask_of, mask_text
from archive.derive.name_operations import (
    AddSpelling,
    Merge,
    NameEditError,
    Operation,
    SetField,
    Split,
    TakeDown,
    as_json,
    check_field,
    read_operations,
    valid_value,
)
from archive.models import GAMES_OF, NAMED, AnyName, Correction, CorrectionEvent, Player, User
from archive.models import NameKind as Kind
from archive.names.kana_readings import reading_of
from archive.names.search_text import search_forms
from archive.store import masked_names
from archive.store.change import Change, run
from archive.store.corrections import Author, attributed_to, correct_within, undo_within
from archive.store.existing import batched
from archive.store.name_checks import (
    check_all,
    check_alone,
    check_field_of,
    check_shown,
    check_split,
    game_of,
    merge_target,
    namesake_of,
    rows_of_tree,
    spelling_of,
    value_of,
)
from archive.store.name_trees import Parents, subtree

SEATS_AT_ONCE: Final = 5_000
"""Sides of games, or games of an event or place, that one transaction gives to another row."""


State, Step = Correction.State, CorrectionEvent.Event


# --- corrections -----------------------------------------------------------------------------------------


def correct_name(
    kind: Kind,
    pk: int,
    data: object,
    account: User | None,
    reason: str = "",
    *,
    apply: bool,
    due: datetime | None = None,
) -> Correction:
    """Store a correction of a name, and apply it or leave it as a proposal.

    `data` is a list of operations as JSON (`archive.derive.name_operations`). A proposal applies at the time
    `due`, unless somebody objects; without one a curator decides. Raises NameEditError for operations that
    are invalid or cannot be applied now: then nothing is stored.
    """
    operations = read_operations(data)

    def work(change: Change) -> Correction:
        row = _row(kind, pk)
        if apply:
            _do_all(_Work(change, kind, Author(account), reason), row, operations)
        else:
            check_all(row, operations)
        correction = Correction.objects.create(
            subject=kind,
            subject_id=pk,
            space=row.space,
            operations=as_json(operations),
            reason=reason,
            author=account,
            author_name=account.username if account else "",
            state=State.APPLIED if apply else State.PROPOSED,
            number=_next_number(kind, pk) if apply else None,
            due=due,
        )
        Author(account).note(correction.pk, Step.PROPOSED)
        if apply:
            Author(account).note(correction.pk, Step.APPLIED)
        return correction

    return run((), work, alone=True)


def accept_name(pk: int, account: User | None, text: str = "") -> Correction:
    """Apply a proposal, or one that failed, and return it; it may fail again. Raises NameEditError."""

    def work(change: Change) -> Correction:
        correction = _correction(pk, State.PROPOSED, State.FAILED)
        return _try(change, correction, Step.APPLIED, account, text)

    return run((), work, alone=True)


def undo_name(pk: int, account: User | None, text: str = "") -> Correction:
    """Undo an applied correction, and return it. Later corrections of other fields, and other merges, stay.
    Raises NameEditError if the state is not the one that it led to."""

    def undo(change: Change) -> Correction:
        correction = _correction(pk, State.APPLIED)
        kind, row = _subject(correction)
        operations = read_operations(correction.operations)
        work = _Work(change, kind, Author(account), correction.reason)
        for index, operation in reversed([*enumerate(operations)]):
            try:
                if not isinstance(operation, TakeDown):
                    check_shown(row)
                _UNDO[type(operation)](work, row, operation)
            except NameEditError as error:
                raise NameEditError(error.code, index) from error
        correction.operations = as_json(operations)
        return _end(correction, State.UNDONE, Step.UNDONE, account, text)

    return run((), undo, alone=True)


def restore_name(pk: int, account: User | None, text: str = "") -> Correction:
    """Apply a correction again that was undone, rejected or withdrawn, and return it; it may fail."""

    def work(change: Change) -> Correction:
        correction = _correction(pk, State.UNDONE, State.REJECTED, State.WITHDRAWN)
        return _try(change, correction, Step.RESTORED, account, text)

    return run((), work, alone=True)


def _row(kind: Kind, pk: int) -> AnyName:
    row = NAMED[kind]._default_manager.filter(pk=pk).first()
    if row is None:
        raise NameEditError("unknown-target")
    return row


def _subject(correction: Correction) -> tuple[Kind, AnyName]:
    kind = cast("Kind", correction.subject)
    return kind, _row(kind, correction.subject_id)


def _correction(pk: int, *states: str) -> Correction:
    """Return a correction in one of these states, locked. Raises NameEditError."""
    of_names = Correction.objects.select_for_update().exclude(subject=Correction.Subject.GAME)
    correction = of_names.filter(pk=pk).first()
    if correction is None:
        raise NameEditError("unknown-target")
    if correction.state not in states:
        raise NameEditError("not-open" if State.PROPOSED in states else "not-applied")
    return correction


def _next_number(kind: Kind, pk: int) -> int:
    applied = Correction.objects.filter(subject=kind, subject_id=pk)
    last: int | None = applied.aggregate(last=Max("number"))["last"]
    return (last or 0) + 1


def _try(
    change: Change, correction: Correction, step: CorrectionEvent.Event, account: User | None, text: str
) -> Correction:
    kind, row = _subject(correction)
    operations = read_operations(correction.operations)
    try:
        with transaction.atomic():
            _do_all(_Work(change, kind, Author(account), correction.reason), row, operations)
    except NameEditError as error:
        correction.failed_operation = error.operation
        return _end(correction, State.FAILED, Step.FAILED, account, error.code)
    correction.operations, correction.failed_operation = as_json(operations), None
    correction.number = _next_number(kind, correction.subject_id)
    return _end(correction, State.APPLIED, step, account, text)


def _end(
    correction: Correction, state: str, step: CorrectionEvent.Event, account: User | None, text: str
) -> Correction:
    correction.state, correction.due = state, None
    correction.save()
    Author(account).note(correction.pk, step, text)
    return correction


# --- operations ------------------------------------------------------------------------------------------

NAMESAKE: Final = "\x1f"
"""Stands before the number in the key of a namesake. No name in a header has this character."""


@dataclass(frozen=True, slots=True)
class _Work:
    """The transaction that applies operations, and who applies them for which reason."""

    change: Change
    kind: Kind
    author: Author
    reason: str


def _do_all(work: _Work, row: AnyName, operations: Sequence[Operation]) -> None:
    for index, operation in enumerate(operations):
        try:
            check_shown(row)
            _DO[type(operation)](work, row, operation)
        except NameEditError as error:
            raise NameEditError(error.code, index) from error


def _set_field(work: _Work, row: AnyName, operation: SetField) -> None:
    check_field_of(row, operation)
    _write_field(work, row, operation.name, operation.new, operation.by)


def _unset_field(work: _Work, row: AnyName, operation: SetField) -> None:
    was = SetField(operation.name, operation.new, operation.old, old_by=operation.by)
    check_field(was, value_of(row, operation.name), row.set_by.get(operation.name))
    _write_field(work, row, operation.name, operation.old, operation.old_by)


def _write_field(work: _Work, row: AnyName, name: str, value: Any, by: str | None) -> None:
    setattr(row, "parent_id" if name == "parent" else name, value)
    row.set_by = {key: who for key, who in {**row.set_by, name: by}.items() if who}
    written = {("parent_id" if name == "parent" else name): value, "set_by": row.set_by}
    if isinstance(row, Player):
        written["reading"] = reading_of(row.name, row.kana)
    NAMED[work.kind]._default_manager.filter(pk=row.pk).update(**written)
    if name in ("name", "kana", "latin"):
        _write_searched(work.kind, row.root_id)
    if name == "name":
        _note_games(work.change, work.kind, row.pk)


def _add_spelling(work: _Work, row: AnyName, operation: AddSpelling) -> None:
    name, other = spelling_of(row, operation)
    if other is None:
        other = NAMED[work.kind]._default_manager.create(space=row.space, name=name)
    operation.row = other.pk
    _merge_row(work.change, work.kind, other, row.pk)


def _remove_spelling(work: _Work, row: AnyName, operation: AddSpelling) -> None:
    if operation.row is None:
        raise NameEditError("unknown-target")
    _separate_row(work.change, work.kind, _row(work.kind, operation.row), row.pk)


def _merge(work: _Work, row: AnyName, operation: Merge) -> None:
    _merge_row(work.change, work.kind, row, operation.into)


def _unmerge(work: _Work, row: AnyName, operation: Merge) -> None:
    _separate_row(work.change, work.kind, row, operation.into)


def _split(work: _Work, row: AnyName, operation: Split) -> None:
    """Attribute sides of games to a namesake, which is a new row unless the operation names one."""
    player = check_split(row, operation)
    namesake = _namesake(player, operation.row)
    operation.row, operation.corrections = namesake.pk, []
    for seat in operation.games:
        game = game_of(player, seat)
        attribution = {
            "op": "player",
            "colour": seat.colour,
            "old": attributed_to(game.pk, seat.colour),
            "new": namesake.pk,
        }
        made = correct_within(work.change, game, [attribution], work.reason, work.author)
        operation.corrections.append(made.pk)


def _namesake(row: Player, pk: int | None) -> Player:
    if pk is not None:
        return namesake_of(row, pk)
    number = row.namesakes.count() + 1
    return Player.objects.create(
        space=row.space,
        name=row.name,
        written=row.written,
        key=f"{row.key}{NAMESAKE}{number}",
        kana=row.kana,
        latin=row.latin,
        namesake=row,
    )


def _unsplit(work: _Work, _row: AnyName, operation: Split) -> None:
    games = Correction.objects.filter(pk__in=operation.corrections, subject=Correction.Subject.GAME)
    by_game: dict[int, list[int]] = {}
    for pk, game in games.values_list("pk", "subject_id"):
        by_game.setdefault(game, []).append(pk)
    for ids in by_game.values():
        undo_within(work.change, ids, work.author)


def _take_down(work: _Work, row: AnyName, operation: TakeDown) -> None:
    """Replace a name, with all rows that were merged into it, by initials."""
    player = check_alone(row)
    initials = operation.initials or initials_of(player.name, player.kana, player.latin)
    operation.initials = valid_value("player", "name", initials)
    rows = list(Player.objects.filter(Q(pk=player.pk) | Q(home=player.pk)))
    mask = mask_of("", [vars(one) for one in rows])
    if mask_text(operation.initials, [mask]) != operation.initials:
        raise NameEditError("invalid-value")
    masked_names.conceal(rows, operation.initials)
    _name_changed(work, player)


def _restore(work: _Work, row: AnyName, _operation: TakeDown) -> None:
    if not isinstance(row, Player) or row.taken_down is None:
        raise NameEditError("not-taken-down")
    masked_names.reveal(Player.objects.filter(Q(pk=row.pk) | Q(home=row.pk)))
    _name_changed(work, row)


def _name_changed(work: _Work, row: Player) -> None:
    _write_searched("player", row.pk)
    row.refresh_from_db()
    done = masked_names.follow(work.change, row.pk)
    Player.objects.filter(pk=row.pk).update(unsettled=F("unsettled") if done else True)


_DO: Final[dict[type, Callable[[_Work, Any, Any], None]]] = {
    SetField: _set_field, AddSpelling: _add_spelling, Merge: _merge, Split: _split, TakeDown: _take_down,
}  # fmt: skip
_UNDO: Final[dict[type, Callable[[_Work, Any, Any], None]]] = {
    SetField: _unset_field, AddSpelling: _remove_spelling, Merge: _unmerge, Split: _unsplit,
    TakeDown: _restore,
}  # fmt: skip


# --- trees -----------------------------------------------------------------------------------------------


def _merge_row(change: Change, kind: Kind, row: AnyName, into: int) -> None:
    """Merge a root into another row, and give its games to the root of that row."""
    target = merge_target(row, into)
    rows, home = {pk for pk, _ in rows_of_tree(kind, row.pk)}, target.root_id
    NAMED[kind]._default_manager.filter(pk=row.pk).update(merged_into=into)
    NAMED[kind]._default_manager.filter(pk__in=rows).update(home=home)
    row.merged_into_id, row.home_id = into, home
    _write_searched(kind, home)
    _settle(change, kind, row.pk, rows, home)


def _separate_row(change: Change, kind: Kind, row: AnyName, parent: int) -> None:
    """Take a row, with all that were merged into it, out of the row that it was merged into."""
    if row.merged_into_id != parent:
        raise NameEditError("not-merged")
    former = row.root_id
    rows = subtree(row.pk, _parents(kind, former))
    NAMED[kind]._default_manager.filter(pk=row.pk).update(merged_into=None, home=None)
    NAMED[kind]._default_manager.filter(pk__in=rows - {row.pk}).update(home=row.pk)
    row.merged_into_id = row.home_id = None
    _write_searched(kind, former)
    _write_searched(kind, row.pk)
    _settle(change, kind, row.pk, rows, row.pk)


def _parents(kind: Kind, root: int) -> Parents:
    return {pk: parent for pk, parent in rows_of_tree(kind, root) if parent is not None}


def _write_searched(kind: Kind, root: int) -> None:
    """Write the searched forms of the rows of a tree. The root is searched by the names of the others too."""
    rows = list(NAMED[kind]._default_manager.filter(Q(pk=root) | Q(home=root)).order_by("pk"))
    together = [text for row in sorted(rows, key=lambda row: row.pk != root) for text in row.spellings()]
    for row in rows:
        searched = search_forms(together if row.pk == root else row.spellings())
        if searched != row.searched:
            NAMED[kind]._default_manager.filter(pk=row.pk).update(searched=searched)


def write_searched_names() -> None:
    """Compute again the searched forms of all rows with merged names."""
    for kind, model in NAMED.items():
        for root in model._default_manager.exclude(home=None).values_list("home_id", flat=True).distinct():
            _write_searched(kind, root)


# --- games -----------------------------------------------------------------------------------------------


def _settle(change: Change, kind: Kind, row: int, rows: Collection[int], home: int) -> None:
    """Give the games of some rows to their root, as many as one transaction may. Others are left for
    `settle_names`."""
    done = _give_games(change, kind, rows, home, SEATS_AT_ONCE)
    NAMED[kind]._default_manager.filter(pk=row).update(unsettled=not done)


def settle_names(limit: int = SEATS_AT_ONCE) -> bool:
    """Give up to `limit` games that wait to their rows; return whether none are left."""
    for kind, model in NAMED.items():
        for pk in model._default_manager.filter(unsettled=True).values_list("pk", flat=True):
            if not run((), partial(_settle_more, kind, pk, limit), alone=True):
                return False
    return True


def _settle_more(kind: Kind, pk: int, limit: int, change: Change) -> bool:
    row = _row(kind, pk)
    rows = subtree(pk, _parents(kind, row.root_id))
    done = _give_games(change, kind, rows, row.root_id, limit)
    if done and kind == "player":
        done = masked_names.follow(change, row.root_id, min(limit, masked_names.GAMES_AT_ONCE))
    if done:
        NAMED[kind]._default_manager.filter(pk=pk).update(unsettled=False)
    return done


def _give_games(change: Change, kind: Kind, rows: Collection[int], home: int, limit: int) -> bool:
    """Give up to `limit` games of some rows to a root; return whether there were no more."""
    table = f"archive_game{kind}"
    seats = _other_seats(kind, rows, home, limit + 1)
    for part in batched(seats[:limit]):
        for colour in sorted({colour for _, colour in part}):
            slots = [slot for slot, at in part if at == colour]
            places = ", ".join(["%s"] * len(slots))
            side = " AND colour = %s" if kind == "player" else ""
            column = f"player{colour}_id" if kind == "player" else f"{kind}_id"
            change.cursor.execute(
                _GIVE.format(table=table, kind=kind, places=places, side=side),
                [home, home, *slots, *([colour] if kind == "player" else [])],
            )
            change.cursor.execute(_OWN.format(column=column, places=places), [home, timezone.now(), *slots])
            for space, pk in change.cursor.fetchall():
                change.note(space, pk)
    return len(seats) <= limit


_GIVE: Final = """
    UPDATE {table} SET named_id = nullif(coalesce(named_id, {kind}_id), %s), {kind}_id = %s
    WHERE slot IN ({places}){side}
"""
_OWN: Final = """
    UPDATE archive_game SET {column} = %s, changed = %s WHERE slot IN ({places}) RETURNING space, id
"""


def _other_seats(kind: Kind, rows: Collection[int], home: int, limit: int) -> list[tuple[int, int]]:
    """Return slots and colours of rows of names whose games belong to another root. Colours of others
    than players are 0."""
    seats: Any = GAMES_OF[kind]._default_manager.exclude(**{kind: home})
    if kind != "player":
        seats = seats.annotate(colour=0 * F("slot"))
    seats = seats.values_list("slot", "colour")
    own = seats.filter(**{f"{kind}__in": rows}, named=None)
    found = list(own.order_by("slot")[:limit])
    return found + list(seats.filter(named__in=rows).order_by("slot")[: limit - len(found)])


def _note_games(change: Change, kind: Kind, pk: int) -> None:
    """Note the games of a row whose name changes, for those who copy the archive. One statement,
    because there may be very many."""
    change.cursor.execute(_NOTE.format(kind=kind), [pk])


_NOTE: Final = """
    INSERT INTO archive_gamechange (game, space) SELECT g.id, g.space FROM archive_game g
    WHERE g.slot IN (SELECT d.slot FROM archive_game{kind} d WHERE d.{kind}_id = %s)
"""
