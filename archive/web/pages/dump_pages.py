"""Dumps of everything public: the page that lists them, and their files."""

from pathlib import Path
from typing import Final

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from archive.caching.entity_tags import ALWAYS_ASK, is_known, not_modified
from archive.columns import offered as columns
from archive.columns.schema import TYPES
from archive.derive.issues import language
from archive.dumps.offered import MANIFEST, SUMS, TABLE, dump_by_name, offered_dumps
from archive.http.limits.throttling import mark_unchanged
from archive.http.ranges import ByteRange, RangeReader, UnsatisfiableRangeError, byte_range_of
from archive.models import SiteText
from archive.queries.site_texts import site_text

_TYPES: Final = {
    TABLE: "application/vnd.apache.parquet",
    MANIFEST: "application/json",
    SUMS: "text/plain; charset=utf-8",
}
_PACKED: Final = {".parquet": _TYPES[TABLE], ".zst": "application/zstd"}
"""Types of the other files by their suffixes."""
_MEANINGS: Final = (
    ("slot", "slot", _("the game's place in the archive; another one after it was read again")),
    ("game", "game", _("the number of the game, as in addresses")),
    ("node, last", "node", _("the number of the position in its game; what follows it has those up to last")),
    ("ply", "ply", _("half-moves from the start")),
    ("fork", "fork", _("whether it is in a variation")),
    ("turn", "turn", _("0 Black is to move, 1 White")),
    (
        "move",
        "move",
        _("what its line plays: from << 8, to << 1, promotion; squares 0 to 80, drops 80 and the kind"),
    ),
    ("s11 … s99", "s11", _("what stands on a square: 0 nothing, 1 to 14 Black's pieces, below 0 White's")),
    ("black_hand_FU …", "black_hand_FU", _("pieces in hand")),
    ("black_FU …", "black_FU", _("pieces on the board")),
    ("result", "result", _("0 Black won, 1 White, 2 a draw, 3 unknown")),
    ("played", "played", _("the first day, counted from 0001-01-01, which is 1")),
    ("black_rating, white_rating", "black_rating", _("empty where unknown")),
    ("kind", "kind", _("0 game, 1 problem, 2 opening tree, 3 position")),
)
"""The columns: their names, one of these, and their meaning."""
_YEAR: Final = 365 * 24 * 60 * 60


@require_safe
def dumps(request: HttpRequest) -> HttpResponse:
    """List the dumps, and explain how to read them."""
    current = offered_dumps()
    context = {
        "newest": current[0] if current else None,
        "older": current[1:],
        "manifest": MANIFEST,
        "sums": SUMS,
        "columns": columns.offered(),
        "columns_name": columns.NAME,
        "meanings": [(names, TYPES[one], meaning) for names, one, meaning in _MEANINGS],
        "terms": site_text(SiteText.Page.TERMS, language()) is not None,
    }
    return render(request, "archive/dumps.html", context)


@require_safe
def dump_file(request: HttpRequest, dump: str, file: str) -> HttpResponseBase:
    """Send a file of a dump or of the columns, or a range of it. Files never change: the tag is the
    SHA-256."""
    if (dump, file) == (columns.NAME, MANIFEST):
        return _columns_manifest(request)
    folder = columns.offered() if dump == columns.NAME else dump_by_name(dump)
    path_and_hash = folder.path_of(file) if folder else None
    if path_and_hash is None:
        raise Http404
    path, sha256 = path_and_hash
    visibility = "private" if settings.ARCHIVE_LOGIN_REQUIRED else "public"
    headers = {"ETag": f'"{sha256}"', "Cache-Control": f"{visibility}, max-age={_YEAR}, immutable"}
    if is_known(request, headers["ETag"]):
        mark_unchanged(request)
        return not_modified(headers["ETag"], headers)
    return _file_response(request, path, headers)


def _columns_manifest(request: HttpRequest) -> HttpResponse:
    """Send the manifest of the columns, which changes with them."""
    folder = columns.offered()
    if folder is None:
        raise Http404
    headers = {"ETag": f'"{folder.sha256}"', "Cache-Control": ALWAYS_ASK}
    if is_known(request, headers["ETag"]):
        mark_unchanged(request)
        return not_modified(headers["ETag"], headers)
    return HttpResponse(folder.manifest, content_type=_TYPES[MANIFEST], headers=headers)


def _file_response(request: HttpRequest, path: Path, headers: dict[str, str]) -> HttpResponseBase:
    try:
        size = path.stat().st_size
        span = byte_range_of(request, size, headers["ETag"])
        sent_span = span or ByteRange(0, size)
        pieces = () if request.method == "HEAD" else RangeReader(path.open("rb"), sent_span)
    except FileNotFoundError:  # the dump was deleted this moment
        raise Http404 from None
    except UnsatisfiableRangeError:
        return HttpResponse(status=416, headers={"Content-Range": f"bytes */{size}"})
    # The files are compressed already, and ranges of a compressed response would be wrong.
    request.META["HTTP_ACCEPT_ENCODING"] = "identity"
    response = StreamingHttpResponse(
        pieces,
        status=206 if span else 200,
        content_type=_TYPES.get(path.name) or _PACKED[path.suffix],
        headers=headers | {"Accept-Ranges": "bytes", "Content-Length": str(sent_span.length)},
    )
    if span:
        response["Content-Range"] = f"bytes {span.first}-{span.first + span.length - 1}/{size}"
    if path.name not in (MANIFEST, SUMS):
        response["Content-Disposition"] = f'attachment; filename="{path.name}"'
    return response
