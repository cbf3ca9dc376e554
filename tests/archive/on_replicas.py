"""What a process sees that reads from a standby: told as JSON for `test_replicas`."""

from __future__ import annotations

import json
import os
import signal
import time
from typing import Any, Final
from unittest.mock import patch

import django

django.setup()

import psycopg  # noqa: E402
from django.conf import settings  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.test import Client  # noqa: E402
from django.test.utils import setup_test_environment  # noqa: E402

from archive.http import replicas  # noqa: E402
from archive.intake import worker  # noqa: E402
from archive.models import Game  # noqa: E402
from archive.observing.standbys import standbys  # noqa: E402
from tests.archive.games import KIF, stored  # noqa: E402

SECOND: Final = KIF.replace("先手の人", "二人目")
LONG: Final = 30.0
OF_GAME: Final = ("", "/record.kif", "/positions", "/novelty", "/series")


settings.ARCHIVE_REPLICA_LAG_SECONDS = 2

PROCESS_VIEW = replicas.ReadFromReplicas.process_view


class Watched:
    """Notes which database has answered the last request."""

    def __init__(self) -> None:
        self.alias = ""

    def __call__(self, middleware: Any, request: Any, *view: Any) -> Any:
        chosen = replicas._database_for(request)
        with patch.object(replicas, "_database_for", lambda _request: chosen):
            answer = PROCESS_VIEW(middleware, request, *view)
        self.alias = "default" if answer is None else chosen
        return answer


def wait(condition: Any) -> None:
    end = time.monotonic() + LONG
    while not condition():
        assert time.monotonic() < end, "the standby does not do what it should"
        time.sleep(0.05)


def sampled() -> None:
    standbys.sampled = 0.0
    standbys.sample()


def caught_up() -> bool:
    sampled()
    return standbys.replicas[0].replayed >= standbys.ends[-1][1]


def on_standby(sql: str) -> None:
    with psycopg.connect(
        host=os.environ["STANDBY"], user="postgres", dbname="postgres", autocommit=True
    ) as found:
        found.execute(sql)


def told() -> dict[str, Any]:
    setup_test_environment()
    call_command("migrate", verbosity=0)
    stored(KIF)
    wait(caught_up)
    watched = Watched()

    def process_view(middleware: Any, *asked: Any) -> Any:
        return watched(middleware, *asked)

    with patch.object(replicas.ReadFromReplicas, "process_view", process_view):
        return reading(watched) | writing(watched) | leaving(watched)


def reading(watched: Watched) -> dict[str, Any]:
    client, game = Client(), Game.objects.get()
    code = client.get("/api/v1/statistics").json()["start_url"].partition("testserver")[2]
    place = code.removeprefix("/api/v1")
    addresses = [
        "/", "/games/", "/games/?q=先手の人 OR x", "/games.atom", f"/games/{game.pk}/", "/players/",
        f"/players/{game.player0_id}/", f"/events/{game.event_id}/", "/statistics/", "/events/",
        f"/embed/games/{game.pk}/", f"{place}/", f"{place}.atom", f"/embed{place}/", "/api/v1/games",
        "/api/v1/games/facets", "/api/v1/games/suggestions?player=x",
        *(f"/api/v1/games/{game.pk}{part}" for part in OF_GAME),
        "/api/v1/players", f"/api/v1/players/{game.player0_id}", "/api/v1/events", "/api/v1/statistics",
        f"/api/v1/events/{game.event_id}", "/api/v1/openings", code, f"{code}?player=先手の人",
        f"{code}/games", f"{code}/tree", f"{code}/trend",
    ]  # fmt: skip
    found: dict[str, Any] = {"read": {}, "statuses": {}, "not read": {}}
    for address in addresses:
        found["statuses"][address] = client.get(address).status_code
        found["read"][address] = watched.alias
    for address in ("/uploads/", "/sign-in/", "/upload/", "/api/v1/uploads"):
        client.get(address)
        found["not read"][address] = watched.alias
    client.get("/api/v1/games", headers={"Authorization": "Bearer x"})
    found["not read"]["with a token"] = watched.alias
    return found


def writing(watched: Watched) -> dict[str, Any]:
    """Write while the standby stands still, and read as who wrote, as a stranger and as a program."""
    on_standby("SELECT pg_wal_replay_pause()")
    writer = Client(enforce_csrf_checks=False)
    writer.get("/upload/")
    with patch("archive.intake.tasks.enqueue"):
        sent = writer.post("/api/v1/uploads", {"text": SECOND, "name": "second.kif"}).json()["uploads"][0][
            "id"
        ]
    worker.work_off(sent)
    entry = writer.get(f"/api/v1/uploads/{sent}/entries").json()["results"][0]
    game = f"/games/{entry['game_id']}/"
    sampled()
    mine = {"status": writer.get(game).status_code, "from": watched.alias}
    # The standby knows nothing of it yet: whoever follows the address is answered by the first database.
    mine["known to others"] = Client().get(game).status_code
    program = Client().get(f"/api/v1{game.rstrip('/')}").status_code

    def behind() -> bool:
        sampled()
        return standbys.lag(standbys.replicas[0]) > 2

    wait(behind)
    Client().get("/games/")
    lagging, lag = watched.alias, standbys.lags()["replica1"]
    on_standby("SELECT pg_wal_replay_resume()")
    wait(caught_up)
    Client().get("/games/")
    return {"writer": mine, "program": program, "lagging": lagging, "lag": lag, "again": watched.alias}


def leaving(watched: Watched) -> dict[str, Any]:
    """Stop the standby under a process that reads from it."""
    os.kill(int(os.environ["STANDBY_PID"]), signal.SIGQUIT)
    time.sleep(1)
    standbys.sampled = time.monotonic() + 1  # nobody has looked yet: the request itself finds out
    of_api = [Client().get("/api/v1/games").status_code]
    standbys.replicas[0].out_until = 0.0
    standbys.sampled = time.monotonic() + 1
    statuses = [Client().get("/games/").status_code for _ in range(5)]
    of_api.append(Client().get("/api/v1/games").status_code)
    return {
        "gone": statuses,
        "gone, API": of_api,
        "gone from": watched.alias,
        "lags of what is gone": standbys.lags(),
    }


if __name__ == "__main__":
    print(json.dumps(told(), ensure_ascii=False))
