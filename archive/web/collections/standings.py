"""The page with the standings of a tournament: a cross table, a table by rounds, or a bracket."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from django.core.exceptions import BadRequest
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from archive.caching.values import one_snapshot
from archive.queries.collections import MOST_STANDINGS, collection_shown, tournament_of
from archive.queries.scope import readable_scope
from archive.tournaments.standings import KINDS, Kind, Match, Player, Score, Standings, standings_of
from archive.web.lists.rows import game_address

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse
    from django.utils.functional import Promise

MOST_CROSSED: Final = 40
"""Players of a cross table; with more of them, it has the points alone."""
MOST_PLAYERS: Final = 500
"""Players of any table."""

TITLES: Final[dict[Kind, Promise]] = {
    "cross": gettext_lazy("Cross table"),
    "swiss": gettext_lazy("By rounds"),
    "knockout": gettext_lazy("Knockout"),
}


@dataclass(frozen=True, slots=True)
class Mark:
    """The result of a game in a table: a sign, the same in words, the opponent's rank, the game's address."""

    sign: str
    words: str
    opponent: int
    address: str


@one_snapshot()
def standings(request: HttpRequest, collection: int) -> HttpResponse:
    """Show the standings of the games in a collection and its parts, in the likely or the requested form."""
    shown = collection_shown(request, collection)
    games, names, more = tournament_of(readable_scope(request), shown.pk)
    table = standings_of(games)
    kind = next((one for one in KINDS if one == request.GET.get("kind", table.kind)), None)
    if kind is None:
        raise BadRequest("kind")
    crossed = kind == "cross" and len(table.players) <= MOST_CROSSED
    columns: dict[Kind, list[str]] = {
        "cross": [str(player.rank) for player in table.players] if crossed else [],
        "swiss": [round_text(name) for name, _matches in table.rounds],
        "knockout": [],
    }
    context = {
        "collection": shown,
        "kind": kind,
        "kinds": [(one, title, one == kind) for one, title in TITLES.items()],
        "columns": columns[kind],
        "players": [
            (player, names[player.name], _cells(kind, table, player, crossed=crossed))
            for player in table.players[:MOST_PLAYERS]
        ],
        "rounds": [
            (round_text(name), [_match(one, table, names) for one in matches])
            for name, matches in table.rounds
        ],
        "more": MOST_STANDINGS if more else 0,
        "cut": MOST_PLAYERS if len(table.players) > MOST_PLAYERS else 0,
        "section": "collections",
    }
    return render(request, "collections/standings.html", context)


def round_text(name: str) -> str:
    """Return the name of a round: those with a number alone get a word."""
    return _("Round %(n)s") % {"n": name} if name.isdigit() else name


def _cells(kind: Kind, table: Standings, player: Player, *, crossed: bool) -> list[list[Mark] | None]:
    """Return the marks of a player by column; None for the player's own column."""
    if kind == "knockout" or (kind == "cross" and not crossed):
        return []
    by_column: dict[int | None, list[Mark]] = defaultdict(list)
    for score in player.scores:
        by_column[score.opponent if kind == "cross" else score.round].append(_mark(score))
    if kind == "cross":
        return [
            None if other.rank == player.rank else by_column.get(other.rank, []) for other in table.players
        ]
    return [by_column.get(number, []) for number in range(len(table.rounds))]


def _mark(score: Score) -> Mark:
    signs = {1: ("○", _("won")), 0.5: ("△", _("drew")), 0: ("●", _("lost")), None: ("–", _("result unknown"))}
    sign, words = signs[score.points]
    return Mark(sign, words, score.opponent, game_address(score.game))


def _match(match: Match, table: Standings, names: dict[str, str]) -> dict[str, Any]:
    return {
        "players": [
            (names[table.players[rank - 1].name], points, rank == match.winner)
            for rank, points in zip(match.players, match.wins, strict=True)
        ],
        "games": [game_address(game) for game in match.games],
    }
