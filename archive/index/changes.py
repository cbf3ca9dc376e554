"""A revision of the public archive, which changes in libraries leave as it is."""

from __future__ import annotations

from archive.project.reading import connection


def public_revision() -> int | None:
    """Return a number that changes with every commit to the public archive, the same in all processes and
    after restarts. None in a transaction."""
    if connection.in_atomic_block:
        return None
    with connection.cursor() as cursor:
        cursor.execute("SELECT sum(public) FROM archive_changes")
        return int(cursor.fetchone()[0])
