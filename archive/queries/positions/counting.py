"""Count rows under keys: from the key's counters if it has them, else from its rows. With filters, count the
rows of as many games as there is time for, and say if these are not all.

The index and the catalogue of games, players and lists may be on different servers, so no statement joins
them. `Engine.materialized` carries rows of one side to the other, where slots identify their games.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import date
from functools import cached_property
from typing import Final, NamedTuple

from archive.index.engine import engine
from archive.index.part_counters import band_of
from archive.index.schema import BAND, FORK, NOT_A_GAME, UNKNOWN_DAY, mover
from archive.queries.games.filters import GameFilters
from archive.queries.positions import reading_plan
from archive.queries.positions.position_filters import Driver, SpaceQuery, is_in_slots, shortest_driver
from archive.queries.positions.position_query import ROWS, Lines
from archive.queries.positions.reading_plan import ReadingPlan, Sample, plan_for_all, plan_for_page
from archive.queries.sql import Sql, conjunction


class RowCount(NamedTuple):
    """How many rows have the same key, flags, move and result: `n`.

    `rated` and `rating_sum` are for the side to move, None if they were not looked up; `first_played` is the
    first known day, None if there is none or if counters were asked.
    """

    key: int
    flags: int
    move: int
    result: int
    n: int
    rated: int | None
    rating_sum: int | None
    last_played: int
    first_played: int | None = None


class LoadedRow(NamedTuple):
    """A row of the index that was loaded to be counted, and to find the first and the last game."""

    key: int
    flags: int
    move: int
    result: int
    played: int
    slot: int
    ply: int


ALL: Final = 2**62
"""A limit that nothing reaches."""

COUNTED_BY: Final = ("key", "flags", "move", "result", "played", "slot")
"""The columns of rows that are counted."""
_COUNTED: Final = "x.key, x.flags, x.move, x.result"
_SUMMED: Final = "d.key, d.flags, d.move, d.result"
_GROUPED: Final = f"""
    SELECT {_COUNTED}, count(*), count(x.rating), coalesce(sum(x.rating), 0), max(x.played),
        min(CASE WHEN x.played > {UNKNOWN_DAY} THEN x.played END)
    FROM (
        SELECT d.key, d.flags, d.move, d.result, d.played, {{rating}} AS rating {{rows}} LIMIT {ALL}
    ) x GROUP BY {_COUNTED}
"""
"""The limit, which nothing reaches, keeps planners from looking a rating up once for each of its uses."""
_RATING: Final = "(SELECT p.rating FROM archive_gameplayer p WHERE p.slot = d.slot AND p.colour = {colour})"
_NO_RATING: Final = "CAST(NULL AS smallint)"
_GROUPED_RATED: Final = _GROUPED.format(rating=_RATING.format(colour="(d.key & 2) / 2"), rows="FROM {rows}")
_HOT: Final = "(SELECT count(*) FROM archive_hotposition h WHERE h.key = k.key)"
_OF_KEY: Final = "d.key = k.key"
_COUNTERS: Final = """
    SELECT d.key, d.flags, d.move, d.result, d.n, d.rated, d.rating_sum, d.last_played, CAST(NULL AS int)
    FROM {each}
"""
_TOTALS: Final = f"""
    SELECT k.key, (SELECT coalesce(sum(d.n), 0) FROM archive_hotmove d WHERE {_OF_KEY} AND {{counting}})
    FROM {{keys}} WHERE {_HOT} > 0
    UNION ALL
    SELECT x.key, count(*) FROM ({{rows}} LIMIT {ALL}) x GROUP BY x.key
"""
_ROWS: Final = f"SELECT {', '.join(f'd.{name}' for name in COUNTED_BY)}"
_ROW_ARRAYS: Final = ", ".join(f"coalesce(array_agg(d.{name}), '{{}}')::text" for name in LoadedRow._fields)
_GAMES_BY_COUNTERS: Final = """
    SELECT d.key, sum(CASE WHEN {counting} THEN d.n ELSE 0 END) FROM {each} GROUP BY d.key
