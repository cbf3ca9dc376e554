"""Count the rows of keys: by their counters if they have some, else from the index. With filters, count the
rows of as many games as there is time for; if these are not all, the plan has a sample.

The index and the catalogue of games, players and lists may be on different servers, so no statement joins
them. `Engine.materialized` carries rows from one to the other, where slots identify their games.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import date
from functools import cached_property
from typing import Final, NamedTuple

from archive.index.engine import RemoteEngine, engine, remote_engine
from archive.index.part_counters import band_of
from archive.index.schema import BAND, FORK, NOT_A_GAME, UNKNOWN_DAY, mover
from archive.queries.games.filters import GameFilters
from archive.queries.positions import reading_plan
from archive.queries.positions.position_filters import Driver, SpaceQuery, is_in_slots, shortest_driver
from archive.queries.positions.position_query import ROWS, Lines
from archive.queries.positions.reading_plan import ReadingPlan, Sample, plan_for_all, plan_for_page
from archive.queries.sql import Sql, joined


class RowCount(NamedTuple):
    """How many rows have the same key, flags, move and result."""

    key: int
    flags: int
    move: int
    result: int
    n: int
    """The number of these rows."""
    rated: int | None
    """The number of these rows where the side to move has a rating; None if ratings were not looked up."""
    rating_sum: int | None
    """The sum of these ratings; None if ratings were not looked up."""
    last_played: int
    first_played: int | None = None
    """The first known day; None if there is none, and in counts from counters of keys."""


class LoadedRow(NamedTuple):
    """A row that was loaded from a remote index, to be counted and to find the first and the last game."""

    key: int
    flags: int
    move: int
    result: int
    played: int
    slot: int
    ply: int


ALL: Final = 2**62
"""A limit that no query reaches."""

COUNTED_BY: Final = ("key", "flags", "move", "result", "played", "slot")
"""The columns of rows that are counted."""
_SELECT_COUNTED: Final = f"SELECT {', '.join(f'd.{name}' for name in COUNTED_BY)} FROM {{sql}}"
_COUNTED: Final = "x.key, x.flags, x.move, x.result"
_SUMMED: Final = "d.key, d.flags, d.move, d.result"
# With the limit no planner looks a rating up once for each of its uses.
_GROUPED: Final = f"""
    SELECT {_COUNTED}, count(*), count(x.rating), coalesce(sum(x.rating), 0), max(x.played),
        min(CASE WHEN x.played > {UNKNOWN_DAY} THEN x.played END)
    FROM (
        SELECT d.key, d.flags, d.move, d.result, d.played, {{rating}} AS rating FROM {{sql}} LIMIT {ALL}
    ) x GROUP BY {_COUNTED}
"""
_RATING: Final = "(SELECT p.rating FROM archive_gameplayer p WHERE p.slot = d.slot AND p.colour = {colour})"
_NO_RATING: Final = "CAST(NULL AS smallint)"
_RATING_OF_KEY: Final = _RATING.format(colour="(d.key & 2) / 2")
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
_AS_ARRAYS: Final = ", ".join(
    f"coalesce(array_agg(d.{name}), '{{{{}}}}')::text" for name in LoadedRow._fields
)
_GAMES_BY_COUNTERS: Final = """
    SELECT d.key, sum(CASE WHEN {counting} THEN d.n ELSE 0 END) FROM {each} GROUP BY d.key
"""
_LAST_SLOT: Final = "SELECT coalesce(max(slot), 0) FROM archive_game WHERE slot < %s"
_KEY_SIZES: Final = """
    SELECT d.key, sum(d.n), sum(CASE WHEN {once} THEN d.n ELSE 0 END)
    FROM {each} WHERE {counting} GROUP BY d.key
