"""The engine that visitors' browsers run: its files, and the panel beside a board.

Engines with several threads need a page that is isolated from other sites. Only pages with `?engine=1`
are (`archive.http.security.IsolatedPages`); the files have headers that allow them there, and a
policy of their own, which allows WebAssembly.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from django.conf import settings
from django.http import Http404, HttpResponseBase
from django.middleware.csrf import get_token
from django.urls import reverse
from django.views.decorators.http import require_safe
from django.views.static import serve

from archive.accounts.roles import may_dispose
from archive.http.security import EMBEDDER_POLICY, HEADER, ISOLATED, RESOURCE_POLICY
from archive.web.addresses import address_with
from kifu_core.games import SHOGI

if TYPE_CHECKING:
    from django.http import HttpRequest

    from archive.project.browser_engine import BrowserEngine

HOST: Final = "host.js"
"""The script that runs an engine with a factory. Its address is in the folder of the engine's files, whose
addresses are relative."""
_HOST_FOLDER: Final = Path(__file__).parents[2] / "static" / "shogi" / "engine"
_POLICY: Final = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:; connect-src 'self'"
)
_TYPES: Final = {".js": "text/javascript", ".wasm": "application/wasm", ".json": "application/json"}


@require_safe
def engine_file(request: HttpRequest, path: str) -> HttpResponseBase:
    """Send a file of the engine's folder."""
    engine = _engine()
    folder = str(_HOST_FOLDER) if path == HOST else engine.folder
    response = serve(request, path, document_root=folder)
    response["Content-Type"] = _TYPES.get(Path(path).suffix, "application/octet-stream")
    response[HEADER], response[EMBEDDER_POLICY] = _POLICY, "require-corp"
    response[RESOURCE_POLICY] = "same-origin"
    response["Cache-Control"] = "public, max-age=3600"
    return response


def _engine() -> BrowserEngine:
    engine: BrowserEngine | None = settings.BROWSER_ENGINE
    if engine is None:
        raise Http404
    return engine


def engine_panel(request: HttpRequest) -> dict[str, Any]:
    """Return the context of the engine's panel: the description for its script if this page runs the engine,
    else the address that does. Empty without an engine."""
    if settings.BROWSER_ENGINE is None:
        return {}
    engine = _engine()
    described = {
        "name": engine.name,
        "version": engine.version,
        "worker": reverse("engine-file", args=[HOST if engine.factory else engine.script]),
        "script": engine.script,
        "factory": engine.factory,
        "options": dict(engine.options),
        "seconds": engine.seconds,
    }
    runs = request.GET.get(ISOLATED) == "1"
    return {
        "browser_engine": json.dumps(described),
        "save_token": get_token(request) if runs and may_dispose(request.user) else "",
        "engine_position_url": reverse("position", args=[SHOGI.name, "CODE"]),
        "engine_href": "" if runs else address_with(request, **{ISOLATED: "1"}),
    }
