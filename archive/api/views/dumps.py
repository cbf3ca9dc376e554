"""Dumps of everything public."""

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from archive.api.endpoints import endpoint
from archive.api.operations import Example, Operation
from archive.api.shapes import dumps as shapes
from archive.columns import offered as columns
from archive.dumps.offered import MANIFEST, SUMS, Dump, offered_dumps


@endpoint("GET", operation=Operation({200: shapes.DumpsInfo}, examples=(Example("All of them"),)))
def dumps(request: Request) -> Response:
    """List the dumps of everything public that are offered, newest first, and the columns."""
    results = [_dump_info(dump, request) for dump in offered_dumps()]
    return Response(shapes.DumpsInfo(results, _columns_info(columns.offered(), request)))


def _file_url(folder: str, file: str, request: Request) -> str:
    return str(reverse("dump-file", [folder, file], request=request))


def _columns_info(offered: columns.Columns | None, request: Request) -> shapes.ColumnsInfo | None:
    if offered is None:
        return None
    return shapes.ColumnsInfo(
        version=offered.version,
        games=offered.games,
        rows=offered.rows,
        size=offered.size,
        files=[
            shapes.ColumnFileInfo(
                name=file.name,
                size=file.size,
                sha256=file.sha256,
                games=file.games,
                rows=file.rows,
                url=_file_url(columns.NAME, file.name, request),
            )
            for file in offered.files
        ],
        gone=offered.gone,
        manifest_url=_file_url(columns.NAME, MANIFEST, request),
    )


def _dump_info(dump: Dump, request: Request) -> shapes.DumpInfo:
    return shapes.DumpInfo(
        name=dump.name,
        made=dump.made,
        games=dump.games,
        size=dump.size,
        revision=dump.revision,
        files=[
            shapes.DumpFileInfo(
                name=file.name,
                size=file.size,
                sha256=file.sha256,
                games=file.games,
                url=_file_url(dump.name, file.name, request),
            )
            for file in dump.files
        ],
        manifest_url=_file_url(dump.name, MANIFEST, request),
        sums_url=_file_url(dump.name, SUMS, request),
        taken_down=[shapes.TakenDownInfo(*older) for older in dump.taken_down.items()],
    )
