"""Find a position by words, by a record, or by a game of the archive."""

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
"""Characters of words that name a position; longer texts can only be records."""
_SHORTEST_CODE: Final = 20
"""A single word of so many characters is taken for a code."""
_LONGEST: Final = 600
"""Plies of a record that are looked up; games share far fewer."""
_ADDRESS: Final = re.compile(
    rf"(?:https?://[^?#\s]+?|/api/v1)?/positions/({'|'.join(GAMES)})/([^?#\s]+?)"
    r"(?:/(?:bod|board|games|legal|opening|tree|trend)|\.(?:atom|svg))?/?(?:[?#]\S*)?(?!\S)"
)
"""The address of a position in pages or in the API; a code may have slashes."""


class GameNotFoundError(LookupError):
    """There is no game with this id."""


class GamePosition(NamedTuple):
    """A position and its kind of game."""

    game: GameKind[Any]
    position: Any


# --- words -----------------------------------------------------------------------------------------------


def position_of_words(words: str) -> GamePosition | None:
    """Return the position that words name without being a record; None for other words.

    They are the address of a position's page, or a text that a game parses (`Text.parse_typed`). Raises
    KifuError for a faulty text, such as an invalid SFEN.
    """
    words = words.strip()
    if not words or len(words) > _LONGEST_LINE:
        return None
    if address := _ADDRESS.match(words):
        return _position_at_address(GAMES[address[1]], unquote(address[2]))
    parsed = ((game, game.text.parse_typed(words)) for game in GAMES.values())
    return next((GamePosition(game, position) for game, position in parsed if position is not None), None)


def _position_at_address(game: GameKind[Any], code: str) -> GamePosition | None:
    try:
        return GamePosition(game, game.codec.decode(game.codec.code_of_path(code)))
    except KifuError:
        return None


# --- texts -----------------------------------------------------------------------------------------------


def position_of_text(game: GameKind[Any], text: str, ply: int | None = None) -> Any:
    """Return the position of a text: one of `position_of_words`, a drawn board (BOD, CSA), or a record in any
    format of the game, after `ply` half-moves of its main line (None: all of them).

    Of several games in a text, the first counts. Raises KifuError: an error of reading, `ply-out-of-range`.
    """
    if ply is None and (named := position_of_words(text)) and named.game is game:
        return named.position
    try:
        position = game.text.parse_position(text)
        return _position_in_record(game, text, ply) if position is None else position
    except UnknownFormatError:
        if len(text.split()) == 1 and len(text) >= _SHORTEST_CODE:
            game.codec.decode(text.strip())  # raises the error of the code
        raise


def _position_in_record(game: GameKind[Any], text: str, ply: int | None) -> Any:
    result = game.formats.load(text, None)
    record = _record(result)
    if record is None and result.format in game.formats.default_endings:
        # A board without moves is no game unless it has an ending.
        record = _record(game.formats.load(text + game.formats.default_endings[result.format], None))
    if record is None:
        reason = next((issue.code for issue in result.issues if issue.severity == "error"), "no-position")
        raise KifuError(reason, "there is no position in this text")
    return position_of_record(game, record, ply)


def reading_errors(game: GameKind[Any], text: str, position: Any | None = None) -> list[Issue]:
    """Return the errors of reading a text as a record; none for codes and other words that are no record, and
    none if the record does not lead to `position`, which then comes from another reading of the text."""
    try:
        result = game.formats.load(text, None)
    except KifuError:
        return []
    record = _record(result)
    if position is not None and record is not None and position_of_record(game, record) != position:
        return []
    return errors_of(result)


def errors_of(result: ParseResult) -> list[Issue]:
    """Return the errors of a text and of its first game."""
    of_game = result.games[0].issues if result.games else ()
    return [issue for issue in (*result.issues, *of_game) if issue.severity == "error"]


def _record(result: ParseResult) -> Record | None:
    return result.games[0].record if result.games else None


def position_of_record(game: GameKind[Any], record: Record, ply: int | None = None) -> Any:
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


def position_of_game(scope: Scope, game: GameKind[Any], pk: int, ply: int | None = None) -> Any:
    """Return a position of a game, also by a former id. Raises GameNotFoundError, and as
    `position_of_record`."""
    games = Game.objects.prefetch_related("stored").filter(space__in=scope.spaces, kind=game.name)
    alias = GameAlias.objects.filter(pk=pk).values_list("game_id", flat=True).first()
    stored = games.filter(pk=pk if alias is None else alias).first()
    if stored is None or is_hidden(stored.pk):
        raise GameNotFoundError(f"there is no game {pk} of {game.name}")
    return position_of_record(game, stored.jkf, ply)


def stored_game(scope: Scope, record: Record) -> int | None:
    """Return the oldest game with the same moves from the same start; None if there is none, and without
    moves."""
    if len(record["moves"]) < 2:
        return None
    same = Game.objects.filter(stem=stem(record, game_of(record).name), space__in=scope.spaces)
    return same.order_by("pk").values_list("pk", flat=True).first()


def last_reached_code(scope: Scope, record: Record) -> str | None:
    """Return the code of the last position of the main line that any game reaches; None if there is none."""
    game = game_of(record)
    line = [
        position.copy() for ply, position, _move, _entry in game.replay.main_line(record) if ply <= _LONGEST
    ]
    try:
        keys = position_keys(scope, line, "exact", game.name)
    except KifuError:  # hands without a code: such a game is never indexed
        return None
    counts = count_games([key for its_keys in keys for key in its_keys], "main")
    reached = [position for position, its_keys in zip(line, keys, strict=True) if counts.keys() & {*its_keys}]
    return game.codec.encode(reached[-1]) if reached else None
