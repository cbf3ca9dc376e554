"""The rules of rate limits, and the cost functions that routes name (`archive.http.routes`)."""

from dataclasses import dataclass
from typing import Final

from django.conf import settings
from django.http import HttpRequest

from archive.http.routes import route_of
from archive.queries.games.filters import filters_of

MINUTE: Final = 60
_DRAFT_BYTES: Final = 32 * 1024
"""Bytes of a draft for one unit of work."""
_RECONCILED_BYTES: Final = 100
"""About one name in a batch."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A quota: its name in headers, its setting, its window in seconds, and its unit in `RateLimit-Policy`
    (empty for the archive's own units)."""

    name: str
    setting: str
    seconds: int = MINUTE
    unit: str = ""

    @property
    def quota(self) -> int:
        """Return the quota of one anonymous address; 0 is no limit."""
        return int(getattr(settings, self.setting))


class RuleOfRoles(Rule):
    """A quota that differs by role."""

    @property
    def quota(self) -> int:
        return self.of_role("anonymous")

    def of_role(self, role: str) -> int:
        """Return the quota of an account with a role, or of an anonymous address; 0 is no limit."""
        quotas: dict[str, int] = getattr(settings, self.setting)
        return quotas[role]


WORK: Final = Rule("work", "ARCHIVE_THROTTLE_WORK")
READING: Final = Rule("reading", "ARCHIVE_CONVERT_BYTES_PER_MINUTE", unit="content-bytes")
SOURCES: Final = Rule("sources", "ARCHIVE_THROTTLE_SOURCES")
UPLOADS: Final = Rule("uploads", "ARCHIVE_THROTTLE_UPLOADS")
UPLOAD_BYTES: Final = Rule("upload-bytes", "ARCHIVE_THROTTLE_UPLOAD_BYTES", unit="content-bytes")
MAILS: Final = Rule("mails", "ARCHIVE_THROTTLE_MAILS", seconds=10 * MINUTE)
REPORTS: Final = Rule("reports", "ARCHIVE_THROTTLE_REPORTS", seconds=60 * MINUTE)
EXPORTS: Final = Rule("exports", "ARCHIVE_THROTTLE_EXPORTS", seconds=60 * MINUTE)
SIGN_INS: Final = Rule("sign-ins", "ARCHIVE_THROTTLE_SIGN_INS", seconds=10 * MINUTE)

_DAY: Final = 24 * 60 * MINUTE
DAILY_BYTES: Final = RuleOfRoles("daily-bytes", "ARCHIVE_DAILY_BYTES", seconds=_DAY, unit="content-bytes")
DAILY_FILES: Final = RuleOfRoles("daily-files", "ARCHIVE_DAILY_FILES", seconds=_DAY)
DAILY_GAMES: Final = RuleOfRoles("daily-games", "ARCHIVE_DAILY_GAMES", seconds=_DAY)

Charges = list[tuple[Rule, int]]

_FILTERS: Final = ("transpositions", *(filter_.name for filter_ in filters_of("positions")))
_SLOW: Final = (
    "q",
    *(filter_.name for filter_ in filters_of("games") if "SELECT" in (filter_.game_sql or "")),
)


def charges(request: HttpRequest) -> Charges:
    """Return the cost of a request; nothing if its route has none."""
    cost = route_of(request).cost
    if not cost or request.method == "OPTIONS":
        return []
    return [(WORK, cost)] if isinstance(cost, int) else [*cost(request)]


def body_bytes(request: HttpRequest) -> int:
    """Return the announced length of a request's body; at least 1."""
    length = str(request.META.get("CONTENT_LENGTH") or "")
    # Larger bodies than twelve digits are refused anyway.
    return max(int(length), 1) if length.isascii() and length.isdigit() and len(length) <= 12 else 1


def explorer(request: HttpRequest) -> Charges:
    """Charge the explorer: filters read up to 200,000 games; the moves beside a replay are cached."""
    if request.GET.get("part") == "moves":
        return [(WORK, 1)]
    return [(WORK, 10 if any(request.GET.get(name) for name in _FILTERS) else 2)]


def may_take_long(request: HttpRequest) -> bool:
    """Return whether a request is a search of unpredictable length: by a query, by a filter that looks up
    every game, or with filters at a position. Suggestions search only names, and the moves beside a replay
    are cached."""
    match = request.resolver_match
    if match is None or match.url_name == "games-suggestions":
        return False
    at_position = route_of(request).cost is explorer
    if at_position and request.GET.get("part") == "moves":
        return False
    return any(request.GET.get(name) for name in (_FILTERS if at_position else _SLOW))


def collected(request: HttpRequest) -> Charges:
    """Charge the games of a collection: a search may add many."""
    return [(WORK, 20 if request.method == "POST" else 2)]


def reading(request: HttpRequest) -> Charges:
    """Charge the reading of a text by its length."""
    return [(WORK, 5), (READING, body_bytes(request))]


def lines(request: HttpRequest) -> Charges:
    """Charge lines of a text, a game or a collection, which may have hundreds of games."""
    return [(WORK, 20), (READING, body_bytes(request))]


def added(request: HttpRequest) -> Charges:
    """Charge the moves of a repertoire, or `lines` that are added to them."""
    return lines(request) if request.method == "POST" else [(WORK, 2)]


def reconciled(request: HttpRequest) -> Charges:
    """Charge a batch of names that are matched by its length."""
    size = body_bytes(request) + len(request.GET.get("queries", ""))
    return [(WORK, 2 + size // _RECONCILED_BYTES)]


def draft(request: HttpRequest) -> Charges:
    """Charge a draft, which a browser sends again whenever it has changed, by its length."""
    return [(WORK, 1 + body_bytes(request) // _DRAFT_BYTES)]


def editor(request: HttpRequest) -> Charges:
    """Charge a page that reads texts from its form."""
    return reading(request) if request.method == "POST" else [(WORK, 1)]


def search(request: HttpRequest) -> Charges:
    """Charge a search. Its words may be a record, which has to be parsed."""
    return [(WORK, 5 if request.GET.get("q") else 2)]


def sources(request: HttpRequest) -> Charges:
    """Charge a download of bytes."""
    return [(SOURCES, 1)]


def exports(request: HttpRequest) -> Charges:
    """Charge an export of games; HEAD costs only the search, and games by their ids cost work."""
    if request.GET.get("ids"):
        return [(WORK, 20)]
    return search(request) if request.method == "HEAD" else [*search(request), (EXPORTS, 1)]


def upload(request: HttpRequest) -> Charges:
    """Charge the bytes of an upload; `throttling.charge_uploads` charges its files."""
    if request.method != "POST":
        return [(WORK, 1)]
    return [(UPLOAD_BYTES, body_bytes(request)), (DAILY_BYTES, body_bytes(request))]


def own_uploads(request: HttpRequest) -> Charges:
    """Charge a list of own uploads, and an upload to it."""
    return upload(request) if request.method == "POST" else [(WORK, 2)]


def report(request: HttpRequest) -> Charges:
    """Charge a report, or the page of its form."""
    return [(WORK, 1), (REPORTS, 1)] if request.method == "POST" else [(WORK, 1)]
