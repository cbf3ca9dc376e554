"""Games that an engine has analysed, with made-up scores."""

from __future__ import annotations

from collections.abc import Sequence

from archive import store
from archive.analysis.lines import line_of_game
from archive.derive.verdicts import Line, NewVerdict
from archive.models import AnalysisGame, Game, Verdict
from archive.store import EngineIdentity
from kifu_core.games import SHOGI
from kifu_core.shogi.moves import to_usi
from tests.archive import usi_peer
from tests.archive.games import KIF

FAIRY = EngineIdentity("Fairy-Stockfish", version="11.1")
SWINGING = (20, 30, 40, -400, 50, 60, 55, 900)
"""The third move loses 440 hundredths of a pawn, and the fourth gives them back."""

_VALUES = {"1": 20, "2": 30, "3": -400, "4": -380}
IN_COMMENTS = "".join(
    f"{line}*#評価値={_VALUES[line.split()[0]]}\n"
    if line.split()[:1] and line.split()[0] in _VALUES
    else line
    for line in KIF.splitlines(keepends=True)
)
"""A record of seven moves with the evaluations of an analysis after the first four."""


def verdicts_of(
    game: Game, scores: Sequence[int | Line], *, lines: int = 1, policy: int | None = None
) -> dict[int, NewVerdict]:
    """Verdicts by key, with so many lines: each begins with another legal move, never with the one played.

    `policy` is the likelihood of the first move in thousandths, for networks."""
    verdicts = {}
    main_line = SHOGI.replay.main_line(game.jkf)
    for (_ply, position, played, _entry), score in zip(main_line, scores, strict=False):
        (key,) = SHOGI.codec.same_class_keys(position, "exact", SHOGI.name, game.space)
        moves = sorted(to_usi(one) for one in SHOGI.rules.legal_moves(position) if one != played)
        first = (score if isinstance(score, Line) else Line(score))._replace(policy=policy)
        sign = -1 if position.turn else 1
        worse = [Line((first.score or 0) - sign * 50 * number) for number in range(1, lines)]
        own = [line._replace(moves=(move,)) for line, move in zip([first, *worse], moves, strict=False)]
        verdicts[key] = NewVerdict(tuple(own), 10_000, 12)
    return verdicts


def analyse(
    game: Game,
    scores: Sequence[int | Line] = SWINGING,
    identity: EngineIdentity = FAIRY,
    *,
    lines: int = 1,
    policy: int | None = None,
) -> int:
    """Store verdicts of an engine on the positions of a game, and its analysis; return the engine's id."""
    engine = store.engine_of(identity)
    store.write_verdicts(engine, verdicts_of(game, scores, lines=lines, policy=policy), game.space)
    store.write_analyses([game.pk], engine)
    return engine


def different_positions(games: Sequence[Game]) -> int:
    """Return the number of positions of games in which there is something to search: those with a move."""
    lines = [line_of_game(game.pk, 0) for game in games]
    keys = {
        key: line.legal_moves(ply) for line in lines if line is not None for ply, key in enumerate(line.keys)
    }
    return sum(map(bool, keys.values()))


def assert_analysed(games: Sequence[Game], nodes: int, lines: int) -> None:
    """Each position of the games has the one verdict that our small engine always has on it."""
    expected = {}
    for game in games:
        line = line_of_game(game.pk, 0)
        assert line is not None
        for ply, key in enumerate(line.keys):
            position = line.at(ply).position()
            if legal := line.legal_moves(ply):
                first = usi_peer.score(position, nodes, 0)
                expected[key] = (min(lines, legal), -first if position.turn else first)
    found = {
        key: (number, moves[0][0])
        for key, number, moves in Verdict.objects.values_list("key", "lines", "moves")
    }
    assert found == expected
    assert Verdict.objects.count() == len(expected)
    assert {*AnalysisGame.objects.values_list("state", "remaining")} == {("done", 0)}
