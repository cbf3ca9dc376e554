"""Every address of the site and the API, requested by every kind of visitor, with the marks that each may
see.

`tests/data/role_walk.csv` has the status of each answer. What an answer says is looked through for marks that
stand in records and names of files; who may not read these must not meet them anywhere.
"""

from __future__ import annotations

import csv
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from archive.intake import worker
from archive.models import Entry, Upload
from archive.observing import logs
from kifu_core.classes import PUBLIC
from tests.archive.role_requests import GAMES, RequestRow, answer, requests
from tests.archive.role_world import (
    COLLECTION_READERS,
    COLLECTIONS,
    ENGINES,
    FILES,
    OPEN,
    READERS,
    SHARED,
    VISITORS,
    World,
    client_of,
    make_world,
    record_of,
    title_of,
)

TABLE: Final = Path(__file__).parents[1] / "data" / "role_walk.csv"
QUERIES: Final = (
    "/games/?q=zm", "/games/?player=zm", "/games/?player=zmprivat", "/players/?name=zm", "/events/?name=zm",
    "/games/?scope=all", "/games/?scope=public", "/api/v1/games?scope=all", "/api/v1/games?order=oldest",
    "/api/v1/games/facets?scope=all", "/api/v1/games/suggestions?player=zm", "/api/v1/games?q=zm&excerpts=1",
    "/api/v1/spaces?scope=all", "/players/?scope=all", "/statistics/?scope=all", "/?scope=all",
    "/api/v1/players?name=zm&scope=all", "/api/v1/players?order=games", "/api/v1/events?order=games",
    "/api/v1/games/export?scope=all", "/api/v1/games/export?scope=all&as=csv",
    "/api/v1/games/export?scope=all&as=kifu", "/api/v1/statistics?scope=all", "/api/v1/openings?scope=all",
    "/admin/archive/player/?q=zm", "/admin/archive/game/?q=zm", "/admin/archive/upload/?q=zf",
    "/collections/?scope=all", "/collections/?scope=public", "/api/v1/collections?scope=all",
    "/curation/?kind=taken", "/curation/?kind=days", "/curation/?kind=names", "/curation/?kind=twins",
    "/curation/?kind=people", "/curation/?kind=warnings", "/api/v1/nothing", "/nothing/",
)  # fmt: skip
"""Further addresses whose responses are searched for marks."""


@pytest.fixture(autouse=True)
def engines(settings):
    """An engine, which is never started."""
    settings.ENGINES = ENGINES


@pytest.fixture(scope="module")
def world(module_db: None) -> World:
    return make_world()


@pytest.fixture(scope="module")
def table() -> dict[tuple[str, str, str], dict[str, str]]:
    with TABLE.open(newline="") as file:
        return {(row["method"], row["address"], row["state"]): row for row in csv.DictReader(file)}


@pytest.mark.django_db
@pytest.mark.parametrize("visitor", VISITORS)
def test_visitors_read_only_what_their_role_allows(world, table, visitor, caplog):
    client, wrong, met = client_of(world, visitor), [], set()
    caplog.set_level(logging.INFO)
    caplog.set_level(logging.INFO, logger=logs.ACCESS)
    rows = list(requests(world))
    for request in rows:
        result = answer(client, request)
        expected = table.get(request.row, {}).get(visitor)
        if str(result.status_code) != expected:
            wrong.append(f"{','.join(request.row)}: {result.status_code}, not {expected}")
        wrong += [
            f"{request.address}: tells {mark}"
            for mark in leaked_marks(world, visitor, request, result.searchable)
        ]
        wrong += cacheable_secrets(world, request, result)
        met |= marks(world, result.searchable)
    for address in QUERIES:
        request = RequestRow("GET", address.partition("?")[0], "", address)
        text = answer(client, request).searchable
        wrong += [f"{address}: tells {mark}" for mark in leaked_marks(world, visitor, request, text)]
    assert not wrong, "\n".join(wrong)
    readable = {thing.mark for thing in world.things.values() if visitor in READERS[thing.state]}
    assert readable <= met
    assert {request.row for request in rows} == table.keys()
    key = world.things["unlisted"].key
    assert client.get(f"/shared/{key}/").status_code == 302
    log = unquote(caplog.text)
    assert "/api/v1/games/facets" in log
    assert "/shared/…/" in log and key not in log and not marks(world, log)


