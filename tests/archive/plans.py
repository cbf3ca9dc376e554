"""The plans of the queries that code runs: which indexes they use, which tables they read whole."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection

BIG = ("occurrence", "game", "gameplayer", "gameevent", "entry", "hotmove", "hotposition", "gamerecord")
"""Tables that grow with the archive."""


@contextmanager
def recorded() -> Iterator[list[tuple[str, Any]]]:
    """The statements that run meanwhile, with their parameters."""
    found: list[tuple[str, Any]] = []

    def keep(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.lstrip().upper().startswith("SELECT") and not many:
            found.append((sql, params))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(keep):
        yield found


def scans(ask: Callable[[], object]) -> list[str]:
    """What is read whole by what a question runs: `table: statement` for each; no statement at all is one."""
    with recorded() as statements:
        ask()
    found = ["nothing was asked"] if not statements else []
    for sql, params in statements:
        found += [f"{table}: {' '.join(sql.split())}" for table in sorted(_scanned(sql, params))]
    return found


def _scanned(sql: str, params: Any) -> set[str]:
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT rootpage, tbl_name FROM sqlite_master")
            roots = dict(cursor.fetchall())
            cursor.execute(f"EXPLAIN {sql}", params)
            return _sqlite_scans([row[1:4] for row in cursor.fetchall()], roots)
        cursor.execute(f"EXPLAIN (FORMAT JSON) {sql}", params)
        (plan,) = cursor.fetchone()
    root = (json.loads(plan) if isinstance(plan, str) else plan)[0]["Plan"]
    return {name for node in _nodes(root) if (name := _postgresql_scan(node))}


def _sqlite_scans(steps: list[tuple[str, int, int]], roots: dict[int, str]) -> set[str]:
    """Tables that are read from their first or last row on: what is looked for is sought instead.

    Plans for people call subqueries and tables alike by their aliases, so this looks at the program. A skip
    scan, which seeks every value of a first column that nothing is asked of, begins with a Rewind too.
    """
    opened = {cursor: roots.get(root, "") for opcode, cursor, root in steps if opcode == "OpenRead"}
    whole = {opened.get(cursor, "") for opcode, cursor, _ in steps if opcode in ("Rewind", "Last")}
    return {table.removeprefix("archive_") for table in whole} & {*BIG}


def _nodes(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for child in node.get("Plans", ()):
        yield from _nodes(child)


def _postgresql_scan(node: dict[str, Any]) -> str | None:
    """The table of a node that reads all of it: in its own order, or by an index without a condition."""
    relation = node.get("Relation Name", "")
    table = re.sub(r"_\d{10}$", "", relation).removeprefix("archive_")
    whole = node["Node Type"] == "Seq Scan" or ("Index" in node["Node Type"] and "Index Cond" not in node)
    return table if table in BIG and whole and not _empty(relation) else None


def _empty(relation: str) -> bool:
    """The segment ahead has no rows yet: there is nothing to read whole."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT NOT EXISTS (SELECT FROM {relation})")
        empty: bool = cursor.fetchone()[0]
    return empty
