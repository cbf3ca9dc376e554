"""The archive through a real PgBouncer that has a connection for a transaction only: two of them for all
processes of the archive, so that nobody has the same one twice. Where there is no PgBouncer these tests skip.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest

from tests.archive import test_replicas as replicas
from tests.archive.games import KIF, START
from tests.archive.test_workers import collection
from tests.postgres import Runner, address_of, wait_for_server
from tests.serving import ROOT, START_SECONDS, Archive, free_port, started

pytestmark = [pytest.mark.one_engine, pytest.mark.worker]
PROGRAM: Final = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
PORT: Final = 6432
"""Of a socket in a folder of its own."""
SETTINGS: Final = f"""
[databases]
{{databases}}
[pgbouncer]
listen_addr =
listen_port = {PORT}
unix_socket_dir = {{folder}}
auth_type = any
pool_mode = transaction
default_pool_size = 2
max_client_conn = 100
query_wait_timeout = 3
"""
GAMES: Final = 60


@dataclass
class Bouncer:
    """A PgBouncer that runs."""

    process: subprocess.Popen[bytes]
    folder: Path

    def address(self, name: str) -> str:
        """The address of one of its databases."""
        return f"{address_of(self.folder).rpartition('/')[0]}:{PORT}/{name}"


@contextmanager
def bouncer(folder: Path, **databases: str) -> Iterator[Bouncer]:
    """One that runs as long as the context, before these databases, each told as where it is."""
    runner = Runner()
    lines = [f"{name} = {where} user=postgres" for name, where in databases.items()]
    folder.mkdir()
    runner.own(folder)
    settings = folder / "pgbouncer.ini"
    settings.write_text(SETTINGS.format(databases="\n".join(lines), folder=folder))
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [str(PROGRAM), settings], stdout=log, stderr=log, cwd=folder, **runner.identity()
        )
    try:
        wait_for_server(process, folder, PORT)
        yield Bouncer(process, folder)
    finally:
        process.kill()
        process.wait()


@dataclass
class Found:
    """What was told: by who reads from the standby, by an archive of two workers, by a program of its own."""

    replicas: dict[str, Any]
    served: dict[str, Any]
    program: dict[str, Any]
    refused: str
    gone: dict[str, Any]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Found]:
    if PROGRAM is None:
        reason = "there is no pgbouncer on this machine"
        print(reason)
        pytest.skip(reason)
    with (
        replicas.pair() as (folders, servers),
        bouncer(folders[0].parent / "p", **pair_of(folders)) as running,
    ):
        direct = os.environ | environment(address_of(folders[0]))
        subprocess.run([sys.executable, "manage.py", "migrate", "-v0"], cwd=ROOT, env=direct, check=True)
        through = environment(running.address("first")) | {"ARCHIVE_DATABASE_POOLER": "1"}
        standby = {"ARCHIVE_REPLICA_URLS": running.address("standby")}
        read = replicas.run_reader(folders, servers[1].pid, **through, **standby)
        folder = tmp_path_factory.mktemp("pooled")
        with started(os.environ | through | served_at(folder), folder / "serve.log") as archive:
            served = used(archive)
            program = asked(through, served["large"])
            running.process.kill()
            running.process.wait()
            gone = {path: answered(archive, path) for path in ("/api/v1/games", "/games/")}
        with bouncer(folders[0].parent / "q", **pair_of(folders)) as again:
            yield Found(read, served, program, refusal(again.address("first")), gone)


def pair_of(folders: list[Path]) -> dict[str, str]:
    """A server and its standby, as the databases `first` and `standby`; `postgres` is for who only waits."""
    first, standby = (f"host={folder} dbname=postgres" for folder in folders)
    return {"first": first, "standby": standby, "postgres": first}


def environment(url: str) -> dict[str, str]:
    return {
        "DATABASE_URL": url,
        "SECRET_KEY": "only-for-tests",
        "DJANGO_SETTINGS_MODULE": "archive.project.settings",
    }


def served_at(folder: Path) -> dict[str, str]:
    return {
        "ARCHIVE_DATA_DIR": str(folder), "ARCHIVE_BIND": f"127.0.0.1:{free_port()}", "ARCHIVE_SAMPLES": "0",
        "ARCHIVE_ANONYMOUS_UPLOAD": "1", "ARCHIVE_WEB_WORKERS": "1", "ARCHIVE_INGEST_WORKERS": "2",
    }  # fmt: skip


def used(archive: Archive) -> dict[str, Any]:
    """Send, search and take out."""
    sent = [archive.post_file(collection(GAMES).replace("人".encode(), f"士{n}".encode()), f"{n}.csa")
            for n in range(2)]  # fmt: skip
    paste = archive.post_text(KIF.replace("先手の人", "貼り付けた人"), "paste.kif")
    entries = [archive.wait_done(upload)["entries"]["stored"] for upload in (*sent, paste)]
    bulk = f"{archive.url}/api/v1/games/export?as=ndjson"
    with urllib.request.urlopen(bulk, timeout=START_SECONDS) as answer:
        *exported, _cursor = answer.read().splitlines()
    return {
        "large": sent[0],
        "entries": entries,
        "found": len(archive.get("/api/v1/games?q=%E8%B2%BC%E3%82%8A")["results"]),
        "explored": archive.get(f"/api/v1/positions/shogi/{START}")["games"],
        "exported": len(exported),
        "log": archive.log.read_text(),
    }


def asked(settings: dict[str, str], upload: int) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.archive.on_bouncer", str(upload)],
        cwd=ROOT, env=os.environ | settings, capture_output=True, text=True, timeout=400, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


def answered(archive: Archive, path: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(archive.url + path, timeout=START_SECONDS) as answer:
            return answer.status, ""
    except urllib.error.HTTPError as error:
        return error.code, error.headers["Retry-After"]


def refusal(address: str) -> str:
    """What is said to a program that does not know of the pooler: it connects as the settings do then."""
    try:
        psycopg.connect(address, options="-c plan_cache_mode=force_generic_plan").close()
    except psycopg.OperationalError as error:
        return str(error)
    return ""


def test_reading_from_a_standby_behind_it_is_as_without_it(found):
    replicas.test_pages_and_answers_are_read_from_the_standby(found.replicas)
    replicas.test_accounts_uploads_and_programs_are_asked_of_the_first_database(found.replicas)
    replicas.test_who_wrote_reads_what_they_wrote_while_the_standby_stands_still(found.replicas)
    replicas.test_what_the_standby_does_not_know_yet_is_asked_of_the_first_database(found.replicas)
    replicas.test_a_standby_that_lags_is_left_out_and_read_again_when_it_has_come_up(found.replicas)
    replicas.test_a_standby_that_is_gone_costs_nobody_an_answer(found.replicas)


def test_two_workers_store_what_is_sent_and_it_is_found_explored_and_exported(found):
    games = 2 * GAMES + 3  # and the two of the reading from the standby
    assert found.served["entries"] == [GAMES, GAMES, 1]
    assert (found.served["found"], found.served["explored"], found.served["exported"]) == (1, games, games)
    assert "Traceback" not in found.served["log"]


def test_what_is_deleted_is_gone_and_nothing_differs(found):
    assert found.program["deleted"] == [GAMES, 0]
    assert found.program["verified"] == "no difference"


def test_a_time_limit_does_not_outlive_its_transaction(found):
    assert found.program["limits"] == ["0"]


def test_the_checks_know_whether_there_is_a_pooler(found):
    assert found.program["checked"] == [[], ["archive.W005"]]


def test_who_does_not_know_of_it_is_refused(found):
    assert "unsupported startup parameter" in found.refused


def test_what_needs_a_session_is_refused(found):
    distribute, shards = found.program["refused"]
    assert "needs the coordinator itself" in distribute
    assert "ALTER DATABASE ... SET citus.multi_shard_modify_mode" in shards


def test_while_it_is_gone_the_answer_is_503_and_when_to_come_again(found):
    assert found.gone == {"/api/v1/games": (503, "15"), "/games/": (503, "15")}
