"""The entries of an upload: pages, lists to keep, bytes and reports."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from typing import Any, Final
from urllib.parse import quote

import orjson
from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from archive import issues
from archive.api.errors import ApiError
from archive.api.pagination import page_of_entries
from archive.ingest.entries import Part, walk
from archive.ingest.reading import spool
from archive.ingest.ready import storable
from archive.models import Entry, Upload
from archive.reports import report as report_of

_PAGE: Final = 500
_COLUMNS: Final = (
    "seq", "path", "index", "state", "game", "encoding", "format", "program", "severity", "code", "line",
    "column", "ply", "message", "source_line",
)  # fmt: skip


@api_view(["GET"])
def entries(request: Request, pk: int) -> HttpResponseBase:
    """A row per entry, in the order of the file, with what was noticed; `format` gives a list to keep."""
    upload = get_object_or_404(Upload, pk=pk)
    wanted = request.query_params.get("format", "json")
    if wanted in _LISTS:
        return _list(upload, wanted, request)
    if wanted != "json":
        raise ApiError("unknown-format", f"format={wanted!r} is none of json, csv, ndjson")
    rows, following = page_of_entries(upload, request)
    return Response({"results": [entry_json(row, request) for row in rows], "next": following})


def entry_json(entry: Entry, request: Request) -> dict[str, Any]:
    """An entry as the API tells it."""
    at = [entry.upload_id, entry.seq]
    return {
        "seq": entry.seq,
        "path": entry.path,
        "index": entry.index,
        "state": entry.state,
        "game": entry.game_id,
        "game_url": reverse("api:game", [entry.game_id], request=request) if entry.game_id else None,
        "encoding": entry.encoding,
        "format": entry.format,
        "program": entry.program,
        "issues": [issues.told(issue) for issue in entry.issues],
        "source_url": reverse("api:entry-source", at, request=request),
        "report_url": reverse("api:entry-report", at, request=request),
    }


# --- lists to keep ---------------------------------------------------------------------------------------


def _list(upload: Upload, wanted: str, request: Request) -> StreamingHttpResponse:
    content_type, write = _LISTS[wanted]
    response = StreamingHttpResponse(write(upload, request), content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="upload-{upload.pk}-entries.{wanted}"'
    return response


def _rows(upload: Upload) -> Iterator[Entry]:
    """All entries by pages: no cursor stays open while a client is slow."""
    after = -1
    while rows := list(Entry.objects.filter(upload=upload, seq__gt=after).order_by("seq")[:_PAGE]):
        yield from rows
        after = rows[-1].seq


def _ndjson(upload: Upload, request: Request) -> Iterator[bytes]:
    for entry in _rows(upload):
        yield orjson.dumps(entry_json(entry, request)) + b"\n"


def _csv(upload: Upload, request: Request) -> Iterator[bytes]:
    """A line per finding, and one for an entry without any. The mark at the beginning tells Excel UTF-8."""
    yield b"\xef\xbb\xbf" + _line(_COLUMNS)
    for entry in _rows(upload):
        about = (
            entry.seq, entry.path, entry.index, entry.state, entry.game_id, entry.encoding, entry.format,
            entry.program,
        )  # fmt: skip
        for issue in [issues.told(one) for one in entry.issues] or [{}]:
            yield _line((*about, *(issue.get(name) for name in _COLUMNS[len(about) :])))


def _line(cells: tuple[Any, ...]) -> bytes:
    out = io.StringIO()
    csv.writer(out).writerow(map(_cell, cells))
    return out.getvalue().encode("utf-8", "replace")


def _cell(value: Any) -> Any:
    """Spreadsheets run texts that begin like formulas; an apostrophe makes them texts."""
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return f"'{value}"
    return value


_LISTS: Final[dict[str, tuple[str, Callable[[Upload, Request], Iterator[bytes]]]]] = {
    "csv": ("text/csv; charset=utf-8", _csv),
    "ndjson": ("application/x-ndjson", _ndjson),
}


# --- one entry -------------------------------------------------------------------------------------------


@api_view(["GET"])
def source(request: Request, pk: int, seq: int) -> HttpResponse:
    """The bytes an entry was read from: its file, also from inside a container, or its game of a large file.

    Raises ApiError `entry-without-bytes` for what was refused unread.
    """
    entry = get_object_or_404(Entry.objects.select_related("upload"), upload_id=pk, seq=seq)
    part = _part(entry)
    if part is None or part.issue is not None:
        reason = part.issue.code if part and part.issue else "gone"
        raise ApiError("entry-without-bytes", f"this entry was not unpacked ({reason})", 404)
    response = HttpResponse(part.data, content_type="application/octet-stream")
    name = (entry.path or entry.upload.name).rpartition("/")[2]
    response["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(name, safe='')}"
    return response


def _part(entry: Entry) -> Part | None:
    """The part of the walk that the entry came from.

    Parts have other numbers where limits have changed since: then it is the only one of the entry's path.
    """
    others: list[Part] = []
    with spool(entry.upload.stream()) as file:
        parts = walk(file, entry.upload.name)
        try:
            for part in parts:
                if storable(part.path) != entry.path:
                    continue
                if part.number == entry.part:
                    return part
                others = [*others, part][:2]
        finally:
            parts.close()
    return others[0] if len(others) == 1 else None


@api_view(["GET"])
def report(request: Request, pk: int, seq: int) -> HttpResponse:
    """What is known of an entry as a text to send to somebody."""
    entry = get_object_or_404(Entry.objects.select_related("upload"), upload_id=pk, seq=seq)
    return HttpResponse(report_of(entry), content_type="text/plain; charset=utf-8")
