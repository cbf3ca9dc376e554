"""Who is Black and who is White: filters know colours 0 and 1, games name them differently.

What is asked by the names of sides (`black`, `white`, and as `result` either of them) means one kind of game.
"""

from collections.abc import Mapping
from typing import Any

from kifu_core.games import GAMES, SHOGI, GameKind


def results_of(game: GameKind[Any]) -> tuple[str, ...]:
    """Return the names that a game has for the results 0 to 3 (`Game.Result`)."""
    return (*game.rules.sides, "draw", "unknown")


def default_game(game: str | None, asked: Mapping[str, Any]) -> str | None:
    """Return the kind of game that is asked for. Where sides are named without one, shogi's are meant."""
    names = (asked.get("result"), *(side for side in SHOGI.rules.sides if asked.get(side)))
    return game or (SHOGI.name if {*names} & {*SHOGI.rules.sides} else None)


def colours_of(name: str | None, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return who plays which colour, and who wins, as filters take them: their `black` is colour 0."""
    game = GAMES[name or SHOGI.name]
    first, second = (asked.get(side) for side in game.rules.sides)
    result = asked.get("result")
    return {
        "black": first or None,
        "white": second or None,
        "result": results_of(game).index(result) if result else None,
    }
