"""Verdicts of engines on a position, beside the moves that were played from it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from archive.derive.verdicts import LINE_MOVES
from archive.queries.positions.verdicts import verdicts_at
from archive.web.replay.engine_lines import thoughts_on
from archive.web.replay.lines import PlayedMove
from kifu_core.errors import KifuError
from kifu_core.games import SHOGI
from kifu_core.shogi.keys.shogi64 import Encoder
from kifu_core.shogi.moves import from_usi

if TYPE_CHECKING:
    from archive.queries.positions.verdicts import StoredVerdict
    from archive.queries.scope import Scope
    from archive.web.replay.engine_lines import Thought
    from archive.web.replay.lines import WalkedLine

ENGINES: Final = 4
LINES: Final = 2
"""Engines that are shown, with one line each, and lines of the first one."""
MOVES: Final = 6
"""Moves of a line on a position's page, each of which is a link."""


class LinkedThought(NamedTuple):
    """A thought, and its moves as links to the positions after them."""

    thought: Thought
    links: list[tuple[str, str]]


def thoughts_at(scope: Scope, kind: str, position: Any, moves: int = LINE_MOVES) -> list[Thought]:
    """Return the lines of the best verdict of each engine on a position, with so many moves; two
    statements."""
    if kind != SHOGI.name:
        return []
    try:
        (verdicts,) = verdicts_at(scope, kind, [position])
    except KifuError:  # no code can hold its hands
        return []
    best: dict[int, StoredVerdict] = {}
    for one in verdicts:
        best.setdefault(one.engine.pk, one)
    shown = list(best.values())[:ENGINES]
    thoughts: list[Thought] = []
    for number, one in enumerate(shown):
        lines = [line._replace(moves=line.moves[:moves]) for line in one.lines[: 1 if number else LINES]]
        thoughts += thoughts_on(SHOGI, position, one.engine.title, lines, one.depth, one.nodes)
    return thoughts


def linked_thoughts(scope: Scope, position: Any, walk: WalkedLine) -> list[LinkedThought]:
    """Return the `thoughts_at` a position with links that continue the line of its page."""
    thoughts = thoughts_at(scope, walk.kind, position, MOVES)
    return [LinkedThought(one, _links(one, position, walk)) for one in thoughts]


def _links(thought: Thought, position: Any, walk: WalkedLine) -> list[tuple[str, str]]:
    position, played = position.copy(), list[PlayedMove]()
    encoder = Encoder(position)
    for name, words in zip(thought.moves, thought.words, strict=True):
        move = from_usi(name)
        encoder.follow(move, position.do_move(move))
        played.append(PlayedMove(move, name, words, encoder.code()))
    line = replace(walk, line=(*walk.line[: walk.at], *played))
    return [(step.href, step.text) for step in line.steps_from(walk.at + 1)]
