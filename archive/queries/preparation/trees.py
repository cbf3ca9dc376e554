"""The main lines of up to `MOST_GAMES` games of one player and colour, as arrays of all their positions.

They are made from the keys and moves that are stored with each game, and cached as files that processes map
into memory. A file is named after the games and the state in which they were read, so it is never wrong; what
changes gets another name.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from hashlib import blake2b
from pathlib import Path
from tempfile import mkdtemp
from time import time
from typing import Any, Final

import numpy as np
from django.conf import settings
from numpy.typing import NDArray

from archive.caching.values import cached_until_commit
from archive.derive.game import index_rows
from archive.derive.game_analysis import losses_of
from archive.derive.series import seconds_of
from archive.index.packed_keys import PackedLine, pack_keys, unpack_line
from archive.index.schema import COLOR_BIT, DRAW, UNKNOWN
from archive.models import codec
from archive.queries.games.filters import GameFilters
from archive.queries.games.list_query import query_of
from archive.queries.names.own_names import own_key
from archive.queries.scope import Scope
from archive.queries.search.patience import time_limited
from archive.queries.sql import rows_by_ids

MOST_GAMES: Final = 20_000
"""Games of a tree, the newest."""
_KEPT: Final = 16
_KEPT_SECONDS: Final = 24 * 60 * 60
"""Trees that are cached: so many, and not longer than this."""
_BATCH: Final = 2_000
VERSION: Final = 1
"""It changes with the arrays or their meaning."""

UNDECIDED: Final = -1
NO_ROW: Final = -1

_SLOTS: Final = "SELECT g.slot, g.played FROM {sql} ORDER BY g.played DESC, g.slot DESC LIMIT %s"
_STATE: Final = """
    SELECT count(g.changed), max(g.changed), count(x.made), max(x.made) FROM {keys}
    JOIN archive_game g ON g.slot = k.key LEFT JOIN archive_gameanalysis x ON x.game_id = g.id
"""
_GAMES: Final = """
    SELECT g.slot, g.id, g.kind, g.space, g.result, r.keys, s.series FROM {keys}
    JOIN archive_game g ON g.slot = k.key JOIN archive_gamerecord r ON r.game_id = g.id
    LEFT JOIN archive_gameseries s ON s.game_id = g.id ORDER BY g.slot
"""
_RECORD: Final = """
    SELECT r.record FROM {keys} JOIN archive_game g ON g.slot = k.key
    JOIN archive_gamerecord r ON r.game_id = g.id
"""
_ANALYSES: Final = """
    SELECT x.game_id, x.content FROM {keys} JOIN archive_gameanalysis x ON x.game_id = k.key
    ORDER BY x.game_id, x.engine_id DESC
