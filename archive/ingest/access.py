"""Who may upload, and delete what was uploaded."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest

from archive.models import Upload


def may_upload(request: HttpRequest) -> bool:
    """Whether this request may store an upload.

    A signed-in user may (sessions are protected by Django's CSRF token). Without signing in one may where
    `ARCHIVE_ANONYMOUS_UPLOAD` is on, unless a page of another site sent the request: such a page could
    otherwise fill the archive of everyone who visits it.
    """
    if request.user.is_authenticated:
        return True
    return bool(settings.ARCHIVE_ANONYMOUS_UPLOAD) and not comes_from_elsewhere(request)


def may_delete(request: HttpRequest, upload: Upload) -> bool:
    """Whether this request may delete an upload: its uploader's may, and that of who has the right to
    (`archive.delete_upload`)."""
    user = request.user
    if not user.is_authenticated:
        return False
    return upload.uploader_id == user.pk or user.has_perm("archive.delete_upload")


def comes_from_elsewhere(request: HttpRequest) -> bool:
    """Whether a browser says that a page of another origin sent the request (Fetch metadata, Origin).

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
