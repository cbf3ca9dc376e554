"""The entries of an upload: pages of them, complete lists as files, their bytes and reports."""

from collections.abc import Callable, Iterator
from typing import Any, Final, TypeVar
from urllib.parse import quote

from django.conf import settings
from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from archive.api.endpoints import endpoint, preferred_type
from archive.api.errors import ApiError
from archive.api.findings import stored_issue
from archive.api.negotiation import JSON
from archive.api.operations import CURSORS, Example, Operation
from archive.api.pagination import ISSUES, page_of_entries
from archive.api.reports import report as report_of
from archive.api.serializers import EntriesQuery
from archive.api.shapes.uploads import BookmarkInfo, EntriesPage, EntryDetail, EntryInfo
from archive.export.csv_text import BOM, csv_lines
from archive.http.limits.throttling import charge_list
from archive.intake.sources import part_of
from archive.models import Entry, Upload
from archive.queries.games import taken_down
from archive.shapes.encoding import encode
from kifu_core.deadline import TooSlowError

UNREAD: Final = 100_000
"""Characters of unread text in an answer; the source has all of it."""
Info = TypeVar("Info", bound=EntryInfo)

_PAGE: Final = 500
_ENTRY_COLUMNS: Final = ("seq", "path", "index", "state", "game_id", "encoding", "format", "program")
_ISSUE_COLUMNS: Final = ("severity", "code", "line", "column", "ply", "message", "source_line")


@endpoint(
    "GET",
    query=EntriesQuery,
    types=[JSON, "text/csv", "application/x-ndjson"],
    operation=Operation(
        {200: EntriesPage},
        {400: (*CURSORS, "unknown-format")},
        examples=(
            Example("A page", {"pk": 1}, {"limit": 2}),
            Example("A list to keep", {"pk": 1}, accept="text/csv"),
            Example("No such format", {"pk": 1}, {"format": "xml"}, status=400),
        ),
    ),
)
def entries(request: Request, pk: int, query: dict[str, Any]) -> HttpResponseBase:
    """List the entries in the order of the file, with their issues; `format` chooses the complete list."""
    upload = taken_down.upload_shown(request, pk)
    chosen = query.get("format") or _FORMATS[preferred_type(request)]
    if chosen in _LISTS:
        if pages := query.keys() - {"format"}:
            raise ValidationError({name: ["a list to keep is whole"] for name in sorted(pages)})
        charge_list(request, request.user)
        return _list(upload, chosen, request)
    if chosen != "json":
        detail = f"format={chosen!r} is none of json, csv, ndjson"
        raise ApiError("unknown-format", detail, field="format")
    rows, following = page_of_entries(upload, request, query)
    taken_down.hide_paths(request, rows)
    return Response(EntriesPage([_entry_info(EntryInfo, row, request, ISSUES) for row in rows], following))


def _entry_info(
    kind: type[Info], entry: Entry, request: Request, most: int | None = None, **members: Any
) -> Info:
    at = [entry.upload_id, entry.seq]
    issues = taken_down.issues_shown(request, entry)
    return kind(
        seq=entry.seq,
        path=entry.path,
        index=entry.index,
        state=entry.state,
        game_id=entry.game_id,
        game_url=reverse("api:game", [entry.game_id], request=request) if entry.game_id else None,
        encoding=entry.encoding,
        format=entry.format,
        program=entry.program,
        hidden=entry.hidden,
        issues=[stored_issue(issue) for issue in issues[:most]],
        more_issues=0 if most is None else len(issues[most:]),
        source_url=reverse("api:entry-source", at, request=request),
        report_url=reverse("api:entry-report", at, request=request),
        **members,
    )


# --- complete lists --------------------------------------------------------------------------------------


