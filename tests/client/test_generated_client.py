"""A client that somebody else's program makes of the contract works, and its types hold."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.client.conftest import Served
from tests.serving import ROOT
from tools.contract import FILE

pytestmark = [pytest.mark.worker, pytest.mark.one_engine]

SESSION = Path(__file__).with_name("session.py")
SENT = ROOT / "tests" / "data" / "kif" / "even_game.kifu"
# What the generator knows of no type of answers but text, JSON and files.
OPTIONS = "content_type_overrides:\n  image/svg+xml: application/octet-stream\n"
BIN = Path(sys.executable).parent


@pytest.fixture(scope="session")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a package that was made of the contract without a warning."""
    folder = tmp_path_factory.mktemp("generated")
    (folder / "options.yaml").write_text(OPTIONS)
    command = [
        str(BIN / "openapi-python-client"), "generate", "--path", str(FILE), "--meta", "none",
        "--config", "options.yaml", "--output-path", "kifu_client", "--fail-on-warning",
    ]  # fmt: skip
    path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command, cwd=folder, env=os.environ | {"PATH": path}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0 and "WARNING" not in done.stdout, done.stdout + done.stderr
    return folder


def test_the_types_of_the_client_are_true_to_a_strict_reader(generated: Path, pytestconfig: pytest.Config):
    shutil.copy(SESSION, generated / "session.py")

    def read(name: str, *options: str) -> subprocess.CompletedProcess[str]:
        """Run mypy; what it has read of the libraries is kept for the next run of the tests."""
        kept = pytestconfig.cache.mkdir(f"client-{name}") if pytestconfig.cache else generated / name
        command = [sys.executable, "-m", "mypy", "--config-file=", "--follow-imports=silent"]
        command += [f"--cache-dir={kept}", *options]
        return subprocess.run(command, cwd=generated, capture_output=True, text=True, check=False)

    done = read("session", "--strict", "session.py")
    assert done.returncode == 0, done.stdout
    # The generator's own module of connections takes more than it is told to; it is always the same.
    done = read("contract", "-p", "kifu_client.models", "-p", "kifu_client.api")
    assert done.returncode == 0, done.stdout


def test_no_name_in_the_client_is_a_number(generated: Path):
    names = [path.stem for path in (generated / "kifu_client" / "models").glob("*.py")]
    assert len(names) > 100
    assert [name for name in names if name[-1].isdigit() and name not in NUMBERED] == []


NUMBERED = {
    "get_schema_response_200": "of no shape: it is the contract",
    "get_reconcile_response_200": "of another specification: the Reconciliation Service API",
    "post_reconcile_response_200": "of another specification",
    "get_reconcile_suggest_response_200": "of another specification",
    "get_reconcile_properties_response_200": "of another specification",
    "post_position_find_json_body_type_0": "one of several things that may be sent",
    "converted_record_record_type_1": "a text, or an object",
}
"""Names that the generator makes of what has none, and why."""


def test_a_whole_session_with_the_client(generated: Path, served: Served):
    command = [sys.executable, str(SESSION), served.archive.url, served.token, str(SENT)]
    environment = os.environ | {"PYTHONPATH": str(generated)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    assert (result["upload"], result["stored"], result["entry"]) == ("done", 1, "stored")
    assert result["same bytes"] and result["own"] == [True]
    game = result["game"]
    assert (game["black"], game["plies"]) == ("見本太郎", len(game["codes"]) - 1)
    assert "見本太郎" in game["record"] and "７六歩(77)" in game["record"]
    assert result["found"] == [result["id"]]
    *games, last = result["exported"]
    assert last["complete"] and last["games"] == len(games) and games[-1]["record"]["moves"]
    assert result["id"] in [one["id"] for one in games]
    explored = result["explored"]
    assert explored["games"] > 1 and explored["moves"]["7g7f"] > 1 and explored["legal"] == 30
    assert result["id"] in explored["through"] and explored["tree"] in explored["moves"]
    assert explored["picture"] == "<svg"
    assert result["looked up"]["batch"] > 0 and result["looked up"]["invalid"] == "truncated"
    assert result["looked up"]["found"] != game["codes"][0]
    assert result["statistics"]["games"] > 10 and result["statistics"]["positions"] > 1000
    assert result["read"]["plies"] == game["plies"] and "+7776FU" in result["read"]["csa"]
    assert result["problems"] == {
        "a game": "404 not-found",
        "a query": "400 query-syntax",
        "a code": "400 truncated",
        "a token": "401 authentication-failed",
        "a stranger": "404 not-found",
    }
