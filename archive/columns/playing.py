"""Play many games at once: each line of each game is a lane, and a step plays one move in all lanes.

The contents of a position are a row of bytes, one for each of `schema.CONTENTS`, and a move changes a few of
them. The rows of a lane are adjacent, so a step copies a row of each lane to the next and changes the copy.
Variations are played after their parents, all of one depth together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from archive.columns.lines import COUNT_OF, PLACES, PackedLines
from archive.columns.schema import CONTENTS, HANDS
from kifu_core.lines import NO_MOVE
from kifu_core.shogi.moves import DROP
from kifu_core.shogi.pieces import HAND_KINDS, IN_HAND, PROMOTED
from kifu_core.shogi.squares import SQUARES

_NOWHERE: Final = len(CONTENTS)
_WIDTH: Final = _NOWHERE + 1
"""Bytes of a row: the contents of a position, and one for pieces that are not counted."""

_ROW: Final = np.dtype((np.void, _WIDTH))

_PIECES: Final = 32
"""Signed pieces by their last five bits."""

_CUT: Final = -1
"""The number of played moves of a variation that begins after its parent's last playable move."""

_BLOCK: Final = 1024
"""Rows that are transposed at once: a block and its columns fit into the processor's cache."""

Numbers = NDArray[np.int64]
Bytes = NDArray[np.int8]


def _by_piece(values: dict[int, int], other: int) -> Numbers:
    return np.array([values.get(piece, other) for piece in [*range(16), *range(-16, 0)]], np.int64)


_HAND: Final = {-kind if color else kind: PLACES[name] for (color, kind), name in HANDS.items()}
_COUNTED: Final = _by_piece(COUNT_OF, _NOWHERE)
_TAKEN_TO: Final = _by_piece(
    {piece: _HAND[-IN_HAND[piece] if piece > 0 else IN_HAND[piece]] for piece in COUNT_OF if IN_HAND[piece]},
    _NOWHERE,
)
_IN_HAND: Final = _by_piece(_HAND, _NOWHERE)
_AFTER: Final = np.concatenate(
    [
        _by_piece({piece: piece for piece in COUNT_OF}, 0),
        _by_piece({piece: PROMOTED[piece] for piece in COUNT_OF}, 0),
    ]
).astype(np.int8)
"""By signed piece: the place of its count on the board; the place in the hand of the side that captures it,
and of its own side; and the piece after a move without promotion, and 32 places on with promotion."""


class PlayedRows(NamedTuple):
    """The rows of some games: their numbers, the columns of positions in their lines, and of contents."""

    sizes: Numbers
    of_lines: dict[str, NDArray[Any]]
    contents: list[Bytes]


def rows_of(games: Sequence[PackedLines], most: int) -> PlayedRows:
    """Return the rows of games, at most `most` of each: each position followed by all positions after it. A
    move that cannot be played ends its line. Linear in the moves."""
    lanes = _Lanes(games)
    for chosen in lanes.by_depth():
        lanes.begin(chosen)
        lanes.play(chosen[lanes.played[chosen] != _CUT])
    return lanes.rows(len(games), most)


