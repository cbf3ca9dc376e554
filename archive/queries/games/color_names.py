"""The names of the sides: filters have colours 0 and 1, each kind of game has its own names for them.

Parameters with the name of a side (`black`, `white`, or either as `result`) refer to one kind of game.
"""

from collections.abc import Mapping
from typing import Any

from kifu_core.games import GAMES, SHOGI, GameKind


def results_of(game: GameKind[Any]) -> tuple[str, ...]:
    """Return a game's names of the results 0 to 3 (`Game.Result`)."""
    return (*game.rules.sides, "draw", "unknown")


def own_sides(game: GameKind[Any]) -> tuple[str, ...]:
    """Return the values of the filter `me` by colour, and that for any colour."""
    return (*game.rules.sides, "yes")


def default_game(game: str | None, parameters: Mapping[str, Any]) -> str | None:
    """Return the kind of game that parameters refer to: shogi for names of sides without a kind of game."""
    names = (
        parameters.get("result"),
        parameters.get("me"),
        *(side for side in SHOGI.rules.sides if parameters.get(side)),
    )
    return game or (SHOGI.name if {*names} & {*SHOGI.rules.sides} else None)


def colours_of(name: str | None, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return players and result of parameters as filters: `black` is colour 0."""
    game = GAMES[name or SHOGI.name]
    first, second = (parameters.get(side) for side in game.rules.sides)
    result, me = parameters.get("result"), parameters.get("me")
    return {
        "black": first or None,
        "white": second or None,
        "result": results_of(game).index(result) if result else None,
        "me": own_sides(game).index(me) if me else None,
    }