"""
_LAST_SLOT: Final = "SELECT coalesce(max(slot), 0) FROM archive_game WHERE slot < %s"
_COUNTED_ROWS: Final = """
    SELECT d.key, sum(d.n), sum(CASE WHEN {once} THEN d.n ELSE 0 END)
    FROM {each} WHERE {counting} GROUP BY d.key
"""


def _each(table: str, keys: str) -> str:
    """Return a FROM item with the rows of a table under each key of a list."""
    return engine().EACH.format(list=keys, table=table, on=_OF_KEY)


class KeyCounts(NamedTuple):
    """The counts of keys, and with a remote index the loaded rows of the keys without counters, one array a
    column."""

    counts: list[RowCount]
    cold: frozenset[int] = frozenset()
    arrays: tuple[str, ...] = ()

    def rows(self) -> list[LoadedRow]:
        """Return the loaded rows."""
        columns = [[int(number) for number in text[1:-1].split(",") if number] for text in self.arrays]
        return [LoadedRow(*row) for row in zip(*columns, strict=True)]


def count_rows(keys: Collection[int]) -> list[RowCount]:
    """Return all counts of keys."""
    return read_counts(keys).counts


def read_counts(keys: Collection[int]) -> KeyCounts:
    """Return the counts of keys. Keys without counters have few rows (about HOT_GAMES), which are read.

    If the database has one state for all keys, a game that is being moved from one version of the index to
    another is counted once, and so is a key that gets its counters meanwhile.
    """
    counters = Sql(_COUNTERS.format(each=_each("archive_hotmove", engine().KEYS)), ([*keys],))
    if engine().REMOTE_INDEX:
        return _read_remote_counts(keys, counters)
    cold = materialized([Sql(text, ([*keys],)) for text in _rows_of_cold_keys(_ROWS)], COUNTED_BY)
    read = Sql(_GROUPED_RATED.format(rows=cold.text), cold.values)
    return KeyCounts([RowCount(*row) for row in engine().fetch_all([counters, read])])


def count_games(keys: Collection[int], lines: Lines) -> dict[int, int]:
    """Return how many games reach each key. Keys that no game reaches are left out."""
    counting = f"{ROWS[lines]} AND d.result <> {NOT_A_GAME}"
    if engine().REMOTE_INDEX:
        return _count_remote_games(keys, counting) if keys else {}
    rows = " UNION ALL ".join(_rows_of_cold_keys("SELECT d.key", f"WHERE {counting}"))
    sql = _TOTALS.format(keys=engine().KEYS, rows=rows, counting=counting)
    values = [[*keys]] * (1 + len(engine().TABLES))
    return {key: int(n) for key, n in engine().fetch_prepared(sql, values) if n}


def _read_remote_counts(keys: Collection[int], counters: Sql) -> KeyCounts:
    """Ask for counters first, then for the rows of the keys that have none.

    The cost of a statement to other servers depends on how much has to be planned, so it reads one table and
    nothing else.
    """
    rows = [RowCount(*row) for row in engine().fetch_prepared(*counters)]
    cold = frozenset(keys) - {row.key for row in rows}
    if not cold:
        return KeyCounts(rows)
    of_cold = _rows_of(cold)
    (arrays,) = engine().fetch_prepared(f"SELECT {_ROW_ARRAYS} {of_cold.text}", of_cold.values)
    carried = engine().unnest(LoadedRow._fields, "d")
    read = engine().fetch_prepared(_GROUPED_RATED.format(rows=carried), arrays)
    return KeyCounts(rows + [RowCount(*row) for row in read], cold, arrays)


def _count_remote_games(keys: Collection[int], counting: str) -> dict[int, int]:
    counters = _GAMES_BY_COUNTERS.format(counting=counting, each=_each("archive_hotmove", engine().KEYS))
    found = engine().fetch_prepared(counters, [[*keys]])
    if cold := set(keys) - {key for key, _ in found}:
        rows = _rows_of(cold, Sql(counting))
        found += engine().fetch_prepared(f"SELECT d.key, count(*) {rows.text} GROUP BY d.key", rows.values)
    return {key: int(n) for key, n in found if n}


def _rows_of(keys: Collection[int], *conditions: Sql) -> Sql:
    """Return FROM and WHERE for the rows under keys.

    With one key the statement goes to one shard, with several to all of their shards at once.
    """
    if len(keys) == 1:
        condition = Sql("d.key = %s", (*keys,))
    else:
        condition = Sql("d.key = ANY(%s::bigint[])", (sorted(keys),))
    return conjunction_from(ROWS_OF_KEY, [condition, *conditions])


def _rows_of_cold_keys(select: str, where: str = "") -> list[str]:
    """Return SELECTs, one for each table, of the rows of those keys in a list that have no counters."""
    cold = f"(SELECT k.key FROM {engine().KEYS} WHERE {_HOT} = 0) k"
    return [f"{select} FROM {_each(table, cold)} {where}" for table in engine().TABLES]


def materialized(
    pieces: Sequence[Sql], columns: Sequence[str], alias: str = "d", *, few: bool = False
) -> Sql:
    """Return rows of the index, or of a list, as a FROM item for a query of the other side."""
    text, values = engine().materialized(pieces, columns, few=few)
    return Sql(f"({text}) {alias}", values)


def literal_rows(rows: Sequence[Sequence[int]], columns: Sequence[str], alias: str) -> Sql:
    """Return loaded rows as a FROM item for a query of the catalogue."""
    arrays = tuple(f"{{{','.join(map(str, column))}}}" for column in zip(*rows, strict=True))
    return Sql(engine().unnest(columns, alias), arrays)


# --- with filters ----------------------------------------------------------------------------------------


def count_filtered(parts: Sequence[SpaceQuery]) -> tuple[list[RowCount], list[SpaceQuery]]:
    """Return the numbers of the games that match the filters, and the parts as they were read.

    The numbers are exact up to `EXACT_ROWS` rows or games of lists; beyond that they are those of the newest
    `SAMPLE_ROWS`.
    """
    if not any(part.resolved.probing or part.resolved.filters.days() for part in parts):
        counters = count_rows(_keys(parts)) if parts else []
        return [row for row in counters if _has_result(parts[0], row)], list(parts)
    if (by_part := _by_part(parts)) is not None:
        return by_part, list(parts)
    parts = choose_plans(parts)
    return _read_counts(parts), parts


def _read_counts(parts: Sequence[SpaceQuery], *counters: Sql) -> list[RowCount]:
    """Return the numbers of the rows that the parts read, and of counters, in one state of the database."""
    statements = [*counters, *(_grouped(part, key) for part in parts for key in part.query.keys)]
    rows = [RowCount(*row) for row in engine().fetch_all(statements)] if statements else []
    if parts and not parts[0].plan.rated:
        rows = [row._replace(rated=None, rating_sum=None) for row in rows]
    return rows


# Counted key by key, so that no plan reads the table whole.
_PARTED: Final = """
    SELECT k.key FROM {keys}
    WHERE (SELECT count(*) FROM archive_hotposition h WHERE h.key = k.key AND h.parted) > 0
