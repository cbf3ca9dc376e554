"""The sides of games that are an account's own: those of the players who it says it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from django.db.models import Q

from archive.index.engine import engine
from archive.models import OwnName, Player
from archive.queries.sql import Sql, joined, one_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from archive.queries.games.filters import GameFilters
    from archive.queries.scope import Scope

EITHER: Final = 2
"""The value of the filter `me` for games with an own side of any colour; 0 and 1 are its colour."""


class OwnPlayer(NamedTuple):
    """A player who is the account's owner."""

    id: int
    site: str
    """The place of the player's games that are the owner's; empty for any."""


def own_players(scope: Scope) -> tuple[OwnPlayer, ...]:
    """Return the players of a scope who are its account's owner: those of the chosen names, those they were
    merged into, and those of the same name in other spaces of the scope, unless namesakes share it."""
    if not scope.account:
        return ()
    chosen = OwnName.objects.filter(user=scope.account).values_list("player", "player__home", "site")
    sites: dict[int, set[str]] = {}
    for pk, home, site in chosen:
        for row in filter(None, (pk, home)):
            sites.setdefault(row, set()).add(site)
    keys: dict[str, set[str]] = {}
    for pk, key in Player.objects.filter(pk__in=sites, namesake=None).values_list("pk", "key"):
        keys.setdefault(key, set()).update(sites[pk])
    alike = Player.objects.filter(Q(pk__in=sites) | Q(key__in=keys), space__in=scope.spaces)
    found = {
        OwnPlayer(home or pk, site)
        for pk, key, home in alike.values_list("pk", "key", "home")
        for site in sites.get(pk, set()) | keys.get(key, set())
    }
    anywhere = {one.id for one in found if not one.site}
    return tuple(sorted(one for one in found if not one.site or one.id not in anywhere))


def own_colors(scope: Scope, slots: Sequence[int]) -> dict[int, list[int]]:
    """Return the colours of the own sides of games, by slot; games without one are left out."""
    players = own_players(scope)
    if not players or not slots:
        return {}
    own = is_own(players)
    text = _COLORS.format(keys=engine().KEYS, own=own.text)
    colors: dict[int, list[int]] = {}
    for slot, color in Sql(text, (engine().listed(slots), *own.values)).rows():
        colors.setdefault(slot, []).append(color)
    return colors


_COLORS: Final = """SELECT p.slot, p.colour FROM archive_gameplayer p
    WHERE p.slot IN (SELECT k.key FROM {keys}) AND {own} ORDER BY p.slot, p.colour"""


def own_key(scope: Scope, filters: GameFilters | None) -> str:
    """Return the part of a cache's key that says whose games the filters are about."""
    return str([*map(tuple, own_players(scope))]) if filters and filters.personal else ""


def own_games(players: tuple[OwnPlayer, ...], side: int) -> Sql:
    """Return a SELECT of the columns played and slot of the games with an own side: of colour `side`, or of
    any for `EITHER`. There is at least one player."""
    of_colour = "" if side == EITHER else f" AND p.colour = {int(side)}"
    pieces = []
    if anywhere := _anywhere(players):
        pieces.append(Sql(f"{_GAMES} WHERE p.player_id {one_of(anywhere)}{of_colour}", anywhere))
    pieces += [
        Sql(f"{_AT_SITE} WHERE p.player_id = %s AND h.slot = p.slot AND h.site = %s{of_colour}", one)
        for one in players
        if one.site
    ]
    # UNION drops the second row of a game against oneself.
    return (
        joined(pieces, " UNION ") if len(pieces) > 1 else pieces[0].embed("SELECT DISTINCT * FROM ({sql}) x")
    )


_GAMES: Final = "SELECT p.played, p.slot FROM archive_gameplayer p"
# SQLite never reorders a CROSS JOIN.
_AT_SITE: Final = f"{_GAMES} CROSS JOIN archive_game h"


def has_own_side(players: tuple[OwnPlayer, ...], side: int, row: str) -> Sql:
    """Return the condition that the game of a row, which has the column slot, has an own side, as for
    `own_games`; one lookup for each row."""
    if not players:
        return Sql("FALSE")
    of_colour = "" if side == EITHER else f" AND p.colour = {int(side)}"
    return is_own(players).embed(f"{_LOOKUP.format(row=row)} AND {{sql}}{of_colour}) > 0")


# A sum has no index, so the row's game is looked up, not all games of the players for each row.
_LOOKUP: Final = "(SELECT count(*) FROM archive_gameplayer p WHERE p.slot = {row}.slot"


def own_condition(scope: Scope, name: str, value: int, side: int | None, row: str) -> Sql:
    """Return the condition of a filter `name` that is about own sides: `me`, or a limit of the rating of the
    player against the own side of the colour `side` (None: of any)."""
    players = own_players(scope)
    if name == "me" or not players:
        return has_own_side(players, value, row)
    of_colour = "" if side in (None, EITHER) else f" AND p.colour = {side}"
    sign = ">=" if name == "min_opponent" else "<="
    opponent = f"{_OPPONENT.format(row=row)} AND o.rating {sign} %s{of_colour}) > 0"
    own = is_own(players)
    return Sql(opponent.replace("{own}", own.text), (*own.values, value))


_OPPONENT: Final = """(SELECT count(*) FROM archive_gameplayer p
    JOIN archive_gameplayer o ON o.slot = p.slot AND o.colour <> p.colour
    WHERE p.slot = {row}.slot AND {{own}}"""


def is_own(players: tuple[OwnPlayer, ...]) -> Sql:
    """Return the condition that a side p of a game is an own one. There is at least one player."""
    pieces = []
    if anywhere := _anywhere(players):
        pieces.append(Sql(f"p.player_id + 0 {one_of(anywhere)}", anywhere))
    at_site = [Sql("(p.player_id + 0 = %s AND h.site = %s)", one) for one in players if one.site]
    if at_site:
        pieces.append(joined(at_site, " OR ").embed(_SITE_OF_SIDE))
    return joined(pieces, " OR ").embed("({sql})")


_SITE_OF_SIDE: Final = "(SELECT count(*) FROM archive_game h WHERE h.slot = p.slot AND ({sql})) > 0"


def _anywhere(players: tuple[OwnPlayer, ...]) -> tuple[int, ...]:
    return tuple(one.id for one in players if not one.site)
