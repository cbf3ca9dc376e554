"""What is counted, and what requests cost: the routes name it (`archive.http.routes`)."""

from dataclasses import dataclass
from typing import Final

from django.conf import settings
from django.http import HttpRequest

from archive.http.routes import route_of
from archive.queries.games.filters import filters_of

MINUTE: Final = 60


@dataclass(frozen=True, slots=True)
class Rule:
    """One quota: its name in headers, the setting that holds it, its window in seconds, and what its unit is
    called (`RateLimit-Policy`; empty for one of ours, which follow the routes)."""

    name: str
    setting: str
    seconds: int = MINUTE
    unit: str = ""

    @property
    def quota(self) -> int:
        """Return how much one anonymous address may ask for; 0 for no limit."""
        return int(getattr(settings, self.setting))


class RuleOfRoles(Rule):
    """A quota of a day, of which each role has its own."""

    @property
    def quota(self) -> int:
        return self.of_role("anonymous")

    def of_role(self, role: str) -> int:
        """Return how much an account of a role may ask for, or an anonymous address; 0 for no limit."""
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

_FILTERS: Final = ("transpositions", *(one.name for one in filters_of("positions")))
_SLOW: Final = ("q", *(one.name for one in filters_of("games") if "SELECT" in (one.games or "")))


def charges(request: HttpRequest) -> Charges:
    """Return what a request costs; nothing where its route does not say."""
    cost = route_of(request).cost
    if not cost or request.method == "OPTIONS":
        return []
    return [(WORK, cost)] if isinstance(cost, int) else [*cost(request)]


def body_bytes(request: HttpRequest) -> int:
    """Return how many bytes a request says that it sends; at least one."""
    told = str(request.META.get("CONTENT_LENGTH") or "")
    # Twelve digits are far beyond what is ever read.
    return max(int(told), 1) if told.isascii() and told.isdigit() and len(told) <= 12 else 1


def explorer(request: HttpRequest) -> Charges:
    """Charge the explorer. With filters up to 200,000 games are looked through; a part beside a replay is
    what is kept anyway."""
    if request.GET.get("part") == "moves":
        return [(WORK, 1)]
    return [(WORK, 10 if any(request.GET.get(name) for name in _FILTERS) else 2)]


def may_take_long(request: HttpRequest) -> bool:
    """Return whether a request searches for what nobody knows beforehand how long it takes to find: by a
    query, by what each game has to be looked up for, or with filters at a position. Suggestions look at names
    alone, and moves beside a replay are kept anyway."""
    match = request.resolver_match
    if match is None or match.url_name == "games-suggestions":
        return False
    at_position = route_of(request).cost is explorer
    if at_position and request.GET.get("part") == "moves":
        return False
    return any(request.GET.get(name) for name in (_FILTERS if at_position else _SLOW))


def reading(request: HttpRequest) -> Charges:
    """Charge a text that is read, by its length."""
    return [(WORK, 5), (READING, body_bytes(request))]


def editor(request: HttpRequest) -> Charges:
    """Charge a page that reads what is sent to it."""
    return reading(request) if request.method == "POST" else [(WORK, 1)]


def search(request: HttpRequest) -> Charges:
    """Charge a search. One for words may have to read a record out of them."""
    return [(WORK, 5 if request.GET.get("q") else 2)]


def sources(request: HttpRequest) -> Charges:
    """Charge bytes that somebody takes away."""
    return [(SOURCES, 1)]


def exports(request: HttpRequest) -> Charges:
    """Charge games in bulk; to ask what they would be is a search and no export."""
    return search(request) if request.method == "HEAD" else [*search(request), (EXPORTS, 1)]


def upload(request: HttpRequest) -> Charges:
    """Charge the bytes; files are counted where their number is known (`throttling.charge_uploads`)."""
    if request.method != "POST":
        return [(WORK, 1)]
    return [(UPLOAD_BYTES, body_bytes(request)), (DAILY_BYTES, body_bytes(request))]


def own_uploads(request: HttpRequest) -> Charges:
    """Charge the list of what one has sent, and what is sent to it."""
    return upload(request) if request.method == "POST" else [(WORK, 2)]


def report(request: HttpRequest) -> Charges:
    """Charge a report of a game; its form is a page like others."""
    return [(WORK, 1), (REPORTS, 1)] if request.method == "POST" else [(WORK, 1)]
