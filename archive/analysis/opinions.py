"""The first opinion on every game: the verdicts of the neural network on the positions of its main line.

The newest games come first. The truth about work is `Game.network_version`: a worker that is killed leaves
nothing half done. On PostgreSQL a worker locks the game that it evaluates, so that several workers share the
games. On SQLite one worker is enough, and a second one would do the same work again.
"""

from __future__ import annotations

import time
from contextlib import AbstractContextManager, nullcontext
from itertools import islice
from typing import TYPE_CHECKING, Final

from django.db import connection, transaction

from archive import store
from archive.analysis.network import Situation, network
from archive.models import WITHOUT_OPINION, Game, Verdict
from kifu_core.errors import KifuError
from kifu_core.games import SHOGI
from kifu_core.shogi.moves import to_usi

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    situations = dict(_situations(game))
    judged = Verdict.objects.filter(key__in=situations, engine=engine).values_list("key", flat=True)
    missing = sorted(situations.keys() - {*judged})
    verdicts = model.verdicts([situations[key] for key in missing])
    return {key: one for key, one in zip(missing, verdicts, strict=True) if one is not None}


def _situations(game: Game) -> Iterator[tuple[int, Situation]]:
    record = game.jkf
    start, moves = SHOGI.replay.start_text(record), list[str]()
    for _ply, position, move, _entry in islice(SHOGI.replay.main_line(record), PLIES + 1):
        try:
            (key,) = SHOGI.codec.same_class_keys(position, "exact", SHOGI.name, game.space)
        except KifuError:  # hands that no code can hold
            return
        yield key, Situation(start, tuple(moves))
        if move:
            moves.append(to_usi(move))