"""
_OF_PARTS: Final = f"""
    SELECT {_SUMMED}, CAST(sum(d.n) AS bigint), CAST(sum(d.rated) AS bigint),
        CAST(sum(d.rating_sum) AS bigint), max(d.last_played),
        min(CASE WHEN d.first_played > {UNKNOWN_DAY} THEN d.first_played END)
    FROM {{each}} WHERE d.part BETWEEN %s AND %s GROUP BY {_SUMMED}
"""


def _by_part(parts: Sequence[SpaceQuery]) -> list[RowCount] | None:
    """Return counts from the counters of years or rating bands, if the filters need nothing else and some
    keys have such counters. Rows of other keys and outside whole years are read. None if that needs a
    sample."""
    spans = _parts_and_edges(parts[0].resolved.filters) if parts and not engine().REMOTE_INDEX else None
    if spans is None:
        return None
    parted = {key for (key,) in engine().fetch_prepared(_PARTED.format(keys=engine().KEYS), [_keys(parts)])}
    if not parted:
        return None
    (first, last), edges = spans
    rest = [part._replace(query=part.query.without(parted)) for part in parts]
    rest += [_on_days(part, parted, *edge) for part in parts for edge in edges]
    rest = choose_plans(rest) if (rest := [part for part in rest if part.query.keys]) else []
    if any(part.plan.sample for part in rest):
        return None
    each = _each("archive_hotpart", engine().KEYS)
    counters = Sql(_OF_PARTS.format(each=each), ([*parted], first, last))
    return [row for row in _read_counts(rest, counters) if _has_result(parts[0], row)]


def _parts_and_edges(filters: GameFilters) -> tuple[tuple[int, int], list[tuple[date, date]]] | None:
    """Return the first and the last counter part within the filters, and the ranges of days outside of whole
    years; None for filters other than days, a rating at the limit of a band, and a result."""
    since, until, least = filters.since, filters.until, filters.min_rating
    if replace(filters, since=None, until=None, min_rating=None, result=None):
        return None
    if least is not None:
        whole = since is until is None and least % BAND == 0
        return ((band_of(least), -1), []) if whole else None
    since, until = since or date.min, until or date.max
    first = since.year + (since > date(since.year, 1, 1))
    last = until.year - (until < date(until.year, 12, 31))
    if first > last:
        return None
    edges = [(since, date(first - 1, 12, 31))] if first > since.year else []
    edges += [(date(last + 1, 1, 1), until)] if last < until.year else []
    return (first, last), edges


def _on_days(part: SpaceQuery, keys: Collection[int], since: date, until: date) -> SpaceQuery:
    """Return the query for some days, with only those of its keys that are in `keys`."""
    filters = replace(part.resolved.filters, since=since, until=until)
    others = set(part.query.keys) - set(keys)
    return part._replace(query=part.query.without(others), resolved=replace(part.resolved, filters=filters))


def _grouped(part: SpaceQuery, key: int) -> Sql:
    """Return SQL for the numbers of the rows under a key that match the filters."""
    rated = part.plan.rated
    rating = _RATING.format(colour=mover(key)) if rated else _NO_RATING
    rows = matching_rows(part, key, _rows(part, key), COUNTED_BY, rated=rated)
    return Sql(_GROUPED.format(rating=rating, rows=rows.text), rows.values)


def matching_rows(
    part: SpaceQuery, key: int, rows: Sequence[Sql], columns: Sequence[str], *, rated: bool = False
) -> Sql:
    """Return FROM and WHERE for the rows of the index whose games match. `rows` are SELECTs of the index's
    columns.

    Rows are carried to the catalogue only if a game, or its ratings, have to be looked at.
    """
    probes = part.resolved.probes(part.query, key, part.plan)
    if probes or rated:
        return conjunction_from(materialized(rows, columns), probes)
    text = " UNION ALL ".join(one.text for one in rows)
    return Sql(f"FROM ({text}) d", tuple(value for one in rows for value in one.values))


def _keys(parts: Sequence[SpaceQuery]) -> list[int]:
    return [key for part in parts for key in part.query.keys]


def _has_result(part: SpaceQuery, row: RowCount) -> bool:
    result = part.resolved.filters.result
    return result is None or part.query.seen(row.result, row.key) == result


def _counted_rows(parts: Sequence[SpaceQuery]) -> list[tuple[int, int]]:
    """Return for each part how many rows its keys with counters have, and how many of these rows count in
    totals: one for each game.

    Keys without counters have few rows.
    """
    lines = parts[0].query.lines
    each, counting = _each("archive_hotmove", engine().KEYS), _of_lines(lines)
    sql = _COUNTED_ROWS.format(each=each, counting=counting, once=ROWS[lines])
    found = engine().fetch_prepared(sql, [_keys(parts)])
    known = {key: (int(rows), int(games)) for key, rows, games in found}
    numbers = ([known.get(key, (0, 0)) for key in part.query.keys] for part in parts)
    return [(sum(rows for rows, _ in each), sum(games for _, games in each)) for each in numbers]


def _of_lines(lines: Lines) -> str:
    """Return the condition on the rows that count: those of the main line, or with all lines also moves of
    forks.
    """
    return f"(d.flags & {FORK}) = 0" if lines == "main" else "TRUE"


class _QuerySize:
    """Reads the sizes of a query on one space from the database."""

    def __init__(self, part: SpaceQuery, rows: int, games: int) -> None:
        self.part, self.rows, self.games = part, rows, games
        self.dated = part.resolved.filters.days() is not None
        self.rating = part.resolved.filters.min_rating is not None

    def shortest_list(self, limit: int) -> tuple[int, int] | None:
        return shortest_driver(self.part.resolved, self.part.query, limit)

    def rows_within_days(self) -> int:
        return self._within_days

    @cached_property
    def _within_days(self) -> int:
        return _rows_among(self.part)

    def games_in_all(self) -> int:
        ((slot,),) = engine().fetch_prepared(_LAST_SLOT, [ALL])
        return int(slot)

    def read_by(self, plan: ReadingPlan) -> int:
        """Return how many rows, or games of a list, this plan reads."""
        if plan.most is not None:
            return plan.most
        return self.rows if self.rows <= reading_plan.EXACT_ROWS else self.rows_within_days()


def choose_plans(parts: Sequence[SpaceQuery]) -> list[SpaceQuery]:
    """Return the parts, each with the shortest way to all its games that match the filters.

    If these are too many to look at, all parts get the way to a sample.
    """
    numbers = [_QuerySize(part, *known) for part, known in zip(parts, _counted_rows(parts), strict=True)]
    found = [plan for one in numbers if (plan := plan_for_all(one)) is not None]
    if len(found) == len(parts):
        looked_at = sum(one.read_by(plan) for one, plan in zip(numbers, found, strict=True))
        if looked_at <= reading_plan.EXACT_ROWS:
            rated = all(plan.rated for plan in found)
            read = (replace(plan, rated=rated) for plan in found)
            return [part._replace(plan=plan) for part, plan in zip(parts, read, strict=True)]
    sampled = _sampled(parts, sum(one.games for one in numbers))
    return [part._replace(plan=sampled) for part in parts]


def choose_page_plans(parts: Sequence[SpaceQuery]) -> list[SpaceQuery]:
    """Return the parts, each with the shorter way to find the next of its games."""
    known = _counted_rows(parts) if parts else []
    numbers = (_QuerySize(part, *rows) for part, rows in zip(parts, known, strict=True))
    return [one.part._replace(plan=plan_for_page(one)) for one in numbers]


def _rows_among(part: SpaceQuery) -> int:
    """Count the rows within the days asked for, for each key up to one more than `EXACT_ROWS`."""
    each = (_in_order(part, key) for key in part.query.keys)
    most = reading_plan.EXACT_ROWS + 1
    statements = [
        (f"SELECT count(*) FROM (SELECT 1 {rows.text} LIMIT %s) x", (*rows.values, most)) for rows in each
    ]
    return sum(int(number) for (number,) in engine().fetch_all(statements))


def _selected(select: str, found: Sql) -> Sql:
    return Sql(f"{select} {found.text}", found.values)


def _in_order(part: SpaceQuery, key: int) -> Sql:
    """Return FROM and WHERE for the rows of a key within the days asked for, before other filters."""
    lines = Sql(_of_lines(part.query.lines))
    return conjunction_from(ROWS_OF_KEY, [Sql("d.key = %s", (key,)), part.resolved.between("d"), lines])


ROWS_OF_KEY: Final = Sql("archive_occurrence d")


def conjunction_from(source: Sql, conditions: Sequence[Sql]) -> Sql:
    """Return FROM and WHERE for the rows of a source that meet all of the conditions."""
    where = conjunction(list(conditions))
    return Sql(f"FROM {source.text} WHERE {where.text}", (*source.values, *where.values))


_NEWEST_OF: Final = "SELECT d.played, d.slot, d.flags {rows} ORDER BY d.played DESC, d.slot DESC LIMIT %s"
_CUT: Final = """
    SELECT played, slot FROM ({newest}) x ORDER BY played DESC, slot DESC LIMIT 1 OFFSET %s
