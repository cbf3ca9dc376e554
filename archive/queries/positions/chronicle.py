"""The history of a position's moves: who played each first, who followed, when it went out of use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final, NamedTuple

from archive.derive.verdicts import Line
from archive.index.engine import engine
from archive.index.schema import FORK, NOT_A_GAME, UNKNOWN, UNKNOWN_DAY
from archive.queries.games.listing import GameRow, games_in
from archive.queries.positions.counting import ALL
from archive.queries.positions.position_query import PositionKeys, position_query
from archive.queries.positions.verdicts import EngineInfo, verdicts_at
from archive.queries.scope import Scope
from kifu_core.classes import Match
from kifu_core.lines import NO_MOVE

MOST_ROWS: Final = 20_000
"""Rows of an orientation that are read, the earliest days first; with counters by year none are."""
OUT_YEARS: Final = 5
OUT_GAMES: Final = 20
"""A move is out of use if it was not played in the last `OUT_YEARS` years of the position's games, and there
are at least `OUT_GAMES` games of the position in the years after its last one."""

_MAIN: Final = f"(d.flags & {FORK}) = 0 AND d.result <> {NOT_A_GAME}"
_PARTED: Final = """
    SELECT k.key FROM {keys}
    WHERE (SELECT count(*) FROM archive_hotposition h WHERE h.key = k.key AND h.parted) > 0
"""
_OF_YEARS: Final = f"""
    SELECT d.part, d.move, d.result, d.n, d.first_played, d.last_played FROM archive_hotpart d
    WHERE d.key = %s AND d.part > 0 AND {_MAIN}
"""
_ALL_GAMES: Final = f"SELECT sum(d.n) FROM archive_hotmove d WHERE d.key = %s AND {_MAIN}"
_ROWS: Final = f"""
    SELECT d.played, d.slot, d.move, d.result FROM archive_occurrence d
    WHERE d.key = %s AND d.played > {UNKNOWN_DAY} AND {_MAIN} ORDER BY d.played, d.slot LIMIT %s
"""
# Of a view of two tables SQLite counts only an inner SELECT with a limit by its index.
_UNDATED: Final = f"""
    SELECT count(*) FROM (SELECT 1 FROM archive_occurrence d
    WHERE d.key = %s AND d.played = {UNKNOWN_DAY} AND {_MAIN} LIMIT %s) x
"""
_ON_DAY: Final = f"""
    SELECT d.played, d.slot FROM archive_occurrence d
    WHERE d.key = %s AND d.played = %s AND d.move = %s AND {_MAIN} ORDER BY d.played, d.slot LIMIT %s
