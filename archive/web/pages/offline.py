"""The app on a phone: manifest, service worker, the page without a network, and what other apps share."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Final

from django.conf import settings
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import staticfiles_storage
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import override
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_safe

from archive.caching.entity_tags import program
from archive.http.security import ACCOUNT
from archive.intake.permissions import may_upload
from archive.web.pages.uploading import upload_page
from kifu_core.games import GAMES

_WORKER: Final = "archive/js/service-worker.js"
_SHELL: Final = (".js", ".css", ".svg")
_LEFT_OUT: Final = ("/engine/", _WORKER)
"""Engines need files of many megabytes, and the worker is not a file of pages."""
_GAME: Final = "^/games/[0-9]+/$"
CACHED_PAGES: Final = ("upload", "training")
"""Pages by name that are readable without a network though nobody has opened them."""
_ICONS: Final = (
    ("archive/icon-192.png", "192x192", "any"),
    ("archive/icon-512.png", "512x512", "any"),
    ("archive/icon-maskable.png", "512x512", "maskable"),
    ("archive/icon.svg", "any", "any"),
)
_RECORDS: Final = (
    ".kif", ".kifu", ".ki2", ".ki2u", ".csa", ".jkf", ".json", ".usi", ".sfen", ".psn", ".bod", ".txt",
    ".zip", "text/plain", "application/json", "application/zip", "application/octet-stream",
)  # fmt: skip


@require_safe
def manifest(request: HttpRequest, language: str) -> HttpResponse:
    """Return the manifest of the app in a language."""
    if language not in dict(settings.LANGUAGES):
        raise Http404
    with override(language):
        content = {
            "id": "/",
            "name": _("Kifu Archive"),
            "short_name": _("Kifu Archive"),
            "lang": language,
            "start_url": reverse("home"),
            "scope": "/",
            "display": "standalone",
            "background_color": "#faf7f0",
            "theme_color": "#b5371f",
            "icons": [
                {"src": static(src), "sizes": sizes, "purpose": purpose} for src, sizes, purpose in _ICONS
            ],
            "shortcuts": [
                {"name": _("Add games"), "url": reverse("upload")},
                {"name": _("Enter a game"), "url": reverse("game-new")},
            ],
            "share_target": {
                "action": reverse("share"),
                "method": "POST",
                "enctype": "multipart/form-data",
                "params": {
                    "text": "text",
                    "url": "url",
                    "files": [{"name": "file", "accept": [*_RECORDS]}],
                },
            },
        }
    return JsonResponse(content, content_type="application/manifest+json")


@require_safe
def worker(request: HttpRequest) -> HttpResponse:
    """Return the service worker. It changes with the files and the templates, so that browsers replace it."""
    files = shell_files()
    places = {
        "version": _version(files),
        "files": [static(file) for file in files],
        "offline": reverse("offline"),
        "pages": [reverse(name) for name in CACHED_PAGES],
        "upload": reverse("upload"),
        "share": reverse("share"),
        "api": reverse("api:uploads"),
        "games": _GAME,
        "statics": settings.STATIC_URL,
        "languages": [code for code, _name in settings.LANGUAGES],
        "headers": {"account": ACCOUNT},
    }
    script = _path_of(_WORKER).read_text(encoding="utf-8")
    return HttpResponse(
        f"self.PLACES = {json.dumps(places)};\n{script}", content_type="text/javascript; charset=utf-8"
    )


@cache
def shell_files() -> tuple[str, ...]:
    """Return the static files that pages need without a network, engines aside."""
    names = (name for finder in finders.get_finders() for name, _storage in finder.list([]))
    folders = ("archive/", *(f"{kind}/" for kind in GAMES))
    shell = (name for name in names if name.startswith(folders) and name.endswith(_SHELL))
    return tuple(sorted(name for name in shell if not any(part in name for part in _LEFT_OUT)))


@cache
def _version(files: tuple[str, ...]) -> str:
    digest = hashlib.blake2b(program(), digest_size=8)
    for name in files:
        digest.update(name.encode() + _path_of(name).read_bytes())
    return digest.hexdigest()


def _path_of(name: str) -> Path:
    return Path(str(finders.find(name) or staticfiles_storage.path(name)))


@require_safe
def offline(request: HttpRequest) -> HttpResponse:
    """Show what can be done without a network."""
    return render(request, "archive/offline.html")


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def share(request: HttpRequest) -> HttpResponse:
    """Show the form of the upload page with what another app shares. Nothing is stored: the visitor sends it
    with the token of the form. Usually the service worker takes the place of this view."""
    parts = (request.POST.get(name, "").strip() for name in ("text", "url"))
    return upload_page(request, may_upload(request), text="\n".join(filter(None, parts)))