class _Lanes:
    """The lines of games. By lane: its `game`, its `parent` lane and the moves of that before it (`after`),
    the number of its moves (`size`), the `first` of them in `moves`, its first row in `contents` (`base`:
    before its first move), with `ply` and `turn`, and the number of moves that can be `played`."""

    def __init__(self, games: Sequence[PackedLines]) -> None:
        counts = np.array([len(game.numbers) // 3 for game in games], np.int64)
        numbers = np.array([number for game in games for number in game.numbers], np.int64).reshape(-1, 3)
        first_lane = np.cumsum(counts) - counts
        self.game = np.repeat(np.arange(len(games)), counts)
        self.parent = np.where(numbers[:, 0] < 0, -1, numbers[:, 0] + first_lane[self.game])
        self.after, self.size = numbers[:, 1], numbers[:, 2]
        self.first = np.cumsum(self.size) - self.size
        self.base = self.first + np.arange(len(numbers))
        self.moves = np.frombuffer(b"".join(game.moves for game in games), "<u2").astype(np.int64)
        self.played = self.size.copy()
        self.ply, self.turn = np.zeros((2, len(numbers)), np.int64)
        self.contents = np.zeros((len(self.moves) + len(numbers), _WIDTH), np.int8)
        starts = np.frombuffer(b"".join(game.start for game in games), np.int8).reshape(len(games), -1)
        self.contents[self.base[first_lane], :_NOWHERE] = starts[:, :_NOWHERE]
        self.turn[first_lane] = starts[:, _NOWHERE]

    def by_depth(self) -> Iterator[Numbers]:
        """Yield the lanes of the main lines, then those of variations, of variations in these, and so on."""
        depth = np.zeros(len(self.parent), np.int64)
        for lane in np.flatnonzero(self.parent >= 0):
            depth[lane] = depth[self.parent[lane]] + 1
        order = np.argsort(depth, kind="stable")
        yield from np.split(order, np.searchsorted(depth[order], np.arange(1, depth.max() + 1)))

    def begin(self, chosen: Numbers) -> None:
        """Copy the contents at the beginning of variations from their parents."""
        chosen = chosen[self.parent[chosen] >= 0]
        parent, after = self.parent[chosen], self.after[chosen]
        is_cut = self.played[parent] < after
        self.played[chosen[is_cut]] = _CUT
        chosen, parent, after = chosen[~is_cut], parent[~is_cut], after[~is_cut]
        self.contents[self.base[chosen]] = self.contents[self.base[parent] + after]
        self.ply[chosen] = self.ply[parent] + after
        self.turn[chosen] = self.turn[parent] ^ (after & 1)

    def play(self, chosen: Numbers) -> None:
        """Play the moves of lanes. A lane continues after a move that cannot be played, but `played` says how
        many moves before are valid."""
        steps = _Steps(self, chosen)
        # Copying is several times as fast with a row as one value.
        cells, rows = self.contents.reshape(-1), self.contents.view(_ROW).reshape(-1)
        for begin, end in pairwise(steps.bounds):
            row = steps.row[begin:end]
            rows[row + 1] = rows[row]
            steps.step(cells, slice(begin, end))
        wrong = np.flatnonzero(~steps.are_right())
        np.minimum.at(self.played, steps.lane[wrong], steps.number[wrong])

    def rows(self, games: int, most: int) -> PlayedRows:
        """Return the rows of the played moves, at most `most` of each game."""
        main = self.parent < 0
        size = self.played + main
        size[self.played == _CUT] = 0
        before = np.cumsum(size) - size
        before -= before[main][self.game]
        size = np.clip(most - before, 0, size)
        sizes = np.bincount(self.game, size, games).astype(np.int64)
        along = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
        fork = (~main).astype(np.int64)

        def repeated(numbers: Numbers) -> Numbers:
            return np.repeat(numbers, size)

        number = repeated(fork) + along
        ends = number >= repeated(size - main)
        next_move = np.minimum(repeated(self.first) + number, len(self.moves) - 1)
        of_lines: dict[str, NDArray[Any]] = {
            "node": (repeated(before) + along).astype(np.int16),
            "last": np.repeat(sizes - 1, sizes).astype(np.int16),
            "ply": (repeated(self.ply) + number).astype(np.int16),
            "fork": repeated(fork).astype(np.bool_),
            "turn": (repeated(self.turn) ^ number & 1).astype(np.int8),
            "move": np.where(ends, NO_MOVE, self.moves[next_move] if len(self.moves) else NO_MOVE).astype(
                np.int32
            ),
        }
        self._set_lasts(of_lines["last"], before, size, sizes)
        return PlayedRows(sizes, of_lines, _transposed(self.contents, repeated(self.base) + number))

    def _set_lasts(self, last: NDArray[Any], before: Numbers, size: Numbers, sizes: Numbers) -> None:
        first_row = np.cumsum(sizes) - sizes
        lanes = np.flatnonzero(np.bincount(self.game, self.parent >= 0)[self.game] > 0)
        heads, parents = dict[int, int](), dict[int, list[int]]()
        for lane in lanes.tolist():
            parent, after, node = (int(of[lane]) for of in (self.parent, self.after, before))
            forked = parent >= 0 and self.parent[parent] >= 0
            row = int(before[parent]) + after - forked
            heads[lane] = head = -1 if parent < 0 else heads[parent] if forked and not after else row
            if size[lane]:
                rows = parents.setdefault(int(self.game[lane]), [])
                rows += (head, *range(node, node + int(size[lane]) - 1))
        for game, rows in parents.items():
            last[first_row[game] : first_row[game] + sizes[game]] = _lasts(rows)


class _Steps:
    """All moves of some lanes, grouped by step. The longest lanes come first, so that the remaining lanes are
    the first ones in each step. By move: its lane, its number there, the row before it, its cells."""

    def __init__(self, lanes: _Lanes, chosen: Numbers) -> None:
        order = chosen[np.argsort(-lanes.size[chosen], kind="stable")]
        sizes = lanes.size[order]
        remaining = np.searchsorted(-sizes, -np.arange(sizes.max(initial=0)), side="left")
        ends = np.cumsum(remaining)
        self.bounds = [0, *ends.tolist()]
        self.number = np.repeat(np.arange(len(remaining)), remaining)
        self.lane = order[np.arange(len(self.number)) - np.repeat(ends - remaining, remaining)]
        self.row = lanes.base[self.lane] + self.number
        moves = lanes.moves[lanes.first[self.lane] + self.number]
        origin, self.to, promotes = moves >> 8, moves >> 1 & 127, moves & 1
        self.is_move = (origin <= DROP + HAND_KINDS[-1]) & (self.to < len(SQUARES))
        origin, self.to = origin * self.is_move, self.to * self.is_move
        self.sign = (1 - 2 * (lanes.turn[self.lane] ^ self.number & 1)).astype(np.int8)
        self.drops = origin > DROP
        self.dropped = (np.where(self.drops, origin - DROP, 0) * self.sign).astype(np.int8)
        self.promoted = (promotes * _PIECES * ~self.drops).astype(np.int64)
        here = self.row * _WIDTH
        self.to += here
        self.source = here + np.where(self.drops, _IN_HAND[self.dropped & _PIECES - 1], origin)
        self.moved, self.taken = np.empty((2, len(moves)), np.int8)

    def step(self, cells: Bytes, now: slice) -> None:
        """Play the moves of a step: the rows after them are copies of the rows before."""
        to, source, drops = self.to[now], self.source[now], self.drops[now]
        moved, taken, promoted = cells[source], cells[to], self.promoted[now]
        self.moved[now], self.taken[now] = moved, taken
        piece = self.dropped[now] + moved * ~drops
        after = _AFTER[(piece & _PIECES - 1) + promoted]
        there = self.row[now] * _WIDTH + _WIDTH
        cells[to + _WIDTH] = after
        cells[source + _WIDTH] = (moved - 1) * drops
        if len(some := np.flatnonzero(promoted)):
            cells[there[some] + _COUNTED[moved[some] & _PIECES - 1]] -= 1
        if len(some := np.flatnonzero(drops | (promoted > 0))):
            cells[there[some] + _COUNTED[after[some] & _PIECES - 1]] += 1
        if len(some := np.flatnonzero(taken)):
            what, row = taken[some] & _PIECES - 1, there[some]
            cells[row + _COUNTED[what]] -= 1
            cells[row + _TAKEN_TO[what]] += 1

    def are_right(self) -> NDArray[np.bool_]:
        """Return for each move whether it can be played, as `replay.can_play` does."""
        taken = self.taken * self.sign
        on_board = (self.moved * self.sign > 0) & (taken <= 0)
        right: NDArray[np.bool_] = self.is_move & np.where(
            self.drops, (self.moved > 0) & (taken == 0), on_board
        )
        return right


def _lasts(parents: Sequence[int]) -> list[int]:
    lasts = [*range(len(parents))]
    for number in range(len(parents) - 1, 0, -1):
        parent = parents[number]
        lasts[parent] = max(lasts[parent], lasts[number])
    return lasts


def _transposed(contents: Bytes, rows: Numbers) -> list[Bytes]:
    columns = np.empty((len(CONTENTS), len(rows)), np.int8)
    for first in range(0, len(rows), _BLOCK):
        columns[:, first : first + _BLOCK] = contents[rows[first : first + _BLOCK], :_NOWHERE].T
    return [*columns]
