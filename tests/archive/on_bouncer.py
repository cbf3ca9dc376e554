"""What a process does with an archive that it reaches through a pooler: told as JSON for `test_pgbouncer`."""

from __future__ import annotations

import io
import json
import sys
from typing import Any
from unittest.mock import patch

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.core.checks import run_checks  # noqa: E402
from django.core.exceptions import ImproperlyConfigured  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.core.management.base import CommandError  # noqa: E402
from django.db import connection  # noqa: E402
from django.test.utils import override_settings  # noqa: E402

from archive.index import citus  # noqa: E402
from archive.index.engine import engine  # noqa: E402
from archive.intake import uploads  # noqa: E402
from archive.models import Game, Upload  # noqa: E402


def checked() -> list[str]:
    """The checks that find something about the database."""
    return [str(one.id) for one in run_checks(tags=["database"], databases=["default"])]


def refused() -> list[str]:
    """What is said to who wants a session for themselves."""
    said = []
    try:
        call_command("distribute")
    except CommandError as error:
        said.append(str(error))
    with patch.object(citus, "shards", return_value=32):
        try:
            citus.set_up_session(connection)
        except ImproperlyConfigured as error:
            said.append(str(error))
    connection.settings_dict["SHARDS"] = 0
    return said


def limit_afterwards() -> set[str]:
    """The time limit that other transactions have after one that had its own."""
    with engine().time_limit(5), connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    found = set()
    for _ in range(10):
        with connection.cursor() as cursor:
            cursor.execute("SELECT current_setting('statement_timeout')")
            found.add(cursor.fetchone()[0])
    return found


def told(upload: int) -> dict[str, Any]:
    games, out = Game.objects.count(), io.StringIO()
    with_pooler = checked()
    with override_settings(DATABASE_POOLER=False):
        without = checked()
    uploads.withdraw(upload, 60)
    call_command("verify_archive", stdout=out)
    return {
        "checked": [with_pooler, without],
        "refused": refused(),
        "limits": sorted(limit_afterwards()),
        "deleted": [games - Game.objects.count(), Upload.objects.filter(pk=upload).count()],
        "verified": out.getvalue().splitlines()[-1],
        "pooler": settings.DATABASE_POOLER,
    }


if __name__ == "__main__":
    print(json.dumps(told(int(sys.argv[1]))))
