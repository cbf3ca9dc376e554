"""The tree of what was played from a position, for preparing an opening."""

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
"""After this long no further level is begun, nor a further hundred positions of one."""

Cut = Literal["nodes", "time"]


@dataclass(slots=True)
class TreeNode:
    """A position of the tree, reached by `played` (None: the root). `answer` is None where the tree ends.

    `again` tells that the same position is elsewhere in the tree, nearer to the root or played more often,
    and goes on there. `whole` tells that all its moves with enough games are there.
    """

    code: str
    played: MoveStats | None
    again: bool = False
    answer: Explorer | None = None
    whole: bool = False
    children: list[TreeNode] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class MoveTree:
    """A tree. `cut` says what kept it from being complete to the depth asked for; `nodes` are its moves."""

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

    Level by level, the most frequent moves first, one count for a hundred positions. At most `MOST_NODES`
    moves, and nothing more is begun after `seconds`: then the tree is cut, and says so.
    Raises DecodeError and ValueError as `explore`, ValueError for a depth or number that makes no sense.
    """
    if not 1 <= depth <= DEEPEST:
        raise ValueError(f"depth is 1 to {DEEPEST}, not {depth}")
    if min_games < 1:
        raise ValueError(f"min_games is at least 1, not {min_games}")
    deadline = monotonic() + seconds
    growth = _MoveTreeBuilder(scope, kind, match, lines, min_games, {GAMES[kind].codec.identity(code)})
    root = TreeNode(code, None)
    level = [root]
    cut: Cut | None = None
    for _ in range(depth):
        following: list[TreeNode] = []
        for part in _batches(level):
            cut = cut or ("time" if monotonic() > deadline and part[0] is not root else None)
            following += growth.grow(part) if cut is None else ()
            cut = cut or ("nodes" if growth.full else None)
        level = sorted(following, key=_games, reverse=True)
    return MoveTree(root, growth.nodes, cut)


def _batches(level: Sequence[TreeNode]) -> Iterator[Sequence[TreeNode]]:
    for start in range(0, len(level), BATCH):
        yield level[start : start + BATCH]


def _games(node: TreeNode) -> int:
    return node.played.total if node.played else 0


def _unexplored_children(node: TreeNode) -> list[TreeNode]:
    return [child for child in node.children if not child.again]


@dataclass(slots=True)
class _MoveTreeBuilder:
    """A tree while it grows."""

    scope: Scope
    kind: str
    match: Match
    lines: Lines
    min_games: int
    known: set[str]
    nodes: int = 0
    full: bool = False

    def grow(self, nodes: Sequence[TreeNode]) -> list[TreeNode]:
        """Give nodes their children, and return those children that go on from here."""
        questions = [
            position_query(self.scope, self.kind, node.code, self.match, self.lines) for node in nodes
        ]
        answers = explore_queries(questions, self.kind, [node.code for node in nodes], self.match)
        following = []
        for node, answer in zip(nodes, answers, strict=True):
            node.answer = answer
            following += self._children(node, answer)
        return following

    def _children(self, node: TreeNode, answer: Explorer) -> list[TreeNode]:
        for stats in answer.moves:
            if stats.total < self.min_games:
                continue
            if self.nodes == MOST_NODES:
                self.full = True
                return _unexplored_children(node)
            self.nodes += 1
            reached = GAMES[self.kind].codec.identity(stats.code)
            node.children.append(TreeNode(stats.code, stats, again=reached in self.known))
            self.known.add(reached)
        node.whole = True
        return _unexplored_children(node)
