"""The plans of the queries that code runs: which indexes they use, which tables they read whole."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any, NamedTuple

from django.db import connection
from psycopg.client_cursor import ClientCursorMixin

from archive.index import postgresql_texts

BIG = (
    "occurrence", "game", "gameplayer", "gameevent", "entry", "hotmove", "hotposition", "gamerecord",
    "gametext", "gameformation",
)  # fmt: skip
"""Tables that grow with the archive."""

ORDERED = ("occurrence", "gameplayer", "gameevent")
"""Those of them whose indexes are in the order of the lists."""


class Statement(NamedTuple):
    """A statement that ran; `prepared` if its plan is kept, which is made without the parameters."""

    sql: str
    params: Any
    prepared: bool


@contextmanager
def recorded() -> Iterator[list[Statement]]:
    """The statements that run meanwhile."""
    result: list[Statement] = []

    def keep(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.lstrip().upper().startswith("SELECT") and not many:
            result.append(Statement(sql, params, _is_prepared(context["cursor"].cursor)))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(keep):
        yield result


def _is_prepared(cursor: Any) -> bool:
    """Django's own cursors on PostgreSQL put the values into the text."""
    return connection.vendor == "postgresql" and not isinstance(cursor, ClientCursorMixin)


def scans(ask: Callable[[], object]) -> list[str]:
    """What is read whole by what a question runs: `table: statement` for each; no statement at all is one."""
    with recorded() as statements:
        ask()
    result = ["nothing was asked"] if not statements else []
    for statement in statements:
        text = " ".join(statement.sql.split())
        result += [f"{table}: {text}" for table in sorted(_scanned(statement))]
    return result


def _scanned(statement: Statement) -> set[str]:
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT rootpage, tbl_name FROM sqlite_master")
            roots = dict(cursor.fetchall())
            cursor.execute(f"EXPLAIN {statement.sql}", statement.params)
            return _sqlite_scans([row[1:4] for row in cursor.fetchall()], roots)
        if statement.sql == postgresql_texts._BY_INDEX:
            cursor.execute(statement.sql, statement.params)  # what follows is planned with that, too
        root = _plan(cursor, statement)
    read = {name for node in _nodes(root) if (name := _postgresql_scan(node))}
    return read | {f"{name} sorted" for node in _nodes(root) for name in _sorted(node)}


def sought_by(ask: Callable[[], object]) -> set[str]:
    """The first columns behind the space of the indexes that a question uses, as `table.column`."""
    with recorded() as statements:
        ask()
    result: set[str] = set()
    with connection.cursor() as cursor:
        for statement in statements:
            if connection.vendor == "sqlite":
                cursor.execute(f"EXPLAIN QUERY PLAN {statement.sql}", statement.params)
                lines = [row[3] for row in cursor.fetchall()]
                result |= {name for line in lines for name in re.findall(r"INDEX (\w+_\w+)", line)}
            else:
                result |= {node.get("Index Name", "") for node in _nodes(_plan(cursor, statement))}
        return {_first_column(cursor, name) for name in result if name}


def occurrences_sought(ask: Callable[[], object], part: str) -> list[str]:
    """By which conditions the statements that have this part find rows of the index."""
    with recorded() as statements:
        ask()
    result: list[str] = []
    with connection.cursor() as cursor:
        for statement in statements:
            if part not in statement.sql:
                continue
            if connection.vendor == "sqlite":
                cursor.execute(f"EXPLAIN QUERY PLAN {statement.sql}", statement.params)
                result += [
                    row[3]
                    for row in cursor.fetchall()
                    if re.match(r"SEARCH (d|archive_occurrence_\w+) ", row[3])
                ]
            else:
                nodes = _nodes(_plan(cursor, statement))
                result += [node.get("Index Cond", "") for node in nodes if _table(node) == "occurrence"]
    return result


_FIRST_COLUMN = {
    "sqlite": "SELECT m.tbl_name, i.name FROM sqlite_master m, pragma_index_info(m.name) i "
    "WHERE m.name = %s AND i.name <> 'space' ORDER BY i.seqno LIMIT 1",
    "postgresql": "SELECT i.indrelid::regclass::text, a.attname FROM pg_index i "
    "JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY(i.indkey) "
    "WHERE i.indexrelid = %s::regclass AND a.attname <> 'space' "
    "ORDER BY array_position(i.indkey::int2[], a.attnum) LIMIT 1",
}


