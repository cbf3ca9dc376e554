"""Games by address: of this archive, or of the server where they were played.

Records of lishogi have the game's address as their place (`場所：https://lishogi.org/151jxej8`). Addresses
copied from a browser have more: the side of the board, the move, the four characters of a player.
"""

import re
from dataclasses import dataclass
from typing import Final

from archive.derive import headers
from archive.queries.scope import Scope
from archive.queries.sql import Sql

_LONGEST: Final = 300
_OWN: Final = re.compile(
    r"(?:https?://(?P<host>[^/\s]+))?(?:/api/v1)?/games/(?P<id>\d{1,18})/?(?:\?(?P<query>[^\s#]*))?(?:#\S*)?"
)
_WEB: Final = re.compile(r"(?P<address>https?://[^/\s]+/[^\s?#]+?)/?(?:\?[^\s#]*)?(?:#(?P<mark>\S*))?")
_LISHOGI: Final = re.compile(
    r"(https?://(?:www\.)?lishogi\.org/)(?:embed/)?(\w{8})(?:\w{4})?(?:/(?:sente|gote))?"
)
# The planners use the partial index only if its condition is in the text.
_HAS_SITE: Final = Sql("NOT (site = '')")
_FIRST: Final = "SELECT min(id) FROM {sql}"


@dataclass(frozen=True, slots=True)
class AddressedGame:
    """The id of a game in an address, and the query of its page."""

    id: int
    query: str = ""


def game_at(scope: Scope, words: str, host: str) -> AddressedGame | None:
    """Return the game of an address; None for other words, and if there is no such game. Paths without a
    host, and addresses of `host`, are the archive's own: their games are not looked up."""
    if len(words) > _LONGEST:
        return None
    if (own := _OWN.fullmatch(words)) and own["host"] in (None, host):
        return AddressedGame(int(own["id"]), own["query"] or "")
    match = _WEB.fullmatch(words)
    if match is None:
        return None
    address, mark = match["address"], match["mark"] or ""
    if lishogi := _LISHOGI.fullmatch(address):
        address = f"https://lishogi.org/{lishogi[2]}"
    site = headers.plain(address)
    condition = Sql("site IN (%s, %s)", (site, f"{site}/"))
    ((number,),) = (
        Sql("archive_game g").where([condition, _HAS_SITE, scope.condition("g")]).embed(_FIRST).rows()
    )
    ply = f"ply={mark}" if mark.isascii() and mark.isdigit() and len(mark) < 6 else ""
    return None if number is None else AddressedGame(int(number), ply)
