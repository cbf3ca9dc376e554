"""Training data of engines from games: `hcpe`, `hcpe3` and `psv` (docs/training-data.md).

`hcpe` and `psv` have an entry for each position, as described in `packed`. `hcpe3` is dlshogi's
HuffmanCodedPosAndEval3: for each game its start (32 bytes), the number of moves (16 bits), the result (8: the
number of `hcpe`, plus 4 for repetition, 8 for a declaration, 16 for the most moves) and the opponent (8, here
0); then for each move the move (16), the score (16), the number of candidates (16), and for each candidate
the move (16) and its visits (16). Trainers skip moves without candidates
(https://github.com/TadaoYamaoka/DeepLearningShogi, cppshogi/cppshogi.h).
"""

import struct
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

from kifu_core.deadline import watched
from kifu_core.errors import KifuError
from kifu_core.game import Evaluation
from kifu_core.jkf import Record
from kifu_core.record import Ending
from kifu_core.shogi import specials
from kifu_core.shogi.evaluations import best, evaluations
from kifu_core.shogi.packed import ENTRIES, Packing, encode, encoded_move
from kifu_core.shogi.replay import main_line
from kifu_core.shogi.rules import violation

TrainingForm = Literal["hcpe", "hcpe3", "psv"]
FORMS: Final[tuple[TrainingForm, ...]] = ("hcpe", "hcpe3", "psv")

Outcome = Literal["black", "white", "draw"]
OUTCOMES: Final[tuple[Outcome, ...]] = ("black", "white", "draw")

SKIPPED: Final = (
    "skipped-kind", "skipped-result", "skipped-rating", "skipped-position", "skipped-illegal", "skipped-ply",
    "skipped-score", "skipped-duplicate",
)  # fmt: skip
"""The reasons for which games (the first four), ends of games, and positions are left out: codes of
messages."""

MOST_MOVES: Final = 512
"""Moves of a game in `hcpe3`: programs read so many."""

MATE: Final[dict[TrainingForm, int]] = {"hcpe": 30_000, "hcpe3": 30_000, "psv": 32_000}
"""The score of a mate; `psv` subtracts the plies to it."""
_LARGEST_SCORE: Final = 28_999
"""Of a score that is no mate."""

HCPE3_GAME: Final = struct.Struct("<32sHBB")
HCPE3_MOVE: Final = struct.Struct("<HhH")
HCPE3_VISITS: Final = struct.Struct("<HH")
RESULTS: Final[dict[Outcome, int]] = {"draw": 0, "black": 1, "white": 2}
REASONS: Final = {"SENNICHITE": 4, "KACHI": 8, "MAX_MOVES": 16}
"""Bits of the result of `hcpe3`, by the ending's name in CSA."""


class _TrainingPosition(NamedTuple):
    """A position of a main line: its ply, the side to move, the move played, and the position in 32 bytes."""

    ply: int
    turn: int
    move: int
    evaluation: Evaluation | None
    data: bytes


class PositionSet:
    """A set of positions by 64-bit hashes of their bytes, in 16 bytes a position or less of memory.

    Among n positions, two have the same hash with a probability of n² / 2⁶⁵.
    """

    def __init__(self, most: int | None = None) -> None:
        self.most = most
        self.count = 0
        self._table = array("Q", bytes(8 * 1024))

    def reserve(self, count: int) -> None:
        """Raise KifuError `too-many-positions` if there would be more than `most` after `count` more."""
        if self.most is not None and self.count + count > self.most:
            raise KifuError("too-many-positions", params={"limit": self.most})

    def add(self, data: bytes) -> bool:
        """Add a position; return whether it is new."""
        value = hash(data) & 0xFFFF_FFFF_FFFF_FFFF or 1
        at = self._place(value)
        if self._table[at] == value:
            return False
        self._table[at] = value
        self.count += 1
        if self.count * 2 > len(self._table):
            self._grow()
        return True

    def _place(self, value: int) -> int:
        """Return the index of a value, or of the empty place where it belongs."""
        table, mask = self._table, len(self._table) - 1
        at = value & mask
        while table[at] not in (0, value):
            at = at + 1 & mask
        return at

    def _grow(self) -> None:
        old = self._table
        self._table = array("Q", bytes(16 * len(old)))
        for value in old:
            if value:
                self._table[self._place(value)] = value


