"""Scores of opening books: back-propagated from verdicts, as playing the book out by hand would find them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rest_framework.test import APIClient

from archive import store
from archive.derive.negamax import HIGHEST, Opinion, Place, back_propagate, before
from archive.derive.verdicts import Line, NewVerdict
from archive.store import EngineIdentity
from kifu_core.games import SHOGI
from kifu_core.shogi.moves import from_usi
from tests.archive.games import KIF, START, stored

VALUES = st.one_of(st.integers(-500, 500), st.sampled_from([29_999, 29_990, -29_999, -29_990]))


@st.composite
def books(draw: st.DrawFn) -> tuple[dict[int, Place[int]], dict[int, Opinion]]:
    """A book whose positions are numbers, with moves to higher plies only, and opinions on some of them."""
    count = draw(st.integers(1, 12))
    plies = sorted(draw(st.lists(st.integers(0, 5), min_size=count, max_size=count)))
    places = {}
    for key in range(count):
        later = [other for other in range(count + 3) if other >= count or plies[other] > plies[key]]
        after = draw(st.lists(st.sampled_from(later), max_size=3, unique=True))
        places[key] = Place(plies[key], {f"move {other}": other for other in after})
    judged = draw(st.lists(st.integers(0, count + 2), unique=True))
    best = st.sampled_from(["", *(f"move {key}" for key in range(count + 3))])
    return places, {key: Opinion(draw(VALUES), draw(best)) for key in judged}


def played_out(places: dict[int, Place[int]], opinions: dict[int, Opinion], key: int) -> int | None:
    """The value of a position by trying every way through the book."""
    opinion, place = opinions.get(key), places.get(key)
    replies = {
        move: played_out(places, opinions, after) for move, after in (place.moves if place else {}).items()
    }
    options = [before(value) for value in replies.values() if value is not None]
    if opinion and replies.get(opinion.best) is None:
        options.append(opinion.value)
    return max(options, default=None)


@given(books())
def test_values_are_those_of_playing_the_book_out(book):
    places, opinions = book
    values = back_propagate(places, opinions)
    assert all(values.get(key) == played_out(places, opinions, key) for key in range(len(places) + 3))


def test_a_repetition_counts_by_the_verdict_on_its_position():
    places = {"a": Place(0, {"there": "b"}), "b": Place(1, {"back": "a"})}
    assert back_propagate(places, {"a": Opinion(100, "there")}) == {"b": -100, "a": 100}


def test_a_mate_comes_one_ply_nearer_with_each_move():
    places = {ply: Place(ply, {"on": ply + 1}) for ply in range(4)}
    assert back_propagate(places, {4: Opinion(-29_999)})[0] == -29_995
    assert abs(before(HIGHEST)) == HIGHEST


@pytest.fixture
def scored_games(db) -> None:
    """Games that begin in three ways, and verdicts: 7g7f looks best, and its reply is better."""
    for number, moves in enumerate((["7g7f", "3c3d"], ["7g7f", "8c8d"], ["2g2f", "8c8d"])):
        for player in "甲乙":
            stored(f"手合割：平手\n先手：{player}{number}\n{rows(moves)}", f"{number}{player}.kif")
    engine = store.engine_of(EngineIdentity("an engine", version="1"))
    for moves, score in ((["7g7f"], 120), (["7g7f", "3c3d"], -80), (["2g2f"], 40)):
        position = SHOGI.rules.initial()
        for move in moves:
            position.do_move(from_usi(move))
        (key,) = SHOGI.codec.same_class_keys(position, "exact", SHOGI.name)
        best = "3c3d" if moves == ["7g7f"] else ""
        line = Line(score, moves=(best,) if best else ())
        store.write_verdicts(engine, {key: NewVerdict((line,), nodes=1000, depth=9)})


def rows(moves: list[str]) -> str:
    texts = {"7g7f": "７六歩(77)", "3c3d": "３四歩(33)", "8c8d": "８四歩(83)", "2g2f": "２六歩(27)"}
    return "".join(f"{ply} {texts[move]}\n" for ply, move in enumerate(moves, 1))


@pytest.mark.usefixtures("scored_games")
def test_the_tree_has_both_scores_of_each_move():
    answer = APIClient().get(f"/api/v1/positions/shogi/{START}/tree", {"depth": 2}).json()
    assert answer["engine"] == "an engine 1"
    scores = {move["move"]: (move["score"], move["backed_score"]) for move in answer["moves"]}
    assert scores == {"7g7f": (120, -80), "2g2f": (40, 40)}
    (first,) = [move for move in answer["moves"] if move["move"] == "7g7f"]
    assert {move["move"]: move["score"] for move in first["moves"]} == {"3c3d": 80, "8c8d": None}


@pytest.mark.usefixtures("scored_games")
@pytest.mark.parametrize("of", [{}, {"position": START}], ids=["of games", "of a position"])
def test_a_book_has_the_back_propagated_scores(of):
    query = {"as": "db", "plies": 2, "scores": 1} | of
    book = b"".join(APIClient().get("/api/v1/games/export", query).streaming_content).decode()
    assert "# scores: an engine 1\n" in book
    lines = book.splitlines()
    at = lines.index(next(line for line in lines if line.startswith("7g7f")))
    assert lines[at].split()[2:4] == ["-80", "9"]
    assert lines[at + 1] == "#raw 120"
    assert next(line for line in lines if line.startswith("2g2f")).split()[2:4] == ["40", "9"]


@pytest.mark.django_db
def test_a_book_of_an_archive_without_verdicts_says_so():
    stored(KIF)
    query = {"as": "db", "scores": 1, "min_games": 1}
    book = b"".join(APIClient().get("/api/v1/games/export", query).streaming_content).decode()
    assert "# scores: none\n" in book and " 0 0 1\n" in book


@pytest.mark.django_db
def test_only_a_book_has_scores():
    assert APIClient().get("/api/v1/games/export", {"as": "csv", "scores": 1}).status_code == 400
