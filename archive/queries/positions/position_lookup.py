"""Which position is meant: by words, by a record, by a game of the archive. The one way to ask that."""

import re
from typing import Any, Final, NamedTuple
from urllib.parse import unquote

from archive.derive.game import stem
from archive.models import Game, GameAlias
from archive.queries.games.taken_down import is_hidden
from archive.queries.positions.counting import count_games
from archive.queries.positions.position_query import position_keys
from archive.queries.scope import Scope
from kifu_core.errors import Issue, KifuError, UnknownFormatError
from kifu_core.games import GAMES, GameKind
from kifu_core.games import of_record as game_of
from kifu_core.jkf import Record
from kifu_core.record import ParseResult

_LONGEST_LINE: Final = 10_000
"""Characters of words that name a position; what is longer is a record at most."""
_SHORTEST_CODE: Final = 20
"""A single word of so many characters is meant as a code."""
_LONGEST: Final = 600
"""Plies of a record that are looked up; what games share lies long before."""
_ADDRESS: Final = re.compile(
    rf"(?:https?://[^?#\s]+?|/api/v1)?/positions/({'|'.join(GAMES)})/([^?#\s]+?)"
    r"(?:/(?:bod|board|games|legal|opening|tree|trend)|\.(?:atom|svg))?/?(?:[?#]\S*)?(?!\S)"
)
"""The address of a position's page, or of what the API tells of it; a code may have slashes."""


class GameNotFoundError(LookupError):
    """There is no game of this id."""


class GamePosition(NamedTuple):
    """A position, and the game that it is one of."""

    game: GameKind[Any]
    position: Any


# --- words -----------------------------------------------------------------------------------------------


def of_words(words: str) -> GamePosition | None:
    """Return the position that words name without being a record; None for other words.

    They are the address of a position's page, or what one of the games knows (`Text.typed`). Raises
    KifuError for words that are meant so and are wrong, as an SFEN can be.
    """
    words = words.strip()
    if not words or len(words) > _LONGEST_LINE:
        return None
    if address := _ADDRESS.match(words):
        return _addressed(GAMES[address[1]], unquote(address[2]))
    found = ((game, game.text.parse_typed(words)) for game in GAMES.values())
    return next((GamePosition(game, position) for game, position in found if position is not None), None)


def _addressed(game: GameKind[Any], code: str) -> GamePosition | None:
    try:
        return GamePosition(game, game.codec.decode(game.codec.code_of_path(code)))
    except KifuError:
        return None


# --- texts -----------------------------------------------------------------------------------------------


def of_text(game: GameKind[Any], text: str, ply: int | None = None) -> Any:
    """Return the position of the game that a text means: what `of_words` knows, a drawn board (BOD, CSA), or
    a record in any format of the game after `ply` half-moves of its main line (None: all of them).

    A text of several games is taken by its first. Raises KifuError: what the reading found,
    `ply-out-of-range`.
    """
    if ply is None and (meant := of_words(text)) and meant.game is game:
        return meant.position
    try:
        return _plain(game, text, ply)
    except UnknownFormatError:
        if len(text.split()) == 1 and len(text) >= _SHORTEST_CODE:
            game.codec.decode(text.strip())  # to tell what is wrong with the code
        raise


def _plain(game: GameKind[Any], text: str, ply: int | None = None) -> Any:
    position = game.text.parse_position(text)
    return _end(game, text, ply) if position is None else position


def _end(game: GameKind[Any], text: str, ply: int | None = None) -> Any:
    """Return the position of a text that is a record."""
    found = game.formats.load(text, None)
    record = _record(found)
    if record is None and found.format in game.formats.default_endings:
        # A board without moves is none until it ends: a set-up alone is no game.
        record = _record(game.formats.load(text + game.formats.default_endings[found.format], None))
    if record is None:
        reason = next((issue.code for issue in found.issues if issue.severity == "error"), "no-position")
        raise KifuError(reason, "there is no position in this text")
    return of_record(game, record, ply)


def faults(game: GameKind[Any], text: str, position: Any | None = None) -> list[Issue]:
    """Return the errors that reading a text came upon: what of it is not in the position that it means.

    None for codes and other words that are no record. Where `position` is given, none either for a text that
    was read in another way: as a record it leads elsewhere.
    """
    try:
        found = game.formats.load(text, None)
    except KifuError:
        return []
    record = _record(found)
    if position is not None and record is not None and of_record(game, record) != position:
        return []
    return errors_of(found)


def errors_of(found: ParseResult) -> list[Issue]:
    """Return the errors in a text and in the first game of it."""
    of_game = found.games[0].issues if found.games else ()
    return [issue for issue in (*found.issues, *of_game) if issue.severity == "error"]


def _record(found: ParseResult) -> Record | None:
    return found.games[0].record if found.games else None


def of_record(game: GameKind[Any], record: Record, ply: int | None = None) -> Any:
    """Return the position at a ply of the main line (None: its end). Raises KifuError `ply-out-of-range`."""
    last = 0
    for at, position, _, _ in game.replay.main_line(record):
        if at == ply:
            return position.copy()
        last = at
        end = position
    if ply is None:
        return end.copy()
    raise KifuError("ply-out-of-range", params={"ply": ply, "last": last})


# --- games of the archive --------------------------------------------------------------------------------


def of_game(scope: Scope, game: GameKind[Any], pk: int, ply: int | None = None) -> Any:
    """Return a position of a game, also by a former id. Raises GameNotFoundError, else as `of_record`."""
    games = Game.objects.prefetch_related("stored").filter(space__in=scope.spaces, kind=game.name)
    alias = GameAlias.objects.filter(pk=pk).values_list("game_id", flat=True).first()
    found = games.filter(pk=pk if alias is None else alias).first()
    if found is None or is_hidden(found.pk):
        raise GameNotFoundError(f"there is no game {pk} of {game.name}")
    return of_record(game, found.jkf, ply)


def stored_game(scope: Scope, record: Record) -> int | None:
    """Return the game that has the same moves from the same start, the oldest of several; None where there is
    none, and for no moves."""
    if len(record["moves"]) < 2:
        return None
    same = Game.objects.filter(stem=stem(record, game_of(record).name), space__in=scope.spaces)
    return same.order_by("pk").values_list("pk", flat=True).first()


def furthest(scope: Scope, record: Record) -> str | None:
    """Return the code of the last position of the main line that any game reaches; None where none does."""
    game = game_of(record)
    line = [
        position.copy() for ply, position, _move, _entry in game.replay.main_line(record) if ply <= _LONGEST
    ]
    try:
        keys = position_keys(scope, line, "exact", game.name)
    except KifuError:  # hands that no code can hold: such a game is in no index
        return None
    known = count_games([key for found in keys for key in found], "main")
    reached = [position for position, found in zip(line, keys, strict=True) if known.keys() & {*found}]
    return game.codec.encode(reached[-1]) if reached else None
