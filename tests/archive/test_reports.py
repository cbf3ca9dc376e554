"""The report of a game on its page, verdicts on a position's page, and mistakes as problems."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from archive import store
from archive.derive import chances
from archive.models import Game, GamePlayer
from archive.queries.games.analyses import FEWEST_RATED
from archive.store import EngineIdentity
from tests.archive.analysed import IN_COMMENTS, SWINGING, analyse
from tests.archive.games import CSA, KIF, START, stored

pytestmark = pytest.mark.django_db

EVALUATED = CSA.replace("+7776FU\n", "+7776FU\n'** 130 -3334FU +2726FU #900\n").replace(
    "-3122GI\n", "-3122GI\n'** -20 +0045KA\n"
)


@pytest.fixture
def game() -> Game:
    stored(KIF)
    return Game.objects.get()


def page(address: str) -> str:
    answer = Client().get(address, HTTP_ACCEPT_LANGUAGE="en")
    assert answer.status_code == 200
    return answer.content.decode()


def text_of(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub("<[^>]*>", " ", html))


def report_of(html: str) -> str:
    match = re.search('<section class="report".*?</section>', html, re.DOTALL)
    return match[0] if match else ""


def details_of(game: Game, query: str = "") -> str:
    """The page with the report alone."""
    return page(f"/games/{game.pk}/analysis/{query}")


def scores_in_list(html: str) -> list[str]:
    return re.findall('<span class="e">([^<]*)</span>', html.partition('class="moves"')[2])


def test_a_game_without_an_analysis_has_no_report(game):
    assert report_of(page(f"/games/{game.pk}/")) == ""


def test_the_report_has_accuracies_and_links_to_the_worst_moves(game):
    analyse(game)
    html = page(f"/games/{game.pk}/")
    assert "Fairy-Stockfish 11.1" in report_of(html)
    (address,) = re.findall('data-url="([^"]*analysis[^"]*)"', html)
    report = page(address)
    assert "Fairy-Stockfish 11.1" in report
    assert len(re.findall("<tr>", report)) == 3
    assert re.findall('data-key="(:[0-9]+)"', report) == [":3", ":4"]
    assert "blunder" in report
    assert "usual scale of 600" in text_of(report)
    assert "try=" in report


def test_the_report_is_a_part_of_the_page_for_scripts(game):
    analyse(game)
    answer = Client().get(f"/games/{game.pk}/analysis/", HTTP_X_PART="report")
    assert "<html" not in answer.content.decode()
    assert answer.headers["Cache-Control"] == "no-store"
    assert "No engine has analysed" not in details_of(game)


def test_values_and_marks_stand_in_the_list_of_moves(game):
    analyse(game)
    assert scores_in_list(page(f"/games/{game.pk}/"))[:5] == ["+20", "+30", "+40", "-400 ??", "+50 ??"]


def test_the_engine_in_the_address_is_shown_and_stays_in_links(game):
    analyse(game)
    other = analyse(game, [0] * 8, EngineIdentity("gpsshogi"))
    html = page(f"/games/{game.pk}/?scores={other}")
    assert scores_in_list(html)[:2] == ["+0", "+0"]
    assert f'href="/games/{game.pk}/?ply=1&amp;scores={other}"' in html
    assert "No move lost much" in details_of(game, f"?scores={other}")
    assert html.count('class="other"') == 1


def test_evaluations_in_comments_are_a_choice_and_the_default_without_engines():
    stored(EVALUATED, "a.csa")
    game = Game.objects.get()
    assert [one for one in scores_in_list(page(f"/games/{game.pk}/")) if one] == ["+130", "-20"]
    analyse(game)
    assert "+20" in scores_in_list(page(f"/games/{game.pk}/"))
    html = page(f"/games/{game.pk}/?scores=0")
    assert [one for one in scores_in_list(html) if one] == ["+130", "-20"]
    assert "Comments of the record" in report_of(html)


def test_comments_have_a_report_that_says_how_much_it_knows():
    stored(IN_COMMENTS)
    game = Game.objects.get()
    html = page(f"/games/{game.pk}/")
    assert "-400 ??" in scores_in_list(html)
    assert f'data-url="/games/{game.pk}/analysis/?scores=0"' in report_of(html)
    report = text_of(details_of(game))
    assert "evaluations in the comments of the record" in report
    assert "1 of 4 moves have values" in report
    assert "2 of 3 moves have values" in report
    assert "blunder" in report
    assert "Learn from the mistakes" not in report
    analyse(game)
    assert "1 of 4 moves" not in text_of(details_of(game))
    assert "1 of 4 moves" in text_of(details_of(game, "?scores=0"))


def test_surprising_moves_and_hard_positions_are_the_networks_opinion(game, monkeypatch):
    monkeypatch.setattr(chances, "HARD_ENTROPY", 0.0)
    network = EngineIdentity("a network", source=store.verdicts.Engine.Source.NETWORK)
    analyse(game, (20, 30, 40, 700, 50, -600, -700, 900), network, policy=990)
    html = page(f"/games/{game.pk}/")
    (answer,) = Client().get(f"/api/v1/games/{game.pk}/analyses").json()["results"]
    surprising = [(one["ply"], "surprising") for one in answer["moves"] if one["surprising"]]
    hard = [(one["ply"] - 1, "hard") for one in answer["moves"] if one["hard"]]
    assert surprising and hard
    shown = re.findall('<span class="opinion" role="img" aria-label="([a-z]*)[^"]*"', html)
    assert shown == [
        name for _ply, name in sorted(surprising + hard, key=lambda one: (one[0], one[1] == "hard"))
    ]
    assert re.findall('class="dot (surprising|hard)"', html) == ["surprising", "hard"]
    assert "!? surprising for the neural network" in text_of(html)
    report = details_of(game)
    assert "next to no chance although they lose nothing" in report
    assert ">1 %<" in report or ">1%<" in report
    # Another engine marks one of these moves, and the opinion stays the network's.
    analyse(game, (400, -400, 400, 400, 400, 400, 400, 400))
    again = details_of(game)
    linked = re.findall('data-key=":([0-9]+)"', again.partition("next to no chance")[2].partition("<p")[0])
    assert linked == [str(ply) for ply, _name in surprising[1:]], "the first is a blunder of the other engine"


def test_an_engine_precedes_a_network(game):
    analyse(game, [0] * 8, EngineIdentity("a network", source=store.verdicts.Engine.Source.NETWORK))
    assert "neural network, without search" in details_of(game)
    analyse(game)
    assert "+20" in scores_in_list(page(f"/games/{game.pk}/"))


def test_too_few_players_of_a_rating_are_no_comparison(game):
    analyse(game)
    GamePlayer.objects.filter(slot=game.slot).update(rating=1550)
    text = text_of(details_of(game))
    assert "rated 1400 to 1699: too few analysed games to compare" in text


def test_players_are_compared_with_those_of_their_rating(game):
    analyse(game)
    for number in range(FEWEST_RATED // 2):
        stored(KIF.replace("先手の人", f"人{number}"))
    store.write_analyses(list(Game.objects.values_list("pk", flat=True)))
    GamePlayer.objects.update(rating=1550)
    text = text_of(details_of(game))
    assert re.search(r"rated 1400 to 1699: [0-9.]+ on average of 22 games", text)


def test_the_report_is_hidden_while_moves_are_guessed(game):
    analyse(game)
    assert report_of(page(f"/games/{game.pk}/?guess=both")) == ""


def test_a_position_has_the_lines_of_engines_as_links(game):
    analyse(game)
    html = page(f"/positions/shogi/{START}/")
    assert "Evaluation +20" in text_of(html)
    assert re.search(r'class="line">\s*<a href="/positions/shogi/[^"]*\?line=', html)


def test_the_moves_beside_a_game_have_them_too(game):
    analyse(game)
    html = page(f"/positions/shogi/{START}/?part=moves")
    assert 'class="engine-lines"' in html
    assert 'data-moves="' in html


def test_a_mistake_is_a_problem_with_the_moves_that_are_accepted(game):
    analyse(game, lines=3)
    html = page(f"/games/{game.pk}/mistakes/")
    assert "Mistake 1 of 2" in html
    assert 'data-accepted="1g1f 1i1h"' in html
    assert 'data-asked=":2"' in html
    assert report_of(html) == ""
    assert "at=4" in html
    second = page(f"/games/{game.pk}/mistakes/?at=4")
    assert "Mistake 2 of 2" in second
    assert "Mistake 1 of 1" in page(f"/games/{game.pk}/mistakes/?side=white")


def test_the_solution_has_the_engines_line(game):
    analyse(game, lines=3)
    solution = page(f"/games/{game.pk}/mistakes/").partition('<details class="solution">')[2]
    assert "Evaluation +40" in text_of(solution)
    assert "try=1g1f" in solution


def test_a_game_without_mistakes_says_so(game):
    assert "No engine has analysed this game yet" in page(f"/games/{game.pk}/mistakes/")
    analyse(game, [0] * 8)
    assert "No move of this game lost much" in page(f"/games/{game.pk}/mistakes/")


def test_odd_addresses_of_mistakes_show_the_first_one(game):
    analyse(game, SWINGING)
    for query in ("at=x", "at=999999999999", "scores=77", "side=red", "at=1&flip=1"):
        assert "Mistake 1 of 2" in page(f"/games/{game.pk}/mistakes/?{query}")
    assert Client().get("/games/999/mistakes/").status_code == 404
