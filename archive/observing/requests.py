"""Requests, counted where they end, by the name of their route: of addresses there is no end.

Any of several web processes may be the one that is asked for the sums. So each writes its counts into a file
of its own that all of them read (prometheus-client's multiprocess mode, `archive.observing.shared`): a label
for the process would be a different one at each scrape.
"""

from collections.abc import Callable
from functools import cache
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Histogram

OTHER: Final = "other"
"""In the place of a method that is none of the usual ones: anybody can make up more."""

NONE: Final = "none"
"""The route of what no view was found for."""

REFUSED: Final = "refused"
"""The route of what never reached Django: bodies that did not come, and too much at once."""

METHODS: Final = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))

BUCKETS: Final = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)

REGISTRY: Final = CollectorRegistry()
"""What this process counted by itself; where several share a folder, they tell what stands there."""

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
    known = method if method in METHODS else OTHER
    _ended(route, known, status)()
    _took(route, known)(seconds)


# There is one of these for each combination of labels: to look a metric up takes longer than to count.
@cache
def _ended(route: str, method: str, status: int) -> Callable[[], None]:
    return _ENDED.labels(route, method, str(status)).inc


@cache
def _took(route: str, method: str) -> Callable[[float], None]:
    return _SECONDS.labels(route, method).observe
