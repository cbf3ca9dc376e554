"""DuckDB inside this process: databases in memory, within bounds, that load nothing from elsewhere.

It is imported when it is first asked for and not before: it takes 40 MiB of a process.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from django.conf import settings

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MEMORY: Final = "128MB"


@contextmanager
def bounded(memory: str = MEMORY, threads: int = 1) -> Iterator[DuckDBPyConnection]:
    """Give a database that keeps what does not fit into `memory` on disk."""
    import duckdb

    bounds: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": memory,
        "threads": threads,
        "temp_directory": str(settings.DATA_DIR / "tmp"),
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }
    with duckdb.connect(":memory:", config=bounds) as database:
        yield database


def literal(text: object) -> str:
    """Return a text as it stands in a statement: names of files can be no parameters everywhere."""
    return "'" + str(text).replace("'", "''") + "'"