@dataclass(frozen=True, slots=True)
class TrainingFilter:
    """Which positions are written: those after `first_ply` to `last_ply` half-moves of games with one of the
    `results`.

    With `min_rating`, only games of two players with such a rating are written. Positions without an
    evaluation are left out unless `unscored`; they then have the score 0. With `unique` each position is
    written once, with the values of the first game that has it.
    """

    first_ply: int = 0
    last_ply: int | None = None
    results: frozenset[Outcome] = frozenset(OUTCOMES)
    min_rating: int | None = None
    unscored: bool = False
    unique: bool = False

    def has_ratings(self, ratings: Mapping[int, int]) -> bool:
        least = self.min_rating
        return least is None or all(color in ratings and ratings[color] >= least for color in (0, 1))

    def has_ply(self, ply: int) -> bool:
        return ply >= self.first_ply and (self.last_ply is None or ply <= self.last_ply)


ALL: Final = TrainingFilter()

POSITION_OPTIONS: Final = ("first_ply", "last_ply", "unscored", "unique")
"""The fields of a `TrainingFilter` about positions rather than games."""

_UNKNOWN: Final[Mapping[int, int]] = {}


@dataclass(slots=True)
class TrainingWriter:
    """Converts games to training data, and counts them.

    `games` and `positions` are the numbers of those written, `skipped` the numbers of those left out by
    reason (`SKIPPED`). `seen` are the positions written so far, if each is to be written once.
    """

    form: TrainingForm
    filter: TrainingFilter = ALL
    seen: PositionSet = field(default_factory=PositionSet)
    games: int = 0
    positions: int = 0
    skipped: Counter[str] = field(default_factory=Counter)

    def entries(
        self, record: Record, record_kind: str, ending: Ending | None, ratings: Mapping[int, int] = _UNKNOWN
    ) -> bytes:
        """Return a game's data, empty if it has none; `ratings` are by colour.

        Linear in its moves, about 100 microseconds each.

        Raises KifuError `too-many-positions` if `seen` has no room for the game, which is then not counted.
        """
        outcome = _outcome(ending)
        if record_kind != "game":
            self.skipped["skipped-kind"] += 1
            return b""
        if ending is None or outcome is None or outcome not in self.filter.results:
            self.skipped["skipped-result"] += 1
            return b""
        if not self.filter.has_ratings(ratings):
            self.skipped["skipped-rating"] += 1
            return b""
        positions = self._positions(record)
        if self.filter.unique:
            self.seen.reserve(len(positions))
        if self.form == "hcpe3":
            data, count = self._game(positions, outcome, ending)
        else:
            chosen = [one for one in positions if self._is_chosen(one)]
            data, count = b"".join(self._entry(one, outcome) for one in chosen), len(chosen)
        self.games += bool(count)
        self.positions += count
        return data if count else b""

    def _positions(self, record: Record) -> list[_TrainingPosition]:
        """Return the positions of the main line, up to a move that breaks a rule."""
        packing: Packing = "psv" if self.form == "psv" else "hcpe"
        result: list[_TrainingPosition] = []
        scores = scores_of(evaluations(record))
        for ply, position, move, _ in watched(main_line(record)):
            if not move or (self.form == "hcpe3" and ply == MOST_MOVES):
                break
            if violation(position, move) is not None:
                self.skipped["skipped-illegal"] += 1
                break
            try:
                data = encode(position, packing)
            except KifuError:
                self.skipped["skipped-position"] += 1
                break  # the following positions have the same pieces
            result.append(_TrainingPosition(ply, position.turn, move, scores.get(ply), data))
        return result

    def _is_chosen(self, one: _TrainingPosition) -> bool:
        """Return whether a position is written, and count it otherwise."""
        reason = ""
        if not self.filter.has_ply(one.ply):
            reason = "skipped-ply"
        elif not self.filter.unscored and one.evaluation is None:
            reason = "skipped-score"
        elif self.filter.unique and not self.seen.add(one.data):
            reason = "skipped-duplicate"
        if reason:
            self.skipped[reason] += 1
        return not reason

    def _entry(self, one: _TrainingPosition, outcome: Outcome) -> bytes:
        score = _score(one, self.form)
        if self.form == "psv":
            won = 0 if outcome == "draw" else 1 if OUTCOMES.index(outcome) == one.turn else -1
            return ENTRIES["psv"].pack(
                one.data, score, encoded_move(one.move, "psv"), min(one.ply + 1, 65_535), won, 0
            )
        return ENTRIES["hcpe"].pack(one.data, score, encoded_move(one.move, "hcpe"), RESULTS[outcome], 0)

    def _game(
        self, positions: Sequence[_TrainingPosition], outcome: Outcome, ending: Ending
    ) -> tuple[bytes, int]:
        """Return a game in `hcpe3` and the number of its positions with a candidate, the move played."""
        if not positions:
            return b"", 0
        kind = specials.find(ending.special or ending.word)
        result = RESULTS[outcome] | (REASONS.get(kind.csa or "", 0) if kind else 0)
        parts, count = [HCPE3_GAME.pack(positions[0].data, len(positions), result, 0)], 0
        for one in positions:
            chosen = self._is_chosen(one)
            move = encoded_move(one.move, "hcpe")
            parts.append(HCPE3_MOVE.pack(move, _score(one, self.form), int(chosen)))
            if chosen:
                parts.append(HCPE3_VISITS.pack(move, 1))
                count += 1
        return b"".join(parts), count


