"""Pieces of SQL, which stay together with their parameters."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NamedTuple

from django.db.models import QuerySet

from archive.index.engine import engine
from archive.project.reading import connection


class Sql(NamedTuple):
    """A piece of SQL with its parameters."""

    text: str
    values: tuple[Any, ...] = ()

    def embed(self, template: str, *values: Any, **names: object) -> "Sql":
        """Put this piece in the place `{sql}` of a template, whose own parameters come after it."""
        return Sql(template.format(sql=self.text, **names), (*self.values, *values))

    def where(self, conditions: Iterable["Sql"]) -> "Sql":
        """Add WHERE and all of the conditions."""
        where = conjunction(conditions)
        return Sql(f"{self.text} WHERE {where.text}", (*self.values, *where.values))

    def rows(self) -> list[tuple[Any, ...]]:
        """Run this statement and return its rows."""
        with connection.cursor() as cursor:
            cursor.execute(*self)
            return list(cursor.fetchall())


def rows_by_ids(sql: str, ids: Sequence[int]) -> list[tuple[Any, ...]]:
    """Return the rows of a statement with a list of ids `{keys}`, which is one value of it."""
    return engine().fetch_prepared(sql.format(keys=engine().KEYS), [engine().listed(ids)])


def like_pattern(*parts: str) -> str:
    """Return the parts, escaped by `!`, as a LIKE pattern with any text between them."""
    return "%".join(part.replace("!", "!!").replace("%", "!%").replace("_", "!_") for part in parts)


def joined(pieces: Iterable[Sql], separator: str) -> Sql:
    """Return pieces with a separator between them."""
    pieces = [*pieces]
    return Sql(
        separator.join(piece.text for piece in pieces),
        tuple(value for piece in pieces for value in piece.values),
    )


def conjunction(conditions: Iterable[Sql]) -> Sql:
    """Return the conditions joined by AND; without any, TRUE."""
    return joined([*conditions] or [Sql("TRUE")], " AND ")


def one_of(values: Sequence[Any]) -> str:
    """Return the condition, without its column, that a column has one of these values."""
    return "= %s" if len(values) == 1 else f"IN ({', '.join(['%s'] * len(values))})"


_PLACEHOLDER: Final = -(2**61)


class PreparedQuery:
    """A query of Django's with one number as its parameter, compiled once: that takes ten times as long as to
    run it. Its rows are those of the driver, with JSON as text."""

    def __init__(self, build: Callable[[int], QuerySet[Any, Any]]) -> None:
        self.build = build
        self.statements: dict[str, Sql] = {}

    def rows(self, number: int) -> list[tuple[Any, ...]]:
        """Run the query with this number."""
        if connection.vendor not in self.statements:
            self.statements[connection.vendor] = Sql(*self.build(_PLACEHOLDER).query.sql_with_params())
        text, values = self.statements[connection.vendor]
        return Sql(text, tuple(number if value == _PLACEHOLDER else value for value in values)).rows()


def first_of(pieces: Sequence[Sql], order: str, limit: int) -> Sql:
    """Return SQL for the first rows of all pieces together. Each piece has its own first rows in this
    order."""
    if len(pieces) == 1:
        return pieces[0]
    rows = (piece.embed(f"SELECT * FROM ({{sql}}) p{number}") for number, piece in enumerate(pieces))
    return joined(rows, " UNION ALL ").embed("{sql} ORDER BY {order} LIMIT %s", limit, order=order)
