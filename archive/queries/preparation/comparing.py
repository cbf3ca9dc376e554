"""What two sets of games play, position by position: an opponent's of one colour, and one's own of the
other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from archive.models import codec
from archive.queries.games.filters import GameFilters
from archive.queries.positions.explorer import Interval, explore_many, wilson
from archive.queries.preparation.trees import (
    MOST_GAMES,
    NO_ROW,
    UNDECIDED,
    Ints,
    Part,
    Tree,
    medians,
    part_of,
    places_of,
    tree_of,
)
from archive.queries.scope import Scope
from archive.queries.sql import rows_by_ids
from kifu_core.classes import PUBLIC
from kifu_core.games import GAMES, GameKind

LISTED: Final = 12
"""Items of each list."""
MIN_GAMES: Final = 2
"""The fewest games with a position of the lists,"""
MOST_LEAST: Final = 10_000
"""and the most that may be the fewest."""
OFTEN: Final = 5
"""Games with a position, times and judged moves there, before it can be slow or bad."""
SLOW: Final = 2.0
"""A slow position takes this many times the usual seconds of its ply,"""
SLOW_SECONDS: Final = 5.0
"""and at least so many seconds more."""
COSTLY: Final = 0.1
"""The mean loss of winning chances of a costly position: that of an inaccuracy."""
LINES: Final = 8
LINE_SHARE: Final = 0.05
"""A main line is played in at least this share of the games, and in `MIN_GAMES`."""
ARCHIVE_POSITIONS: Final = 12
"""The opponent's most frequent positions whose moves in the whole archive are compared."""
ARCHIVE_SHARE: Final = 0.05
ARCHIVE_GAMES: Final = 5
"""A frequent move of the archive has this share of the games there, and at least so many games."""


@dataclass(frozen=True, slots=True)
class PlayedMove:
    """A move of one of the two sets of games in a position, whoever moves. `score` and `interval` are those
    of the set's colour; `seconds` is the median, `loss` the mean loss of winning chances from 0 to 2, of
    `timed` and `judged` games."""

    move: int
    name: str
    text: str
    code: str
    games: int
    share: float
    score: float | None
    interval: Interval | None
    seconds: float | None
    timed: int
    loss: float | None
    judged: int