"""

Ints = NDArray[np.int32]
Chosen = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Tree:
    """Games of one colour. A row is the first visit of a position on a game's main line, in the order of the
    games and their plies.

    By row: the key of its position in the public space; the packed move in the canonical orientation, 0 at
    the end; the ply; the seconds of the move and its loss of winning chances, NaN if unknown. By game: its
    `slots`, the first row in `starts`, followed by the number of all rows; its `points` for the colour: 2, 1,
    0, or `UNDECIDED`. `pace` is the median of the seconds of the colour's moves by ply.

    `keys` are the positions of enough games, ascending, `counts` the games that reach each; `rare` are the
    keys of all others. The `rows` of the former, ascending, have the number of the game in `of`, the place of
    the position in `ids`, and in `after` that of the next position if the move leads to a row; `NO_ROW` for a
    rare one and at the end.
    """

    keys: NDArray[np.int64]
    counts: Ints
    rare: NDArray[np.int64]
    rows: Ints
    of: Ints
    ids: Ints
    after: Ints
    positions: NDArray[np.int64]
    moves: NDArray[np.uint16]
    plies: NDArray[np.int16]
    seconds: NDArray[np.float32]
    losses: NDArray[np.float32]
    slots: Ints
    starts: Ints
    points: NDArray[np.int8]
    pace: NDArray[np.float32]

    @property
    def games(self) -> int:
        return len(self.slots)

    def reaches(self, keys: NDArray[np.int64]) -> Chosen:
        """Return for each key whether any game reaches its position."""
        reached: Chosen = (places_of(self.keys, keys) != NO_ROW) | (places_of(self.rare, keys) != NO_ROW)
        return reached

    def own_turn(self, colour: int) -> Chosen:
        """Return for each of `keys` whether this colour is to move."""
        turns: Chosen = (self.keys & COLOR_BIT) == colour * COLOR_BIT
        return turns


@dataclass(frozen=True, slots=True)
class Part:
    """The rows of a tree from a position on: `first` has the row of the position in each game that reaches
    it, `games` the numbers of these games. `rows`, `of`, `ids` and `after` are those of the tree from there
    to the ends of the games, `counts` the games by position."""

    tree: Tree
    first: Ints
    games: Ints
    rows: Ints
    of: Ints
    ids: Ints
    after: Ints
    counts: Ints


def part_of(tree: Tree, key: int) -> Part:
    """Return the rows of a tree from the position with a key on. Linear in the rows."""
    first = np.flatnonzero(tree.positions == key).astype(np.int32)
    games = (np.searchsorted(tree.starts, first, side="right") - 1).astype(np.int32)
    if len(first) == tree.games and np.array_equal(first, tree.starts[:-1]):
        return Part(tree, first, games, tree.rows, tree.of, tree.ids, tree.after, tree.counts)
    begin = np.full(tree.games + 1, len(tree.positions), np.int32)
    begin[games] = first
    chosen = tree.rows >= begin[tree.of]
    ids = tree.ids[chosen]
    counts = np.bincount(ids, minlength=len(tree.keys)).astype(np.int32)
    return Part(tree, first, games, tree.rows[chosen], tree.of[chosen], ids, tree.after[chosen], counts)


def places_of(keys: NDArray[np.int64], wanted: NDArray[np.int64]) -> Ints:
    """Return the places of some keys among ascending ones, `NO_ROW` for those that are missing."""
    if not len(keys):
        return np.full(len(wanted), NO_ROW, np.int32)
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1).astype(np.int32)
    at[keys[at] != wanted] = NO_ROW
    return at


def tree_of(scope: Scope, filters: GameFilters, kind: str, colour: int, enough: int) -> Tree:
    """Return the tree of the newest games of a kind that match the filters, with the points of a colour;
    positions that `enough` games reach are not rare.

    Raises QueryError for an invalid query and for one that takes too long. About 0.1 ms a game, unless the
    tree is cached.
    """
    filters = replace(filters, game=kind, record_kind="game")
    name = f"tree {scope} {own_key(scope, filters)} {filters!r} {colour}"
    slots, state = cached_until_commit(name, lambda: _games_and_state(scope, filters))
    digest = blake2b(f"{VERSION} {colour} {enough} {state} ".encode() + slots, digest_size=16).hexdigest()
    folder = _folder() / digest
    try:
        return _load(folder)
    except FileNotFoundError:
        tree = build(np.frombuffer(slots, np.int32).tolist(), colour, enough)
        _save(tree, folder)
        return tree


def _games_and_state(scope: Scope, filters: GameFilters) -> tuple[bytes, str]:
    """Return the slots of the newest games that match, ascending, and a text that changes with the games."""
    with time_limited(filters):
        query = query_of(scope, filters)
        if query is None:
            return b"", ""
        pieces = [games.embed(_SLOTS, MOST_GAMES) for games in query.matches()]
        found = {(played, slot) for piece in pieces for slot, played in query.fetch(piece)}
        slots = sorted(slot for _played, slot in sorted(found, reverse=True)[:MOST_GAMES])
        state = repr(rows_by_ids(_STATE, slots)) if slots else ""
    return np.array(slots, np.int32).tobytes(), state


# --- building --------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Lines:
    """Games that are being read."""

    slots: list[int]
    points: list[int]
    sizes: list[int]
    keys: list[bytes]
    moves: list[bytes]
    plies: list[NDArray[np.int16]]
    seconds: list[NDArray[np.float32]]
    losses: list[NDArray[np.float32]]


def build(slots: Sequence[int], colour: int, enough: int) -> Tree:
    """Return the tree of the games in some slots. Slots without a game are left out."""
    lines = _Lines([], [], [], [], [], [], [], [])
    for begin in range(0, len(slots), _BATCH):
        _read(lines, slots[begin : begin + _BATCH], colour)
    positions = np.frombuffer(b"".join(lines.keys), ">i8").astype(np.int64)
    moves = np.frombuffer(b"".join(lines.moves), ">u2").astype(np.uint16)
    starts = np.append(0, np.cumsum(lines.sizes, dtype=np.int32)).astype(np.int32)
    plies, seconds = _joined(lines.plies, np.int16), _joined(lines.seconds, np.float32)
    seconds[moves == 0] = np.nan
    places, keys, counts, rare = _numbered(positions, enough)
    after = np.append(places[1:], np.int32(NO_ROW))[: len(places)]
    after[np.append(plies[1:] != plies[:-1] + 1, True)[: len(places)]] = NO_ROW
    rows = np.flatnonzero(places != NO_ROW).astype(np.int32)
    return Tree(
        keys=keys,
        counts=counts,
        rare=rare,
        rows=rows,
        of=(np.searchsorted(starts, rows, side="right") - 1).astype(np.int32),
        ids=places[rows],
        after=after[rows],
        positions=positions,
        moves=moves,
        plies=plies,
        seconds=seconds,
        losses=_joined(lines.losses, np.float32),
        slots=np.array(lines.slots, np.int32),
        starts=starts,
        points=np.array(lines.points, np.int8),
        pace=_pace(plies, np.where((positions & COLOR_BIT) == colour * COLOR_BIT, seconds, np.nan)),
    )


def _numbered(
    positions: NDArray[np.int64], enough: int
) -> tuple[Ints, NDArray[np.int64], Ints, NDArray[np.int64]]:
    """Return for each key its place among those that occur often enough, or `NO_ROW`; these keys, ascending,
    with their numbers; and all other keys, ascending."""
    order = np.argsort(positions, kind="quicksort")
    ordered = positions[order]
    first = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)])
    numbers = np.diff(np.append(first, len(ordered))).astype(np.int32)
    frequent = numbers >= enough
    numbered = np.where(frequent, np.cumsum(frequent, dtype=np.int32) - 1, NO_ROW).astype(np.int32)
    places = np.empty(len(positions), np.int32)
    places[order] = np.repeat(numbered, numbers)
    distinct = ordered[first]
    return places, distinct[frequent], numbers[frequent], distinct[~frequent]


def _joined(parts: list[NDArray[Any]], kind: type[Any]) -> NDArray[Any]:
    return np.concatenate(parts) if parts else np.zeros(0, kind)


def _pace(plies: NDArray[np.int16], seconds: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the median of seconds by ply; NaN for plies without any."""
    timed = ~np.isnan(seconds)
    groups, middles, _n = medians(plies[timed].astype(np.int32), seconds[timed])
    pace = np.full(int(plies.max(initial=-1)) + 1, np.nan, np.float32)
    pace[groups] = middles
    return pace


