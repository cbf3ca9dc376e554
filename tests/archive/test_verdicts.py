"""Verdicts of engines on positions: which replaces which, which records bring, and who sees them."""

from __future__ import annotations

import pytest

from archive import libraries, store
from archive.derive.verdicts import LARGEST_SCORE, Line, NewVerdict
from archive.intake import worker
from archive.models import Entry, Game, User, Verdict
from archive.queries.positions.verdicts import verdicts_at, verdicts_of_game
from archive.queries.scope import PUBLIC, Scope
from archive.store import EngineIdentity
from kifu_core.games import SHOGI
from tests.archive.games import CSA, KIF, stored

pytestmark = pytest.mark.django_db

FAIRY = EngineIdentity("fairy-stockfish", version="11.1")
(KEY,) = SHOGI.codec.same_class_keys(SHOGI.rules.initial(), "exact", SHOGI.name)
EVALUATED = CSA.replace("+7776FU\n", "+7776FU\n'** 130 -3334FU +2726FU #900\n").replace(
    "-3122GI\n", "-3122GI\n'** -20 +0045KA\n"
)


def verdict(score: int, nodes: int, lines: int = 1, depth: int = 0) -> NewVerdict:
    return NewVerdict((Line(score, moves=("7g7f",)), *(Line(score - 1),) * (lines - 1)), nodes, depth)


def given(*verdicts: NewVerdict, engine: EngineIdentity = FAIRY) -> list[tuple[int, int, int]]:
    """Lines, nodes and score of what is stored after these verdicts on the initial position."""
    for one in verdicts:
        store.write_verdicts(store.engine_of(engine), {KEY: one})
    (at_start,) = verdicts_at(PUBLIC, SHOGI.name, [SHOGI.rules.initial()])
    return [(len(one.lines), one.nodes, one.lines[0].score or 0) for one in at_start]


@pytest.mark.parametrize(
    ("verdicts", "stays"),
    [
        ([verdict(10, 100), verdict(20, 200)], [(1, 200, 20)]),
        ([verdict(20, 200), verdict(10, 100)], [(1, 200, 20)]),
        ([verdict(10, 100), verdict(20, 100)], [(1, 100, 10)]),
        ([verdict(10, 0, depth=8), verdict(20, 0, depth=9)], [(1, 0, 20)]),
        ([verdict(10, 100), verdict(20, 100, lines=3)], [(3, 100, 20)]),
        ([verdict(20, 200, lines=3), verdict(10, 100)], [(3, 200, 20)]),
        ([verdict(10, 300), verdict(20, 200, lines=3)], [(1, 300, 10), (3, 200, 20)]),
    ],
    ids=["more nodes", "fewer nodes", "the same again", "deeper", "more lines", "fewer lines", "neither"],
)
def test_a_verdict_stays_until_one_exceeds_it(verdicts, stays):
    assert given(*verdicts) == stays


def test_engines_that_differ_in_an_option_stand_side_by_side():
    other = EngineIdentity("fairy-stockfish", version="11.1", options={"UCI_Variant": "shogi"})
    assert given(verdict(10, 100)) == [(1, 100, 10)]
    assert given(verdict(20, 200), engine=other) == [(1, 100, 10), (1, 200, 20)]
    assert store.engine_of(other) == store.engine_of(other)


def test_comments_of_a_record_bring_verdicts_with_legal_lines():
    stored(EVALUATED, "a.csa")
    game = Game.objects.get()
    plies = enumerate(verdicts_of_game(PUBLIC, game, game.jkf))
    assert [(ply, one.engine.name, one.game, one.nodes, one.lines) for ply, at in plies for one in at] == [
        (1, "floodgate", game.pk, 900, (Line(130, moves=("3c3d", "2g2f")),)),
        (4, "floodgate", game.pk, 0, (Line(-20, moves=("B*4e",)),)),
    ]  # fmt: skip


def test_another_game_shares_them_where_it_reaches_the_position():
    stored(EVALUATED, "a.csa")
    stored(KIF.replace("２二角成(88)", "２六歩(27)").replace("   4 同　銀(31)", "   4 ８四歩(83)")[:150])
    other = Game.objects.latest("pk")
    assert [[one.lines[0].score for one in at] for at in verdicts_of_game(PUBLIC, other, other.jkf)][:2] == [
        [],
        [130],
    ]


def test_absurd_values_of_comments_stay_comments():
    stored(
        EVALUATED.replace("'** 130", f"'** {LARGEST_SCORE + 1}").replace("'** -20", "'** 9999999"), "a.csa"
    )
    game = Game.objects.get()
    found = [one.lines for at in verdicts_of_game(PUBLIC, game, game.jkf) for one in at]
    assert all(line.winner is not None for lines in found for line in lines)
    assert "9999999" in str(game.jkf)


def test_verdicts_of_a_record_leave_with_the_game_and_those_of_analyses_stay():
    stored(EVALUATED, "a.csa")
    given(verdict(10, 100))
    store.delete_games([Game.objects.get().pk])
    assert [one.game for one in Verdict.objects.all()] == [0]


def test_a_weaker_comment_of_another_game_is_left_out_and_a_better_one_goes_first():
    stored(EVALUATED, "a.csa")
    for nodes, players in ((500, "別の人"), (2000, "三人目")):
        stored(EVALUATED.replace("#900", f"#{nodes}").replace("先手の人", players), "a.csa")
    game = Game.objects.earliest("pk")
    assert [one.nodes for one in verdicts_of_game(PUBLIC, game, game.jkf)[1]] == [2000, 900]


def test_verdicts_of_a_library_show_to_its_readers_only():
    anna = User.objects.create_user("anna")
    space = libraries.own_library(anna).pk
    upload, _new = store.create_upload("a.csa", [EVALUATED.encode()], anna, "web", space=space)
    worker.work_off(upload.pk)
    game = Entry.objects.get(upload=upload).game
    position = SHOGI.rules.initial()
    position.do_move(SHOGI.replay.main_moves(game.jkf)[0])
    assert verdicts_at(PUBLIC, SHOGI.name, [position]) == [[]]
    assert [len(at) for at in verdicts_at(Scope((0, space)), SHOGI.name, [position])] == [1]
    libraries.publish(anna, game)
    assert [len(at) for at in verdicts_at(PUBLIC, SHOGI.name, [position])] == [1]
