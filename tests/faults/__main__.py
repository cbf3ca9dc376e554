"""Break archives on purpose, again and again, and look whether they are whole each time.

    python -m tests.faults [--engine sqlite|postgresql] [--kind NAME] [--games N] [--kills N] [--seed N]

Without `--engine` and `--kind` all of them, each with an archive of its own in a temporary folder. Prints
every fault and how many were survived; exits with 1 if one was not.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import django

from tests.serving import SQLITE_FILE, migrated

if TYPE_CHECKING:
    from tests.faults.servers import Postgres

ENGINES = ("sqlite", "postgresql")
KINDS = ("kill", "delete", "workers", "claims", "messages", "redis", "database", "disk", "analyses")
DISK_BYTES = {"sqlite": "48m", "postgresql": "512m"}
"""Small file systems; PostgreSQL's has its programs on it as well."""


@contextmanager
def archive(engine: str, kind: str) -> Iterator[Postgres | None]:
    """An environment with an empty archive; yields its database server, if there is one."""
    # A short path: Unix sockets have names of at most 107 bytes.
    with tempfile.TemporaryDirectory(prefix="kifu-faults-", dir="/tmp") as name:
        folder = Path(name)
        data = folder / "data"
        data.mkdir()
        for variable in ("DATABASE_URL", "CELERY_BROKER_URL"):
            os.environ.pop(variable, None)
        os.environ |= {
            "DJANGO_SETTINGS_MODULE": "archive.project.settings",
            "ARCHIVE_DATA_DIR": str(data),
            "ARCHIVE_CLAIM_SECONDS": "2",
            "ARCHIVE_SWEEP_SECONDS": "1",
            "ARCHIVE_ENTRY_SECONDS": "600",
        }
        place = data if engine == "sqlite" else folder / "postgres"
        place.mkdir(exist_ok=True)
        with _small_disk(place, DISK_BYTES[engine]) if kind == "disk" else nullcontext():
            if engine == "sqlite":
                shutil.copy(migrated(), data / SQLITE_FILE)
                yield None
                return
            with _postgres(folder, place) as server:
                yield server


@contextmanager
def _postgres(folder: Path, place: Path) -> Iterator[Postgres]:
    from tests.faults.servers import Postgres

    folder.chmod(0o755)
    server = Postgres(place)
    os.environ |= {"DATABASE_URL": server.address, "SECRET_KEY": "only-for-tests"}
    try:
        yield server
    finally:
        server.stop()


@contextmanager
def _small_disk(place: Path, size: str) -> Iterator[None]:
    """The folder as a small file system of its own, where we may mount one."""
    if os.geteuid() or shutil.which("mount") is None:
        yield
        return
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(place)]
    mounted = subprocess.run(command, check=False, capture_output=True).returncode == 0
    try:
        yield
    finally:
        if mounted:
            subprocess.run(["umount", "--lazy", str(place)], check=True)


def run(engine: str, kind: str, games: int, kills: int, seed: int) -> int:
    """One kind on one engine; the exit code."""
    with archive(engine, kind) as server:
        django.setup()
        from django.core.management import call_command
        from django.db import connections

        from tests.faults.case import Case, Skipped
        from tests.faults.faults import KINDS as FAULTS
        from tests.faults.world import make_hot

        if engine != "sqlite":
            call_command("migrate", verbosity=0)
        make_hot()
        case = Case(games, kills, Random(seed), server)
        print(f"{kind} on {engine}", flush=True)
        try:
            FAULTS[kind](case)
        except Skipped as reason:
            print(f"  skipped: {reason}", flush=True)
        finally:
            connections.close_all()
        print(f"  survived {case.survived} faults", flush=True)
    return 0


def run_all(options: argparse.Namespace) -> int:
    """Every kind on every engine that was asked for, each in a process of its own."""
    failed, survived = [], 0
    for engine in [options.engine] if options.engine else ENGINES:
        for kind in [options.kind] if options.kind else KINDS:
            words = ["--engine", engine, "--kind", kind, "--games", str(options.games)]
            words += ["--kills", str(options.kills), "--seed", str(options.seed)]
            with subprocess.Popen(
                [sys.executable, "-m", "tests.faults", *words], stdout=subprocess.PIPE, text=True
            ) as process:
                assert process.stdout is not None
                for line in process.stdout:
                    print(line, end="", flush=True)
                    if line.startswith("  survived "):
                        survived += int(line.split()[1])
            if process.returncode:
                failed.append(f"{kind} on {engine}")
    print(f"survived {survived} faults; not survived: {', '.join(failed) or 'none'}")
    return int(bool(failed))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--engine", choices=ENGINES)
    parser.add_argument("--kind", choices=KINDS)
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # so that servers are stopped
    if options.engine and options.kind:
        return run(options.engine, options.kind, options.games, options.kills, options.seed)
    return run_all(options)


if __name__ == "__main__":
    sys.exit(main())
