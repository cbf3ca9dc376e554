"""Pieces of SQL, which stay together with their parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple


class Sql(NamedTuple):
    """A piece of SQL with its parameters."""

    text: str
    values: tuple[Any, ...] = ()


def conjunction(conditions: Sequence[Sql]) -> Sql:
    """All of the conditions; true where there are none."""
    if not conditions:
        return Sql("TRUE")
    return Sql(" AND ".join(sql.text for sql in conditions), sum((sql.values for sql in conditions), ()))
