"""Workers, engines and volunteers that die while games are analysed: nothing is lost or done twice.

`KIFU_ANALYSES=100` has a hundred games analysed, in some minutes.
"""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from archive.analysis import requests
from archive.models import AnalysisGame, AnalysisRequest, Game, User
from archive.project.engine_file import EngineFile
from kifu_core.shogi.position import Position
from tests.archive.analysed import assert_analysed, different_positions
from tests.archive.analysis_worker import start
from tests.archive.builders import ingest, random_line, ready
from tests.archive.test_usi import peer
from tests.serving import wait_for

pytestmark = pytest.mark.django_db(transaction=True)

GAMES = int(os.environ.get("KIFU_ANALYSES", "3"))
PLIES = 30
NODES = 300
LEASE = 5.0


def stored_games() -> list[Game]:
    """Games that share their beginnings, and some later positions."""
    random, start = Random(33), Position.initial()
    lines = [random_line(start, random, PLIES, 2) for _ in range(GAMES)]
    ingest(*[ready(line, black=f"先手{n}") for n, line in enumerate(lines)])
    return list(Game.objects.order_by("pk"))


@pytest.fixture
def engines(tmp_path, settings):
    """The file of our small engine, which dies in its 15th and hangs in its 30th search."""
    setting = peer(
        "die-at", "15", "hang-at", "30", str(tmp_path / "searches"), seconds=1, nodes=NODES, lines=2
    )
    settings.ENGINES = EngineFile(engine=(setting,), checked_share=0.0)
    command = ", ".join(json.dumps(word) for word in setting.command)
    file = tmp_path / "engines.toml"
    file.write_text(
        "checked_share = 0\n[[engine]]\n"
        f'name = "Peer"\nversion = "1.0"\nseconds = 1\nnodes = {NODES}\nlines = 2\ncommand = [{command}]\n'
    )
    return file


def test_what_dies_on_the_way_loses_nothing_and_does_nothing_twice(engines, tmp_path):
    games = stored_games()
    anna = User.objects.create_user("anna", role=User.Role.CURATOR)
    requests.request_search(anna, 0, {}, "all", requests.SearchOptions(lines=2))
    kills, random = 0, Random(7)
    accounts = ["", "", "anna"]
    running = [start(engines, LEASE, account) for account in accounts]
    until = time.monotonic() + 60 + 6 * GAMES
    try:
        while AnalysisRequest.objects.filter(state="open").exists():
            assert time.monotonic() < until, list(
                AnalysisGame.objects.values("state", "remaining", "failures")
            )
            requests.maintain()
            time.sleep(1.0)
            number = random.randrange(len(running))
            assert not any(process.poll() for process in running)
            if kills < 2 * GAMES and running[number].poll() is None:
                running[number].kill()
                running[number].wait()
                kills += 1
                running[number] = start(engines, LEASE, accounts[number])
    finally:
        for process in running:
            process.kill()
            process.wait()
    assert kills
    wait_for(lambda: not processes_about(tmp_path), 30)
    assert_analysed(games, NODES, 2)
    positions = different_positions(games)
    searches = (tmp_path / "searches").stat().st_size
    # Only what an engine was searching when it, or who had it, died, or the claim ended, is searched again.
    assert positions <= searches <= positions + 3 * kills + 20


def processes_about(folder: Path) -> list[str]:
    """The command lines of living processes that name a folder."""
    texts = []
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            texts.append((entry / "cmdline").read_text(errors="replace"))
    return [text for text in texts if str(folder) in text]
