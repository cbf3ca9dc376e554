"""Other ways to say which position is meant than its code."""

from __future__ import annotations

from typing import Any

from archive.models import Game, GameAlias
from archive.queries.scope import Scope
from archive.queries.taken_down import is_hidden
from kifu_core.errors import KifuError
from kifu_core.games import GameKind
from kifu_core.jkf import Record
from kifu_core.record import ParseResult


class GameNotFoundError(LookupError):
    """There is no game of this id."""


def of_text(game: GameKind[Any], text: str, ply: int | None = None) -> Any:
    """The position that a text names: shogi: SFEN with or without move number, `startpos moves ...`, a drawn
    board (BOD, CSA); a qf_code; or a record in any format of the game after `ply` half-moves of its main line
    (None: all of them).

    A text of several games is taken by its first. Raises KifuError: what the reading found,
    `ply-out-of-range`.
    """
    position = game.named(text)
    if position is not None:
        return position
    found = game.load(text, None)
    record = _record(found)
    if record is None and found.format in game.ends:
        # A board without moves is none until it ends: a set-up alone is no game.
        record = _record(game.load(text + game.ends[found.format], None))
    if record is None:
        reason = next((issue.code for issue in found.issues if issue.severity == "error"), "no-position")
        raise KifuError(reason, "there is no position in this text")
    return of_record(game, record, ply)


def _record(found: ParseResult) -> Record | None:
    return found.games[0].record if found.games else None


def of_record(game: GameKind[Any], record: Record, ply: int | None = None) -> Any:
    """The position after so many half-moves of the main line; raises KifuError `ply-out-of-range`."""
    last = 0
    for at, position, _, _ in game.main_line(record):
        if at == ply:
            return position.copy()
        last = at
        end = position
    if ply is None:
        return end.copy()
    raise KifuError("ply-out-of-range", f"the main line has plies 0 to {last}, not {ply}")


def of_game(scope: Scope, game: GameKind[Any], pk: int, ply: int | None = None) -> Any:
    """A position of a stored game; a former id is good too. Raises GameNotFoundError, else as `of_record`."""
    games = Game.objects.select_related("stored").filter(space__in=scope.spaces, kind=game.name)
    alias = GameAlias.objects.filter(pk=pk).values_list("game_id", flat=True).first()
    found = games.filter(pk=pk if alias is None else alias).first()
    if found is None or is_hidden(found.pk):
        raise GameNotFoundError(f"there is no game {pk} of {game.name}")
    return of_record(game, found.jkf, ply)
