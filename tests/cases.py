"""Tables of cases that one test goes through: each case is a subtest, which fails under its own name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any

import pytest

Test = Callable[..., None]
Row = tuple[tuple[str, ...], tuple[Any, ...]]
"""The words of a case's name, and its values."""

Table = tuple[list[str], list[Row], Test]
"""The names of arguments, the cases, and the test of one case."""


def each(
    names: str | Sequence[str], cases: Iterable[Any], *, ids: Callable[[Any], object] | None = None
) -> Callable[[Test], Test]:
    """Run a test for every case, as `pytest.mark.parametrize` does, but in one test with subtests.

    It is for tables of many quick cases: an item of pytest costs more than most of them. All cases share the
    fixtures of the test, so a test that changes the database or settings needs `parametrize`. A failure names
    its case by `ids`, by the id of a `pytest.param`, or by its values.
    """
    columns = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    rows = [_row(case, len(columns), ids) for case in cases]

    def decorate(test: Test) -> Test:
        table: Table = getattr(test, "table", ([], [((), ())], test))
        return _over(_product(columns, rows, table))

    return decorate


def _product(columns: list[str], rows: list[Row], table: Table) -> Table:
    """Return the table of all combinations of rows with those of a table below."""
    other_columns, other_rows, test = table
    both = [((*name, *other), (*values, *more)) for name, values in rows for other, more in other_rows]
    return [*columns, *other_columns], both, test


def _over(table: Table) -> Test:
    """Return the test of all rows of a table."""
    columns, rows, test = table

    @wraps(test)
    def all_cases(subtests: pytest.Subtests, **fixtures: Any) -> None:
        if not rows:
            pytest.skip(f"no cases of {', '.join(columns)}")
        for name, values in rows:
            # Processes report cases to each other in UTF-8, which has no lone surrogates.
            with subtests.test("-".join(name).encode("utf-8", "backslashreplace").decode()):
                test(**dict(zip(columns, values, strict=True)), **fixtures)

    signature = inspect.signature(test)
    fixtures = [one for name, one in signature.parameters.items() if name not in columns]
    subtests = inspect.Parameter("subtests", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    all_cases.__signature__ = signature.replace(parameters=[subtests, *fixtures])  # type: ignore[attr-defined]
    all_cases.table = table  # type: ignore[attr-defined]
    return all_cases


def _row(case: Any, count: int, ids: Callable[[Any], object] | None) -> Row:
    if isinstance(case, type(pytest.param())):
        assert not case.marks, "marks of a case need parametrize"
        values, name = tuple(case.values), case.id
    else:
        values, name = (case,) if count == 1 else tuple(case), None
    return (str(name),) if name else tuple(str(ids(one) if ids else one) for one in values), values
