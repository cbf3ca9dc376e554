"""The versions of the archive and its components."""

import platform
from importlib import metadata

import django
from django.db import connection

from kifu_core import __version__


def versions() -> dict[str, str]:
    """Return the versions of the archive, Python, Django, Celery and the database."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT sqlite_version()" if connection.vendor == "sqlite" else "SHOW server_version")
        (server,) = cursor.fetchall()[0]
    return {
        "Kifu Archive": __version__,
        "Python": platform.python_version(),
        "Django": django.get_version(),
        "Celery": metadata.version("celery"),
        connection.display_name: str(server),
    }
