"""Faults while games are analysed: engine workers, the broker and the database die in turn."""

from __future__ import annotations

import json
import os
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from datetime import timedelta
from itertools import cycle
from pathlib import Path

import redis
from django.conf import settings
from django.db import connections
from django.utils import timezone
from kombu import Connection
from kombu.exceptions import OperationalError as BrokerError

from archive.analysis import requests, tasks
from archive.intake import worker
from archive.models import AnalysisClaim, AnalysisRequest, Game, User, Verdict
from archive.project import engine_file
from archive.project.queues import ANALYSIS
from tests.archive.analysed import assert_analysed, different_positions
from tests.archive.test_usi import peer
from tests.faults.case import WAIT_SECONDS, Case
from tests.faults.servers import children_of, redis_server
from tests.faults.world import Broken, World
from tests.serving import free_port

NODES = 200


class Broker:
    """Redis if it is on this machine, which can be killed; otherwise the files of the settings."""

    def __init__(self) -> None:
        self.port = free_port() if shutil.which("redis-server") else None
        self.address = f"redis://127.0.0.1:{self.port}/0" if self.port else ""

    @contextmanager
    def running(self) -> Iterator[None]:
        with redis_server(self.port) if self.port else nullcontext():
            yield

    def send(self) -> None:
        """Send a message of a turn, as the scheduler does."""
        with suppress(BrokerError, OSError):
            if not self.port:
                tasks.analyse.apply_async(queue=ANALYSIS)
                return
            with Connection(self.address, connect_timeout=2) as channel:
                tasks.analyse.apply_async(queue=ANALYSIS, connection=channel)

    def drop_connections(self) -> None:
        assert self.port
        with redis.Redis(port=self.port) as client:
            client.client_kill_filter(_type="normal", skipme=True)


def killed_analyses(case: Case) -> None:
    """Kill what analyses games, one after the other, at moments spread over the work."""
    searches = _configure_engine()
    worker.work_off(World.with_pile(case.games).upload)
    games = list(Game.objects.order_by("pk"))
    anna = User.objects.create_user("anna", role=User.Role.CURATOR)
    requests.request_search(anna, 0, {}, "all", requests.SearchOptions())
    positions = different_positions(games)
    broker = Broker()
    faults = cycle(_faults(case, broker))
    with case.worker(broker.address, "analyst") as pid:
        for kill in range(case.kills):
            with broker.running():
                _work(broker, kill * positions // case.kills)
                time.sleep(case.dice.uniform(0, 0.5))
                title = next(faults)(pid)
            _let_claims_run_out()
            case.note(title, Verdict.objects.count())
        with broker.running():
            _work(broker, None)
    assert_analysed(games, NODES, 1)
    if not positions <= searches.stat().st_size <= positions + 3 * case.kills + 20:
        raise Broken(f"{searches.stat().st_size} searches for {positions} positions")


def _configure_engine() -> Path:
    """Give this process and its children our small engine; return the file with a byte for each search."""
    folder = Path(settings.DATA_DIR)
    setting = peer(str(folder / "searches"), nodes=NODES)
    command = ", ".join(json.dumps(word) for word in setting.command)
    file = folder / "engines.toml"
    file.write_text(f'[[engine]]\nname = "Peer"\nversion = "1.0"\nnodes = {NODES}\ncommand = [{command}]\n')
    os.environ[engine_file.NAME] = str(file)
    settings.ENGINES = engine_file.read(file, needed=True)
    return folder / "searches"


def _faults(case: Case, broker: Broker) -> list[Callable[[int], str]]:
    """Return the faults that can be made to happen here; each has the id of the worker's shell, and returns
    its title."""
    server = case.postgres

    def kill_worker(shell: int) -> str:
        family = [*children_of(shell)]
        for pid in [grandchild for child in family for grandchild in children_of(child)] + family:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return "kill -9 of the worker"

    def drop_broker(_shell: int) -> str:
        broker.drop_connections()
        return "every connection to Redis dropped"

    def kill_broker(_shell: int) -> str:
        return "Redis killed"  # by the end of `running`

    def drop_database(_shell: int) -> str:
        assert server
        connections.close_all()
        server.drop_connections()
        return "every connection to the database ended"

    def kill_database(_shell: int) -> str:
        assert server
        connections.close_all()
        server.kill()
        server.start()
        return "kill -9 of the database"

    of_broker = [drop_broker, kill_broker] if broker.port else []
    return [kill_worker, *of_broker, *([kill_database, drop_database] if server else [])]


def _work(broker: Broker, verdicts: int | None) -> None:
    """Send messages until there are so many verdicts, or until the requests are done. Raises TimeoutError."""
    until = time.monotonic() + WAIT_SECONDS
    while AnalysisRequest.objects.filter(state="open").exists():
        if verdicts is not None and Verdict.objects.count() >= verdicts:
            return
        if time.monotonic() > until:
            raise TimeoutError(f"{Verdict.objects.count()} verdicts")
        requests.maintain()
        broker.send()
        time.sleep(0.2)


def _let_claims_run_out() -> None:
    """As if the time had passed in which a silent worker is taken to be alive."""
    AnalysisClaim.objects.update(until=timezone.now() - timedelta(seconds=1))