"""
_SINCE: Final = """
    SELECT count(*), max(played) FROM ({newest}) d WHERE (played, slot) >= (%s, %s) AND {rows}
"""


def _sampled(parts: Sequence[SpaceQuery], games: int) -> ReadingPlan:
    """Return how to read the newest `SAMPLE_ROWS` rows of all keys: where they begin, and which days they
    span.
    """
    each = [_newest(_in_order(part, key)) for part in parts for key in part.query.keys]
    newest = Sql(*engine().materialized(each, ("played", "slot", "flags")))
    cut = _CUT.format(newest=newest.text)
    ((played, slot),) = engine().fetch_prepared(cut, [*newest.values, reading_plan.SAMPLE_ROWS - 1])
    since = _SINCE.format(newest=newest.text, rows=ROWS[parts[0].query.lines])
    ((number, until),) = engine().fetch_prepared(since, [*newest.values, played, slot])
    sample = Sample(number, games, _day(played), _day(until))
    return ReadingPlan(
        rated=reading_plan.SAMPLE_ROWS <= reading_plan.RATED_ROWS, cut=(played, slot), sample=sample
    )


def _newest(rows: Sql) -> Sql:
    """Return SQL for the newest rows of a key."""
    return Sql(_NEWEST_OF.format(rows=rows.text), (*rows.values, reading_plan.SAMPLE_ROWS))


def _day(ordinal: int) -> date | None:
    return None if ordinal == UNKNOWN_DAY else date.fromordinal(ordinal)


def _rows(part: SpaceQuery, key: int) -> list[Sql]:
    """Return SELECTs, one for each table, of the rows under a key that match as far as the index knows."""
    query, resolved, plan = part
    conditions = [Sql(_of_lines(query.lines)), resolved.result_of(query, key)]
    if plan.driver is not None:
        listed = _listed(part, driver_of(part, key, plan.driver))
        sources = lookup_sources(materialized([listed], ("played", "slot"), "l"), key)
    else:
        within = [Sql("d.key = %s", (key,)), resolved.between("d")]
        if plan.cut is not None:
            within.append(Sql("(d.played, d.slot) >= (%s, %s)", plan.cut))
        sources = [_all_of(conjunction_from(ROWS_OF_KEY, within))]
        conditions += slot_list_conditions(part, key)
    columns = ", ".join(f"d.{name}" for name in COUNTED_BY)
    return [_selected(f"SELECT {columns}", conjunction_from(source, conditions)) for source in sources]


def slot_list_conditions(part: SpaceQuery, key: int) -> list[Sql]:
    """Return the condition that a row's game is in the list at hand; no condition if there is no such
    list.
    """
    if part.plan.at_hand is None:
        return []
    slots = driver_of(part, key, part.plan.at_hand).slots
    listed = materialized([slots], ("slot",), "l")
    return [is_in_slots(Sql(f"SELECT l.slot FROM {listed.text}", listed.values))]


def _all_of(rows: Sql) -> Sql:
    """Return rows as a FROM item, so that conditions apply to the rows of all segments together.

    Otherwise, what some conditions compute once for all rows would be computed again for each segment.
    """
    return Sql(f"(SELECT d.* {rows.text} LIMIT {ALL}) d", rows.values)


_LISTED: Final = "SELECT l.played, l.slot {rows} ORDER BY l.played, l.slot LIMIT %s"


def _listed(part: SpaceQuery, driver: Driver) -> Sql:
    """Return SQL for the games of a list within the days asked for, in the order of the list's index."""
    rows = conjunction_from(driver.source, [*driver.conditions, part.resolved.between("l")])
    return Sql(_LISTED.format(rows=rows.text), (*rows.values, reading_plan.EXACT_ROWS))


def lookup_sources(listed: Sql, key: int) -> list[Sql]:
    """Return FROM clauses for the rows d that each game of a list, with the alias l, has under a key."""
    on = "d.key = %s AND d.played = l.played AND d.slot = l.slot"
    each = (engine().EACH.format(list=listed.text, table=table, on=on) for table in engine().TABLES)
    return [Sql(text, (*listed.values, key)) for text in each]


def driver_of(part: SpaceQuery, key: int, number: int) -> Driver:
    """Return the list with this number, for a key."""
    return [*part.resolved.drivers(part.query, key)][number]