def _list(upload: Upload, format: str, request: Request) -> StreamingHttpResponse:
    content_type, write = _LISTS[format]
    response = StreamingHttpResponse(write(upload, request), content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="upload-{upload.pk}-entries.{format}"'
    return response


def _pages(upload: Upload) -> Iterator[list[Entry]]:
    """Yield all entries page by page, so that no database cursor stays open while a client is slow."""
    after = -1
    entries = (
        Entry.objects.filter(upload=upload).defer("beyond_jkf", "record", "parsed_facts").order_by("seq")
    )
    while rows := list(entries.filter(seq__gt=after)[:_PAGE]):
        yield rows
        after = rows[-1].seq


def _ndjson(upload: Upload, request: Request) -> Iterator[bytes]:
    for page in _pages(upload):
        taken_down.hide_paths(request, page)
        yield b"".join(encode(_entry_info(EntryInfo, entry, request)) + b"\n" for entry in page)


def _csv(upload: Upload, request: Request) -> Iterator[bytes]:
    """Yield a line for each issue, and one for each entry without issues."""
    yield BOM + csv_lines([(*_ENTRY_COLUMNS, *_ISSUE_COLUMNS)])
    for page in _pages(upload):
        taken_down.hide_paths(request, page)
        yield csv_lines(line for entry in page for line in _csv_rows(entry, request))


def _csv_rows(entry: Entry, request: Request) -> Iterator[list[Any]]:
    columns = [getattr(entry, name) for name in _ENTRY_COLUMNS]
    issues = map(stored_issue, taken_down.issues_shown(request, entry))
    rows = [[getattr(issue, name) for name in _ISSUE_COLUMNS] for issue in issues]
    yield from (columns + row for row in rows or [[None] * len(_ISSUE_COLUMNS)])


_LISTS: Final[dict[str, tuple[str, Callable[[Upload, Request], Iterator[bytes]]]]] = {
    "csv": ("text/csv; charset=utf-8", _csv),
    "ndjson": ("application/x-ndjson", _ndjson),
}

_FORMATS: Final = {JSON: "json", "text/csv": "csv", "application/x-ndjson": "ndjson"}


# --- one entry -------------------------------------------------------------------------------------------


@endpoint(
    "GET", operation=Operation({200: EntryDetail}, examples=(Example("An entry", {"pk": 1, "seq": 0}),))
)
def detail(request: Request, pk: int, seq: int) -> Response:
    """Describe one entry, with the bookmarks of its record and the text that could not be played."""
    entry = taken_down.entry_shown(request, pk, seq)
    beyond = entry.beyond_jkf if taken_down.sees_entry(request, entry) else {}
    taken_down.hide_paths(request, [entry])
    unread = beyond.get("unread") or ""
    return Response(
        _entry_info(
            EntryDetail,
            entry,
            request,
            ISSUES,
            bookmarks=[BookmarkInfo(*bookmark) for bookmark in beyond.get("bookmarks") or ()],
            unread=unread[:UNREAD],
            more_unread=len(unread[UNREAD:]),
        )
    )


@endpoint(
    "GET",
    types=["application/octet-stream"],
    operation=Operation(
        {200: None},
        {404: ("entry-without-bytes",), 422: ("too-slow",)},
        examples=(Example("The bytes of an entry", {"pk": 1, "seq": 0}),),
    ),
)
def source(request: Request, pk: int, seq: int) -> HttpResponse:
    """Send the bytes from which an entry was read: its file, also from inside a container, or its game in a
    large file.

    The answer is `entry-without-bytes` for an entry that was refused unread, and `too-slow` for one so deep
    inside a container that unpacking it would occupy a web process for long.
    """
    entry = taken_down.entry_shown(request, pk, seq)
    taken_down.check_bytes(request, entry.upload, entry.part)
    try:
        part = part_of(entry)
    except FileNotFoundError:
        raise taken_down.GoneError from None
    except TooSlowError:
        seconds = settings.ARCHIVE_SOURCE_SECONDS
        text = f"unpacking this entry takes more than {seconds} s; the whole upload has it"
        raise ApiError("too-slow", text, 422) from None
    if part is None or part.issue is not None:
        reason = part.issue.code if part and part.issue else "gone"
        raise ApiError("entry-without-bytes", f"this entry was not unpacked ({reason})", 404)
    taken_down.hide_names(request, [entry.upload])
    taken_down.hide_paths(request, [entry])
    response = HttpResponse(part.data, content_type="application/octet-stream")
    name = (entry.path or entry.upload.name or f"upload-{pk}").rpartition("/")[2]
    response["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(name, safe='')}"
    return response


@endpoint(
    "GET",
    types=["text/plain"],
    operation=Operation({200: None}, examples=(Example("A report", {"pk": 1, "seq": 0}),)),
)
def report(request: Request, pk: int, seq: int) -> HttpResponse:
    """Return a report about an entry as text, to send to somebody who can help."""
    entry = taken_down.entry_shown(request, pk, seq)
    if entry.hidden:
        taken_down.check_bytes(request, entry.upload, entry.part)
    taken_down.hide_names(request, [entry.upload])
    taken_down.hide_paths(request, [entry])
    return HttpResponse(
        report_of(entry, for_staff=request.user.is_staff), content_type="text/plain; charset=utf-8"
    )
