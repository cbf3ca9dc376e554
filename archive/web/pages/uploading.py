"""The upload page and the page of one upload."""

from collections.abc import Iterable, Mapping, Sequence
from heapq import merge
from itertools import islice
from operator import attrgetter
from typing import Any, Final

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from archive import libraries, store
from archive.accounts.audit import note_upload_deleted
from archive.caching.responses import PART
from archive.derive import issues
from archive.http.limits.throttling import charge_uploads, games_counter
from archive.intake import uploads
from archive.intake.permissions import deletable, may_delete, may_upload, sender_key, session_key
from archive.intake.uploads import receive
from archive.intake.walk import clean_name
from archive.models import Entry, Upload
from archive.queries.games.taken_down import (
    has_hidden,
    hide_names,
    hide_paths,
    issues_shown,
    sees_deleted,
    upload_shown,
    uploads_shown,
)
from archive.queries.games.upload_progress import (
    counts_of_uploads,
    entry_counts,
    number_of_uploads,
    uploads_of,
)
from archive.queries.scope import readable_scope, reads
from archive.web.forms import parse_number
from archive.web.lists.game_search import source_name
from archive.web.pages.library_pages import moves_of, targets_of
from archive.web.pages.training import upload_departures
from archive.web.replay.issue_texts import is_broken, shown_issues
from archive.web.wording import clock_text, number_text
from kifu_core.games import GAMES

CHECK_FORMATS: Final = [
    one.writers[0].name for kind in GAMES.values() for one in kind.formats.readers.values() if one.writers
]
"""Formats to which the page converts a record without storing it, if its game has them."""

ROWS: Final = 200
ROW_BYTES: Final = 300_000
"""The approximate size of a page's list of entries, which may end before `ROWS`."""
ISSUES: Final = 20
"""Issues shown for an entry; its report has all."""
NAME: Final = 200
OPENING: Final = "?open=1"
"""The query of an upload's address that opens its game, if it has only one."""
_SHOWN_UPLOADS: Final = 100
_MOST_FOLLOWED: Final = 5_000
"""Uploads in the totals of an upload page; up to `_SHOWN_UPLOADS` of them are listed."""
_FIRST_SECONDS: Final = 2
"""Seconds after which an upload has a pace."""


@require_http_methods(["GET", "HEAD", "POST"])
def upload(request: HttpRequest) -> HttpResponse:
    """Show the form and the uploads in the address.

    A POST stores each file or the pasted text and redirects to the uploads; a pasted text opens its game once
    it is stored. A request for a part returns the list of uploads.
    """
    allowed = may_upload(request)
    if request.method != "POST":
        return upload_page(request, allowed)
    if not allowed:
        raise PermissionDenied(_("Sign in to add games."))
    parts = _parts(request)
    if not parts:
        return upload_page(request, allowed, [_("Choose a file or paste a record first.")])
    try:
        space = libraries.target_space(request.user, request.POST.get("space", ""))
    except libraries.LibraryError as error:
        return upload_page(request, allowed, [error.text])
    charge_uploads(request, request.user, len(parts))
    received, refused = _receive(parts, request, space)
    numbers = [one.pk for one in received]
    if refused:
        return upload_page(request, allowed, refused, numbers)
    if len(numbers) == 1:
        return redirect(reverse("upload-detail", args=numbers) + ("" if request.FILES else OPENING))
    return redirect(_sent_address(numbers))


def _receive(
    parts: Iterable[tuple[str, Iterable[bytes]]], request: HttpRequest, space: int
) -> tuple[list[Upload], list[str]]:
    """Store the parts. Return the uploads, and messages about refused parts."""
    received, refused = [], []
    for name, chunks in parts:
        try:
            sender, counter = sender_key(request), games_counter(request, request.user)
            received.append(receive(name, chunks, request.user, "web", sender, space, counter)[0])
        except store.UploadTooLarge:
            refused.append(f"{clean_name(name)}: {_too_large()}")
        except store.UploadEmpty:
            refused.append(f"{clean_name(name)}: {_('This file is empty.')}")
    return received, refused


