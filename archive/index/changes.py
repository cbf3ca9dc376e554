"""What tells that the public archive has changed, whatever happens in libraries."""

from __future__ import annotations

from archive.project.reading import connection


def public_revision() -> int | None:
    """Return a number that is another one as soon as anybody has committed a change of what the public
    archive holds, in all processes alike and beyond their lives. None in a transaction."""
    if connection.in_atomic_block:
        return None
    with connection.cursor() as cursor:
        cursor.execute("SELECT sum(public) FROM archive_changes")
        return int(cursor.fetchone()[0])
