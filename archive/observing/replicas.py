"""The lag of replicas of the database, for the metrics; the module that reads them registers its source."""

from collections.abc import Callable, Mapping

Lags = Callable[[], Mapping[str, float]]
"""Returns the lag in seconds by replica; a replica that is away has none."""

_sources: list[Lags] = []


def register(source: Lags) -> None:
    """Register a source of lags."""
    _sources.append(source)


def lags() -> dict[str, float]:
    """Return the lag in seconds of each replica."""
    return {name: seconds for source in _sources for name, seconds in source().items()}
