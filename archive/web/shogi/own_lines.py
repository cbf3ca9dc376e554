"""A line of own moves that was tried on the board of a game, as a record to be kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from django.utils.translation import gettext as _

from archive.derive.headers import BEGINNINGS, EVENTS, PLAYERS, SITES
from archive.queries.games.taken_down import game_shown
from archive.web.replay.lines import read_line
from archive.web.replay.record import find_node, position_at, start
from kifu_core.games import SHOGI
from kifu_core.shogi.moves import to_usi
from kifu_core.shogi.replay import packed_move

if TYPE_CHECKING:
    from django.http import HttpRequest

    from kifu_core.jkf import MoveEntry, Record

_NAMES: Final = (
    *(name for names in PLAYERS for name in names),
    *EVENTS,
    *SITES,
    *BEGINNINGS,
)
"""Headers that say whose game it is; others tell how it went on."""


def own_line(request: HttpRequest) -> str:
    """Return the line that an address tells (`game`, `ply`, `fork` and `try` as on the game's page) as KIF:
    the game's moves up to there and the own ones, with the names of players, event, place and day; empty
    where it tells none. Raises GoneError."""
    number = _number(request.GET.get("game", ""))
    game = None if number is None else game_shown(request, number)
    if game is None or game.kind != SHOGI.name:
        return ""
    record = game.jkf
    node = find_node(record, request.GET.get("fork", ""), _number(request.GET.get("ply", "")) or 0)
    position, _last, _played = position_at(record, node)
    tried = [played.name for played in read_line(game.kind, position, request.GET.get("try", ""))]
    if not tried:
        return ""
    line = [_alone(entry) for entry in node.line]
    before = [to_usi(packed_move(entry["move"])) for entry in line if "move" in entry]
    return SHOGI.formats.dump(_record(record, line, [*before, *tried]), "kif")


def _record(record: Record, line: list[MoveEntry], moves: list[str]) -> Record:
    """Return a record of the line and of those of the moves that come after it."""
    played = SHOGI.formats.load(f"sfen {start(record).sfen(1)} moves {' '.join(moves)}").games[0].record
    own = played["moves"][len(line) :]
    own[0]["comments"] = [_("From here on the moves were tried on the board.")]
    header = {name: record["header"][name] for name in _NAMES if name in record["header"]}
    return {**record, "header": header, "moves": [*line, *own]}


def _alone(entry: MoveEntry) -> MoveEntry:
    """Return an entry without its variations."""
    alone = entry.copy()
    alone.pop("forks", None)
    return alone


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 18 else None
