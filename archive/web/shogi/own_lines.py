"""A line of moves that a visitor has tried on the board of a game, as a record."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final

from django.utils.translation import gettext as _

from archive.derive.headers import BEGINNINGS, EVENTS, PLAYERS, SITES
from archive.queries.games.taken_down import game_shown
from archive.web.forms import parse_number
from archive.web.replay.lines import read_line
from archive.web.replay.record import find_node, position_at, start_position
from kifu_core.games import SHOGI
from kifu_core.shogi.moves import to_usi
from kifu_core.shogi.replay import packed_move

if TYPE_CHECKING:
    from django.http import HttpRequest

    from kifu_core.jkf import MoveEntry, Record

_NAMES: Final = (*chain.from_iterable(PLAYERS), *EVENTS, *SITES, *BEGINNINGS)
"""Headers that identify the game; others describe its continuation."""


def own_line(request: HttpRequest) -> str:
    """Return the line in an address (`game`, `ply`, `fork` and `try` as on the game's page) as KIF: the
    game's moves up to that ply, the tried ones, and the headers that identify the game; empty without a line.
    Raises GoneError."""
    number = parse_number(request.GET.get("game", ""), 18)
    game = None if number is None else game_shown(request, number)
    if game is None or game.kind != SHOGI.name:
        return ""
    record = game.jkf
    ply = parse_number(request.GET.get("ply", ""), 18) or 0
    node = find_node(record, request.GET.get("fork", ""), ply)
    position, _last, _played = position_at(record, node)
    tried = [played.name for played in read_line(game.kind, position, request.GET.get("try", ""))]
    if not tried:
        return ""
    line = [_alone(entry) for entry in node.line]
    before = [to_usi(packed_move(entry["move"])) for entry in line if "move" in entry]
    return SHOGI.formats.dump(_record(record, line, [*before, *tried]), "kif")


def _record(record: Record, line: list[MoveEntry], moves: list[str]) -> Record:
    """Return a record of `moves`, the first of which are `line`."""
    start = start_position(record).sfen(1)
    played = SHOGI.formats.load(f"sfen {start} moves {' '.join(moves)}").games[0].record
    own = played["moves"][len(line) :]
    own[0]["comments"] = [_("From here on the moves were tried on the board.")]
    header = {name: record["header"][name] for name in _NAMES if name in record["header"]}
    return {**record, "header": header, "moves": [*line, *own]}


def _alone(entry: MoveEntry) -> MoveEntry:
    """Return an entry without its variations."""
    alone = entry.copy()
    alone.pop("forks", None)
    return alone
