"""Games by an address: of this archive, or of the server where they were played.

lishogi writes its address of a game as the place (`場所：https://lishogi.org/151jxej8`). Addresses that
people copy from the browser have more: the side they look from, the move, a player's four characters.
"""

import re
from dataclasses import dataclass
from typing import Final

from archive.derive import headers
from archive.project.reading import connection
from archive.queries.scope import Scope

_LONGEST: Final = 300
_OWN: Final = re.compile(
    r"(?:https?://(?P<host>[^/\s]+))?(?:/api/v1)?/games/(?P<id>\d{1,18})/?(?:\?(?P<query>[^\s#]*))?(?:#\S*)?"
)
_WEB: Final = re.compile(r"(?P<address>https?://[^/\s]+/[^\s?#]+?)/?(?:\?[^\s#]*)?(?:#(?P<mark>\S*))?")
_LISHOGI: Final = re.compile(
    r"(https?://(?:www\.)?lishogi\.org/)(?:embed/)?(\w{8})(?:\w{4})?(?:/(?:sente|gote))?"
)
# The condition is that of the index; as a parameter it would prove nothing to the planners.
_AT: Final = "SELECT min(id) FROM archive_game g WHERE site IN (%s, %s) AND NOT (site = '') AND {}"


@dataclass(frozen=True, slots=True)
class AddressedGame:
    """A game that an address means, and what the address asks of its page beside."""

    id: int
    query: str = ""


def game_at(scope: Scope, words: str, host: str) -> AddressedGame | None:
    """Return the game that an address means; None for other words, and where there is no such game. Paths
    alone, and addresses of `host`, are the archive's own: their games are not looked up."""
    if len(words) > _LONGEST:
        return None
    if (own := _OWN.fullmatch(words)) and own["host"] in (None, host):
        return AddressedGame(int(own["id"]), own["query"] or "")
    found = _WEB.fullmatch(words)
    if found is None:
        return None
    address, mark = found["address"], found["mark"] or ""
    if lishogi := _LISHOGI.fullmatch(address):
        address = f"https://lishogi.org/{lishogi[2]}"
    site = headers.plain(address)
    with connection.cursor() as cursor:
        readable = scope.condition("g")
        cursor.execute(_AT.format(readable.text), [site, f"{site}/", *readable.values])
        (number,) = cursor.fetchone()
    ply = f"ply={mark}" if mark.isascii() and mark.isdigit() and len(mark) < 6 else ""
    return None if number is None else AddressedGame(int(number), ply)