@dataclass(frozen=True, slots=True)
class Played:
    """The moves of a set of games in a position: the games of the set and those that reach the position."""

    colour: int
    all: int
    more: bool
    """Whether there may be older games, which are left out."""
    games: int
    score: float | None
    interval: Interval | None
    moves: tuple[PlayedMove, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """A position with one of the games that reach it: its newest one by slot, and its ply there."""

    code: str
    game: int
    ply: int


@dataclass(frozen=True, slots=True)
class Meeting:
    """A position that both sets reach."""

    place: Place
    theirs: int
    own: int


@dataclass(frozen=True, slots=True)
class Unmet:
    """A move against the opponent that leads to a position of none of his games. `theirs` are his games with
    the position before it; `own` the own games with the move, or those of the archive."""

    place: Place
    source: Literal["own", "archive"]
    move: int
    name: str
    text: str
    after: str
    theirs: int
    own: int


@dataclass(frozen=True, slots=True)
class Weakness:
    """A position with the opponent to move that he reached often. `seconds` is the median there, `usual` that
    of all his moves of this ply; `loss` the mean; None if they are unknown."""

    place: Place
    games: int
    score: float | None
    interval: Interval | None
    seconds: float | None
    usual: float | None
    loss: float | None


class LineMove(NamedTuple):
    """A move of a line: packed, in the game's own notation, and as people write it."""

    move: int
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class MainLine:
    """Moves from the position that a set plays often, and the position to which they lead."""

    place: Place
    games: int
    share: float
    moves: tuple[LineMove, ...]


@dataclass(frozen=True, slots=True)
class Preparation:
    """The comparison of two sets of games from a position on."""

    kind: str
    code: str
    colour: int
    """The own colour."""
    theirs: Played
    own: Played
    parting: tuple[Meeting, ...]
    """The last positions that both reach, the most frequent first."""
    deepest: tuple[Meeting, ...]
    unmet: tuple[Unmet, ...]
    slow: tuple[Weakness, ...]
    losing: tuple[Weakness, ...]
    costly: tuple[Weakness, ...]
    their_lines: tuple[MainLine, ...]
    own_lines: tuple[MainLine, ...]


def prepare(
    scope: Scope,
    theirs: GameFilters,
    own: GameFilters,
    kind: str,
    code: str,
    colour: int,
    min_games: int = MIN_GAMES,
) -> Preparation:
    """Compare the opponent's games with one's own, those of `colour`, from a position on.

    Positions are the same if their boards are, however they were reached; each counts once in a game, at its
    first visit. Positions of lists are reached by at least `min_games` games of each set that they are about.
    Raises DecodeError for an invalid code, QueryError as `tree_of`. Linear in the positions of all games:
    about 0.1 s for two sets of 20,000 games whose trees are cached.
    """
    game = GAMES[kind]
    position = game.codec.decode(code)
    key = _key(game, position)
    enough = min(min_games, MIN_GAMES)
    their_tree = tree_of(scope, theirs, kind, 1 - colour, enough)
    own_tree = tree_of(scope, own, kind, colour, enough)
    their_part, own_part = part_of(their_tree, key), part_of(own_tree, key)
    shared = _shared(their_part, own_part, min_games, key)
    found = _Found(
        *_meetings(their_part, own_part, shared),
        [*_own_unmet(their_part, own_part, colour, min_games)],
        *_weaknesses(their_part, 1 - colour),
        _ends(their_part, min_games, key),
        _ends(own_part, min_games, key),
    )
    places = _Places(kind, found)
    archive = _archive_unmet(scope, game, their_part, colour, min_games, places)
    return Preparation(
        kind=kind,
        code=code,
        colour=colour,
        theirs=_played(game, position, key, their_part, 1 - colour),
        own=_played(game, position, key, own_part, colour),
        parting=tuple(places.meeting(one) for one in found.parting),
        deepest=tuple(places.meeting(one) for one in found.deepest),
        unmet=_merged([places.unmet(game, one) for one in found.unmet], archive),
        slow=tuple(places.weakness(one) for one in found.slow),
        losing=tuple(places.weakness(one) for one in found.losing),
        costly=tuple(places.weakness(one) for one in found.costly),
        their_lines=tuple(places.line(game, one, their_part) for one in found.their_ends),
        own_lines=tuple(places.line(game, one, own_part) for one in found.own_ends),
    )


def _key(game: GameKind[Any], position: Any) -> int:
    keys: tuple[int, ...] = game.codec.same_class_keys(position, "exact", game.name, PUBLIC)
    return keys[0]


# --- the position itself ---------------------------------------------------------------------------------


def _played(game: GameKind[Any], position: Any, key: int, part: Part, colour: int) -> Played:
    tree = part.tree
    stored = tree.moves[part.first]
    points = tree.points[part.games]
    score, interval = _score(points)
    moves = []
    for move in np.unique(stored[stored != 0]).tolist():
        chosen = stored == move
        moves.append(_move(game, position, key, part, int(move), np.flatnonzero(chosen)))
    moves.sort(key=lambda one: (-one.games, one.move))
    return Played(
        colour, tree.games, tree.games == MOST_GAMES, len(part.first), score, interval, tuple(moves)
    )


def _move(
    game: GameKind[Any], position: Any, key: int, part: Part, stored: int, chosen: NDArray[np.intp]
) -> PlayedMove:
    tree, rows = part.tree, part.first[chosen]
    move = game.codec.orient(stored, key & 3)
    after = position.copy()
    after.do_move(move)
    score, interval = _score(tree.points[part.games[chosen]])
    seconds, losses = _numbers(tree.seconds[rows]), _numbers(tree.losses[rows])
    return PlayedMove(
        move=move,
        name=game.text.move_name(move),
        text=game.text.move_text(position, move),
        code=game.codec.encode(after),
        games=len(rows),
        share=len(rows) / len(part.first),
        score=score,
        interval=interval,
        seconds=float(np.median(seconds)) if len(seconds) else None,
        timed=len(seconds),
        loss=float(losses.mean()) if len(losses) else None,
        judged=len(losses),
    )


def _numbers(values: NDArray[np.float32]) -> NDArray[np.float64]:
    return values[~np.isnan(values)].astype(np.float64)


def _score(points: NDArray[np.int8]) -> tuple[float | None, Interval | None]:
    """Return the score of games by their points, and its Wilson interval."""
    decided = points[points != UNDECIDED]
    return _share(int(decided.sum()), len(decided))


def _share(points: int, decided: int) -> tuple[float | None, Interval | None]:
    return (points / 2 / decided, wilson(points / 2, decided)) if decided else (None, None)


# --- positions below it ----------------------------------------------------------------------------------


class _Shared(NamedTuple):
    """Positions that both sets reach: their places in both trees, and the numbers of games."""

    theirs: Ints
    own: Ints
    their_games: Ints
    own_games: Ints


class _Row(NamedTuple):
    """A position of a list as its row in a tree."""

    tree: Tree
    row: int


class _Met(NamedTuple):
    at: _Row
    theirs: int
    own: int


class _New(NamedTuple):
    at: _Row
    move: int
    theirs: int
    own: int


class _Weak(NamedTuple):
    at: _Row
    games: int
    points: int
    decided: int
    seconds: float | None
    usual: float | None
    loss: float | None


class _End(NamedTuple):
    at: _Row
    games: int


class _Found(NamedTuple):
    """The items of the lists, before their positions are read."""

    parting: list[_Met]
    deepest: list[_Met]
    unmet: list[_New]
    slow: list[_Weak]
    losing: list[_Weak]
    costly: list[_Weak]
    their_ends: list[_End]
    own_ends: list[_End]


def _shared(theirs: Part, own: Part, min_games: int, key: int) -> _Shared:
    """Return the positions after the one with a key that both sets reach often enough."""
    places = np.flatnonzero((theirs.counts >= min_games) & (theirs.tree.keys != key)).astype(np.int32)
    keys = theirs.tree.keys[places]
    others = places_of(own.tree.keys, keys)
    both = others != NO_ROW
    both[both] = own.counts[others[both]] >= min_games
    places, others = places[both], others[both]
    return _Shared(places, others, theirs.counts[places], own.counts[others])


def _among(tree: Tree, places: Ints) -> NDArray[np.bool_]:
    """Return for each position of a tree whether it is one of these; a last False stands for `NO_ROW`."""
    chosen = np.zeros(len(tree.keys) + 1, np.bool_)
    chosen[places] = True
    return chosen


def _followed(part: Part, places: Ints) -> NDArray[np.bool_]:
    """Return for each position of a tree whether a move leads from it to one of these places."""
    chosen = _among(part.tree, places)
    return _among(part.tree, part.ids[chosen[part.after]])


def _newest_rows(part: Part, places: Ints) -> Ints:
    """Return the last row of each of some places: that of the game with the highest slot."""
    last = np.zeros(len(part.tree.keys), np.int32)
    last[part.ids] = part.rows  # of several values for one place the last one stays
    return last[places]


def _meetings(theirs: Part, own: Part, shared: _Shared) -> tuple[list[_Met], list[_Met]]:
    """Return the last positions that both reach, and the deepest ones."""
    rows = _newest_rows(theirs, shared.theirs)
    plies = theirs.tree.plies[rows]
    fewer = np.minimum(shared.their_games, shared.own_games)
    together = shared.their_games + shared.own_games
    keys = theirs.tree.keys[shared.theirs]
    last = ~(_followed(theirs, shared.theirs)[shared.theirs] | _followed(own, shared.own)[shared.own])

    def listed(order: NDArray[np.intp]) -> list[_Met]:
        return [
            _Met(_Row(theirs.tree, int(rows[one])), int(shared.their_games[one]), int(shared.own_games[one]))
            for one in order[:LISTED]
        ]

    frequent = np.lexsort((keys, -plies, -together, -fewer))
    deepest = np.lexsort((keys, -together, -fewer, -plies.astype(np.int32)))
    return listed(frequent[last[frequent]]), listed(deepest)


def _own_unmet(theirs: Part, own: Part, colour: int, min_games: int) -> Iterator[_New]:
    """Yield the own moves to positions of none of the opponent's games, the most frequent first."""
    tree = own.tree
    games = _games_at(theirs, tree.keys, tree.own_turn(colour))
    chosen = games[own.ids] >= max(min_games, 1)
    rows, ids, after = own.rows[chosen], own.ids[chosen], own.after[chosen]
    follows = _follows(tree, rows)
    new = np.append(~theirs.tree.reaches(tree.keys), False)[after]
    rare = follows & (after == NO_ROW)
    new[rare] = ~theirs.tree.reaches(tree.positions[rows[rare] + 1])
    new &= follows
    rows, ids = rows[new], ids[new]
    if not len(rows):
        return
    groups = ids.astype(np.int64) << 16 | tree.moves[rows]
    order = np.argsort(groups, kind="stable")
    first = np.flatnonzero(np.append(True, np.diff(groups[order]) != 0))
    ends = np.append(first[1:], len(order))
    numbers, newest = ends - first, order[ends - 1]
    rows, ids = rows[newest], ids[newest]
    reaching = games[ids]
    ranks = (tree.moves[rows], tree.keys[ids], -numbers, -reaching, -np.minimum(reaching, numbers))
    for one in np.lexsort(ranks)[:LISTED]:
        row = int(rows[one])
        yield _New(_Row(tree, row), int(tree.moves[row]), int(reaching[one]), int(numbers[one]))


def _games_at(part: Part, keys: NDArray[np.int64], chosen: NDArray[np.bool_]) -> Ints:
    """Return in how many games of a part each chosen position is; 0 for others."""
    places = places_of(part.tree.keys, keys)
    return np.where(chosen & (places != NO_ROW), np.append(part.counts, np.int32(0))[places], 0).astype(
        np.int32
    )


def _follows(tree: Tree, rows: Ints) -> NDArray[np.bool_]:
    """Return for each row whether its move leads to the next row."""
    after = np.minimum(rows + 1, len(tree.plies) - 1)
    follows: NDArray[np.bool_] = (after > rows) & (tree.plies[after] == tree.plies[rows] + 1)
    return follows


def _weaknesses(part: Part, colour: int) -> tuple[list[_Weak], list[_Weak], list[_Weak]]:
    """Return the opponent's positions that are slow, that score below his average, and that cost him much."""
    tree = part.tree
    places = np.flatnonzero(tree.own_turn(colour) & (part.counts >= OFTEN)).astype(np.int32)
    if not len(places):
        return [], [], []
    weak = _WeakPositions(part, places)
    expected = _score(tree.points)[0]
    return (
        weak.listed(weak.slowness(), 0.0),
        weak.listed(weak.below(expected), 0.0) if expected is not None else [],
        weak.listed(weak.losses - COSTLY, -1e-9),
    )


class _WeakPositions:
    """Numbers of the opponent's frequent positions, by their places."""

    def __init__(self, part: Part, places: Ints) -> None:
        tree, size = part.tree, len(part.tree.keys)
        self.part, self.places = part, places
        chosen = _among(tree, places)[part.ids]
        rows, ids, points = part.rows[chosen], part.ids[chosen], tree.points[part.of[chosen]]
        decided = points != UNDECIDED
        self.points = np.bincount(ids[decided], points[decided], size)[places]
        self.decided = np.bincount(ids[decided], minlength=size)[places]
        self.rows = np.zeros(size, np.int32)
        self.rows[ids] = rows
        self.rows = self.rows[places]
        self.usual = tree.pace[tree.plies[self.rows]].astype(np.float64)
        self.seconds = self._medians(ids, tree.seconds[rows])
        self.losses = self._means(ids, tree.losses[rows])

    def _medians(self, ids: Ints, seconds: NDArray[np.float32]) -> NDArray[np.float64]:
        result = np.full(len(self.part.tree.keys), np.nan)
        timed = ~np.isnan(seconds)
        groups, middles, numbers = medians(ids[timed], seconds[timed])
        result[groups[numbers >= OFTEN]] = middles[numbers >= OFTEN]
        return result[self.places]

    def _means(self, ids: Ints, losses: NDArray[np.float32]) -> NDArray[np.float64]:
        judged, size = ~np.isnan(losses), len(self.part.tree.keys)
        sums = np.bincount(ids[judged], losses[judged], size)[self.places]
        numbers = np.bincount(ids[judged], minlength=size)[self.places]
        result: NDArray[np.float64] = np.where(numbers >= OFTEN, sums / np.maximum(numbers, 1), np.nan)
        return result

    def slowness(self) -> NDArray[np.float64]:
        """Return the seconds above the usual ones of positions that are slow, NaN for others."""
        slow = (self.seconds >= SLOW * self.usual) & (self.seconds >= self.usual + SLOW_SECONDS)
        return np.where(slow, self.seconds - self.usual, np.nan)

    def below(self, expected: float) -> NDArray[np.float64]:
        """Return by how much the intervals of the scores lie below the expected score, NaN without decided
        games."""
        highs = np.full(len(self.points), np.nan)
        numbers = np.stack((self.points, self.decided))
        pairs, at = np.unique(numbers[:, self.decided > 0], axis=1, return_inverse=True)
        highs[self.decided > 0] = np.array(
            [wilson(points / 2, int(decided)).high for points, decided in pairs.T]
        )[at.ravel()]
        return expected - highs

    def listed(self, ranks: NDArray[np.float64], least: float) -> list[_Weak]:
        """Return the positions with ranks above `least`, the highest first."""
        keys = self.part.tree.keys[self.places]
        order = np.lexsort((keys, -np.nan_to_num(ranks, nan=-np.inf)))
        return [self._weak(int(one)) for one in order[:LISTED] if ranks[one] > least]

    def _weak(self, one: int) -> _Weak:
        seconds, usual, loss = self.seconds[one], self.usual[one], self.losses[one]
        return _Weak(
            _Row(self.part.tree, int(self.rows[one])),
            int(self.part.counts[self.places[one]]),
            int(self.points[one]),
            int(self.decided[one]),
            None if np.isnan(seconds) else float(seconds),
            None if np.isnan(usual) else float(usual),
            None if np.isnan(loss) else float(loss),
        )


def _ends(part: Part, min_games: int, key: int) -> list[_End]:
    """Return the ends of the main lines, the most frequent first."""
    least = max(min_games, ceil(LINE_SHARE * len(part.first)))
    tree = part.tree
    places = np.flatnonzero((part.counts >= least) & (tree.keys != key)).astype(np.int32)
    places = places[~_followed(part, places)[places]]
    numbers, rows = part.counts[places], _newest_rows(part, places)
    order = np.lexsort((tree.keys[places], -tree.plies[rows], -numbers))
    return [_End(_Row(tree, int(rows[one])), int(numbers[one])) for one in order[:LINES]]


# --- positions of lists ----------------------------------------------------------------------------------

_RECORDS: Final = """
    SELECT g.slot, g.id, r.record FROM {keys} JOIN archive_game g ON g.slot = k.key
    JOIN archive_gamerecord r ON r.game_id = g.id
"""


class _Places:
    """The positions of rows, from the records of their games."""

    def __init__(self, kind: str, found: _Found) -> None:
        self.kind = kind
        self.records: dict[int, tuple[int, Any]] = {}
        self.places: dict[tuple[int, int], Place] = {}
        self.read(one.at for items in found for one in items)

    def read(self, rows: Iterable[_Row]) -> None:
        """Read the records of the games of some rows."""
        slots = {_slot(row) for row in rows} - self.records.keys()
        for slot, pk, record in rows_by_ids(_RECORDS, sorted(slots)):
            self.records[slot] = pk, codec.unpack(record)

    def position(self, row: _Row) -> Any:
        return self._walk(row)[0]

    def place(self, row: _Row) -> Place:
        key = _slot(row), int(row.tree.plies[row.row])
        if key not in self.places:
            code = GAMES[self.kind].codec.encode(self.position(row))
            self.places[key] = Place(code, self.records[key[0]][0], key[1])
        return self.places[key]

    def meeting(self, one: _Met) -> Meeting:
        return Meeting(self.place(one.at), one.theirs, one.own)

    def unmet(self, game: GameKind[Any], one: _New) -> Unmet:
        position = self.position(one.at)
        move = game.codec.orient(one.move, _key(game, position) & 3)
        after = position.copy()
        after.do_move(move)
        return Unmet(
            self.place(one.at),
            "own",
            move,
            game.text.move_name(move),
            game.text.move_text(position, move),
            game.codec.encode(after),
            one.theirs,
            one.own,
        )

    def weakness(self, one: _Weak) -> Weakness:
        score, interval = _share(one.points, one.decided)
        return Weakness(self.place(one.at), one.games, score, interval, one.seconds, one.usual, one.loss)

    def line(self, game: GameKind[Any], one: _End, part: Part) -> MainLine:
        """Return the moves of the row's game from the first position of the part to the row."""
        tree, at = one.at
        number = int(np.searchsorted(tree.starts, at, side="right")) - 1
        first = part.first[np.searchsorted(part.games, number)]
        _position, moves = self._walk(one.at, int(tree.plies[first]))
        return MainLine(self.place(one.at), one.games, one.games / len(part.first), tuple(moves))

    def _walk(self, row: _Row, since: int | None = None) -> tuple[Any, list[LineMove]]:
        """Return the position of a row, and the moves from the ply `since` to it."""
        text, moves, last = GAMES[self.kind].text, list[LineMove](), int(row.tree.plies[row.row])
        for ply, position, move, _entry in GAMES[self.kind].replay.main_line(self.records[_slot(row)][1]):
            if ply == last:
                return position.copy(), moves
            if since is not None and ply >= since:
                moves.append(LineMove(move, text.move_name(move), text.move_text(position, move)))
        raise IndexError(f"no ply {last} in slot {_slot(row)}")  # pragma: no cover - the tree is of this line


def _slot(row: _Row) -> int:
    return int(row.tree.slots[np.searchsorted(row.tree.starts, row.row, side="right") - 1])


def _archive_unmet(
    scope: Scope, game: GameKind[Any], part: Part, colour: int, min_games: int, places: _Places
) -> list[Unmet]:
    """Return frequent moves of the archive, in the opponent's most frequent positions, to positions that he
    has not met."""
    tree = part.tree
    frequent = np.flatnonzero(tree.own_turn(colour) & (part.counts >= max(min_games, 1))).astype(np.int32)
    order = np.lexsort((tree.keys[frequent], -part.counts[frequent]))[:ARCHIVE_POSITIONS]
    chosen = frequent[order]
    rows = [_Row(tree, int(row)) for row in _newest_rows(part, chosen)]
    places.read(rows)
    at = [places.place(row) for row in rows]
    found = []
    for place, number, explorer in zip(
        at,
        part.counts[chosen].tolist(),
        explore_many(scope, game.name, [one.code for one in at]),
        strict=True,
    ):
        for stats in explorer.moves:
            often = stats.total >= ARCHIVE_GAMES and stats.share >= ARCHIVE_SHARE
            if often and not _reaches(tree, _key(game, game.codec.decode(stats.code))):
                found.append(
                    Unmet(
                        place, "archive", stats.move, stats.name, stats.text, stats.code, number, stats.total
                    )
                )
    return found


def _reaches(tree: Tree, key: int) -> bool:
    return bool(tree.reaches(np.array([key]))[0])


def _merged(own: Sequence[Unmet], archive: Sequence[Unmet]) -> tuple[Unmet, ...]:
    """Return the own moves, then those of the archive that are not among them."""
    listed = {(one.place.code, one.name) for one in own}
    others = [one for one in archive if (one.place.code, one.name) not in listed]
    others.sort(key=lambda one: (-min(one.theirs, one.own), -one.theirs, one.place.code, one.name))
    return (*own, *others[:LISTED])
