"""Evaluations of a game's positions by engines: scores, and lines of play in words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from django.utils.translation import gettext as _

from archive.web.wording import number_text, played_text, score_text
from kifu_core.game import Evaluation
from kifu_core.games import of_record
from kifu_core.shogi.evaluations import is_alternative, is_evaluation
from kifu_core.shogi.moves import from_usi

if TYPE_CHECKING:
    from archive.derive.verdicts import Line
    from kifu_core.game import GameKind
    from kifu_core.jkf import Record

MOVES: Final = 30
"""Moves of a displayed line of play."""
_LINES: Final = 20
"""Thoughts displayed for one position."""
_WORDS: Final = 400
"""Characters of a line of play that is not legal."""


@dataclass(frozen=True, slots=True)
class Thought:
    """A score, facts about its search, and a line of play as names of moves and in words; an illegal line has
    words only."""

    score: str
    facts: str
    moves: tuple[str, ...]
    words: tuple[str, ...]


def thoughts_of(
    record: Record, evaluations: Iterable[Evaluation], plies: Collection[int]
) -> dict[int, list[Thought]]:
    """Return the thoughts about positions of the main line at `plies`, by ply.

    Linear in the main line and the displayed moves; a record without thoughts is not replayed.
    """
    by_ply: defaultdict[int, list[Evaluation]] = defaultdict(list)
    for evaluation in evaluations:
        if evaluation.role != "alternative" and evaluation.ply in plies:
            by_ply[evaluation.ply].append(evaluation)
    if not by_ply:
        return {}
    game = of_record(record)
    thoughts, last = {}, None
    for ply, position, following, _entry in islice(game.replay.main_line(record), max(by_ply) + 1):
        if ply in by_ply:
            thoughts[ply] = [
                _thought(game, position, last, evaluation) for evaluation in by_ply[ply][:_LINES]
            ]
        last = following
    return thoughts


def thoughts_on(
    game: GameKind[Any], position: Any, engine: str, lines: Iterable[Line], depth: int = 0, nodes: int = 0
) -> list[Thought]:
    """Return lines of an engine's verdict on a position, each with its facts; a network's search has one
    node."""
    return [_thought(game, position, None, _evaluation(line, engine, depth, nodes)) for line in lines]


def _evaluation(line: Line, engine: str, depth: int, nodes: int) -> Evaluation:
    facts = engine if line.policy is None else f"{line.policy / 10:.0f} % · {engine}"
    return Evaluation(
        0, "", "analysis", line.score, line.winner, line.mate, depth or None, nodes if nodes > 1 else None,
        engine=facts, moves=line.moves,
    )  # fmt: skip


def _thought(game: GameKind[Any], position: Any, last: int | None, evaluation: Evaluation) -> Thought:
    facts = (
        _("depth %(depth)s") % {"depth": evaluation.depth} if evaluation.depth is not None else "",
        _("%(nodes)s nodes") % {"nodes": number_text(evaluation.nodes)}
        if evaluation.nodes is not None
        else "",
        evaluation.engine[:_WORDS],
    )
    words = in_words(game, position, last, evaluation.moves[:MOVES]) or tuple(
        filter(None, (evaluation.pv[:_WORDS],))
    )
    text = score_text(evaluation)
    score = str(_("Evaluation %(score)s")) % {"score": text} if text else ""
    return Thought(score, " · ".join(filter(None, facts)), evaluation.moves[:MOVES], words)


def in_words(game: GameKind[Any], position: Any, last: int | None, names: Sequence[str]) -> tuple[str, ...]:
    """Return successive legal moves from a position in words; `last` is the move that led to it."""
    position = position.copy()
    words = []
    for move in map(from_usi, names):
        words.append(played_text(game.name, position, move, game.text.move_text(position, move), last))
        position.do_move(move)
        last = move
    return tuple(words)


def other_lines(comments: Iterable[str]) -> list[str]:
    """Return comments without the lines that hold evaluations."""
    shortened = (
        "\n".join(line for line in comment.split("\n") if is_alternative(line) or not is_evaluation(line))
        for comment in comments
    )
    return [comment for comment in shortened if comment]
