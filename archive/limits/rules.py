"""The rules of what is counted, and the costs of each address of the site. Here and nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from django.conf import settings
from django.http import HttpRequest

from archive.queries.filters import filters_of

MINUTE: Final = 60


@dataclass(frozen=True, slots=True)
class Rule:
    """One quota: its name in headers, the setting that holds it, its window in seconds, and what its unit is
    called (`RateLimit-Policy`; empty for one of ours, which follow `COSTS`)."""

    name: str
    setting: str
    seconds: int = MINUTE
    unit: str = ""

    @property
    def quota(self) -> int:
        """Return how much one anonymous address may ask for; 0 for no limit."""
        return int(getattr(settings, self.setting))


WORK: Final = Rule("work", "ARCHIVE_THROTTLE_WORK")
READING: Final = Rule("reading", "ARCHIVE_CONVERT_BYTES_PER_MINUTE", unit="content-bytes")
SOURCES: Final = Rule("sources", "ARCHIVE_THROTTLE_SOURCES")
UPLOADS: Final = Rule("uploads", "ARCHIVE_THROTTLE_UPLOADS")
UPLOAD_BYTES: Final = Rule("upload-bytes", "ARCHIVE_THROTTLE_UPLOAD_BYTES", unit="content-bytes")
SIGN_INS: Final = Rule("sign-ins", "ARCHIVE_THROTTLE_SIGN_INS", seconds=10 * MINUTE)

Charges = list[tuple[Rule, int]]
Cost = Callable[[HttpRequest], Charges]

_FILTERS: Final = ("transpositions", *(one.name for one in filters_of("positions")))


def charges(request: HttpRequest, route: str) -> Charges:
    """Return what a request for a route (its name in `urls`) costs; nothing for those that are not listed."""
    cost = COSTS.get(route)
    if cost is None or request.method == "OPTIONS":
        return []
    return [(WORK, cost)] if isinstance(cost, int) else cost(request)


def body_bytes(request: HttpRequest) -> int:
    """Return how many bytes a request says that it sends; at least one."""
    told = str(request.META.get("CONTENT_LENGTH") or "")
    # Twelve digits are far beyond what is ever read.
    return max(int(told), 1) if told.isascii() and told.isdigit() and len(told) <= 12 else 1


def _explorer(request: HttpRequest) -> Charges:
    """Charge the explorer. With filters up to 200,000 games are looked through; a part beside a replay is
    what is kept anyway."""
    if request.GET.get("part") == "moves":
        return [(WORK, 1)]
    return [(WORK, 10 if any(request.GET.get(name) for name in _FILTERS) else 2)]


def _reading(request: HttpRequest) -> Charges:
    return [(WORK, 5), (READING, body_bytes(request))]


def _editor(request: HttpRequest) -> Charges:
    return _reading(request) if request.method == "POST" else [(WORK, 1)]


def _search(request: HttpRequest) -> Charges:
    """Charge a search. One for words may have to read a record out of them."""
    return [(WORK, 5 if request.GET.get("q") else 2)]


def _sources(request: HttpRequest) -> Charges:
    return [(SOURCES, 1)]


def _upload(request: HttpRequest) -> Charges:
    """Charge the bytes; files are counted where their number is known (`throttling.charge_uploads`)."""
    return [(UPLOAD_BYTES, body_bytes(request))] if request.method == "POST" else [(WORK, 1)]


COSTS: Final[dict[str, int | Cost]] = {
    # The API.
    "api:uploads": _upload,
    "api:upload": 1,
    # A list to keep is a source beside (`throttling.charge_list`): what `Accept` makes of it is known later.
    "api:upload-entries": 1,
    "api:upload-source": _sources,
    "api:entry-source": _sources,
    "api:entry-report": 2,
    "api:convert": _reading,
    "api:check": _reading,
    "api:games": 2,
    "api:games-facets": 2,
    "api:game": 1,
    "api:game-record": 1,
    "api:game-positions": 2,
    "api:game-series": 1,
    "api:position-by-sfen": 1,
    "api:position-batch": 20,
    "api:position-find": _reading,
    "api:position-picture": 1,
    "api:position-games": _explorer,
    "api:position-legal": 2,
    "api:position-tree": 20,
    "api:position": _explorer,
    # The pages.
    "home": 1,
    "games": _search,
    "game": 1,
    "position-edit": _editor,
    "position-bod": 1,
    "start-position": 1,
    "position": _explorer,
    "find": _reading,
    "players": 2,
    "player": 2,
    "events": 2,
    "event": 2,
    "statistics": 2,
    "embed-game": 1,
    "embed-position": 1,
    "upload": _upload,
    "own-uploads": 2,
    "upload-detail": 1,
    "upload-delete": 20,
    "sign-in": 1,
}
"""Units of `WORK`, of about the time that a game's page takes, or a function of the request."""
