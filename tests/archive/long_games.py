"""Games at the limits and beyond them: what a page must still have room for."""

from __future__ import annotations

from typing import Any

from archive import store
from archive.derive.game import DerivedEntry, DerivedGame, derive_game
from archive.models import Game
from kifu_core.errors import Issue
from kifu_core.games import QUORIDOR
from kifu_core.record import Ending, ParsedGame
from tests.archive import builders

STEPS = ((2, 3), (8, 7), (3, 2), (7, 8))
"""Rooks that go and come back: the files they leave and come to."""
WALL = "a1h"
PAWNS = ("e2", "e8", "e1", "e9")
NASTY = "<\"&'あ𠮷> http://a.b/?c=1&d=2 "


def shogi_move(ply: int) -> dict[str, Any]:
    """The move of a ply, from 1, with as much in it as a move can have without being another."""
    origin, to = STEPS[(ply - 1) % 4]
    color = (ply - 1) % 2
    rank = 2 if color else 8
    move = {"color": color, "from": {"x": origin, "y": rank}, "to": {"x": to, "y": rank}, "piece": "HI"}
    return {"move": {**move, "promote": False}, "time": time_of(ply)}


def time_of(ply: int) -> dict[str, Any]:
    return {
        "now": {"m": 59, "s": ply % 60},
        "total": {"h": ply // 2, "m": 59, "s": 59},
    }


def side_move(ply: int) -> dict[str, Any]:
    """Another move than the rook's in its place."""
    color = (ply - 1) % 2
    ranks = (3, 4) if color else (7, 6)
    return {
        "move": {
            "color": color,
            "from": {"x": 5, "y": ranks[0]},
            "to": {"x": 5, "y": ranks[1]},
            "piece": "FU",
            "promote": False,
        }
    }


def record(plies: int, comment: list[str] | None = None, header: dict[str, str] | None = None) -> Any:
    """A record of shogi with so many plies and, at each of them, a comment."""
    moves: list[Any] = [{}, *(shogi_move(ply) for ply in range(1, plies + 1))]
    if comment:
        for entry in moves:
            entry["comments"] = comment
    return {"header": header or {}, "initial": {"preset": "HIRATE"}, "moves": moves}


def with_forks(made: Any, forks: dict[int, int], length: int = 1) -> Any:
    """The record with so many forks, by ply, each of so many moves: a pawn's, then those of the rooks, of
    which that side is one behind."""
    for ply, count in forks.items():
        rooks = (shogi_move(at if (at - ply) % 2 else at - 2) for at in range(ply + 1, ply + length))
        line = [side_move(ply), *rooks]
        made["moves"][ply]["forks"] = [list(line) for _ in range(count)]
    return made


def nested(plies: int, levels: int) -> Any:
    """A record whose forks lie in one another, so that their paths are as long as they can be."""
    made = record(plies)
    line = made["moves"]
    for level in range(levels):
        ply = 1 + 2 * level
        at = ply - (0 if level == 0 else ply - 2)
        fork = [side_move(ply), *(shogi_move(other) for other in range(ply + 1, plies))]
        line[at]["forks"] = [fork]
        line = fork
    return made


def quoridor(plies: int) -> Any:
    """A record of Quoridor with pawns that go and come back."""
    text = " ".join(f"{ply // 2 + 1}. " * (ply % 2 == 0) + PAWNS[ply % 4] for ply in range(plies))
    return QUORIDOR.formats.load(text, "game.alg").games[0].record


def ready(made: Any, **header: str) -> DerivedGame:
    """The record as the store takes it, whatever limits there are: as games stored before they came."""
    made["header"] |= {builders.HEADERS[name]: text for name, text in header.items()}
    plies = sum("move" in entry for entry in made["moves"])
    return derive_game(ParsedGame(made, "game", Ending("投了", "TORYO", plies, 0)))


def stored(made: Any, extra: dict[str, Any] | None = None, issues: int = 0, **header: str) -> Game:
    """The game of a record, stored with what its reading had to say."""
    upload, token = builders.upload()
    found = tuple(
        Issue("unknown-line", "warning", n, 1, None, {"text": NASTY * 2, "expected": "row"}, NASTY * 6)
        for n in range(1, issues + 1)
    )
    entry = DerivedEntry(0, ready(made, **header), path=NASTY * 40, issues=found, beyond_jkf=extra or {})
    builders.store_entries(upload.pk, token, [entry])
    store.finish(upload.pk, token)
    return Game.objects.latest("pk")
