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

    A user may whose role says so (sessions are protected by Django's CSRF token), and whose token, if they
    use one. Without signing in one may where `ARCHIVE_ANONYMOUS_UPLOAD` is on, unless a page of another site
    sent the request: such a page could otherwise fill the archive of everyone who visits it.
    """
    if request.user.is_authenticated:
        return roles.may_upload(request.user)
    return bool(settings.ARCHIVE_ANONYMOUS_UPLOAD) and not comes_from_elsewhere(request)


def may_delete(request: HttpRequest, upload: Upload) -> bool:
    """Return whether this request may delete an upload: its uploader's may, that of who has the right to
    (`archive.delete_upload`), and that of the session which sent it, as long as nobody else has."""
    return upload.pk in deletable(request, [upload])


def deletable(request: HttpRequest, uploads: Collection[Upload]) -> set[int]:
    """Return the ids of those uploads that this request may delete."""
    user = request.user
    if user.is_authenticated and user.has_perm("archive.delete_upload"):
        return {upload.pk for upload in uploads}
    may = roles.may_delete_own(user)
    own = {upload.pk for upload in uploads if may and upload.uploader_id == user.pk}
    return own | _sent_alone(session_key(request), [one.pk for one in uploads if one.uploader_id is None])


def _sent_alone(key: str, uploads: Collection[int]) -> set[int]:
    """Return those of the uploads of nobody's that the session with this key made, and nobody sent again."""
    if not key or not uploads:
        return set()
    others = Sender.objects.filter(upload=OuterRef("upload")).exclude(key=key)
    mine = Sender.objects.filter(~Exists(others), key=key, first=True, upload__in=uploads)
    return set(mine.values_list("upload_id", flat=True))


_KEY: Final = "sender"


def session_key(request: HttpRequest) -> str:
    """Return the key by which a session's uploads are known; empty where it sent none without an account."""
    return str(request.session.get(_KEY, ""))


def sender_key(request: HttpRequest) -> str:
    """Return the key of a session that is about to send; empty for accounts, and for who keeps no cookies."""
    if request.user.is_authenticated or not request.COOKIES:
        return ""
    if not session_key(request):
        request.session[_KEY] = token_urlsafe(16)
    return session_key(request)


def comes_from_elsewhere(request: HttpRequest) -> bool:
    """Return whether a browser says that a page of another origin sent the request (Fetch metadata, Origin).

    An origin that cannot be read is another one.
    """
    if request.headers.get("Sec-Fetch-Site", "none") not in {"none", "same-origin"}:
        return True
    origin = request.headers.get("Origin")
    if origin is None or origin in settings.CSRF_TRUSTED_ORIGINS:
        return False
    try:
        return urlsplit(origin).netloc != request.get_host()
    except ValueError:
        return True