def _first_column(cursor: Any, index: str) -> str:
    cursor.execute(_FIRST_COLUMN[connection.vendor], [index])
    table, column = cursor.fetchone()
    return f"{table.removeprefix('archive_')}.{column}"


def _plan(cursor: Any, statement: Statement) -> dict[str, Any]:
    (plan,) = _explain_prepared(cursor, statement) if statement.prepared else _explain(cursor, statement)
    root: dict[str, Any] = (json.loads(plan) if isinstance(plan, str) else plan)[0]["Plan"]
    return root


def _explain(cursor: Any, statement: Statement) -> Any:
    cursor.execute(f"EXPLAIN (FORMAT JSON) {statement.sql}", statement.params)
    return cursor.fetchone()


def _explain_prepared(cursor: Any, statement: Statement) -> Any:
    """The plan that is kept."""
    types = ["bigint[]" if isinstance(v, list) else "text" if isinstance(v, str) else "bigint"
             for v in statement.params]  # fmt: skip
    numbers = count(1)
    sql = re.sub("%s", lambda _: f"${next(numbers)}", statement.sql)
    cursor.execute(f"PREPARE looked_at ({', '.join(types)}) AS {sql}")
    places = ", ".join(f"%s::{kind}" for kind in types)
    cursor.execute(f"EXPLAIN (FORMAT JSON) EXECUTE looked_at ({places})", statement.params)
    plan = cursor.fetchone()
    cursor.execute("DEALLOCATE looked_at")
    return plan


def _sqlite_scans(steps: list[tuple[str, int, int]], roots: dict[int, str]) -> set[str]:
    """Tables that are read from their first or last row on: what is looked for is sought instead.

    Plans for people call subqueries and tables alike by their aliases, so this looks at the program. A skip
    scan, which seeks every value of a first column that nothing is asked of, begins with a Rewind too.
    """
    opened = {cursor: roots.get(root, "") for opcode, cursor, root in steps if opcode == "OpenRead"}
    scanned = {opened.get(cursor, "") for opcode, cursor, _ in steps if opcode in ("Rewind", "Last")}
    return {_named(table) for table in scanned} & {*BIG}


def _nodes(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for child in node.get("Plans", ()):
        yield from _nodes(child)


def _sorted(node: dict[str, Any]) -> set[str]:
    """Tables of which a limited number of rows is wanted in order, and all are sorted to get them."""
    return _below(node, below_sort=False) if node["Node Type"] == "Limit" else set()


def _below(node: dict[str, Any], *, below_sort: bool) -> set[str]:
    result: set[str] = set()
    for child in node.get("Plans", ()):
        # What is looked up once for each row is bounded by the rows.
        if child["Parent Relationship"] not in ("Outer", "Member", "Subquery"):
            continue
        sorting = below_sort or child["Node Type"] == "Sort"
        if child["Node Type"] != "Limit":
            result |= _below(child, below_sort=sorting)
        if sorting and (table := _table(child)) in ORDERED and not _empty(child["Relation Name"]):
            result.add(table)
    return result


def _table(node: dict[str, Any]) -> str:
    return _named(node.get("Relation Name", ""))


def _named(table: str) -> str:
    """What a table is called here, the parts of the index all alike."""
    return re.sub(r"_(\d{10}|recent|settled)$", "", table).removeprefix("archive_")


def _postgresql_scan(node: dict[str, Any]) -> str | None:
    """The table of a node that reads all of it: in its own order, or by an index without a condition."""
    table = _table(node)
    scans = node["Node Type"] == "Seq Scan" or ("Index" in node["Node Type"] and "Index Cond" not in node)
    return table if table in BIG and scans and not _empty(node["Relation Name"]) else None


def _empty(relation: str) -> bool:
    """The segment ahead has no rows yet: there is nothing to read whole."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT NOT EXISTS (SELECT FROM {relation})")
        empty: bool = cursor.fetchone()[0]
    return empty
