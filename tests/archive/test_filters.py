"""Filters of games: each is one definition, which every place that asks for games takes up."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.conf import settings

from archive.api.patterns import PatternQuery
from archive.api.positions import FilterQuery
from archive.api.serializers import GamesQuery
from archive.queries.games.filters import FILTERS, GameFilters, filters_of, game_filters, position_filters
from archive.queries.positions.position_filters import resolve_filters
from archive.queries.scope import PUBLIC
from archive.queries.search.box import filters_of_words
from archive.web.forms import GameFilterForm, PatternFilterForm, PositionFilterForm

GAMES = pytest.mark.parametrize("one", filters_of("games"), ids=lambda one: one.name)


@pytest.mark.parametrize("place", ["games", "positions"])
def test_the_api_and_the_pages_take_the_same_filters(place):
    query, form = {
        "games": (GamesQuery, GameFilterForm({})),
        "positions": (FilterQuery, PositionFilterForm({})),
    }[place]
    names = {one.name for one in filters_of(place)}
    assert names <= query().fields.keys() and names <= form.fields.keys()
    others = {one.name for one in FILTERS} - names
    assert others.isdisjoint(query().fields.keys() | form.fields.keys())


def test_patterns_take_the_filters_of_lists_but_the_kind_of_game():
    names = {one.name for one in filters_of("games")}
    assert names - {"game"} == PatternFilterForm({}).fields.keys()
    assert names <= PatternQuery().fields.keys()


@GAMES
def test_the_search_box_knows_every_filter_by_its_name_and_its_keys(one):
    for key in (one.name, *one.keys):
        assert filters_of_words(PUBLIC, f"{key}:x") == {one.name: "x"}


@pytest.mark.parametrize("page", ["api-reference.md"])
def test_every_filter_is_described(page):
    text = (Path(settings.BASE_DIR) / "docs" / page).read_text()
    rows = re.findall(r"^\| (`[^|]*) \| ([GP ]+) \|", text, re.MULTILINE)
    data = {name: places for names, places in rows for name in re.findall("`([a-z_]+)`", names)}
    marks = {"games": "G", "positions": "P"}
    assert data == {
        one.name: " ".join(mark for place, mark in marks.items() if one.applies(place)) for one in FILTERS
    }


def test_what_is_empty_asks_for_nothing():
    assert not GameFilters() and GameFilters(min_plies=0)
    empty = {one.name: "" for one in FILTERS}
    assert game_filters(empty) == position_filters("shogi", empty) == GameFilters()


def test_sides_mean_a_kind_of_game():
    parameters = {"white": "甲", "result": "white"}
    assert game_filters(parameters) == GameFilters(white="甲", result=1, game="shogi")
    assert game_filters(parameters | {"game": "quoridor"}) == GameFilters(
        black="甲", result=0, game="quoridor"
    )
    assert position_filters("quoridor", parameters) == GameFilters(black="甲", result=0)


@pytest.mark.django_db
def test_a_filter_where_it_does_not_apply_is_refused():
    with pytest.raises(ValueError, match="max_rating"):
        resolve_filters(PUBLIC, GameFilters(min_rating=1, max_rating=2))
    with pytest.raises(ValueError, match="opening, record_kind"):
        resolve_filters(PUBLIC, GameFilters(opening="矢倉", record_kind="game", player="甲"))
