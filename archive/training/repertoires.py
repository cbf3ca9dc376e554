"""Repertoires: lines that an account adds and removes, merged where they meet."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from django.db import transaction
from django.db.models import Count, Q

from archive.models import Repertoire, RepertoireMove, User
from archive.models.training import TITLE_LENGTH
from archive.names.plain_text import plain
from archive.training.cards import add_moves, leave_out
from archive.training.errors import MOST_MOVES, MOST_REPERTOIRES, TrainingError
from archive.training.moves import spot_of
from kifu_core.errors import KifuError
from kifu_core.games import SHOGI
from kifu_core.shogi.move_resolution import PLACES
from kifu_core.shogi.moves import dropped, promotes, source, target, to_usi
from kifu_core.shogi.normalize import normalize
from kifu_core.shogi.pieces import CODES
from kifu_core.shogi.start import initial_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from django.db.models import QuerySet

    from archive.training.moves import Played
    from kifu_core.jkf import Record
    from kifu_core.shogi.position import Position

_NEW_ROWS: Final = 1_000

Node = tuple[int, bool]
"""The key of a position, and whether the owner of the repertoire is to move."""


class Added(NamedTuple):
    """How many moves and cards are new."""

    moves: int
    cards: int


def own_repertoires(user: User) -> QuerySet[Repertoire]:
    """Return the repertoires of an account with the numbers of own moves and of all moves, `own_moves` and
    `all_moves`, the first made first."""
    numbers = {"all_moves": Count("moves"), "own_moves": Count("moves", filter=Q(moves__own=True))}
    return Repertoire.objects.filter(user=user).annotate(**numbers).order_by("pk")


def create(user: User, title: str, color: int) -> Repertoire:
    """Create a repertoire of one side. Raises TrainingError."""
    title = _title(title)
    with transaction.atomic():
        _lock(user)
        if Repertoire.objects.filter(user=user).count() >= MOST_REPERTOIRES:
            raise TrainingError("too-many-repertoires")
        return Repertoire.objects.create(user=user, title=title, color=color)


def rename(repertoire: Repertoire, title: str) -> None:
    """Change the title of a repertoire. Raises TrainingError."""
    repertoire.title = _title(title)
    repertoire.save(update_fields=["title"])


def _title(title: str) -> str:
    title = " ".join(plain(title).split())
    if not 0 < len(title) <= TITLE_LENGTH:
        raise TrainingError("repertoire-title")
    return title


def _lock(user: User) -> None:
    User.objects.select_for_update().get(pk=user.pk)


def remove(user: User, repertoire: Repertoire) -> None:
    """Remove a repertoire. The cards of its moves keep their progress."""
    with transaction.atomic():
        _lock(user)
        rows = RepertoireMove.objects.filter(repertoire=repertoire, own=True)
        moves = list(rows.values_list("key", "move"))
        repertoire.delete()
        leave_out(user, moves)


# --- lines -------------------------------------------------------------------------------------------------


def add_lines(user: User, repertoire: Repertoire, moves: Iterable[Played]) -> Added:
    """Add moves of both sides, with cards for the own ones. Raises TrainingError."""
    wanted = {(one.key, one.color == repertoire.color, one.move): one for one in moves}
    if not wanted:
        raise TrainingError("nothing-to-add")
    with transaction.atomic():
        _lock(user)
        rows = RepertoireMove.objects.filter(repertoire=repertoire)
        present = set(rows.values_list("key", "own", "move"))
        new = {place: one for place, one in wanted.items() if place not in present}
        if RepertoireMove.objects.filter(repertoire__user=user).count() + len(new) > MOST_MOVES:
            raise TrainingError("too-many-moves")
        RepertoireMove.objects.bulk_create(
            [
                RepertoireMove(
                    repertoire=repertoire, key=key, own=own, move=move, after=one.after, code=one.code
                )
                for (key, own, move), one in new.items()
            ],
            batch_size=_NEW_ROWS,
        )
        cards = add_moves(user, [one for (_key, own, _move), one in wanted.items() if own])
    return Added(len(new), cards)


def remove_move(user: User, repertoire: Repertoire, pk: int) -> int:
    """Remove a move of a repertoire with all moves that only it leads to; return how many there were."""
    with transaction.atomic():
        _lock(user)
        rows = list(RepertoireMove.objects.filter(repertoire=repertoire).order_by("pk"))
        if not any(row.pk == pk for row in rows):
            return 0
        left = [row for row in rows if row.pk != pk]
        reached = _reached(left, roots_of(rows))
        gone = [row for row in rows if row.pk == pk or _node(row) not in reached]
        for first in range(0, len(gone), _NEW_ROWS):
            chosen = [row.pk for row in gone[first : first + _NEW_ROWS]]
            RepertoireMove.objects.filter(pk__in=chosen).delete()
        leave_out(user, [(row.key, row.move) for row in gone if row.own])
    return len(gone)


def _node(row: RepertoireMove) -> Node:
    return row.key, row.own


def roots_of(rows: Sequence[RepertoireMove]) -> dict[Node, str]:
    """Return the positions in which the lines of a repertoire begin, with their codes: those that no move
    leads to. Lines that run in circles begin with their first move. The rows are in the order of ids."""
    after = {(row.after, not row.own) for row in rows}
    roots = {_node(row): row.code for row in reversed(rows) if _node(row) not in after}
    roots = dict(reversed(roots.items()))
    reached = _reached(rows, roots)
    for row in rows:
        if _node(row) not in reached:
            roots[_node(row)] = row.code
            reached |= _reached(rows, {_node(row): row.code})
    return roots


def _reached(rows: Sequence[RepertoireMove], roots: Iterable[Node]) -> set[Node]:
    """Return the positions that moves lead to from some positions, with these."""
    onward: dict[Node, list[Node]] = {}
    for row in rows:
        onward.setdefault(_node(row), []).append((row.after, not row.own))
    reached, waiting = set(roots), deque(roots)
    while waiting:
        for node in onward.get(waiting.popleft(), ()):
            if node not in reached:
                reached.add(node)
                waiting.append(node)
    return reached


class RepertoireAt(NamedTuple):
    """A repertoire of an account at a position: its moves there, by id and USI."""

    repertoire: Repertoire
    moves: list[tuple[int, str]]
    own: bool


def repertoires_at(user: User, position: Position) -> list[RepertoireAt]:
    """Return all repertoires of an account, with their moves in a position."""
    found = list(Repertoire.objects.filter(user=user).order_by("pk"))
    try:
        spot = spot_of(position)
    except KifuError:
        return []
    rows = RepertoireMove.objects.filter(repertoire__in=found, key=spot.key).order_by("pk") if found else []
    moves: dict[tuple[int, bool], list[tuple[int, str]]] = {}
    for row in rows:
        name = to_usi(spot.of_position(row.move))
        moves.setdefault((row.repertoire_id, row.own), []).append((row.pk, name))
    sides = ((one, one.color == position.turn) for one in found)
    return [RepertoireAt(one, moves.get((one.pk, own), []), own) for one, own in sides]


# --- trees -------------------------------------------------------------------------------------------------

DEEPEST: Final = 200
"""Plies of a line that is written."""


def tree_of(rows: Sequence[RepertoireMove], root: Node, code: str) -> Record:
    """Return the lines from a root as a record, the move that was added first first. A position that several
    lines reach is continued in one of them only."""
    onward: dict[Node, list[int]] = {}
    for row in rows:
        onward.setdefault(_node(row), []).append(row.move)
    start = SHOGI.codec.decode(code)
    moves: list[dict[str, Any]] = [{}]
    branches = [_Branch(moves, start.copy(), root, 0)]
    seen = {root}
    while branches:
        branches += reversed(_grow(branches.pop(), onward, seen))
    return normalize({"header": {}, "initial": initial_of(start), "moves": moves})


class _Branch(NamedTuple):
    """A line that grows at its end: its entries, the position there, its node and its ply."""

    entries: list[dict[str, Any]]
    position: Position
    node: Node
    ply: int


def _grow(branch: _Branch, onward: Mapping[Node, Sequence[int]], seen: set[Node]) -> list[_Branch]:
    """Add moves to a line until it ends or meets another one; return the variations."""
    entries, position, node, ply = branch
    forks: list[_Branch] = []
    while ply < DEEPEST and (moves := onward.get(node)):
        spot, ply = spot_of(position), ply + 1
        first, *others = (spot.of_position(move) for move in moves)
        entry = _as_jkf(first)
        entries.append(entry)
        for move in others:
            fork, after = [_as_jkf(move)], position.copy()
            after.do_move(move)
            entry.setdefault("forks", []).append(fork)
            target_node = (spot_of(after).key, not node[1])
            if target_node not in seen:
                seen.add(target_node)
                forks.append(_Branch(fork, after, target_node, ply))
        position.do_move(first)
        node = (spot_of(position).key, not node[1])
        if node in seen:
            break
        seen.add(node)
    return forks


def _as_jkf(move: int) -> dict[str, Any]:
    """Return a move in the minimal form of JKF."""
    place = {"to": PLACES[target(move)]}
    if kind := dropped(move):
        return {"move": {**place, "piece": CODES[kind]}}
    return {"move": {"from": PLACES[source(move)], **place, "promote": promotes(move)}}
