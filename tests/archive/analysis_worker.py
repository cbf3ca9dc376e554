"""A worker, or a volunteer, in a process of its own, on the database of the tests:

    python -m tests.archive.analysis_worker NAME LEASE_SECONDS [ACCOUNT]

It works until all requests are done.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

from django.db import connection

ROOT = Path(__file__).resolve().parents[2]


def start(engines: Path, lease: float, account: str = "") -> subprocess.Popen[bytes]:
    """Start a worker, or a volunteer with an account, that has the engines of a file."""
    name = str(connection.settings_dict["NAME"])
    variables = {"DJANGO_SETTINGS_MODULE": "archive.project.settings", "ARCHIVE_ENGINES": str(engines)}
    return subprocess.Popen(
        [sys.executable, "-m", __name__, name, str(lease), account], cwd=ROOT, env=os.environ | variables
    )


def main(name: str, lease: str, account: str) -> None:
    from archive.project import settings

    settings.DATABASES["default"]["NAME"] = name
    import django

    django.setup()
    from archive.analysis import queue, usi, working
    from archive.models import AnalysisRequest, User

    queue.LEASE = timedelta(seconds=float(lease))  # type: ignore[misc]
    usi.STOP_SECONDS = 0.5  # type: ignore[misc]
    user = User.objects.get(username=account) if account else None
    while AnalysisRequest.objects.filter(state="open").exists():
        if not (volunteer(user) if user else working.turn(1.0)):
            time.sleep(0.1)


def volunteer(user: object) -> bool:
    """Analyse a claim position by position, as a volunteer who sends each one."""
    from archive.analysis import volunteers
    from archive.analysis.errors import AnalysisError
    from archive.analysis.usi import EngineError, UsiEngine
    from archive.models import User

    assert isinstance(user, User)
    work = volunteers.acquire(user)
    if work is None:
        return False
    engine = UsiEngine(work.engine)
    try:
        for ply in work.plies:
            verdict = engine.search(work.line.at(ply), work.nodes, work.lines)
            sign = -1 if ply % 2 else 1
            lines = [{"cp": sign * (one.score or 0), "moves": " ".join(one.moves)} for one in verdict.lines]
            given = {"ply": ply, "nodes": verdict.nodes, "depth": verdict.depth, "lines": lines}
            volunteers.submit(user, work.token, [given])
    except (AnalysisError, EngineError):
        pass
    finally:
        engine.close()
    return True


if __name__ == "__main__":
    main(*sys.argv[1:])
