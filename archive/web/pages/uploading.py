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
from archive.http.limits.throttling import charge_uploads, payer
from archive.intake import uploads
from archive.intake.permissions import deletable, may_delete, may_upload, sender_key, session_key
from archive.intake.uploads import receive
from archive.intake.walk.entries import clean_name
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
from archive.web.lists.game_search import source_name
from archive.web.pages.library_pages import moves_of, targets_of
from archive.web.replay.issue_texts import is_broken, shown_issues
from archive.web.shogi.own_lines import own_line
from archive.web.wording import clock_text, number_text
from kifu_core.games import GAMES

CHECK_FORMATS: Final = [
    one.writers[0].name for kind in GAMES.values() for one in kind.formats.readers.values() if one.writers
]
"""What the page offers to convert a record to that is not stored, as far as its game has it."""

ROWS: Final = 200
ROW_BYTES: Final = 300_000
"""What a page's list of entries may take, about: it ends before `ROWS` where more is to be told of them."""
ISSUES: Final = 20
"""Issues that are shown of an entry; its report and the lists to keep have more."""
NAME: Final = 200
OPENING: Final = "?open=1"
"""What the address of an upload has whose only game is to be opened."""
_SHOWN_UPLOADS: Final = 100
_FOLLOWED: Final = 5_000
"""Uploads that are added up where more were sent at once than are listed."""
_FIRST_SECONDS: Final = 2
"""Before, an upload's pace says little."""


@require_http_methods(["GET", "HEAD", "POST"])
def upload(request: HttpRequest) -> HttpResponse:
    """Show the form and what was just sent, or store what is sent now.

    A POST stores each file (or the pasted text) and shows its upload; that of a pasted text opens its game
    once it is stored. A request for a part gets the list of what was sent.
    """
    allowed = may_upload(request)
    if request.method != "POST":
        return _upload_page(request, allowed)
    if not allowed:
        raise PermissionDenied(_("Sign in to add games."))
    parts = _parts(request)
    if not parts:
        return _upload_page(request, allowed, [_("Choose a file or paste a record first.")])
    try:
        space = libraries.target(request.user, request.POST.get("space", ""))
    except libraries.LibraryError as error:
        return _upload_page(request, allowed, [error.text])
    charge_uploads(request, request.user, len(parts))
    received, refused = _receive(parts, request, space)
    numbers = [one.pk for one in received]
    if refused:
        return _upload_page(request, allowed, refused, numbers)
    if len(numbers) == 1:
        return redirect(reverse("upload-detail", args=numbers) + ("" if request.FILES else OPENING))
    return redirect(_sent_address(numbers))


def _receive(
    parts: Iterable[tuple[str, Iterable[bytes]]], request: HttpRequest, space: int
) -> tuple[list[Upload], list[str]]:
    """Store the parts. Return the uploads that were made, and in words what was not taken."""
    received, refused = [], []
    for name, chunks in parts:
        try:
            key, counter = sender_key(request), payer(request, request.user)
            received.append(receive(name, chunks, request.user, "web", key, space, counter)[0])
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


