"""Pieces of SQL, which stay together with their parameters."""

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from django.db.models import QuerySet

from archive.project.reading import connection


class Sql(NamedTuple):
    """A piece of SQL with its parameters."""

    text: str
    values: tuple[Any, ...] = ()


def conjunction(conditions: Sequence[Sql]) -> Sql:
    """Return all of the conditions joined by AND; without any, what is always true."""
    if not conditions:
        return Sql("TRUE")
    return Sql(" AND ".join(sql.text for sql in conditions), sum((sql.values for sql in conditions), ()))


def one_of(values: Sequence[Any]) -> str:
    """Return what follows a column in the condition that it has one of these values: their places are %s."""
    return "= %s" if len(values) == 1 else f"IN ({', '.join(['%s'] * len(values))})"


_PLACE: Final = -(2**61)
"""Stands for the number while a question is put together."""


class PreparedQuery:
    """A question of Django's about one number, put together once: that takes ten times as long as the answer.

    Its rows are what the driver gives: texts for JSON.
    """

    def __init__(self, made: Callable[[int], QuerySet[Any, Any]]) -> None:
        self.made = made
        self.statements: dict[str, Sql] = {}

    def rows(self, number: int) -> list[tuple[Any, ...]]:
        """Return the rows that answer the question about a number."""
        if connection.vendor not in self.statements:
            self.statements[connection.vendor] = Sql(*self.made(_PLACE).query.sql_with_params())
        text, values = self.statements[connection.vendor]
        with connection.cursor() as cursor:
            cursor.execute(text, [number if value == _PLACE else value for value in values])
            return list(cursor.fetchall())
