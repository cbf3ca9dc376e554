"""How far copies of the database that are read from are behind it, told by whoever reads from them."""

from collections.abc import Callable, Mapping

Lags = Callable[[], Mapping[str, float]]
"""Returns seconds by the name of a replica; of one that is gone there is none."""

_lags: list[Lags] = []


def tell_by(lags: Lags) -> None:
    """Let this tell of replicas from now on, whenever somebody asks."""
    _lags.append(lags)


def lags() -> dict[str, float]:
    """Return how many seconds each replica is behind; nothing where there are none."""
    return {name: seconds for told in _lags for name, seconds in told().items()}