def _outcome(ending: Ending | None) -> Outcome | None:
    if ending is None:
        return None
    return "draw" if ending.draw else None if ending.winner is None else OUTCOMES[ending.winner]


def scores_of(written: Sequence[Evaluation]) -> dict[int, Evaluation]:
    """Return the evaluation of each position before a move, by its ply.

    A player's own evaluation stands after the move, but is that of the search that found the move. An
    analysis is of the position where it stands, and precedes the player's.
    """
    by_role = {role: best([one for one in written if one.role == role]) for role in ("player", "analysis")}
    players = {one.ply - 1: one for one in by_role["player"]}
    return players | {one.ply: one for one in by_role["analysis"]}


def _score(one: _TrainingPosition, form: TrainingForm) -> int:
    """Return the score of a position from the side to move."""
    evaluation = one.evaluation
    if evaluation is None:
        return 0
    if evaluation.winner is not None:
        size = MATE[form] - (min(evaluation.mate or 0, 1_000) if form == "psv" else 0)
        return size if evaluation.winner == one.turn else -size
    score = max(-_LARGEST_SCORE, min(_LARGEST_SCORE, evaluation.score or 0))
    return -score if one.turn else score


class GameOfHcpe3(NamedTuple):
    """A game of `hcpe3`: its start, the number of its result, its moves as numbers with their scores (None
    for a move without candidates), and the offset after it."""

    start: bytes
    result: int
    moves: list[tuple[int, int | None]]
    end: int


def games_of_hcpe3(data: bytes) -> Iterator[GameOfHcpe3]:
    """Yield the complete games of a file."""
    at = 0
    while at + HCPE3_GAME.size <= len(data):
        start, count, result, _opponent = HCPE3_GAME.unpack_from(data, at)
        at += HCPE3_GAME.size
        moves: list[tuple[int, int | None]] = []
        for _ in range(count):
            if at + HCPE3_MOVE.size > len(data):
                return
            move, score, candidates = HCPE3_MOVE.unpack_from(data, at)
            moves.append((move, score if candidates else None))
            at += HCPE3_MOVE.size + HCPE3_VISITS.size * candidates
        if at > len(data):
            return
        yield GameOfHcpe3(start, result, moves, at)
