"""Permissions to upload, and to delete what was uploaded."""

from collections.abc import Collection
from secrets import token_urlsafe
from typing import Final
from urllib.parse import urlsplit

from django.conf import settings
from django.db.models import Exists, OuterRef
from django.http import HttpRequest

from archive.accounts import roles
from archive.models import Sender, Upload


def may_upload(request: HttpRequest) -> bool:
    """Return whether this request may store an upload.

    A user needs a role with that right, and a token with it if one is used (Django's CSRF token protects
    sessions). Anonymous visitors need `ARCHIVE_ANONYMOUS_UPLOAD`, and a request that no page of another site
    sent: such a page could otherwise fill the archive through its visitors.
    """
    if request.user.is_authenticated:
        return roles.may_upload(request.user)
    return bool(settings.ARCHIVE_ANONYMOUS_UPLOAD) and not comes_from_elsewhere(request)


def may_delete(request: HttpRequest, upload: Upload) -> bool:
    """Return whether this request may delete an upload: as its uploader, with the right
    `archive.delete_upload`, or as the session that sent it if no other sender has sent it again."""
    return upload.pk in deletable(request, [upload])


def deletable(request: HttpRequest, uploads: Collection[Upload]) -> set[int]:
    """Return the ids of the uploads that this request may delete."""
    user = request.user
    if user.is_authenticated and user.has_perm("archive.delete_upload"):
        return {upload.pk for upload in uploads}
    may = roles.may_delete_own(user)
    own = {upload.pk for upload in uploads if may and upload.uploader_id == user.pk}
    return own | _sent_alone(session_key(request), [one.pk for one in uploads if one.uploader_id is None])


def _sent_alone(key: str, uploads: Collection[int]) -> set[int]:
    """Return the uploads without an owner that only the session with this key has sent."""
    if not key or not uploads:
        return set()
    others = Sender.objects.filter(upload=OuterRef("upload")).exclude(key=key)
    mine = Sender.objects.filter(~Exists(others), key=key, first=True, upload__in=uploads)
    return set(mine.values_list("upload_id", flat=True))


_KEY: Final = "sender"


def session_key(request: HttpRequest) -> str:
    """Return the key of a session's uploads; empty if it has sent none without an account."""
    return str(request.session.get(_KEY, ""))


def sender_key(request: HttpRequest) -> str:
    """Return the key of a session that is about to send; empty for accounts, and without cookies."""
    if request.user.is_authenticated or not request.COOKIES:
        return ""
    if not session_key(request):
        request.session[_KEY] = token_urlsafe(16)
    return session_key(request)


def comes_from_elsewhere(request: HttpRequest) -> bool:
    """Return whether the browser reports another origin (Fetch metadata, Origin). An unreadable origin is
    another one."""
    if request.headers.get("Sec-Fetch-Site", "none") not in {"none", "same-origin"}:
        return True
    origin = request.headers.get("Origin")
    if origin is None or origin in settings.CSRF_TRUSTED_ORIGINS:
        return False
    try:
        return urlsplit(origin).netloc != request.get_host()
    except ValueError:
        return True
