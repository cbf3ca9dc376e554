"""What was answered is answered again without a look at the tables, and never when anything has changed."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.core.cache import caches
from django.db import connection, transaction
from django.test import Client

from archive import store
from archive.caching import responses, values
from archive.index.engine import engine
from archive.models import Entry, Game, Player, User
from archive.queries.games import records_by_kind
from archive.queries.games.statistics import counts
from archive.queries.scope import PUBLIC
from benchmarks.pages import uncached_address
from tests.archive.games import KIF, START, stored

pytestmark = pytest.mark.django_db(transaction=True)

OTHER = KIF.replace("先手の人", "甲").replace("後手の人", "乙")


def addresses() -> list[str]:
    game = Game.objects.get()
    return [
        f"/games/{game.pk}/", f"/games/{game.pk}/?ply=2", f"/embed/games/{game.pk}/",
        "/games/?player=先手の人", f"/positions/shogi/{START}/", "/players/",
        f"/players/{game.player0_id}/", f"/events/{game.event_id}/", f"/api/v1/games/{game.pk}",
        f"/api/v1/positions/shogi/{START}", "/api/v1/games",
    ]  # fmt: skip


@pytest.fixture(autouse=True)
def game() -> Game:
    stored(KIF, "one.kif")
    return Game.objects.get()


@pytest.fixture
def visitor() -> Client:
    client = Client()
    client.get("/upload/")
    return client


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, which stands still until a test changes it: some numbers are kept for a second only."""
    now = [time.time()]
    monkeypatch.setattr(time, "time", lambda: now[0])
    return now


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """The archive's only game is more than is counted after each change."""
    monkeypatch.setattr(records_by_kind, "RECOUNT_LIMIT", 0)
    monkeypatch.setattr(records_by_kind, "GAMES_A_SECOND", 1)


def elsewhere(change: Callable[[], object]) -> None:
    """Run it as another process would, on a connection of its own."""

    def run() -> None:
        change()
        connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()


def tables_read(client: Client, path: str) -> list[str]:
    asked: list[str] = []

    def noted(execute: Callable[..., Any], sql: str, *options: Any) -> Any:
        asked.append(sql)
        return execute(sql, *options)

    with connection.execute_wrapper(noted):
        assert client.get(path).status_code == 200, path
    return [sql for sql in asked if "archive_" in sql and "archive_changes" not in sql]


def tables_read_again(path: str, *clients: Client) -> list[str]:
    """Return what is looked up for an answer that was given a moment ago."""
    clients[0].get(path)
    return [sql for client in clients for sql in tables_read(client, path)]


def test_what_was_answered_is_not_looked_up_again(visitor: Client, clock: list[float]):
    for path in addresses():
        assert tables_read(visitor, path), path
        assert tables_read_again(path, visitor, Client()) == [], path


def test_a_change_by_anybody_is_seen_at_once(visitor: Client, game: Game, clock: list[float]):
    path = f"/games/{game.pk}/"
    change = Game.objects.filter(pk=game.pk).update
    for run in (elsewhere, lambda change: change()):
        assert tables_read_again(path, visitor) == []
        run(partial(change, plies=game.plies))
        assert tables_read(visitor, path)
    visitor.get("/players/")
    elsewhere(lambda: Player.objects.filter(pk=game.player0_id).update(name="改名"))
    assert "改名" in visitor.get("/players/").content.decode()


def test_a_new_game_is_in_every_list_at_once(visitor: Client):
    lists = ("/games/?player=乙", f"/positions/shogi/{START}/", "/players/", "/api/v1/games")
    before = [visitor.get(path).content for path in lists]
    elsewhere(lambda: stored(OTHER, "two.kif"))
    assert all(
        b"\xe4\xb9\x99" in visitor.get(path).content != old for path, old in zip(lists, before, strict=True)
    )


def test_what_is_taken_down_is_gone_at_once(visitor: Client, game: Game):
    paths = [path for path in addresses() if f"games/{game.pk}" in path]
    for path in paths:
        visitor.get(path), visitor.get(path)
    elsewhere(lambda: store.begin_deletion(Entry.objects.get().upload_id))
    assert [visitor.get(path).status_code for path in paths] == [410] * len(paths)


def test_no_answer_of_a_stranger_is_one_of_a_member_nor_the_other_way_round(visitor: Client):
    member = Client()
    member.force_login(User.objects.create_user("anna"))
    for path in addresses():
        first = visitor.get(path).content
        for _ in range(2):
            assert tables_read(member, path), path
        assert visitor.get(path).content.count(b"anna") == first.count(b"anna") == 0


def test_within_a_transaction_nothing_is_known(visitor: Client, game: Game):
    path = f"/api/v1/games/{game.pk}"
    assert visitor.get(path).json()["result"] == "black"
    with transaction.atomic():
        Game.objects.filter(pk=game.pk).update(result=Game.Result.DRAW)
        assert engine().revision() is None
        assert visitor.get(path).json()["result"] == "draw"
        transaction.set_rollback(True)
    assert visitor.get(path).json()["result"] == "black"


def test_an_answer_is_no_older_than_the_numbers_in_it(visitor: Client, clock: list[float], large: None):
    visitor.get("/")
    Player.objects.create(name="三人目", key="三人目")
    home = visitor.get("/").content
    assert tables_read_again("/", visitor) == []
    caches["counted"].clear()
    clock[0] += 2
    assert tables_read(visitor, "/"), "the numbers were to be used for a second"
    assert b"+</dd>" in home and b"+</dd>" not in visitor.get("/").content


def test_what_the_tables_tell_is_looked_for_once_as_long_as_nobody_commits_anything() -> None:
    asked: list[int] = []

    def players() -> int:
        asked.append(Player.objects.count())
        return asked[-1]

    def told() -> int:
        return values.cached_until_commit("players", players)

    assert (told(), told(), asked) == (2, 2, [2])
    Player.objects.create(name="三人目", key="三人目")
    assert (told(), told(), asked) == (3, 3, [2, 3])
    with transaction.atomic():
        # What a transaction has changed itself nobody else sees, and it sees it at once.
        Player.objects.create(name="四人目", key="四人目")
        assert (told(), told(), asked) == (4, 4, [2, 3, 4, 4])


def test_the_first_number_to_be_counted_anew_tells_how_long_an_answer_holds(large: None):
    values.begin()
    longest = values.seconds_left()
    # What is exact holds until something is committed.
    assert counts(PUBLIC).games == 1 and values.seconds_left() > longest - 60
    Player.objects.create(name="三人目", key="三人目")
    assert counts(PUBLIC).games == 1 and values.seconds_left() < 1.1
    values.begin()
    assert values.cached("never", lambda: 1, lambda _found: 0) == (1, True)
    assert values.seconds_left() > 2


def test_uncached_addresses_of_benchmarks_are_not_answered_from_the_cache(visitor, monkeypatch):
    asked = [visitor.get(address).status_code for address in addresses() for _ in range(2)]
    assert {*asked} == {200}

    cached = responses.cache.get

    def uncached(name: str) -> object:
        value = cached(name)
        assert not isinstance(value, responses.CachedResponse)
        return value

    monkeypatch.setattr(responses.cache, "get", uncached)
    for address in addresses():
        assert visitor.get(uncached_address(address)).status_code == 200
