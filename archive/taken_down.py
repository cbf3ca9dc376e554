"""What was taken down: who still sees it, and that it was there once.

An upload is gone for everybody from the moment its deletion is asked for; so are games that nobody else has
sent. Who may look at uploads in the admin (the permission `archive.view_upload`) sees them for as long as
anything is there.

Of a game that is deleted by itself its records stay: their bytes are what somebody sent. Where these are
hidden too (`Entry.hidden`), they are gone for everybody else, and with them every file that holds them: the
whole upload, and what other entries were read from the same file. What is quoted of them goes as well.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.db.models import Max, QuerySet
from django.http import Http404, HttpRequest

from archive.models import Entry, Game, GameAlias, GoneGame, GoneUpload, Upload


class GoneError(Http404):
    """There was something at this address; it was taken down. 410."""


def sees_deleted(request: HttpRequest) -> bool:
    """Whether this request sees what is being deleted."""
    return bool(request.user.has_perm("archive.view_upload"))


def upload_shown(request: HttpRequest, pk: int) -> Upload:
    """The upload of an address. Raises Http404, GoneError."""
    upload = Upload.objects.filter(pk=pk).first()
    if upload is None:
        raise _missing(GoneUpload.objects.filter(upload_id=pk))
    if upload.state == Upload.State.DELETING and not sees_deleted(request):
        raise GoneError
    return upload


def uploads_shown(request: HttpRequest, pks: Collection[int]) -> QuerySet[Upload]:
    """Those of the uploads that a list names."""
    found = Upload.objects.filter(pk__in=pks)
    return found if sees_deleted(request) else found.exclude(state=Upload.State.DELETING)


def entry_shown(request: HttpRequest, pk: int, seq: int) -> Entry:
    """The entry of an address, with its upload. Raises Http404, GoneError."""
    upload = upload_shown(request, pk)
    entry = Entry.objects.filter(upload=upload, seq=seq).select_related("upload").first()
    if entry is None:
        raise Http404
    return entry


def check_bytes(request: HttpRequest, upload: Upload, part: int | None = None) -> None:
    """Raises GoneError where bytes of an upload, or of one part of it, are hidden from this request."""
    if has_hidden(upload, part) and not sees_deleted(request):
        raise GoneError


def has_hidden(upload: Upload, part: int | None = None) -> bool:
    """Whether bytes of an upload, or of one part of it, are hidden."""
    hidden = Entry.objects.filter(upload=upload, hidden=True)
    return (hidden if part is None else hidden.filter(part=part)).exists()


def issues_shown(request: HttpRequest, entry: Entry) -> list[dict[str, Any]]:
    """An entry's issues; none where they would quote what is hidden from this request."""
    return [] if entry.hidden and not sees_deleted(request) else list(entry.issues)


def game_shown(request: HttpRequest, pk: int) -> Game | None:
    """The game of an address with its record; None where there is none of this id, but perhaps an alias.
    Raises GoneError."""
    game = Game.objects.select_related("stored").filter(pk=pk).first()
    if game is not None and is_hidden(game.pk) and not sees_deleted(request):
        raise GoneError
    return game


def game_called(request: HttpRequest, pk: int) -> int:
    """The present id of a game by a former one. Raises Http404, GoneError."""
    alias = GameAlias.objects.filter(pk=pk).first()
    if alias is None:
        raise _missing(GoneGame.objects.filter(pk=pk))
    if is_hidden(alias.game_id) and not sees_deleted(request):
        raise GoneError
    return alias.game_id


def editions_shown(request: HttpRequest, game: int) -> QuerySet[Entry]:
    """The editions of a game, in the order in which they came."""
    entries = Entry.objects.filter(game=game).select_related("upload").order_by("pk")
    return entries if sees_deleted(request) else entries.exclude(upload__state=Upload.State.DELETING)


def is_hidden(game: int) -> bool:
    """Whether all uploads that a game came in are being deleted: it will be gone itself."""
    entries = Entry.objects.filter(game=game)
    if entries.exclude(upload__state=Upload.State.DELETING).exists():
        return False
    return entries.exists()


def last_gone() -> int:
    """A number that is another one when an upload has left the lists: what was counted before counts its
    games too. Every process keeps its own counts, and would not hear of it otherwise."""
    return GoneUpload.objects.aggregate(last=Max("pk"))["last"] or 0


def _missing(gone: QuerySet[Any]) -> Http404:
    return GoneError() if gone.exists() else Http404()
