"""Whether a process of this machine works: `python -m archive.serving.healthy web|worker|scheduler`.

It ends with 0 where it does, else with 1 and a line: containers ask so, in which there is nothing else that
could. A web process is asked as visitors ask it; the others tell of themselves in the database.
"""

import sys
import urllib.error
import urllib.request
from typing import Final

from archive.project import env
from archive.project.startup import load_settings

SECONDS: Final = 10.0
"""How long a web process is given for its answer: a little longer than it gives itself."""

READY: Final = "/readyz?exclude=broker,worker,disk"
"""Without these the archive is read."""


def web() -> str:
    """Return what is wrong with the web process that listens here; nothing where it is ready."""
    host, port = env.address("ARCHIVE_BIND", "127.0.0.1:8000")
    if host in ("0.0.0.0", "::"):
        host = "127.0.0.1" if host == "0.0.0.0" else "::1"
    address = f"http://{f'[{host}]' if ':' in host else host}:{port}{READY}"
    try:
        with urllib.request.urlopen(address, timeout=SECONDS):
            return ""
    except (OSError, ValueError) as error:
        return f"{address}: {error}"


def heard(role: str) -> str:
    """Return what is wrong with the processes of that role here; nothing where one was heard of lately."""
    import django
    from django.db import Error

    django.setup(set_prefix=False)
    from archive.models import HeardProcess
    from archive.observing.heartbeats import heard_here

    try:
        return "" if heard_here(HeardProcess.Role(role)) else f"no {role} was heard of lately"
    except Error as error:
        return f"the database does not answer: {error}"


def main(role: str) -> int:
    """Write what is wrong with a role, if anything; return the exit code."""
    load_settings()
    wrong = web() if role == "web" else heard(role)
    if wrong:
        print(wrong, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
