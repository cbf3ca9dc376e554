"""Analyses of games: derived from the verdicts on their positions, with a scale that fits the results."""

from __future__ import annotations

import pytest
from django.core.management import call_command

from archive import libraries, store
from archive.analysis import tasks
from archive.derive.chances import PONANZA
from archive.derive.game_analysis import StoredAnalysis
from archive.derive.verdicts import Line, NewVerdict
from archive.intake import worker
from archive.models import Engine, Entry, Game, GameAnalysis, GameChange, User
from archive.queries.games.filters import GameFilters
from archive.queries.games.listing import find_games
from archive.queries.scope import PUBLIC
from archive.store import game_analyses
from archive.store.game_analyses import FIT_GAMES
from archive.store.verify import games as differences
from tests.archive.analysed import FAIRY, SWINGING, analyse, verdicts_of
from tests.archive.games import CSA, KIF, stored

pytestmark = pytest.mark.django_db


@pytest.fixture
def game() -> Game:
    stored(KIF)
    return Game.objects.get()


def marks(game: Game) -> list[tuple[int, str]]:
    (row,) = GameAnalysis.objects.filter(game=game)
    return [(one.ply, one.mark) for one in StoredAnalysis(row.content).analysis.marked()]


def evaluated() -> list[int]:
    return [row.id for row in find_games(PUBLIC, GameFilters(has="evals"), "newest").items]


def test_an_analysis_has_scores_marks_and_accuracies(game):
    analyse(game)
    (row,) = GameAnalysis.objects.all()
    assert [one.score for one in StoredAnalysis(row.content).evaluations] == list(SWINGING)
    assert marks(game) == [(3, "blunder"), (4, "blunder")]
    assert row.accuracy0 is not None
    assert row.accuracy1 is not None
    assert 0 < row.accuracy0 < 100


def test_a_game_with_an_analysis_has_evaluations(game):
    assert evaluated() == []
    before = GameChange.objects.filter(game=game.pk).count()
    analyse(game)
    assert evaluated() == [game.pk]
    assert GameChange.objects.filter(game=game.pk).count() == before + 1
    assert not list(differences([game.pk]))


def test_one_verdict_is_no_analysis(game):
    analyse(game, SWINGING[:1])
    assert not GameAnalysis.objects.exists()
    assert evaluated() == []


def test_better_verdicts_replace_an_analysis(game):
    engine = analyse(game)
    better = {key: one._replace(nodes=20_000) for key, one in verdicts_of(game, [0] * 8).items()}
    store.write_verdicts(engine, better)
    store.write_analyses([game.pk], engine)
    assert marks(game) == []


def test_another_game_with_these_positions_is_analysed_by_the_same_verdicts(game):
    analyse(game)
    stored(KIF.replace("先手の人", "別の人"))
    other = Game.objects.latest("pk")
    assert store.write_analyses([other.pk]) == 1
    assert marks(other) == marks(game)


def test_another_edition_leaves_an_analysis_as_it_is(game):
    engine = analyse(game)
    stored(CSA, "a.csa")
    assert evaluated() == [game.pk]
    assert marks(game) == [(3, "blunder"), (4, "blunder")]
    assert GameAnalysis.objects.get().engine_id == engine


def test_reindexed_games_are_still_evaluated(game):
    analyse(game)
    store.reindex_games([game.pk])
    assert evaluated() == [game.pk]
    assert marks(game) == [(3, "blunder"), (4, "blunder")]


def test_an_analysis_leaves_with_its_game(game):
    analyse(game)
    store.delete_games([game.pk])
    assert not GameAnalysis.objects.exists()


def test_the_analysis_of_a_library_does_not_go_along_when_a_game_is_published():
    anna = User.objects.create_user("anna")
    space = libraries.own_library(anna).pk
    upload, _new = store.create_upload("a.kif", [KIF.encode()], anna, "web", space=space)
    worker.work_off(upload.pk)
    game = Entry.objects.get(upload=upload).game
    analyse(game)
    assert GameAnalysis.objects.get().space == space
    libraries.publish(anna, game)
    assert not GameAnalysis.objects.exists()
    assert evaluated() == []