def _upload_page(
    request: HttpRequest, allowed: bool, errors: Sequence[str] = (), numbers: Sequence[int] = ()
) -> HttpResponse:
    """Return the upload page; `numbers` are the uploads that were made beside what went wrong."""
    context = {
        "allowed": allowed,
        "targets": targets_of(request) if allowed else [],
        "target": request.POST.get("space", request.GET.get("space", "")),
        "errors": errors,
        "text": request.POST.get("text") or request.GET.get("text") or own_line(request),
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
    """Return the uploads that an address names: `7,10-12` are four."""
    found: list[int] = []
    for piece in text.split(","):
        if len(found) >= _FOLLOWED:
            break
        first, between, last = (part.strip() for part in piece.partition("-"))
        ends = [_number(first), _number(last if between else first)]
        if ends[0] is not None and ends[1] is not None:
            found += range(ends[0], min(ends[1] + 1, ends[0] + _FOLLOWED))
    return found[:_FOLLOWED]


def _sent(request: HttpRequest, numbers: Sequence[int]) -> dict[str, Any]:
    """Say how far these uploads are: all together, and each of the first; those with failures come first."""
    found = list(uploads_shown(request, numbers[:_FOLLOWED]).order_by("pk"))
    counts = counts_of_uploads(readable_scope(request), [one.pk for one in found])
    found.sort(key=lambda one: not (counts[one.pk]["failed"] or one.state == Upload.State.FAILED))
    _name(request, found[:_SHOWN_UPLOADS])
    working = sum(_works(one) for one in found)
    places = _places(found[:_SHOWN_UPLOADS])
    return {
        "sent": [progress(one, counts[one.pk], places) for one in found[:_SHOWN_UPLOADS]],
        "sent_more": max(0, len(found) - _SHOWN_UPLOADS),
        "files": len(found),
        "files_done": len(found) - working,
        "sums": {state: sum(count[state] for count in counts.values()) for state in Entry.State.values},
        "working": working > 0,
    }


def _name(request: HttpRequest, found: Iterable[Upload]) -> None:
    """Give uploads that are to be shown the names that this request may see."""
    shown = list(found)
    hide_names(request, shown)
    for one in shown:
        one.name = source_name(one.pk, one.name)


def _works(found: Upload) -> bool:
    return found.state in (Upload.State.RECEIVED, Upload.State.PROCESSING)


@require_safe
@never_cache
def own_uploads(request: HttpRequest) -> HttpResponse:
    """List what this account has sent, or this session without one, the newest first."""
    sender = (request.user.pk, session_key(request))
    found = uploads_of(
        readable_scope(request), *sender, _number(request.GET.get("before", "")), _SHOWN_UPLOADS + 1
    )
    shown = found[:_SHOWN_UPLOADS]
    _name(request, shown)
    counts = counts_of_uploads(readable_scope(request), [one.pk for one in shown])
    may, targets, places = deletable(request, shown), targets_of(request), _places(shown)
    context = {
        "rows": [
            progress(one, counts[one.pk], places)
            | {"may_delete": one.pk in may}
            | moves_of(request, one, targets)
            for one in shown
        ],
        "total": number_of_uploads(readable_scope(request), *sender),
        "next": shown[-1].pk if len(found) > len(shown) else None,
        "allowed": may_upload(request),
        "section": "upload",
    }
    return render(request, "archive/uploads.html", context)


@require_safe
def upload_detail(request: HttpRequest, upload_id: int) -> HttpResponse:
    """Show state, counts and a row per entry, failures first. A request for a part gets the state.

    With `open`, an upload of one game leads there once it is done.
    """
    found = upload_shown(request, upload_id)
    opening = "open" in request.GET
    if opening and (game := _only_game(found)):
        return redirect("game", game)
    after, failed_after = (_number(request.GET.get(name, "")) for name in ("after", "failed_after"))
    _name(request, [found])
    first_failed = -1 if failed_after is None else failed_after
    failures, more_failures = rows(found, first_failed, request, failed=True)
    others, more_others = rows(found, -1 if after is None else after, request, failed=False)
    context = progress(found, entry_counts(readable_scope(request), found.pk), _places([found])) | {
        "poll": request.path + (OPENING if opening else ""),
        "failures": failures if after is None else [],
        "rows": others if failed_after is None else [],
        "next_failure": failures[-1]["seq"] if more_failures else None,
        "next": others[-1]["seq"] if more_others else None,
        "hidden": has_hidden(found),
        "sees_deleted": sees_deleted(request),
        "may_delete": may_delete(request, found),
        **moves_of(request, found, targets_of(request)),
        "section": "upload",
    }
    page = "parts/upload_state" if request.headers.get(PART) else "upload_detail"
    return render(request, f"archive/{page}.html", context)


def _only_game(found: Upload) -> int | None:
    """Return the game of an upload that is done and has no other entry."""
    if found.state != Upload.State.DONE:
        return None
    games = Entry.objects.filter(upload=found).order_by("seq").values_list("game_id", flat=True)[:2]
    return games[0] if len(games) == 1 else None


@require_POST
def delete_upload(request: HttpRequest, upload_id: int) -> HttpResponse:
    """Delete an upload for those who may (`archive.intake.permissions`); then the upload page says so."""
    found = Upload.objects.filter(pk=upload_id).first()
    if found is None or not reads(request, found.space) or not may_delete(request, found):
        upload_shown(request, upload_id)
        raise PermissionDenied
    _name(request, [found])
    note_upload_deleted(request.user, upload_id)
    gone = uploads.withdraw(upload_id)
    text = _("%(name)s was deleted.") if gone else _("%(name)s is being deleted; nobody sees it any more.")
    messages.success(request, text % {"name": found.name})
    return redirect("upload")


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def _places(shown: Iterable[Upload]) -> dict[int, int]:
    """Return the places in the queue of those uploads that nobody has begun on, by number."""
    waiting = {one.pk for one in shown if one.state == Upload.State.RECEIVED}
    return {pk: place for place, pk in enumerate(store.queue(), 1) if pk in waiting} if waiting else {}


def _state_text(found: Upload, places: Mapping[int, int]) -> str:
    if found.state != Upload.State.RECEIVED:
        return found.get_state_display()
    if place := places.get(found.pk):
        return _("In the queue: number %(place)s") % {"place": number_text(place)}
    return _("In the queue: beyond number %(place)s") % {"place": number_text(store.QUEUE_SHOWN)}


def progress(found: Upload, counts: dict[str, int], places: Mapping[int, int]) -> dict[str, Any]:
    """Say how far the work on an upload is; `counts` are its entries by state, `places` are in the queue."""
    working = _works(found)
    return {
        "upload": found,
        "state": _state_text(found, places),
        "working": working,
        "counts": counts,
        "done": sum(counts.values()),
        "reason": issues.stored_text(found.reason) if found.reason else "",
        **(pace(found, sum(counts.values())) if working else {}),
    }


def pace(found: Upload, done: int) -> dict[str, Any]:
    """Return the records a minute since the upload came, and how long the rest takes at that pace.

    Return nothing for an upload that just came, or that is read again: when it came says nothing about the
    work then.
    """
    seconds = (timezone.now() - found.received).total_seconds()
    if found.rereads or not done or seconds < _FIRST_SECONDS:
        return {}
    left = (found.expected or 0) - done
    return {
        "a_minute": round(60 * done / seconds),
        "time_left": clock_text(int(left * seconds / done)) if left > 0 else "",
    }


def rows(
    found: Upload, after: int, request: HttpRequest, *, failed: bool
) -> tuple[list[dict[str, Any]], bool]:
    """Return up to `ROWS` entries after a place in the walk, and whether there are more.

    They are the failed ones or the others; as much is told of them as the request sees.
    """
    entries = (
        Entry.objects.filter(upload=found, seq__gt=after)
        .select_related("game__player0", "game__player1", "game__event")
        .defer("beyond_jkf", "record", "parsed_facts", "game__header_data")
    )
    states = [state for state in Entry.State.values if (state == Entry.State.FAILED) == failed]
    # State by state: asked for several at once, a database reads all that the upload has of any other.
    chosen = [entries.filter(state=state).order_by("seq")[: ROWS + 1] for state in states]
    shown: list[dict[str, Any]] = []
    room = ROW_BYTES
    merged = list(islice(merge(*chosen, key=attrgetter("seq")), ROWS + 1))
    inside = {entry.pk for entry in merged if entry.path}
    hide_paths(request, merged)
    for entry in merged:
        name = entry.path if entry.pk in inside else found.name
        row = _row(entry, name, issues_shown(request, entry))
        room -= _size(row)
        if len(shown) == ROWS or (shown and room < 0):
            return shown, True
        shown.append(row)
    return shown, False


def _row(entry: Entry, name: str, found: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "seq": entry.seq,
        "name": name[:NAME],
        "place": entry.index + 1 if entry.index else None,
        "entry": entry,
        "broken": entry.game_id is not None and is_broken(found),
        "issues": shown_issues(found, ISSUES),
        "more_issues": len(found[ISSUES:]),
    }


def _size(row: dict[str, Any]) -> int:
    """Estimate the bytes of a page that a row takes; a character may take six."""
    texts = sum(len(issue.text) + len(issue.before) + len(issue.after) + 40 for issue in row["issues"])
    return 1_000 + 6 * (len(row["name"]) + texts)
