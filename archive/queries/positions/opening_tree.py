"""The tree of the moves played from a position, for preparing an opening."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Final, Literal

from archive.queries.positions.explorer import BATCH, Explorer, MoveStats, explore_queries
from archive.queries.positions.position_query import Lines, position_query
from archive.queries.scope import Scope
from kifu_core.classes import Match
from kifu_core.games import GAMES

DEEPEST: Final = 40
MOST_NODES: Final = 1_000
SECONDS: Final = 0.5
"""After this time no further batch of positions is read."""

Cut = Literal["nodes", "time"]


@dataclass(slots=True)
class TreeNode:
    """A position of an opening tree."""

    code: str
    played: MoveStats | None
    """The move that led here; None for the root."""
    again: bool = False
    """Whether the same position is elsewhere in the tree, nearer to the root or played more often. The tree
    continues there."""
    explorer: Explorer | None = None
    """The statistics of the position; None where the tree ends."""
    complete: bool = False
    """Whether all its moves with enough games are in the tree."""
    children: list[TreeNode] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class MoveTree:
    """A tree with `nodes` moves. `cut` is the limit that ended it before the requested depth."""

    root: TreeNode
    nodes: int
    cut: Cut | None


def build_tree(
    scope: Scope,
    kind: str,
    code: str,
    depth: int,
    min_games: int,
    match: Match = "exact",
    lines: Lines = "main",
    seconds: float = SECONDS,
) -> MoveTree:
    """Return the tree of the moves played from a position by `min_games` games or more, `depth` plies deep.

    The tree grows level by level, the most frequent moves first, with one count for each `BATCH` of
    positions. It is cut at `MOST_NODES` moves, and before the next batch after `seconds`. Raises DecodeError
    and ValueError as `explore`, ValueError for a `depth` or `min_games` out of range.
    """
    if not 1 <= depth <= DEEPEST:
        raise ValueError(f"depth is 1 to {DEEPEST}, not {depth}")
    if min_games < 1:
        raise ValueError(f"min_games is at least 1, not {min_games}")
    deadline = monotonic() + seconds
    builder = _MoveTreeBuilder(scope, kind, match, lines, min_games, {GAMES[kind].codec.identity(code)})
    root = TreeNode(code, None)
    level = [root]
    cut: Cut | None = None
    for _ in range(depth):
        next_level: list[TreeNode] = []
        for batch in _batches(level):
            cut = cut or ("time" if monotonic() > deadline and batch[0] is not root else None)
            next_level += builder.grow(batch) if cut is None else ()
            cut = cut or ("nodes" if builder.full else None)
        level = sorted(next_level, key=_games, reverse=True)
    return MoveTree(root, builder.nodes, cut)


def _batches(level: Sequence[TreeNode]) -> Iterator[Sequence[TreeNode]]:
    for start in range(0, len(level), BATCH):
        yield level[start : start + BATCH]


def _games(node: TreeNode) -> int:
    return node.played.total if node.played else 0


def _unexplored_children(node: TreeNode) -> list[TreeNode]:
    return [child for child in node.children if not child.again]


@dataclass(slots=True)
class _MoveTreeBuilder:
    """Adds the moves of a tree."""

    scope: Scope
    kind: str
    match: Match
    lines: Lines
    min_games: int
    seen: set[str]
    nodes: int = 0
    full: bool = False

    def grow(self, nodes: Sequence[TreeNode]) -> list[TreeNode]:
        """Add the children of nodes, and return the children to continue with."""
        queries = [position_query(self.scope, self.kind, node.code, self.match, self.lines) for node in nodes]
        explorers = explore_queries(queries, self.kind, [node.code for node in nodes], self.match)
        next_nodes = []
        for node, explorer in zip(nodes, explorers, strict=True):
            node.explorer = explorer
            next_nodes += self._children(node, explorer)
        return next_nodes

    def _children(self, node: TreeNode, explorer: Explorer) -> list[TreeNode]:
        for stats in explorer.moves:
            if stats.total < self.min_games:
                continue
            if self.nodes == MOST_NODES:
                self.full = True
                return _unexplored_children(node)
            self.nodes += 1
            reached = GAMES[self.kind].codec.identity(stats.code)
            node.children.append(TreeNode(stats.code, stats, again=reached in self.seen))
            self.seen.add(reached)
        node.complete = True
        return _unexplored_children(node)