"""


class Verdicts(NamedTuple):
    """The best lines of an engine before and after a move."""

    engine: EngineInfo
    before: Line
    after: Line


@dataclass(frozen=True, slots=True)
class MoveHistory:
    """The games with a known day that played a move. Scores are those of the side to move."""

    move: int
    name: str
    text: str
    code: str
    """The position after it."""
    games: int
    years: tuple[tuple[int, int], ...]
    """Games by year, without years without any."""
    first: GameRow | None
    """The first game by day; of several of a day, that of the lowest slot. None if it was removed just
    now."""
    last: date
    out_of_use: bool
    before: float | None
    """The score of all moves in the years before that of the first game,"""
    since: float | None
    """and from that year on."""
    score: float | None
    """The score of the move."""
    verdicts: Verdicts | None


@dataclass(frozen=True, slots=True)
class Chronicle:
    """The moves of a position by the day of their first games."""

    kind: str
    code: str
    match: Match
    games: int
    """Games with a known day that reach the position."""
    undated: int
    """Games without one, which take no part."""
    complete: bool
    """Whether all games with a known day were read."""
    moves: tuple[MoveHistory, ...]


@dataclass(slots=True)
class _Tally:
    """Games by year, and points and decided games of the side to move."""

    years: Counter[int] = field(default_factory=Counter)
    points: Counter[int] = field(default_factory=Counter)
    decided: Counter[int] = field(default_factory=Counter)
    first: tuple[int, int, int, int] | None = None
    """Day, slot (or 0 if it is unknown), key and stored move of the first game."""
    last: int = UNKNOWN_DAY

    def add(self, year: int, n: int, result: int, turn: int) -> None:
        self.years[year] += n
        if result < UNKNOWN:
            self.decided[year] += n
            self.points[year] += n * (1 if result == 2 else 2 * (result == turn))

    def score(self, years: Iterable[int]) -> float | None:
        years = [*years]
        decided = sum(self.decided[year] for year in years)
        return sum(self.points[year] for year in years) / 2 / decided if decided else None


def chronicle(scope: Scope, kind: str, code: str, match: Match = "exact") -> Chronicle:
    """Return the history of the moves of a position on the main lines of games with a known day.

    Reads counters by year, or at most `MOST_ROWS` rows of each orientation, and one row for each move. Raises
    DecodeError and ValueError as `explore`.
    """
    query = position_query(scope, kind, code, match, "main")
    total, by_move, undated, complete = _Tally(), dict[int, _Tally](), 0, True
    parted = _parted(query.keys)
    for key in query.keys:
        if key in parted:
            undated += _add_years(query, key, total, by_move)
        else:
            complete &= _add_rows(query, key, total, by_move)
            undated += int(engine().fetch_prepared(_UNDATED, [key, ALL])[0][0])
    slots = _first_slots(by_move)
    games = games_in(scope, sorted({*slots.values()}))
    ordered = sorted(by_move, key=lambda move: (by_move[move].first, move))
    verdicts = _verdicts(scope, query, ordered)
    moves = tuple(
        _history(query, move, by_move[move], total, games.get(slots.get(move, 0)), verdicts.get(move))
        for move in ordered
    )
    return Chronicle(kind, code, match, total.years.total(), undated, complete, moves)


def _parted(keys: Sequence[int]) -> set[int]:
    """Return the keys with counters by year."""
    if engine().REMOTE_INDEX or not keys:
        return set()
    sql = _PARTED.format(keys=engine().KEYS)
    return {key for (key,) in engine().fetch_prepared(sql, [engine().listed([*keys])])}


def _add_years(query: PositionKeys, key: int, total: _Tally, by_move: dict[int, _Tally]) -> int:
    """Add the counters of a key by year; return the number of games without a day."""
    dated, turn = 0, query.position.turn
    for year, stored, result, n, first, last in engine().fetch_prepared(_OF_YEARS, [key]):
        dated += n
        seen = query.seen(result, key)
        total.add(year, n, seen, turn)
        if stored != NO_MOVE:
            tally = by_move.setdefault(query.move(stored), _Tally())
            tally.add(year, n, seen, turn)
            tally.last = max(tally.last, last)
            tally.first = min(tally.first or (first, 0, key, stored), (first, 0, key, stored))
    ((everything,),) = engine().fetch_prepared(_ALL_GAMES, [key])
    return int(everything or 0) - dated


def _add_rows(query: PositionKeys, key: int, total: _Tally, by_move: dict[int, _Tally]) -> bool:
    """Add the rows of a key with a known day; return whether these are all."""
    rows, turn = engine().fetch_prepared(_ROWS, [key, MOST_ROWS + 1]), query.position.turn
    for played, slot, stored, result in rows[:MOST_ROWS]:
        year, seen = date.fromordinal(played).year, query.seen(result, key)
        total.add(year, 1, seen, turn)
        if stored != NO_MOVE:
            tally = by_move.setdefault(query.move(stored), _Tally())
            tally.add(year, 1, seen, turn)
            tally.last = max(tally.last, played)
            tally.first = min(tally.first or (played, slot, key, stored), (played, slot, key, stored))
    return len(rows) <= MOST_ROWS


def _first_slots(by_move: dict[int, _Tally]) -> dict[int, int]:
    """Return the slot of the first game with each move."""
    slots = {move: tally.first[1] for move, tally in by_move.items() if tally.first and tally.first[1]}
    unknown = {move: tally.first for move, tally in by_move.items() if tally.first and not tally.first[1]}
    for move, (day, _slot, key, stored) in unknown.items():
        for _day, slot in engine().fetch_prepared(_ON_DAY, [key, day, stored, 1]):
            slots[move] = slot
    return slots


def _history(
    query: PositionKeys,
    move: int,
    tally: _Tally,
    total: _Tally,
    first: GameRow | None,
    verdicts: Verdicts | None,
) -> MoveHistory:
    game, years = query.game, sorted(tally.years)
    return MoveHistory(
        move=move,
        name=game.text.move_name(move),
        text=game.text.move_text(query.position, move),
        code=game.codec.encode(_after(query.position, move)),
        games=tally.years.total(),
        years=tuple((year, tally.years[year]) for year in years),
        first=first,
        last=date.fromordinal(tally.last),
        out_of_use=is_out_of_use(years[-1], total.years),
        before=total.score(year for year in total.years if year < years[0]),
        since=total.score(year for year in total.years if year >= years[0]),
        score=tally.score(years),
        verdicts=verdicts,
    )


def is_out_of_use(last: int, years: Counter[int]) -> bool:
    """Return whether a move that was last played in a year is out of use, by the games of its position by
    year."""
    later = sum(n for year, n in years.items() if year > last)
    return later >= OUT_GAMES and max(years) - last >= OUT_YEARS


def _after(position: Any, move: int) -> Any:
    after = position.copy()
    after.do_move(move)
    return after


def _verdicts(scope: Scope, query: PositionKeys, moves: Sequence[int]) -> dict[int, Verdicts]:
    """Return the verdicts before and after moves by the first engine that judged both."""
    positions = [query.position, *(_after(query.position, move) for move in moves)]
    before, *after = verdicts_at(scope, query.game.name, positions)
    found = {}
    for move, judged in zip(moves, after, strict=True):
        by_engine = {one.engine.pk: one for one in reversed(judged) if one.lines and one.lines[0].is_scored}
        for one in before:
            if one.engine.pk in by_engine and one.lines and one.lines[0].is_scored:
                best = by_engine[one.engine.pk]
                found[move] = Verdicts(one.engine, one.lines[0], best.lines[0])
                break
    return found