def _too_large() -> str:
    limit = number_text(settings.ARCHIVE_MAX_UPLOAD_BYTES // (1024 * 1024))
    return _("A file may have at most %(limit)s MiB.") % {"limit": limit}


def _sent_address(numbers: Iterable[int]) -> str:
    return f"{reverse('upload')}?sent={','.join(map(str, numbers))}"


def _parts(request: HttpRequest) -> list[tuple[str, Iterable[bytes]]]:
    parts: list[tuple[str, Iterable[bytes]]] = [
        (file.name or "", file.chunks()) for file in request.FILES.getlist("file")
    ]
    if (text := request.POST.get("text", "")).strip():
        parts.append((_("pasted text"), [text.encode("utf-8", "surrogatepass")]))
    return parts


def upload_page(
    request: HttpRequest,
    allowed: bool,
    errors: Sequence[str] = (),
    numbers: Sequence[int] = (),
    text: str = "",
) -> HttpResponse:
    """Return the upload page; `numbers` are uploads that were stored despite `errors`, `text` is that of the
    form."""
    context = {
        "allowed": allowed,
        "targets": targets_of(request) if allowed else [],
        "target": request.POST.get("space", request.GET.get("space", "")),
        "errors": errors,
        "text": text or request.POST.get("text") or request.GET.get("text", ""),
        **_sent(request, numbers or _numbers(request.GET.get("sent", ""))),
        "sent_address": _sent_address(numbers) if numbers else request.get_full_path(),
        "section": "upload",
        "check_bytes": settings.ARCHIVE_MAX_CONVERT_BYTES,
        "check_formats": CHECK_FORMATS,
        "too_large": _too_large(),
        "most_files": settings.ARCHIVE_MAX_FILES_PER_REQUEST,
        "most_bytes": settings.ARCHIVE_MAX_REQUEST_BYTES,
    }
    page = "parts/sent" if request.headers.get(PART) else "upload"
    return render(request, f"archive/{page}.html", context, status=400 if errors and not numbers else 200)


def _numbers(text: str) -> list[int]:
    """Return the numbers in an address: `7,10-12` are four."""
    numbers: list[int] = []
    for piece in text.split(","):
        if len(numbers) >= _MOST_FOLLOWED:
            break
        first_text, hyphen, last_text = (part.strip() for part in piece.partition("-"))
        first, last = parse_number(first_text), parse_number(last_text if hyphen else first_text)
        if first is not None and last is not None:
            numbers += range(first, min(last + 1, first + _MOST_FOLLOWED))
    return numbers[:_MOST_FOLLOWED]


def _sent(request: HttpRequest, numbers: Sequence[int]) -> dict[str, Any]:
    """Return the progress of uploads: their totals, and each of the first ones, with failures at the
    front."""
    sent = list(uploads_shown(request, numbers[:_MOST_FOLLOWED]).order_by("pk"))
    counts = counts_of_uploads(readable_scope(request), [one.pk for one in sent])
    sent.sort(key=lambda one: not (counts[one.pk]["failed"] or one.state == Upload.State.FAILED))
    shown = sent[:_SHOWN_UPLOADS]
    _set_names(request, shown)
    working = sum(map(_in_progress, sent))
    places = _places(shown)
    return {
        "sent": [progress(one, counts[one.pk], places) for one in shown],
        "sent_more": len(sent) - len(shown),
        "files": len(sent),
        "files_done": len(sent) - working,
        "sums": {state: sum(count[state] for count in counts.values()) for state in Entry.State.values},
        "working": working > 0,
    }


def _set_names(request: HttpRequest, shown: list[Upload]) -> None:
    """Replace the names of uploads that the request may not see."""
    hide_names(request, shown)
    for one in shown:
        one.name = source_name(one.pk, one.name)


def _in_progress(upload: Upload) -> bool:
    return upload.state in (Upload.State.RECEIVED, Upload.State.PROCESSING)


def latest_uploads(request: HttpRequest, number: int) -> list[dict[str, Any]]:
    """Return the latest uploads of the account with their progress."""
    scope = readable_scope(request)
    shown = uploads_of(scope, request.user.pk, "", None, number)
    _set_names(request, shown)
    counts, places = counts_of_uploads(scope, [one.pk for one in shown]), _places(shown)
    return [progress(one, counts[one.pk], places) for one in shown]


@require_safe
@never_cache
def own_uploads(request: HttpRequest) -> HttpResponse:
    """List the uploads of the account, or of the session without one, newest first."""
    scope, sender = readable_scope(request), (request.user.pk, session_key(request))
    sent = uploads_of(scope, *sender, parse_number(request.GET.get("before", "")), _SHOWN_UPLOADS + 1)
    shown = sent[:_SHOWN_UPLOADS]
    _set_names(request, shown)
    counts = counts_of_uploads(scope, [one.pk for one in shown])
    may, targets, places = deletable(request, shown), targets_of(request), _places(shown)
    context = {
        "rows": [
            progress(one, counts[one.pk], places)
            | {"may_delete": one.pk in may}
            | moves_of(request, one, targets)
            for one in shown
        ],
        "total": number_of_uploads(scope, *sender),
        "next": shown[-1].pk if len(sent) > len(shown) else None,
        "allowed": may_upload(request),
        "section": "upload",
    }
    return render(request, "archive/uploads.html", context)


@require_safe
def upload_detail(request: HttpRequest, upload_id: int) -> HttpResponse:
    """Show state, counts and entries of an upload, failures first; only the state for requests for a part.

    With `open`, a finished upload of one game redirects to it.
    """
    upload = upload_shown(request, upload_id)
    opening = "open" in request.GET
    if opening and (game := _only_game(upload)):
        return redirect("game", game)
    after, failed_after = (parse_number(request.GET.get(name, "")) for name in ("after", "failed_after"))
    _set_names(request, [upload])
    first_failed = -1 if failed_after is None else failed_after
    failures, more_failures = rows(upload, first_failed, request, failed=True)
    others, more_others = rows(upload, -1 if after is None else after, request, failed=False)
    context = progress(upload, entry_counts(readable_scope(request), upload.pk), _places([upload])) | {
        "poll": request.path + (OPENING if opening else ""),
        "failures": failures if after is None else [],
        "rows": others if failed_after is None else [],
        "next_failure": failures[-1]["seq"] if more_failures else None,
        "next": others[-1]["seq"] if more_others else None,
        "departures": upload_departures(request, [upload.pk]),
        "hidden": has_hidden(upload),
        "sees_deleted": sees_deleted(request),
        "may_delete": may_delete(request, upload),
        **moves_of(request, upload, targets_of(request)),
        "section": "upload",
    }
    page = "parts/upload_state" if request.headers.get(PART) else "upload_detail"
    return render(request, f"archive/{page}.html", context)


def _only_game(upload: Upload) -> int | None:
    """Return the game of a finished upload with one entry."""
    if upload.state != Upload.State.DONE:
        return None
    games = Entry.objects.filter(upload=upload).order_by("seq").values_list("game_id", flat=True)[:2]
    return games[0] if len(games) == 1 else None


@require_POST
def delete_upload(request: HttpRequest, upload_id: int) -> HttpResponse:
    """Delete an upload, if the visitor may (`archive.intake.permissions`)."""
    upload = Upload.objects.filter(pk=upload_id).first()
    if upload is None or not reads(request, upload.space) or not may_delete(request, upload):
        upload_shown(request, upload_id)
        raise PermissionDenied
    _set_names(request, [upload])
    note_upload_deleted(request.user, upload_id)
    deleted = uploads.withdraw(upload_id)
    text = _("%(name)s was deleted.") if deleted else _("%(name)s is being deleted; nobody sees it any more.")
    messages.success(request, text % {"name": upload.name})
    return redirect("upload")


def _places(shown: Iterable[Upload]) -> dict[int, int]:
    """Return the places in the queue of waiting uploads, by number."""
    waiting = {one.pk for one in shown if one.state == Upload.State.RECEIVED}
    return {pk: place for place, pk in enumerate(store.queue(), 1) if pk in waiting} if waiting else {}


def _state_text(upload: Upload, places: Mapping[int, int]) -> str:
    if upload.state != Upload.State.RECEIVED:
        return upload.get_state_display()
    if place := places.get(upload.pk):
        return _("In the queue: number %(place)s") % {"place": number_text(place)}
    return _("In the queue: beyond number %(place)s") % {"place": number_text(store.MOST_QUEUE_PLACES)}


def progress(upload: Upload, counts: dict[str, int], places: Mapping[int, int]) -> dict[str, Any]:
    """Return the progress of an upload; `counts` are its entries by state, `places` those of `_places`."""
    working = _in_progress(upload)
    return {
        "upload": upload,
        "state": _state_text(upload, places),
        "working": working,
        "counts": counts,
        "done": sum(counts.values()),
        "reason": issues.stored_text(upload.reason) if upload.reason else "",
        **(pace(upload, sum(counts.values())) if working else {}),
    }


def pace(upload: Upload, done: int) -> dict[str, Any]:
    """Return the records per minute since the upload arrived, and the remaining time at that pace.

    The result is empty for an upload that has just arrived, and for one that is read again, long after
    arrival.
    """
    seconds = (timezone.now() - upload.received).total_seconds()
    if upload.rereads or not done or seconds < _FIRST_SECONDS:
        return {}
    left = (upload.expected or 0) - done
    return {
        "a_minute": round(60 * done / seconds),
        "time_left": clock_text(int(left * seconds / done)) if left > 0 else "",
    }


def rows(
    upload: Upload, after: int, request: HttpRequest, *, failed: bool
) -> tuple[list[dict[str, Any]], bool]:
    """Return up to `ROWS` failed or other entries after a place in the upload, and whether there are more."""
    entries = (
        Entry.objects.filter(upload=upload, seq__gt=after)
        .select_related("game__player0", "game__player1", "game__event")
        .defer("beyond_jkf", "record", "parsed_facts", "game__header_data")
    )
    states = [state for state in Entry.State.values if (state == Entry.State.FAILED) == failed]
    # One query per state: for several states at once, a database reads all entries of the upload.
    by_state = [entries.filter(state=state).order_by("seq")[: ROWS + 1] for state in states]
    shown: list[dict[str, Any]] = []
    size = 0
    merged = list(islice(merge(*by_state, key=attrgetter("seq")), ROWS + 1))
    inside = {entry.pk for entry in merged if entry.path}
    hide_paths(request, merged)
    for entry in merged:
        row = _row(request, entry, entry.path if entry.pk in inside else upload.name)
        size += _size(row)
        if len(shown) == ROWS or (shown and size > ROW_BYTES):
            return shown, True
        shown.append(row)
    return shown, False


def _row(request: HttpRequest, entry: Entry, name: str) -> dict[str, Any]:
    entry_issues = issues_shown(request, entry)
    return {
        "seq": entry.seq,
        "name": name[:NAME],
        "place": entry.index + 1 if entry.index else None,
        "entry": entry,
        "broken": entry.game_id is not None and is_broken(entry_issues),
        "issues": shown_issues(entry_issues, ISSUES),
        "more_issues": len(entry_issues[ISSUES:]),
    }


def _size(row: dict[str, Any]) -> int:
    """Estimate the bytes of a row; a character may take six."""
    texts = sum(len(issue.text) + len(issue.before) + len(issue.after) + 40 for issue in row["issues"])
    return 1_000 + 6 * (len(row["name"]) + texts)
