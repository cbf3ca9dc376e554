"""Records with which the page for entering a game begins: an empty one, a game, a line tried on its board, a
position, the event of a game before it."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final

from django.utils.translation import gettext as _

from archive.derive.headers import BEGINNINGS, EVENTS, LIMITS, PLAYERS, SITES
from archive.queries.games.taken_down import game_shown
from archive.web.forms import parse_number
from archive.web.replay.lines import read_line
from archive.web.replay.record import find_node, position_at, start_position
from kifu_core.errors import KifuError
from kifu_core.games import SHOGI
from kifu_core.shogi.moves import to_usi
from kifu_core.shogi.position import Position
from kifu_core.shogi.replay import packed_move

if TYPE_CHECKING:
    from django.http import HttpRequest

    from archive.models import Game
    from kifu_core.jkf import MoveEntry, Record

_NAMES: Final = (*chain.from_iterable(PLAYERS), *EVENTS, *SITES, *BEGINNINGS)
"""Headers that identify the game; others describe its continuation."""
_OF_EVENT: Final = (*EVENTS, *BEGINNINGS, *SITES, *LIMITS)
"""Headers that games of one day of an event share."""
_LONGEST: Final = 1000
"""Characters of an SFEN in an address."""


def game_to_enter(request: HttpRequest) -> tuple[Record, int | None]:
    """Return the record with which entering a game begins, and the id of the game that it is made from.

    The address has `game`, and for a line tried on its board also `ply`, `fork` and `try` as on the game's
    page; or `after`, a game of the same event; or a position as `sfen`; or nothing. Raises GoneError.
    """
    if (before := game_before(request)) is not None:
        header = {name: text for name, text in before.jkf["header"].items() if name in _OF_EVENT}
        return {"header": header, "moves": [{}]}, None
    number = parse_number(request.GET.get("game", ""), 18)
    game = None if number is None else game_shown(request, number)
    if game is not None and game.kind == SHOGI.name:
        tried = request.GET.get("try", "")
        return (_own_line(request, game, tried) if tried else game.jkf), game.pk
    return _from_position(request.GET.get("sfen", "").strip()[:_LONGEST]), None


def game_before(request: HttpRequest) -> Game | None:
    """Return the game of the same event that was entered before this one, if the address has it. Raises
    GoneError."""
    number = parse_number(request.GET.get("after", ""), 18)
    return None if number is None else game_shown(request, number)


def _from_position(sfen: str) -> Record:
    """Return a record without moves that begins with a position; with the usual one for an invalid SFEN."""
    try:
        return SHOGI.formats.load(f"sfen {Position.from_sfen(sfen).sfen(1)}").games[0].record
    except KifuError:
        return {"header": {}, "moves": [{}]}


def _own_line(request: HttpRequest, game: Game, tried: str) -> Record:
    """Return the game's moves up to a ply and the tried ones, with the headers that identify the game."""
    record = game.jkf
    ply = parse_number(request.GET.get("ply", ""), 18) or 0
    node = find_node(record, request.GET.get("fork", ""), ply)
    position, _last, _played = position_at(record, node)
    names = [played.name for played in read_line(game.kind, position, tried)]
    line = [_alone(entry) for entry in node.line]
    header = {name: record["header"][name] for name in _NAMES if name in record["header"]}
    return {**record, "header": header, "moves": [*line, *_tried_moves(record, line, names)]}


def _tried_moves(record: Record, line: list[MoveEntry], names: list[str]) -> list[MoveEntry]:
    """Return the entries of moves after a line of the record."""
    if not names:
        return []
    before = [to_usi(packed_move(entry["move"])) for entry in line if "move" in entry]
    start = start_position(record).sfen(1)
    played = SHOGI.formats.load(f"sfen {start} moves {' '.join([*before, *names])}").games[0].record
    own = played["moves"][len(before) + 1 :]
    own[0]["comments"] = [_("From here on the moves were tried on the board.")]
    return own


def _alone(entry: MoveEntry) -> MoveEntry:
    """Return an entry without its variations."""
    alone = entry.copy()
    alone.pop("forks", None)
    return alone