"""


def _each(table: str, keys: str) -> str:
    return engine().EACH.format(list=keys, table=table, on=_OF_KEY)


class KeyCounts(NamedTuple):
    """The counts of keys. With a remote index, `arrays` has the loaded rows of the `cold` keys, which have no
    counters, as one array for each column."""

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
    """Return the counts of keys. The rows of keys without counters, about HOT_GAMES at most, are read.

    Unless the index is remote, all are of one snapshot: a game that is being moved to another version of the
    index counts once, and so does a key that is just getting its counters.
    """
    counters = Sql(_COUNTERS.format(each=_each("archive_hotmove", engine().KEYS)), ([*keys],))
    if (remote := remote_engine()) is not None:
        return _read_remote_counts(remote, keys, counters)
    cold = materialized([Sql(rows, ([*keys],)).embed(_SELECT_COUNTED) for rows in _cold_rows()], COUNTED_BY)
    grouped = cold.embed(_GROUPED, rating=_RATING_OF_KEY)
    return KeyCounts([RowCount(*row) for row in engine().fetch_all([counters, grouped])])


def count_games(keys: Collection[int], lines: Lines) -> dict[int, int]:
    """Return how many games reach each key. Keys that no game reaches are left out."""
    counting = f"{ROWS[lines]} AND d.result <> {NOT_A_GAME}"
    if engine().REMOTE_INDEX:
        return _count_remote_games(keys, counting) if keys else {}
    rows = " UNION ALL ".join(f"SELECT d.key FROM {cold} WHERE {counting}" for cold in _cold_rows())
    sql = _TOTALS.format(keys=engine().KEYS, rows=rows, counting=counting)
    values = [[*keys]] * (1 + len(engine().TABLES))
    return {key: int(n) for key, n in engine().fetch_prepared(sql, values) if n}


def _cold_rows() -> list[str]:
    """Return FROM items, one for each table, with the rows of the keys of a list that have no counters."""
    cold = f"(SELECT k.key FROM {engine().KEYS} WHERE {_HOT} = 0) k"
    return [_each(table, cold) for table in engine().TABLES]


def _read_remote_counts(remote: RemoteEngine, keys: Collection[int], counters: Sql) -> KeyCounts:
    """Read the counters first, then the rows of the keys that have none, in a statement about one table: the
    cost of a statement to other servers is mostly that of its planning."""
    counts = [RowCount(*row) for row in remote.fetch_prepared(*counters)]
    cold = frozenset(keys) - {row.key for row in counts}
    if not cold:
        return KeyCounts(counts)
    (arrays,) = remote.fetch_prepared(*_rows_of(cold).embed(f"SELECT {_AS_ARRAYS} FROM {{sql}}"))
    grouped = Sql(remote.unnest(LoadedRow._fields, "d"), arrays).embed(_GROUPED, rating=_RATING_OF_KEY)
    return KeyCounts(counts + [RowCount(*row) for row in remote.fetch_prepared(*grouped)], cold, arrays)


def _count_remote_games(keys: Collection[int], counting: str) -> dict[int, int]:
    counters = _GAMES_BY_COUNTERS.format(counting=counting, each=_each("archive_hotmove", engine().KEYS))
    counts = engine().fetch_prepared(counters, [[*keys]])
    if cold := set(keys) - {key for key, _ in counts}:
        rows = _rows_of(cold, Sql(counting))
        counts += engine().fetch_prepared(*rows.embed("SELECT d.key, count(*) FROM {sql} GROUP BY d.key"))
    return {key: int(n) for key, n in counts if n}


def _rows_of(keys: Collection[int], *conditions: Sql) -> Sql:
    """Return FROM and WHERE for the rows of keys: with one key for one shard, else for all shards at once."""
    if len(keys) == 1:
        condition = Sql("d.key = %s", (*keys,))
    else:
        condition = Sql("d.key = ANY(%s::bigint[])", (sorted(keys),))
    return INDEX_ROWS.where([condition, *conditions])


def materialized(
    pieces: Sequence[Sql], columns: Sequence[str], alias: str = "d", *, few: bool = False
) -> Sql:
    """Return rows of the index, or of a list, as a FROM item for a statement about the other side."""
    return Sql(*engine().materialized(pieces, columns, few=few)).embed(f"({{sql}}) {alias}")


INDEX_ROWS: Final = Sql("archive_occurrence d")


# --- with filters ----------------------------------------------------------------------------------------


def count_filtered(parts: Sequence[SpaceQuery]) -> tuple[list[RowCount], list[SpaceQuery]]:
    """Return the counts of the games that match the filters, and the queries with their plans.

    The counts are exact up to `EXACT_ROWS` rows or games of lists; beyond that they are those of the newest
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
    """Return the counts of the queries' rows and of counters, in one snapshot."""
    statements = [*counters, *(_grouped(part, key) for part in parts for key in part.query.keys)]
    rows = [RowCount(*row) for row in engine().fetch_all(statements)] if statements else []
    if parts and not parts[0].plan.rated:
        rows = [row._replace(rated=None, rating_sum=None) for row in rows]
    return rows


