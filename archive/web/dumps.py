"""Dumps of everything public: the page that tells of them, and their files."""

from pathlib import Path
from typing import Final

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from archive.dumps.offered import MANIFEST, SUMS, TABLE, dump_named, offered
from archive.entity_tags import is_known, not_modified
from archive.issues import language
from archive.limits.throttling import costs_nothing
from archive.models import SiteText
from archive.queries.site_texts import site_text
from archive.web.ranges import Pieces, Span, UnsatisfiableRangeError, span_of

_TYPES: Final = {
    TABLE: "application/vnd.apache.parquet",
    MANIFEST: "application/json",
    SUMS: "text/plain; charset=utf-8",
}
_RECORDS: Final = "application/zstd"
_YEAR: Final = 365 * 24 * 60 * 60


@require_safe
def dumps(request: HttpRequest) -> HttpResponse:
    """Show the dumps that are offered, and how to read them."""
    found = offered()
    context = {
        "newest": found[0] if found else None,
        "older": found[1:],
        "manifest": MANIFEST,
        "sums": SUMS,
        "table": TABLE,
        "terms": site_text(SiteText.Page.TERMS, language()) is not None,
    }
    return render(request, "archive/dumps.html", context)


@require_safe
def dump_file(request: HttpRequest, dump: str, file: str) -> HttpResponseBase:
    """Send a file of a dump, or a part of it. It never changes: its tag is its SHA-256."""
    found = dump_named(dump)
    named = found.path_of(file) if found else None
    if named is None:
        raise Http404
    path, sha256 = named
    headers = {"ETag": f'"{sha256}"', "Cache-Control": _kept()}
    if is_known(request, headers["ETag"]):
        costs_nothing(request)
        return not_modified(headers["ETag"], headers)
    return _sent(request, path, headers)


def _kept() -> str:
    return f"{'private' if settings.ARCHIVE_LOGIN_REQUIRED else 'public'}, max-age={_YEAR}, immutable"


def _sent(request: HttpRequest, path: Path, headers: dict[str, str]) -> HttpResponseBase:
    try:
        size = path.stat().st_size
        span = span_of(request, size, headers["ETag"])
        whole = span or Span(0, size)
        pieces = () if request.method == "HEAD" else Pieces(path.open("rb"), whole)
    except FileNotFoundError:  # the dump was deleted this moment
        raise Http404 from None
    except UnsatisfiableRangeError:
        return HttpResponse(status=416, headers={"Content-Range": f"bytes */{size}"})
    # What is compressed already is not compressed on its way, and parts could not be.
    request.META["HTTP_ACCEPT_ENCODING"] = "identity"
    response = StreamingHttpResponse(
        pieces,
        status=206 if span else 200,
        content_type=_TYPES.get(path.name, _RECORDS),
        headers=headers | {"Accept-Ranges": "bytes", "Content-Length": str(whole.length)},
    )
    if span:
        response["Content-Range"] = f"bytes {span.first}-{span.first + span.length - 1}/{size}"
    if path.name not in (MANIFEST, SUMS):
        response["Content-Disposition"] = f'attachment; filename="{path.name}"'
    return response
