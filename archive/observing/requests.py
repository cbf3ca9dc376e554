"""Counts of requests by route, method and status.

Any web process may answer a scrape, so each writes its counts to a file that all of them read
(prometheus-client's multiprocess mode, `archive.observing.shared`).
"""

from collections.abc import Callable
from functools import cache
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Histogram

OTHER: Final = "other"
"""The label of methods that are not in `METHODS`: clients could invent any number."""

NONE: Final = "none"
"""The route of requests without a view."""

REFUSED: Final = "refused"
"""The route of requests that the front server refused."""

METHODS: Final = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))

BUCKETS: Final = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)

REGISTRY: Final = CollectorRegistry()
"""The counts of this process, if it does not share a folder with others."""

_ENDED: Final = Counter(
    "kifu_http_requests",
    "Requests by the name of their route, method and status.",
    ["route", "method", "status"],
    registry=REGISTRY,
)
_SECONDS: Final = Histogram(
    "kifu_http_request_seconds",
    "Seconds from the whole request to the end of its answer.",
    ["route", "method"],
    registry=REGISTRY,
    buckets=BUCKETS,
)


def count(route: str, method: str | None, status: int, seconds: float) -> None:
    """Count a request that has ended."""
    label = method if method in METHODS else OTHER
    _ended(route, label, status)()
    _took(route, label)(seconds)


# Cached by labels, because looking up a metric takes longer than counting.
@cache
def _ended(route: str, method: str, status: int) -> Callable[[], None]:
    return _ENDED.labels(route, method, str(status)).inc


@cache
def _took(route: str, method: str) -> Callable[[float], None]:
    return _SECONDS.labels(route, method).observe
