"""What engines thought of a game's positions, as its page shows it: scores, and lines of play in words."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from django.utils.translation import gettext as _

from archive.web.wording import number_text, played_text, score_text
from kifu_core.games import of_record
from kifu_core.shogi.evaluations import is_alternative, is_evaluation
from kifu_core.shogi.moves import from_usi

if TYPE_CHECKING:
    from kifu_core.game import Evaluation, GameKind
    from kifu_core.jkf import Record

MOVES: Final = 30
"""Of a line of play that a page shows."""
_LINES: Final = 20
"""Thoughts about one position that a page shows."""
_WORDS: Final = 400
"""Characters of what cannot be played."""


@dataclass(frozen=True, slots=True)
class Thought:
    """A score, what else is known of it, and the line of play: as moves by their names, and in words.

    A line that cannot be played has words only.
    """

    score: str
    facts: str
    moves: tuple[str, ...]
    words: tuple[str, ...]


def thoughts_of(
    record: Record, found: Iterable[Evaluation], plies: Collection[int]
) -> dict[int, list[Thought]]:
    """Return the thoughts about positions of a main line, by those of their plies that are in `plies`.

    Linear in the main line and the shown moves; a record without thoughts is not replayed.
    """
    wanted: dict[int, list[Evaluation]] = {}
    for one in found:
        if one.role != "alternative" and one.ply in plies:
            wanted.setdefault(one.ply, []).append(one)
    if not wanted:
        return {}
    game = of_record(record)
    thoughts, last = {}, None
    for ply, position, following, _entry in islice(game.replay.main_line(record), max(wanted) + 1):
        if ply in wanted:
            thoughts[ply] = [_thought(game, position, last, one) for one in wanted[ply][:_LINES]]
        last = following
    return thoughts


def _thought(game: GameKind[Any], position: Any, last: int | None, one: Evaluation) -> Thought:
    facts = (
        _("depth %(depth)s") % {"depth": one.depth} if one.depth is not None else "",
        _("%(nodes)s nodes") % {"nodes": number_text(one.nodes)} if one.nodes is not None else "",
        one.engine[:_WORDS],
    )
    words = _in_words(game, position, last, one.moves[:MOVES]) or tuple(filter(None, (one.pv[:_WORDS],)))
    score = str(_("Evaluation %(score)s")) % {"score": score_text(one)}
    return Thought(score, " · ".join(filter(None, facts)), one.moves[:MOVES], words)


def _in_words(game: GameKind[Any], position: Any, last: int | None, names: Sequence[str]) -> tuple[str, ...]:
    """Return moves in words, each played from the position after the one before it."""
    shown = position.copy()
    words = []
    for name in names:
        move = from_usi(name)
        words.append(played_text(game.name, shown, move, game.text.move_text(shown, move), last))
        shown.do_move(move)
        last = move
    return tuple(words)


def other_lines(comments: Iterable[str]) -> list[str]:
    """Return comments without the lines that thoughts stand for."""
    kept = (
        "\n".join(line for line in comment.split("\n") if is_alternative(line) or not is_evaluation(line))
        for comment in comments
    )
    return [comment for comment in kept if comment]