def marks(world: World, text: str) -> set[str]:
    of_things = [mark for thing in world.things.values() for mark in (thing.mark, thing.file)]
    return {mark for mark in (*of_things, *map(title_of, COLLECTIONS)) if mark in text}


def leaked_marks(world: World, visitor: str, request: RequestRow, text: str) -> Iterator[str]:
    """Yield the marks in an answer that this visitor must not meet there."""
    if visitor == "administrator" and request.template.startswith("/admin/"):
        return
    for thing in world.things.values():
        shared = visitor == "shared" and thing.state in SHARED and request.template.startswith(GAMES)
        if thing.mark in text and visitor not in READERS[thing.state] and not shared:
            yield thing.mark
        if thing.file in text and visitor not in FILES[thing.state]:
            yield thing.file
    for state, readers in COLLECTION_READERS.items():
        if title_of(state) in text and visitor not in readers:
            yield title_of(state)


def cacheable_secrets(world: World, request: RequestRow, result: Any) -> list[str]:
    """Return the answer if it has private marks and a shared cache could store it."""
    secret = {thing.mark for thing in world.things.values() if thing.state not in OPEN | {"hidden"}}
    secret |= {title_of(state) for state in COLLECTIONS if state != "public"}
    if not marks(world, result.searchable) & secret or request.template.startswith("/admin/"):
        return []
    cached = result.headers.get("Cache-Control", "")
    return [] if cached == "private, no-store" and "ETag" not in result.headers else [f"{request}: {cached}"]


@pytest.mark.django_db
@pytest.mark.parametrize("visitor", VISITORS)
def test_everybody_counts_what_they_may_read(world, visitor):
    client = client_of(world, visitor)
    readable = OPEN | {
        state for state in ("unlisted", "private", "group", "taken back") if visitor in READERS[state]
    }
    for state, thing in world.things.items():
        answered = client.get(f"/api/v1/positions/shogi/{thing.code}").json()
        assert answered["games"] == (state in readable), state
    assert client.get("/api/v1/games/facets").json()["total"]["count"] == len(readable)
    collection = world.collections["public"]
    assert client.get(f"/api/v1/collections/{collection}").json()["games"] == len(readable)
    of_collection = client.get(f"/api/v1/games/facets?collection={collection}").json()
    assert of_collection["total"]["count"] == len(readable)


@pytest.mark.django_db
@pytest.mark.parametrize("visitor", VISITORS)
def test_whether_a_record_is_here_is_told_of_what_one_may_read(world, visitor):
    client = client_of(world, visitor)
    for state in ("public", "published", "unlisted", "private", "group", "taken back"):
        bare = record_of(state).replace(world.things[state].mark, "x")
        leads = client.post("/find/", {"text": bare}).headers.get("Location", "")
        existing = leads == f"/games/{world.things[state].game}/"
        assert existing == (visitor in READERS[state]), (state, leads)


@pytest.mark.django_db
def test_what_one_sends_is_new_whoever_else_has_it(world):
    for state in ("unlisted", "private", "group", "taken back"):
        data = {"file": SimpleUploadedFile("x.kif", record_of(state).encode()), "space": "public"}
        sent = client_of(world, "other").post("/api/v1/uploads", data).json()["uploads"][0]
        assert not sent["duplicate"]
        worker.work_off(sent["id"])
        entry = Entry.objects.get(upload=sent["id"])
        assert entry.state == Entry.State.STORED and entry.game_id != world.things[state].game
        assert Upload.objects.get(pk=sent["id"]).space == PUBLIC
