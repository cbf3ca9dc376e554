"""The tables of a dump (Parquet). DuckDB writes and reads them, in bounded memory, on one thread."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, get_type_hints

from archive.columns.duck import memory_database, sql_literal
from archive.dumps.main_lines import FormationInTable
from archive.queries.games.game_json import COLUMNS as GAME_COLUMNS
from archive.queries.games.game_json import GameInfo
from archive.shapes.common import JSONObject
from kifu_core.games import GAMES, SHOGI

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


class TimeInTable(JSONObject):
    """A time limit: `main` and `byoyomi` in seconds, `increment` in seconds a move, minutes of `periods`."""

    main: int
    byoyomi: int
    increment: int
    periods: int


class GameInTable(GameInfo):
    """A game in the table: `GameInfo` with days that can be compared, more of its players, and its main line.

    Item 0 of a list belongs to the first move and to the position after it; a list without any value is
    empty. `moves` are as programs write them (USI), `seconds` are whole, `evals` are in hundredths of a pawn
    from Black's side. `mates` are plies to a mate, negative where White mates, 0 where the record does not
    say in how many.
    """

    black_id: int | None
    white_id: int | None
    event_id: int | None
    place_id: int | None
    black_reading: str
    white_reading: str
    black_rank: str
    white_rank: str
    black_titles: list[str]
    white_titles: list[str]
    black_time: TimeInTable | None
    white_time: TimeInTable | None
    program: str
    played_from: date | None
    played_to: date | None
    precision: str
    start: str
    moves: list[str]
    seconds: list[int | None]
    evals: list[int | None]
    mates: list[int | None]
    formations: list[FormationInTable]


class StoredRow(GameInTable):
    """A game and the positions of its main line by ply, from 0 on; a list without any value is empty."""

    codes: list[str | None]
    position_evals: list[int | None]
    position_mates: list[int | None]


_READING: Final = "sorts names by the kana: the family name's reading without voicing marks, then the rest"
COMMENTS: Final[Mapping[str, str]] = {
    "id": "the number of the game, as in addresses",
    "game": f"the kind of game: {' or '.join(GAMES)}",
    "record_kind": "game, problem, tree (of openings) or position",
    "played_from": "the first day of the game",
    "played_to": "the last day of the game",
    "precision": "of the days: day, month, year, or empty; the days are the first of the month or the year",
    "black": "the name of Black (sente); empty if unknown",
    "white": "the name of White (gote); empty if unknown",
    "event": "as written in the record",
    "round": "the round of the event, as written in the record",
    "site": "the place, or the address of the game if the record has one",
    "handicap": "the start: JKF's name of the preset, OTHER for any other position",
    "opening": "the opening, as written in the record",
    "result": "black, white, draw or unknown",
    "special": "the ending: JKF's name, or the record's own word",
    "plies": "half-moves of the main line",
    "calendar": "gregorian, lunisolar (before 1873, with the numbers of the source), or empty without a day",
    "black_rating": "as written in the record",
    "white_rating": "as written in the record",
    "time_control": "main+byoyomi+increment in seconds, of both sides with a slash if they differ",
    "has": "contents of the record beside moves: comments, evals, times, forks",
    "arrived": "when the first public upload of the game arrived (UTC)",
    "changed": "when another edition or a new reading last changed the game, or it arrived (UTC)",
    "black_id": "the number of the player, as in addresses; equal for all spellings of a name",
    "white_id": "the number of the player, as in addresses; equal for all spellings of a name",
    "event_id": "the number of the event, as in addresses",
    "place_id": "the number of the place, as in addresses; empty for an address",
    "black_reading": _READING,
    "white_reading": _READING,
    "black_rank": "dan or kyu on that day, as written in the record",
    "white_rank": "dan or kyu on that day, as written in the record",
    "black_titles": "titles on that day, as written in the record",
    "white_titles": "titles on that day, as written in the record",
    "black_time": "main time and byoyomi in seconds, increment in seconds a move, minutes of periods",
    "white_time": "main time and byoyomi in seconds, increment in seconds a move, minutes of periods",
    "program": "the software that wrote the record",
    "start": "the starting position, as SFEN without a number",
    "moves": "the main line in USI; item 1 is the first move",
    "seconds": "the time of each move in whole seconds",
    "evals": "evaluation of the position after each move, in hundredths of a pawn from Black's side",
    "mates": "plies to an announced mate after each move, negative if White mates, 0 if not stated",
    "formations": "castles and openings with the side and the ply at which they first arise",
}
"""The meaning of the columns of games, for the metadata of the file."""

POSITION_COLUMNS: Final[Mapping[str, tuple[str, str, str]]] = {
    "game_id": ("BIGINT", "id", "the number of the game"),
    "ply": ("SMALLINT", "unnest(range(0, len(codes)))", "half-moves before the position, 0 at the start"),
    "code": ("VARCHAR", "unnest(codes)", "the position as a code, the same however it was reached"),
    "move": ("VARCHAR", "unnest(moves)", "the move played, in USI; null at the end"),
    "seconds": ("INTEGER", "unnest(seconds)", "the time of the move played"),
    "eval": ("INTEGER", "unnest(position_evals)", "evaluation in hundredths of a pawn from Black's side"),
    "mate": ("INTEGER", "unnest(position_mates)", "plies to an announced mate, negative if White mates"),
    "result": ("VARCHAR", "result", "the result of the game: black, white, draw or unknown"),
}
"""The columns of positions: the type, its SQL on the rows of games, and the meaning."""

NOVELTIES: Final = "novelties"
NOVELTY_COLUMNS: Final[Mapping[str, tuple[str, str, str]]] = {
    "code": ("VARCHAR", "n.code", "the position as a code; no game reached it earlier"),
    "game_id": ("BIGINT", "n.first.id", "the number of the first game that reached it"),
    "ply": ("SMALLINT", "n.first.ply", "half-moves before the position"),
    "move": ("VARCHAR", "g.moves[n.first.ply]", "the move that led to it, in USI"),
    "player_id": (
        "BIGINT",
        "CASE WHEN n.first.ply % 2 = (split_part(g.start, ' ', 2) = 'b')::INT THEN g.black_id"
        " ELSE g.white_id END",
        "the number of the player who moved",
    ),
    "played_from": ("DATE", "g.played_from", "the first day of that game"),
    "precision": ("VARCHAR", "g.precision", "of that day: day, month or year"),
    "followers": ("INTEGER", "n.games - 1", "the other games with a day that reached it"),
    "followed_from": ("DATE", "n.second", "the day of the next one"),
    "last_played": ("DATE", "n.last", "the day of the latest one"),
}
"""The columns of novelties: the type, its SQL, and the meaning."""
# Of games of a day that with the lowest number is the first. A game reaches a position once.
_NOVELTIES: Final = """
    SELECT {select} FROM (
        SELECT v.code, count(*) AS games, min(v.at).visit AS first, max(v.at).day AS last,
            min(v.at, 2)[2].day AS second
        FROM (
            SELECT p.code, {{'day': any_value(d.played_from), 'id': p.game_id,
                'visit': {{'id': p.game_id, 'ply': min(p.ply)}}}} AS at
            FROM read_parquet({positions}) p JOIN read_parquet({games}) d ON d.id = p.game_id
            WHERE d.record_kind = 'game' AND d.played_from IS NOT NULL AND p.code IS NOT NULL
            GROUP BY p.code, p.game_id
        ) v GROUP BY v.code HAVING count(*) > 1
    ) n JOIN read_parquet({games}) g ON g.id = n.first.id WHERE n.first.ply > 0
    ORDER BY game_id, ply
