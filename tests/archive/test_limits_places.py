"""Searches that may take long: a visitor has one at a time, and the others their threads."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.test import Client, RequestFactory
from django.urls import resolve

from archive.http.limits import throttling
from archive.http.limits.places import Places
from archive.http.limits.rules import may_take_long
from archive.web.pages import views

HER, HIM = "198.51.100.1", "198.51.100.2"


@pytest.fixture
def searching(throttled, monkeypatch) -> Iterator[None]:
    """A visitor whose search does not end."""
    monkeypatch.setattr(throttling, "places", Places())
    monkeypatch.setattr("archive.http.limits.places.PATIENCE_SECONDS", 0)
    request = RequestFactory(REMOTE_ADDR=HER).get("/games/", {"q": "result:draw"})
    request.user = Client().request().wsgi_request.user
    request.resolver_match = resolve("/games/")
    throttling.charge_route(request, request.user)
    yield
    throttling.leave_place(request)


@pytest.mark.django_db
@pytest.mark.usefixtures("searching")
def test_another_search_of_the_same_visitor_is_told_to_come_again():
    def status(address: str, visitor: str) -> int:
        return Client(REMOTE_ADDR=visitor).get(address).status_code

    searches = ("/games/?q=plies:>100", "/api/v1/games?q=plies:>100", "/games.atom?q=plies:>100")
    assert [status(one, HER) for one in searches] == [429] * 3
    assert [status(one, HIM) for one in searches] == [200] * 3
    assert [status(one, HER) for one in ("/games/", "/games/?player=x", "/")] == [200] * 3
    refused = Client(REMOTE_ADDR=HER).get(searches[1])
    assert (refused.json()["code"], refused["Retry-After"]) == ("throttled", "2")


@pytest.mark.django_db
def test_a_search_gives_its_place_back_however_it_ends(throttled, monkeypatch):
    client = Client(raise_request_exception=False)
    monkeypatch.setattr(views, "find_games", lambda *_a, **_k: 1 / 0)
    assert [client.get("/games/?q=plies:>100").status_code for _ in range(2)] == [500, 500]
    assert not throttling.places.taken


@pytest.mark.parametrize(
    ("address", "long"),
    [
        ("/games/?q=x", True),
        ("/games/?q=", False),
        ("/games/?player=x", False),
        ("/games/?uploaded_to=2020-01-01", True),
        ("/api/v1/games/facets?q=x", True),
        ("/api/v1/games/suggestions?q=x", False),
        ("/positions/shogi/START/?player=x", True),
        ("/positions/shogi/START/", False),
    ],
)
def test_what_may_take_long(rf, address, long):
    request = rf.get(address)
    request.resolver_match = resolve(request.path)
    assert may_take_long(request) is long


def test_one_search_waits_for_the_one_before_and_a_third_does_not(monkeypatch):
    monkeypatch.setattr("archive.http.limits.places.PATIENCE_SECONDS", 20)
    places = Places()
    assert places.take("her")
    with ThreadPoolExecutor(1) as pool:
        second = pool.submit(places.take, "her")
        while not places.waiting:
            time.sleep(0.001)
        assert not places.take("her") and places.take("him")
        places.leave("her")
        assert second.result(20)
