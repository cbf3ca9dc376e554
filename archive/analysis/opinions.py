"""The first opinion on every game: the verdicts of the neural network on the positions of its main line.

The newest games come first. The truth about work is `Game.network_version`: a worker that is killed leaves
nothing half done. On PostgreSQL a worker locks the game that it evaluates, so that several workers share the
games. On SQLite one worker is enough, and a second one would do the same work again.
"""

from __future__ import annotations

import time
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Final

from django.db import connection, transaction

from archive import store
from archive.analysis.lines import line_of
from archive.analysis.network import network
from archive.models import WITHOUT_OPINION, Game, Verdict

if TYPE_CHECKING:
    from archive.analysis.network import Network
    from archive.derive.verdicts import NewVerdict

VERSION: Final = 1
PLIES: Final = 600
"""Plies of a game that the network looks at."""


def waiting() -> bool:
    """Return whether a game has no first opinion yet."""
    return Game.objects.filter(WITHOUT_OPINION).exists()


def form_opinions(seconds: float) -> bool:
    """Evaluate games for about `seconds`; return whether none is left."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if not form_opinion():
            return True
    return not waiting()


def form_opinion() -> bool:
    """Evaluate the newest game without a first opinion; return whether there was one."""
    with _claiming():
        games = Game.objects.filter(WITHOUT_OPINION).order_by("-pk")
        if connection.features.has_select_for_update_skip_locked:
            games = games.select_for_update(skip_locked=True, of=("self",))
        game = games.first()
        if game is None:
            return False
        engine = store.engine_of(network().identity)
        store.write_first_opinion(game, engine, _verdicts(network(), engine, game), VERSION)
    return True


def _claiming() -> AbstractContextManager[None]:
    """Return the transaction that holds the lock on a game; on SQLite it would keep all writers waiting."""
    return transaction.atomic() if connection.features.has_select_for_update_skip_locked else nullcontext()


def _verdicts(model: Network, engine: int, game: Game) -> dict[int, NewVerdict]:
    """Return the verdicts on the positions of a game that have none of this engine, by their keys."""
    line = line_of(game.jkf, game.space)
    plies = {key: ply for ply, key in enumerate(line.keys[: PLIES + 1])}
    judged = Verdict.objects.filter(key__in=plies, engine=engine).values_list("key", flat=True)
    missing = sorted(plies.keys() - {*judged})
    verdicts = model.verdicts([line.at(plies[key]) for key in missing])
    return {key: one for key, one in zip(missing, verdicts, strict=True) if one is not None}