def test_two_engines_stand_side_by_side(game):
    other = store.EngineIdentity("gpsshogi")
    assert analyse(game) != analyse(game, [0] * 8, other)
    assert GameAnalysis.objects.count() == 2
    assert store.write_analyses([game.pk]) == 2


def test_a_scale_is_fitted_to_enough_games_and_marks_the_moves_anew():
    for number in range(FIT_GAMES):
        stored(KIF.replace("先手の人", f"人{number}"))
    games = list(Game.objects.order_by("pk"))
    engine = analyse(games[0], (100, -100, 100, 200, 300, 400, 500, 600))
    assert store.fit_engine(engine) is None
    store.write_analyses([game.pk for game in games])
    accuracy = GameAnalysis.objects.get(game=games[0]).accuracy0
    fitted = store.fit_engine(engine)
    assert fitted is not None
    row = Engine.objects.get(pk=engine)
    assert (row.scale, row.fitted_games, row.fitted_positions) == (fitted.fit.scale, FIT_GAMES, 8 * FIT_GAMES)
    assert row.scale != PONANZA
    assert sum(positions for _least, positions, *_others in row.calibration) == 8 * FIT_GAMES
    assert GameAnalysis.objects.get(game=games[0]).accuracy0 == accuracy
    while not store.mark_anew(engine, 0.1):
        pass
    assert GameAnalysis.objects.get(game=games[0]).accuracy0 != accuracy


def test_scales_are_fitted_anew_by_themselves_when_the_games_have_grown(monkeypatch):
    monkeypatch.setattr(game_analyses, "FIT_GAMES", 4)
    monkeypatch.setattr(game_analyses, "_BATCH", 3)
    for number in range(6):
        stored(KIF.replace("先手の人", f"人{number}"))
    games = list(Game.objects.order_by("pk"))
    engine = analyse(games[0], (100, -100, 100, 200, 300, 400, 500, 600))
    tasks.fit_scales()
    assert Engine.objects.get(pk=engine).scale is None
    store.write_analyses([game.pk for game in games[:4]])
    tasks.fit_scales()
    row = Engine.objects.get(pk=engine)
    assert (row.fitted_games, row.marked_until) == (4, None)
    before = GameAnalysis.objects.get(game=games[0]).made
    tasks.fit_scales()
    assert GameAnalysis.objects.get(game=games[0]).made == before, "nothing has grown"
    store.write_analyses([games[4].pk])  # a quarter more
    tasks.fit_scales()
    assert Engine.objects.get(pk=engine).fitted_games == 5
    assert GameAnalysis.objects.get(game=games[0]).made > before


def test_enough_games_are_not_fitted_again(monkeypatch, game):
    monkeypatch.setattr(game_analyses, "FIT_GAMES", 1)
    engine = Engine.objects.get(pk=analyse(game))
    assert store.is_fit_due(engine)
    monkeypatch.setattr(game_analyses, "FITTED_AT_MOST", 0)
    assert not store.is_fit_due(engine)


def test_the_command_analyses_games_and_says_what_it_fitted(game, capsys):
    engine = store.engine_of(FAIRY)
    store.write_verdicts(engine, verdicts_of(game, SWINGING))
    call_command("fit_engines", "--games")
    assert "1 analyses of games" in capsys.readouterr().out
    assert GameAnalysis.objects.count() == 1


def test_a_network_judges_difficulty_by_its_policy(game):
    def opinion(policies):
        lines = [Line(0, moves=("1g1f",), policy=policies[0])]
        lines += [Line(None, moves=("9g9f",), policy=one) for one in policies[1:]]
        verdicts = verdicts_of(game, [0] * 8)
        return {key: NewVerdict(tuple(lines)) for key in verdicts}

    def weights(policies):
        identity = store.EngineIdentity(f"a network {policies}", source=Engine.Source.NETWORK)
        engine = store.engine_of(identity)
        store.write_first_opinion(game, engine, opinion(policies), 1)
        row = GameAnalysis.objects.get(engine=engine)
        return {one.weight for one in StoredAnalysis(row.content).analysis.costs}

    assert max(weights([990])) < min(weights([300, 300, 300]))
