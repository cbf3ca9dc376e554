"""Dumps of everything public."""

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from archive.api.endpoints import endpoint
from archive.api.shapes.dumps import DumpsTold
from archive.api.telling import Example, Told
from archive.columns import offered as columns
from archive.dumps.offered import MANIFEST, SUMS, Dump, offered


@endpoint("GET", told=Told({200: DumpsTold}, examples=(Example("All of them"),)))
def dumps(request: Request) -> Response:
    """List the dumps of everything public that are offered, newest first, and the columns."""
    results = [_dump(dump, request) for dump in offered()]
    return Response({"results": results, "columns": _columns(columns.offered(), request)})


def _columns(found: columns.Columns | None, request: Request) -> dict[str, Any] | None:
    def address(file: str) -> str:
        return str(reverse("dump-file", [columns.NAME, file], request=request))

    if found is None:
        return None
    return {
        "version": found.version,
        "games": found.games,
        "rows": found.rows,
        "size": found.size,
        "files": [
            {
                "name": file.name,
                "size": file.size,
                "sha256": file.sha256,
                "games": file.games,
                "rows": file.rows,
                "url": address(file.name),
            }
            for file in found.files
        ],
        "gone": found.gone,
        "manifest_url": address(MANIFEST),
    }


def _dump(dump: Dump, request: Request) -> dict[str, Any]:
    def address(file: str) -> str:
        return str(reverse("dump-file", [dump.name, file], request=request))

    return {
        "name": dump.name,
        "made": dump.made,
        "games": dump.games,
        "size": dump.size,
        "revision": dump.revision,
        "files": [
            {
                "name": file.name,
                "size": file.size,
                "sha256": file.sha256,
                "games": file.games,
                "url": address(file.name),
            }
            for file in dump.files
        ],
        "manifest_url": address(MANIFEST),
        "sums_url": address(SUMS),
        "taken_down": [{"dump": older, "games": games} for older, games in dump.taken_down.items()],
    }
