"""A command in a process of its own, on the database of the tests:

    python -m tests.archive.on_test_database NAME {"HOT_GAMES": 3, ...} KILL_AT COMMAND ARGUMENT...

The JSON object replaces constants of the index's schema. The process kills itself before its statement number
KILL_AT, counted from 1, and with 0 not at all.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from itertools import count
from pathlib import Path
from typing import Any

from django.db import connection


def start(constants: dict[str, object], *command: str, kill_at: int = 0) -> subprocess.Popen[str]:
    """Start a command of manage.py; its output is in the pipes."""
    name = str(connection.settings_dict["NAME"])
    return subprocess.Popen(
        [sys.executable, "-m", __name__, name, json.dumps(constants), str(kill_at), *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).resolve().parents[2],
        env=os.environ | {"DJANGO_SETTINGS_MODULE": "archive.project.settings"},
    )


def main() -> None:
    name, constants, kill_at, *command = sys.argv[1:]
    from archive.project import settings

    settings.DATABASES["default"]["NAME"] = name
    import django

    django.setup()
    from django.core.management import call_command

    from archive.index import schema

    for constant, value in json.loads(constants).items():
        changed = {int(key): number for key, number in value.items()} if isinstance(value, dict) else value
        setattr(schema, constant, changed)
    numbers = count(1)

    def deadly(execute: Any, *statement: Any) -> Any:
        if next(numbers) == int(kill_at):
            os.kill(os.getpid(), signal.SIGKILL)
        return execute(*statement)

    with connection.execute_wrapper(deadly):
        call_command(*command)


if __name__ == "__main__":
    main()
