"""A health check for containers: `python -m archive.serving.healthy web|worker|scheduler`.

Ends with 0 if a process of the role works on this machine, else with 1 and an error. A web process is checked
by a request, the others by their heartbeats in the database.
"""

import sys
import urllib.error
import urllib.request
from typing import Final

from archive.project import env
from archive.project.startup import load_settings

SECONDS: Final = 10.0
"""The timeout for a web process's answer: longer than its own limit."""

READY: Final = "/readyz?exclude=broker,worker,disk"
"""The archive can be read without these components."""


def web_error() -> str:
    """Return the error of the web process that listens here; empty if it is ready."""
    host, port = env.address("ARCHIVE_BIND", "127.0.0.1:8000")
    if host in ("0.0.0.0", "::"):
        host = "127.0.0.1" if host == "0.0.0.0" else "::1"
    address = f"http://{f'[{host}]' if ':' in host else host}:{port}{READY}"
    try:
        with urllib.request.urlopen(address, timeout=SECONDS):
            return ""
    except (OSError, ValueError) as error:
        return f"{address}: {error}"


def heartbeat_error(role: str) -> str:
    """Return an error if no process of a role has a recent heartbeat; otherwise nothing."""
    import django
    from django.db import Error

    django.setup(set_prefix=False)
    from archive.models import ProcessRole
    from archive.observing.heartbeats import is_running_here

    try:
        return "" if is_running_here(ProcessRole(role)) else f"no {role} was heard of lately"
    except Error as error:
        return f"the database does not answer: {error}"


def main(role: str) -> int:
    """Print the error of a role, if any; return the exit code."""
    load_settings()
    if error := web_error() if role == "web" else heartbeat_error(role):
        print(error, file=sys.stderr)
    return 1 if error else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
