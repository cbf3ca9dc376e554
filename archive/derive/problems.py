"""Problems in the positions of a record: one best move by an engine's verdicts, forced mates, and records
that are problems themselves. Pure functions; docs/problems.md explains the rules.

A best move needs a verdict with two lines and enough nodes, the second of them much worse, and a verdict on
the position after it that confirms its chances: without that, half of the claims were wrong (docs/notes).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from archive.derive.chances import ACCEPTED, chance
from archive.derive.themes import formation_themes, themes_of
from kifu_core.classes import PUBLIC, key
from kifu_core.errors import KifuError
from kifu_core.games import SHOGI
from kifu_core.lines import fork_path
from kifu_core.shogi import rules
from kifu_core.shogi.classify import mates
from kifu_core.shogi.keys.canonical import canonical_of
from kifu_core.shogi.keys.shogi64 import Encoder
from kifu_core.shogi.moves import from_usi, to_usi
from kifu_core.shogi.replay import can_play, main_moves, packed_move, start
from kifu_core.shogi.tsume import completed, neighbour_keys, problem_key, shortest_mate

if TYPE_CHECKING:
    from archive.derive.verdicts import Line
    from kifu_core.jkf import MoveEntry, Record
    from kifu_core.shogi.position import Position

VERSION: Final = 1
"""Raised when other problems are found: the archive is searched anew then."""

MATE, SWING, ONLY_MOVE, NEXT_MOVE = "mate", "swing", "only-move", "next-move"

NODES: Final = 20_000
"""Nodes of a verdict, at least, that claims a best move."""
GAP: Final = 0.45
"""Winning chances, from -1 to 1, by which the second-best move is worse."""
MISTAKE: Final = 0.3
"""Winning chances that the move before lost, in a position that punishes it."""
WORST: Final = -0.5
"""Winning chances below which nobody looks for the best move."""
AGREEMENT: Final = 0.2
"""Winning chances by which the verdict on the position after the best move may differ."""
FIRST_PLY: Final = 10
"""Earlier positions are openings."""
FEWEST_MOVES: Final = 5
"""With fewer legal moves there is little to find."""
MOST_PLACES: Final = 5_000
"""Positions of a record, variations included, that are searched."""
LONGEST_MATE: Final = 15
"""Plies of the longest mate in a game that becomes a problem."""
MATE_NODES: Final = 500
"""Nodes of the mate search on a position in which an engine sees a mate."""
LONGEST_SOLUTION: Final = 2_000
"""Plies of the longest solution of a record that is stored."""


class Place(NamedTuple):
    """A position of a record: the path and ply of its node, its key in the index, the packed move that led to
    it (0 at the start), the number of the place before it (-1), and the space."""

    path: str
    ply: int
    key: int
    position: Position
    last: int
    before: int
    space: int


class Judged(NamedTuple):
    """The lines of an engine's best verdict on a position, and those of the best one with two or more lines,
    which may be the same, with their nodes."""

    lines: tuple[Line, ...]
    nodes: int
    wide: tuple[Line, ...] = ()
    wide_nodes: int = 0


class FoundProblem(NamedTuple):
    """A problem, as `archive.models.Problem` stores it, and where it is. `neighbours` are the keys of a mate
    without one of its pieces."""

    kind: str
    key: int
    sfen: str
    moves: tuple[str, ...]
    path: str
    ply: int
    themes: frozenset[int]
    accepted: tuple[str, ...] = ()
    nodes: int = 0
    gap: float = 0.0
    neighbours: frozenset[int] = frozenset()


# --- places ------------------------------------------------------------------------------------------------


def places_of(record: Record, space: int) -> list[Place]:
    """Return the positions of a record, the main line first, then its variations, at most `MOST_PLACES`.

    A move that the board does not allow ends its line, as does a position that no code can hold. Linear in
    the moves.
    """
    places: list[Place] = []
    lines = [("", 0, start(record), record["moves"], -1)]
    while lines and len(places) < MOST_PLACES:
        path, ply, position, entries, before = lines.pop()
        forks = list(_line(places, path, ply, position, entries, before, space))
        lines += reversed(forks)
    return places[:MOST_PLACES]


_Fork = tuple[str, int, "Position", list["MoveEntry"], int]


def _line(
    places: list[Place],
    path: str,
    ply: int,
    position: Position,
    entries: Sequence[MoveEntry],
    before: int,
    space: int,
) -> Iterator[_Fork]:
    """Add the positions of a line to the places; yield its forks. `ply` is that of the position before the
    first move."""
    try:
        encoder, last = Encoder(position), 0
        if before < 0:
            places.append(Place(path, 0, _key(encoder, space), position.copy(), 0, -1, space))
            before = 0
        for entry in entries[1:] if not path else entries:
            number = ply + 1
            for index, fork in enumerate(entry.get("forks", ())):
                yield fork_path(path, number, index), ply, position.copy(), fork, before
            if "move" not in entry:
                continue
            last = packed_move(entry["move"])
            if not can_play(position, last) or len(places) >= MOST_PLACES:
                return
            encoder.follow(last, position.do_move(last))
            ply = number
            places.append(Place(path, ply, _key(encoder, space), position.copy(), last, before, space))
            before = len(places) - 1
    except KifuError as error:
        if error.code != "unencodable":
            raise


def _key(encoder: Encoder, space: int) -> int:
    code, orientation, _symmetric = canonical_of(encoder)
    return key(code, orientation, SHOGI.name, space)


# --- problems of games -------------------------------------------------------------------------------------


def problems_in(
    places: Sequence[Place],
    verdicts: Mapping[int, Judged],
    scale: float,
    formations: Sequence[tuple[int, int, int]] = (),
) -> list[FoundProblem]:
    """Return the problems among the places of a record by the verdicts of one engine, by key, with the scale
    of its winning chances. `formations` are rows of number, color and first ply.

    Of equal positions the first counts, and of the positions of one forced mate. Linear in the places, apart
    from the mate search.
    """
    after = _places_after(places)
    problems, mating = dict[int, FoundProblem](), set[int]()
    for number, place in enumerate(places):
        judged = verdicts.get(place.key)
        if judged is None:
            continue
        if _sees_mate(place, judged):
            if _goes_on(places, place, mating):
                mating.add(number)
            elif found := _mate(place, judged):
                mating.add(number)
                problems.setdefault(found.key, _themed(found, place, formations))
        elif found := _best_move(places, number, after[number], verdicts, scale):
            problems.setdefault(found.key, _themed(found, place, formations))
    return list(problems.values())


def keys_to_confirm(places: Sequence[Place], verdicts: Mapping[int, Judged]) -> set[int]:
    """Return the keys of the positions after the best moves that verdicts on places claim: `problems_in`
    needs the verdicts on them, too. Linear in the places."""
    keys = set[int]()
    for place in places:
        judged = verdicts.get(place.key)
        if judged and judged.wide_nodes >= NODES and judged.wide[0].moves:
            after = _key_after(place, from_usi(judged.wide[0].moves[0]))
            keys |= {after} if after is not None else set()
    return keys - verdicts.keys()


def _places_after(places: Sequence[Place]) -> list[list[int]]:
    after: list[list[int]] = [[] for _place in places]
    for number, place in enumerate(places):
        if place.before >= 0:
            after[place.before].append(number)
    return after


def _themed(found: FoundProblem, place: Place, formations: Sequence[tuple[int, int, int]]) -> FoundProblem:
    turn, path = place.position.turn, place.path
    ply = int(path.partition(".")[0]) if path else place.ply  # formations are those of the main line
    return found._replace(themes=found.themes | formation_themes(formations, turn, min(ply, place.ply)))


def _sees_mate(place: Place, judged: Judged) -> bool:
    best = judged.lines[0]
    return best.winner == place.position.turn and (best.mate or 1) <= LONGEST_MATE


def _goes_on(places: Sequence[Place], place: Place, mating: set[int]) -> bool:
    """Return whether the position two plies before has a forced mate of the same side."""
    before = places[place.before].before if place.before >= 0 else -1
    return before in mating


def _mate(place: Place, judged: Judged) -> FoundProblem | None:
    """Return the mate of a position if the mate search confirms that it is the shortest."""
    result = shortest_mate(place.position, nodes=MATE_NODES)
    if result.verdict != "mate" or len(result.moves) > LONGEST_MATE:
        return None
    return _problem(MATE, place, result.moves)._replace(nodes=judged.nodes)


def _problem(kind: str, place: Place, moves: Sequence[int]) -> FoundProblem:
    position, mate = place.position, kind == MATE
    return FoundProblem(
        kind,
        problem_key(position, mate=mate),
        position.sfen(),
        tuple(map(to_usi, moves)),
        place.path,
        place.ply,
        frozenset(themes_of(position, moves)),
        neighbours=frozenset(neighbour_keys(position)) if mate else frozenset(),
    )


def _best_move(
    places: Sequence[Place],
    number: int,
    after: Sequence[int],
    verdicts: Mapping[int, Judged],
    scale: float,
) -> FoundProblem | None:
    place = places[number]
    judged = verdicts[place.key]
    lines = [line for line in judged.wide if line.is_scored and line.moves]
    if judged.wide_nodes < NODES or len(lines) < 2 or place.ply < FIRST_PLY:
        return None
    best, second = (_own_chance(line, place, scale) for line in lines[:2])
    if best < WORST or best - second < GAP or lines[1].winner == place.position.turn:
        return None
    first = lines[0].moves[0]
    if _is_plain(place, from_usi(first)):
        return None
    if not _is_confirmed(place, [places[one] for one in after], first, best, verdicts, scale):
        return None
    kind = SWING if _was_mistake(places, place, best, verdicts, scale) else ONLY_MOVE
    accepted = tuple(
        line.moves[0] for line in lines[1:] if best - _own_chance(line, place, scale) <= ACCEPTED
    )
    problem = _problem(kind, place, [from_usi(move) for move in _one_move(lines[0])])
    return problem._replace(
        moves=(first,), accepted=accepted, nodes=judged.wide_nodes, gap=round(best - second, 3)
    )


def _one_move(line: Line) -> Sequence[str]:
    """Return the move to find, and the reply by which themes see whether it was a sacrifice."""
    return line.moves[:2]


def _own_chance(line: Line, place: Place, scale: float) -> float:
    own = chance(line.score, line.winner, scale)
    return -own if place.position.turn else own


def _is_plain(place: Place, first: int) -> bool:
    """Return whether a move is plain to see: one of few, or the recapture of the piece that moved last."""
    if place.last and first >> 1 & 127 == place.last >> 1 & 127:
        return True
    return len(rules.legal_moves(place.position)) < FEWEST_MOVES


def _is_confirmed(
    place: Place,
    after: Sequence[Place],
    first: str,
    best: float,
    verdicts: Mapping[int, Judged],
    scale: float,
) -> bool:
    """Return whether the verdict on the position after the best move keeps the chances, and those after other
    moves of the record do not."""
    key_after = _key_after(place, from_usi(first))
    if key_after is None or not _keeps(key_after, place, best, verdicts, scale):
        return False
    others = (verdicts.get(one.key) for one in after if to_usi(one.last) != first)
    return all(
        judged is None
        or not judged.lines[0].is_scored
        or best - _own_chance(judged.lines[0], place, scale) >= GAP / 2
        for judged in others
    )


def _key_after(place: Place, move: int) -> int | None:
    """Return the key of the position after a move in the same space; None if no code can hold it."""
    after = place.position.copy()
    after.do_move(move)
    try:
        return _key(Encoder(after), place.space)
    except KifuError:
        return None


def _keeps(key_after: int, place: Place, best: float, verdicts: Mapping[int, Judged], scale: float) -> bool:
    judged = verdicts.get(key_after)
    if judged is None or not judged.lines[0].is_scored:
        return False
    return abs(best - _own_chance(judged.lines[0], place, scale)) <= AGREEMENT


def _was_mistake(
    places: Sequence[Place], place: Place, best: float, verdicts: Mapping[int, Judged], scale: float
) -> bool:
    """Return whether the other side's last move lost at least `MISTAKE`."""
    before = places[place.before] if place.before >= 0 else None
    judged = verdicts.get(before.key) if before else None
    if before is None or judged is None or not judged.lines[0].is_scored:
        return False
    return best + _own_chance(judged.lines[0], before, scale) >= MISTAKE


# --- records of problems -----------------------------------------------------------------------------------


def problem_of(record: Record) -> FoundProblem | None:
    """Return the problem that a record of kind `problem` is; None for one that cannot be solved on the board:
    without moves, or with an illegal first one."""
    try:
        position = start(record)
        SHOGI.codec.encode(position)
    except KifuError:
        return None
    moves = main_moves(record)[:LONGEST_SOLUTION]
    if not moves or not rules.is_legal(position, moves[0]):
        return None
    if mates(record):
        position = completed(position)
        kind = MATE
    else:
        kind = NEXT_MOVE
    return _problem(kind, Place("", 0, 0, position, 0, -1, PUBLIC), moves)