"""

_LEFT_OUT: Final = ("url", "date", "end_date", "space")
_DAYS: Final = ("played_from", "played_to", "precision")
_SQL_TYPES: Final[Mapping[object, str]] = {
    int: "INTEGER",
    str: "VARCHAR",
    int | None: "BIGINT",
    list[str]: "VARCHAR[]",
    list[str | None]: "VARCHAR[]",
    date | None: "DATE",
    datetime | None: "TIMESTAMP",
    list[int | None]: "INTEGER[]",
    TimeInTable | None: "STRUCT(main INTEGER, byoyomi INTEGER, increment INTEGER, periods SMALLINT)",
    list[FormationInTable]: "STRUCT(formation VARCHAR, side VARCHAR, ply SMALLINT)[]",
}
_OTHER_SQL_TYPES: Final = {"id": "BIGINT", "black_rating": "SMALLINT", "white_rating": "SMALLINT"}


def _columns(row: type[GameInTable]) -> Iterator[tuple[str, str]]:
    types = get_type_hints(row)
    before_calendar = GAME_COLUMNS.index("calendar")
    names = (*GAME_COLUMNS[:before_calendar], *_DAYS, *GAME_COLUMNS[before_calendar:])
    for name in dict.fromkeys((*names, *row.__struct_fields__)):
        if name not in _LEFT_OUT:
            yield name, _OTHER_SQL_TYPES.get(name) or _SQL_TYPES[types[name]]


COLUMNS: Final = dict(_columns(GameInTable))
"""The SQL types of the columns of games, in order (docs/dumps.md describes them)."""

_TABLES: Final = {
    "games": (", ".join(COLUMNS), COMMENTS),
    "positions": (
        ", ".join(f"CAST({sql} AS {kind}) AS {name}" for name, (kind, sql, _) in POSITION_COLUMNS.items()),
        {name: comment for name, (_, _, comment) in POSITION_COLUMNS.items()},
    ),
}
"""What is selected for each table, and the meaning of its columns."""

_OPTIONS: Final = "FORMAT parquet, COMPRESSION zstd"
_GROUP_ROWS: Final = {"games": 8 * 1024, "positions": 120 * 1024}
"""Rows that the writer holds in memory: games have lists of a hundred moves."""

_BATCH_ROWS: Final = 1_000


def write_tables(rows: Sequence[Path], folder: Path, about: Mapping[str, str]) -> dict[str, int]:
    """Write the tables of the rows in NDJSON files, in their order; return the number of games by file name.

    Shogi has `games.parquet`, `positions.parquet` and `novelties.parquet`, other kinds of games have files of
    the first two with their name if there are any. `about` is the metadata of the files, in addition to the
    kind and the columns.
    """
    written: dict[str, int] = {}
    files, source_types = ", ".join(map(sql_literal, rows)), _struct(dict(_columns(StoredRow)))
    source = f"read_json([{files}], format = 'newline_delimited', columns = {source_types})"
    with memory_database() as database:
        counts = dict(database.execute(f"SELECT game, count(*) FROM {source} GROUP BY game").fetchall())
        for kind in GAMES:
            if kind == SHOGI.name or kind in counts:
                for name, (select, comments) in _TABLES.items():
                    file = f"{name}.parquet" if kind == SHOGI.name else f"{name}-{kind}.parquet"
                    metadata = _struct({**about, "game": kind, "columns": json.dumps(comments)})
                    options = f"{_OPTIONS}, ROW_GROUP_SIZE {_GROUP_ROWS[name]}, KV_METADATA {metadata}"
                    games = f"SELECT {select} FROM {source} WHERE game = {sql_literal(kind)}"
                    database.execute(f"COPY ({games}) TO {sql_literal(folder / file)} ({options})")
                    written[file] = counts.get(kind, 0)
        written[f"{NOVELTIES}.parquet"] = _write_novelties(database, folder, about)
    return written


def _write_novelties(database: DuckDBPyConnection, folder: Path, about: Mapping[str, str]) -> int:
    """Write the table of novelties from the tables of shogi; return the number of games in it."""
    columns = NOVELTY_COLUMNS.items()
    select = ", ".join(f"CAST({sql} AS {kind}) AS {name}" for name, (kind, sql, _) in columns)
    paths = {name: sql_literal(folder / f"{name}.parquet") for name in ("games", "positions", NOVELTIES)}
    comments = json.dumps({name: comment for name, (_, _, comment) in columns})
    metadata = _struct({**about, "game": SHOGI.name, "columns": comments})
    novelties = _NOVELTIES.format(select=select, games=paths["games"], positions=paths["positions"])
    database.execute(f"COPY ({novelties}) TO {paths[NOVELTIES]} ({_OPTIONS}, KV_METADATA {metadata})")
    counted = database.execute(f"SELECT count(DISTINCT game_id) FROM read_parquet({paths[NOVELTIES]})")
    return int(counted.fetchall()[0][0])


def _struct(members: Mapping[str, str]) -> str:
    """Return texts by name as an SQL literal."""
    return f"{{{', '.join(f'{sql_literal(name)}: {sql_literal(text)}' for name, text in members.items())}}}"


def ids_of(tables: Sequence[Path]) -> Iterator[list[int]]:
    """Yield the ids in tables of games, ascending, 1,000 at a time. Raises UnreadableTableError."""
    with _reading() as database:
        rows = database.execute(f"SELECT id FROM {_sql_of(tables)} ORDER BY 1")
        while batch := rows.fetchmany(_BATCH_ROWS):
            yield [pk for (pk,) in batch]


def missing_ids(tables: Sequence[Path], others: Sequence[Path]) -> list[int]:
    """Return the ids in tables of games that others lack, ascending. Raises UnreadableTableError."""
    with _reading() as database:
        rows = database.execute(
            f"SELECT o.id FROM {_sql_of(tables)} o ANTI JOIN {_sql_of(others)} n USING (id) ORDER BY 1"
        )
        return [pk for (pk,) in rows.fetchall()]


def _sql_of(tables: Sequence[Path]) -> str:
    return f"(SELECT id FROM read_parquet([{', '.join(map(sql_literal, tables))}]))"


class UnreadableTableError(ValueError):
    """A table is missing or damaged."""


@contextmanager
def _reading() -> Iterator[DuckDBPyConnection]:
    import duckdb

    try:
        with memory_database() as database:
            yield database
    except duckdb.Error as error:
        raise UnreadableTableError(str(error)) from error