# Counted key by key, so that no plan scans the table.
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
    """Return the counts from the counters of years or rating bands, if the filters need nothing else and some
    keys have such counters. Rows of other keys and outside full years are read; None if that needs a
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
    """Return the first and the last part within the filters, and the days outside of full years; None for
    filters other than days, a rating at the limit of a band, and a result."""
    since, until, least = filters.since, filters.until, filters.min_rating
    if replace(filters, since=None, until=None, min_rating=None, result=None):
        return None
    if least is not None:
        return ((band_of(least), -1), []) if since is until is None and least % BAND == 0 else None
    since, until = since or date.min, until or date.max
    first = since.year + (since > date(since.year, 1, 1))
    last = until.year - (until < date(until.year, 12, 31))
    if first > last:
        return None
    edges = [(since, date(first - 1, 12, 31))] if first > since.year else []
    edges += [(date(last + 1, 1, 1), until)] if last < until.year else []
    return (first, last), edges


def _on_days(part: SpaceQuery, keys: Collection[int], since: date, until: date) -> SpaceQuery:
    """Return the query for some days and for those of its keys that are in `keys`."""
    filters = replace(part.resolved.filters, since=since, until=until)
    others = set(part.query.keys) - set(keys)
    return part._replace(query=part.query.without(others), resolved=replace(part.resolved, filters=filters))


def _grouped(part: SpaceQuery, key: int) -> Sql:
    rated = part.plan.rated
    rating = _RATING.format(colour=mover(key)) if rated else _NO_RATING
    rows = matching_rows(part, key, _rows(part, key), COUNTED_BY, rated=rated)
    return rows.embed(_GROUPED, rating=rating)


def matching_rows(
    part: SpaceQuery, key: int, rows: Sequence[Sql], columns: Sequence[str], *, rated: bool = False
) -> Sql:
    """Return FROM and WHERE for the index rows d whose games match. `rows` are SELECTs of these columns.

    Rows are carried to the catalogue only for filters on games, and if their ratings are needed.
    """
    probes = part.resolved.probes(part.query, key, part.plan)
    if probes or rated:
        return materialized(rows, columns).where(probes)
    return joined(rows, " UNION ALL ").embed("({sql}) d")


def _keys(parts: Sequence[SpaceQuery]) -> list[int]:
    return [key for part in parts for key in part.query.keys]


def _has_result(part: SpaceQuery, row: RowCount) -> bool:
    result = part.resolved.filters.result
    return result is None or part.query.seen(row.result, row.key) == result


def _line_condition(lines: Lines) -> str:
    return f"(d.flags & {FORK}) = 0" if lines == "main" else "TRUE"


class _QuerySize:
    """The sizes of a query on one space, from the database. `rows` of its keys have counters; `games` of
    these rows count in totals, one for each game."""

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
        """Count up to one more than `EXACT_ROWS` for each key."""
        rows = (_rows_on_days(self.part, key) for key in self.part.query.keys)
        counts = [
            one.embed("SELECT count(*) FROM (SELECT 1 FROM {sql} LIMIT %s) x", reading_plan.EXACT_ROWS + 1)
            for one in rows
        ]
        return sum(int(number) for (number,) in engine().fetch_all(counts))

    def games_in_all(self) -> int:
        ((slot,),) = engine().fetch_prepared(_LAST_SLOT, [ALL])
        return int(slot)

    def read_by(self, plan: ReadingPlan, *, exactly: bool) -> int:
        """Return how many rows, or games of a list, this plan reads. Unless `exactly`, rows on other days may
        be counted, too, which costs no query."""
        if plan.most is not None:
            return plan.most
        by_day = self.rows > reading_plan.EXACT_ROWS or (exactly and self.dated)
        return self.rows_within_days() if by_day else self.rows


def _sizes(parts: Sequence[SpaceQuery]) -> list[_QuerySize]:
    """Return the sizes of queries by their counters; keys without counters have few rows."""
    if not parts:
        return []
    lines = parts[0].query.lines
    each, counting = _each("archive_hotmove", engine().KEYS), _line_condition(lines)
    sql = _KEY_SIZES.format(each=each, counting=counting, once=ROWS[lines])
    keys = [*dict.fromkeys(_keys(parts))]  # of one key, several parts may read the rows of different days
    by_key = {key: (int(rows), int(games)) for key, rows, games in engine().fetch_prepared(sql, [keys])}
    sizes = ([by_key.get(key, (0, 0)) for key in part.query.keys] for part in parts)
    return [
        _QuerySize(part, sum(rows for rows, _ in size), sum(games for _, games in size))
        for part, size in zip(parts, sizes, strict=True)
    ]


def choose_plans(parts: Sequence[SpaceQuery]) -> list[SpaceQuery]:
    """Return the queries, each with the shortest plan for all its games that match the filters; if these are
    too many to read, all queries get the plan for a sample."""
    sizes = _sizes(parts)
    plans = [plan for size in sizes if (plan := plan_for_all(size)) is not None]
    if len(plans) == len(parts) and _are_few(sizes, plans):
        rated = all(plan.rated for plan in plans)
        return [
            part._replace(plan=replace(plan, rated=rated)) for part, plan in zip(parts, plans, strict=True)
        ]
    plan = _sampling_plan(parts, sum(size.games for size in sizes))
    return [part._replace(plan=plan) for part in parts]


def _are_few(sizes: Sequence[_QuerySize], plans: Sequence[ReadingPlan]) -> bool:
    """Return whether plans read at most `EXACT_ROWS` rows in all."""
    rows = (
        sum(size.read_by(plan, exactly=exactly) for size, plan in zip(sizes, plans, strict=True))
        for exactly in (False, True)
    )
    return any(count <= reading_plan.EXACT_ROWS for count in rows)


def choose_page_plans(parts: Sequence[SpaceQuery]) -> list[SpaceQuery]:
    """Return the queries, each with the shorter plan for the next of its games."""
    return [size.part._replace(plan=plan_for_page(size)) for size in _sizes(parts)]


def _rows_on_days(part: SpaceQuery, key: int) -> Sql:
    lines = Sql(_line_condition(part.query.lines))
    return INDEX_ROWS.where([Sql("d.key = %s", (key,)), part.resolved.between("d"), lines])


_NEWEST: Final = "SELECT d.played, d.slot, d.flags FROM {sql} ORDER BY d.played DESC, d.slot DESC LIMIT %s"
_CUT: Final = "SELECT played, slot FROM ({sql}) x ORDER BY played DESC, slot DESC LIMIT 1 OFFSET %s"
_SINCE: Final = "SELECT count(*), max(played) FROM ({sql}) d WHERE (played, slot) >= (%s, %s) AND {rows}"


def _sampling_plan(parts: Sequence[SpaceQuery], games: int) -> ReadingPlan:
    """Return the plan to read the newest `SAMPLE_ROWS` rows of all keys, with the days that they span."""
    size = reading_plan.SAMPLE_ROWS
    each = [_rows_on_days(part, key).embed(_NEWEST, size) for part in parts for key in part.query.keys]
    newest = Sql(*engine().materialized(each, ("played", "slot", "flags")))
    ((played, slot),) = engine().fetch_prepared(*newest.embed(_CUT, size - 1))
    since = newest.embed(_SINCE, played, slot, rows=ROWS[parts[0].query.lines])
    ((number, until),) = engine().fetch_prepared(*since)
    sample = Sample(number, games, _day(played), _day(until))
    return ReadingPlan(rated=size <= reading_plan.RATED_ROWS, cut=(played, slot), sample=sample)


def _day(ordinal: int) -> date | None:
    return None if ordinal == UNKNOWN_DAY else date.fromordinal(ordinal)


def _rows(part: SpaceQuery, key: int) -> list[Sql]:
    """Return SELECTs, one for each table, of the rows of a key that match the conditions on the index."""
    query, resolved, plan = part
    conditions = [Sql(_line_condition(query.lines)), resolved.result_of(query, key)]
    if plan.driver is not None:
        games = _listed(part, driver_of(part, key, plan.driver))
        sources = lookup_sources(materialized([games], ("played", "slot"), "l"), key)
    else:
        within = [Sql("d.key = %s", (key,)), resolved.between("d")]
        if plan.cut is not None:
            within.append(Sql("(d.played, d.slot) >= (%s, %s)", plan.cut))
        # With the limit, subqueries of the conditions run once, not once for each segment.
        sources = [INDEX_ROWS.where(within).embed(f"(SELECT d.* FROM {{sql}} LIMIT {ALL}) d")]
        conditions += slot_list_conditions(part, key)
    return [source.where(conditions).embed(_SELECT_COUNTED) for source in sources]


def slot_list_conditions(part: SpaceQuery, key: int) -> list[Sql]:
    """Return the condition that a row's game is in the loaded list; no condition if the plan has none."""
    if part.plan.at_hand is None:
        return []
    slots = driver_of(part, key, part.plan.at_hand).slots
    return [is_in_slots(materialized([slots], ("slot",), "l").embed("SELECT l.slot FROM {sql}"))]


_LISTED: Final = "SELECT l.played, l.slot FROM {sql} ORDER BY l.played, l.slot LIMIT %s"


def _listed(part: SpaceQuery, driver: Driver) -> Sql:
    """Return SQL for the games of a list on the days of the filters, in the order of the list's index."""
    games = driver.source.where([*driver.conditions, part.resolved.between("l")])
    return games.embed(_LISTED, reading_plan.EXACT_ROWS)


def lookup_sources(games: Sql, key: int) -> list[Sql]:
    """Return FROM clauses, one for each table, with the rows d of a key for each game of a list l."""
    on = "d.key = %s AND d.played = l.played AND d.slot = l.slot"
    each = (engine().EACH.format(list=games.text, table=table, on=on) for table in engine().TABLES)
    return [Sql(text, (*games.values, key)) for text in each]


def driver_of(part: SpaceQuery, key: int, number: int) -> Driver:
    """Return the list with this number, for a key."""
    return [*part.resolved.drivers(part.query, key)][number]