def medians(groups: Ints, values: NDArray[np.float32]) -> tuple[Ints, NDArray[np.float64], Ints]:
    """Return the distinct groups of some values, which are not negative, ascending; of each the median, the
    mean of the middle two of an even number, and the number of values."""
    # The bits of such numbers are in their order, so group and value are sorted as one number.
    bits = np.ascontiguousarray(values, np.float32).view(np.int32)
    both = np.sort(groups.astype(np.int64) << 32 | bits)
    groups = (both >> 32).astype(np.int32)
    ordered = (both & 0xFFFFFFFF).astype(np.int32).view(np.float32).astype(np.float64)
    first = np.flatnonzero(np.append(True, groups[1:] != groups[:-1])[: len(groups)])
    numbers = np.diff(np.append(first, len(groups))).astype(np.int32)
    middles = (ordered[first + (numbers - 1) // 2] + ordered[first + numbers // 2]) / 2
    return groups[first], middles, numbers


def _read(lines: _Lines, slots: Sequence[int], colour: int) -> None:
    rows = rows_by_ids(_GAMES, slots)
    losses = _losses([pk for _slot, pk, *_ in rows])
    for slot, pk, kind, space, result, packed, series in rows:
        line = unpack_line(bytes(packed) if packed is not None else _keys_of(slot, kind, space))
        size = len(line.moves) // 2
        plies = _plies(line, size)
        lines.slots.append(slot)
        lines.points.append(_points(result, colour))
        lines.sizes.append(size)
        lines.keys.append(line.keys)
        lines.moves.append(line.moves)
        lines.plies.append(plies)
        lines.seconds.append(_by_row(plies, *seconds_of(series)) if series else _unknown(size))
        lines.losses.append(_by_row(plies, *losses[pk]) if pk in losses else _unknown(size))


def _keys_of(slot: int, kind: str, space: int) -> bytes:
    """Return the packed keys of a game that has none stored."""
    ((record,),) = rows_by_ids(_RECORD, [slot])
    return pack_keys(*index_rows(codec.unpack(record), kind, space), kind, space)


def _losses(games: Sequence[int]) -> dict[int, tuple[list[int], list[float]]]:
    """Return the plies and the losses of the moves of analysed games, by the first of several engines."""
    return {pk: losses_of(content) for pk, content in rows_by_ids(_ANALYSES, sorted(games))}


def _plies(line: PackedLine, size: int) -> NDArray[np.int16]:
    if line.plies is None:
        return np.arange(size, dtype=np.int16)
    return np.frombuffer(line.plies, ">i2").astype(np.int16)


def _unknown(size: int) -> NDArray[np.float32]:
    return np.full(size, np.nan, np.float32)


def _by_row(plies: NDArray[np.int16], numbers: list[int], values: list[float]) -> NDArray[np.float32]:
    """Return values of moves, by their numbers from 1, for the rows from which they were played. Negative
    ones, which no clock shows, count as 0."""
    by_ply = np.full(max(max(numbers, default=0), int(plies[-1]) + 1) + 1, np.nan, np.float32)
    by_ply[numbers] = values
    np.maximum(by_ply, 0, out=by_ply)
    result: NDArray[np.float32] = (
        by_ply[1 : len(plies) + 1] if len(plies) == plies[-1] + 1 else by_ply[plies + 1]
    )
    return result


def _points(result: int, colour: int) -> int:
    if result == UNKNOWN:
        return UNDECIDED
    return 1 if result == DRAW else 2 * (result == colour)


# --- files -----------------------------------------------------------------------------------------------


def _folder() -> Path:
    return Path(settings.DATA_DIR) / "tmp" / "trees"


def _load(folder: Path) -> Tree:
    """Map the files of a tree. Raises FileNotFoundError."""
    tree = Tree(
        **{
            one.name: np.load(
                folder / f"{one.name}.npy", mmap_mode="r" if (folder / "full").exists() else None
            )
            for one in fields(Tree)
        }
    )
    folder.touch()
    return tree


def _save(tree: Tree, folder: Path) -> None:
    """Write the files of a tree, and remove those of old ones."""
    parent = folder.parent
    parent.mkdir(parents=True, exist_ok=True)
    made = Path(mkdtemp(dir=parent, prefix="."))
    for one in fields(Tree):
        np.save(made / f"{one.name}.npy", getattr(tree, one.name))
    if tree.games:
        (made / "full").touch()  # an empty file cannot be mapped
    try:
        made.rename(folder)
    except OSError:  # another process was first
        shutil.rmtree(made, ignore_errors=True)
    for old in _old(parent):
        shutil.rmtree(old, ignore_errors=True)


def _old(parent: Path) -> Iterator[Path]:
    times = []
    for one in parent.iterdir():
        try:
            times.append((one.stat().st_mtime, one))
        except FileNotFoundError:
            continue
    for place, (touched, one) in enumerate(sorted(times, reverse=True)):
        if place >= _KEPT or touched < time() - _KEPT_SECONDS:
            yield one
