"""Made-up games for benchmarks: legal, the same for each number, quickly made.

Openings follow a graph of positions: each position has its favourite moves, whatever moves led to it, so
lines part and meet again. Later moves are random, so that games share nothing else. Some games repeat
positions, some have variations, some have the moves of another game, most have ratings.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from kifu_core import Position
from kifu_core.jkf import Move, MoveEntry, Record
from kifu_core.lines import NO_MOVE
from kifu_core.record import Ending, ParsedGame
from kifu_core.shogi.attacks import RAY_MOVES, STEP_MOVES
from kifu_core.shogi.keys.canonical import canonical
from kifu_core.shogi.moves import DROP, dropped, orient, pack, promotes, source, target
from kifu_core.shogi.pieces import CODES, HAND_KINDS
from kifu_core.shogi.rules import is_legal, legal_moves
from kifu_core.shogi.squares import FILES, RANKS

if TYPE_CHECKING:
    from archive.derive.game import DerivedGame

OPENING_PLIES: Final = 24
CHOICES: Final = 8
WEIGHTS: Final = [*accumulate(1 / rank**2 for rank in range(1, CHOICES + 1))]
FORKED: Final = 0.1
SHUFFLED: Final = 0.05
PLAYED_AGAIN: Final = 0.01
RATED: Final = 0.7
CACHED_POSITIONS: Final = 200_000
TASTE: Final = 0.3
TRIES: Final = 40

PLAYERS: Final = 400
PLAYER_WEIGHTS: Final = [*accumulate(1 / rank for rank in range(1, PLAYERS + 1))]
EVENTS: Final = 40
FIRST_DAY: Final = date(1990, 1, 1)
DAYS: Final = 12_000
ENDINGS: Final = ("TORYO",) * 17 + ("SENNICHITE", "JISHOGI", "CHUDAN")

_FAVOURITES: Final[dict[tuple[str, int], tuple[int, ...]]] = {}


def _favourites(position: Position) -> tuple[int, ...]:
    """Return the moves played in a position, the most frequent first; mirrored positions have mirrored moves.

    A move is about equally frequent in every position, so that games reach the same positions in other ways.
    """
    canon = canonical(position)
    favourites = _FAVOURITES.get((canon.code, canon.orientation))
    if favourites is None:
        taste = random.Random(canon.code)
        legal = sorted(orient(move, canon.orientation) for move in legal_moves(position))
        liked = sorted(legal, key=lambda move: _liking(move) + TASTE * taste.random())[:CHOICES]
        favourites = tuple(orient(move, canon.orientation) for move in liked)
        if len(_FAVOURITES) < CACHED_POSITIONS:
            _FAVOURITES[canon.code, canon.orientation] = favourites
    return favourites


@cache
def _liking(move: int) -> float:
    return random.Random(move).random()


def _opening(dice: random.Random, position: Position) -> list[int]:
    """Play the first moves on the position and return them."""
    line: list[int] = []
    for _ in range(OPENING_PLIES):
        choices = _favourites(position)
        if not choices:
            break
        line.append(dice.choices(choices, cum_weights=WEIGHTS[: len(choices)])[0])
        position.do_move(line[-1])
    return line


def _back_and_forth(position: Position) -> list[int]:
    """Return two moves of each side that lead back to the same position, if there are such."""
    line: list[int] = []
    quiet = position.copy()
    for _ in range(2):
        steps = [move for move in legal_moves(quiet) if not dropped(move) and not promotes(move)]
        steps = [move for move in steps if not quiet.board[target(move)] and _returns(quiet, move)]
        if not steps:
            return []
        line.append(steps[0])
        quiet.do_move(steps[0])
    return line + [target(move) << 8 | source(move) << 1 for move in line]


def _returns(position: Position, move: int) -> bool:
    """Return whether the piece can go back: gold, rook, bishop or king."""
    return abs(position.board[source(move)]) in (5, 6, 7, 8)


def _any_move(dice: random.Random, position: Position) -> int:
    """Return a legal move, NO_MOVE if there is none: a random move of a random piece, at most `TRIES` times;
    listing all moves takes three times as long."""
    board, sign = position.board, -1 if position.turn else 1
    for _ in range(TRIES):
        square = int(dice.random() * 81)
        if board[square]:
            choices = _moves_of(board, square) if board[square] * sign > 0 else []
        else:
            held = [kind for kind in HAND_KINDS if position.hands[position.turn][kind]]
            choices = [pack(DROP + kind, square) for kind in held]
        if choices:
            move = choices[int(dice.random() * len(choices))]
            if is_legal(position, move):
                return move
    choices = legal_moves(position)
    return dice.choice(choices) if choices else NO_MOVE


def _moves_of(board: list[int], square: int) -> list[int]:
    """Return the moves of a piece up to the first other piece, including captures of own pieces."""
    piece, ways = board[square], list[int]()
    for _, choices in STEP_MOVES[piece][square]:
        ways += choices
    for line in RAY_MOVES[piece][square]:
        for to, choices in line:
            ways += choices
            if board[to]:
                break
    return ways


def moves(number: int) -> tuple[int, ...]:
    """Return the packed moves of a game, always the same for a number."""
    dice, position = random.Random(f"game {number}"), Position.initial()
    line = _opening(dice, position)
    if dice.random() < SHUFFLED:
        line += _back_and_forth(position)
    length = round(min(250, max(40, dice.gauss(111, 30))))
    while len(line) < length:
        move = _any_move(dice, position)
        if move == NO_MOVE:
            break
        line.append(move)
        position.do_move(move)
    return tuple(line)


def _entries(line: tuple[int, ...], position: Position, forks: dict[int, tuple[int, ...]]) -> list[MoveEntry]:
    """Return moves as normalized JKF, and play them on the position."""
    entries: list[MoveEntry] = []
    for index, move in enumerate(line):
        entry: MoveEntry = {"move": _jkf(position, move)}
        if index in forks:
            entry["forks"] = [_entries(forks[index], position.copy(), {})]
        entries.append(entry)
        position.do_move(move)
    return entries


def _jkf(position: Position, move: int) -> Move:
    to, kind = target(move), dropped(move)
    result: Move = {
        "color": position.turn,
        "to": {"x": FILES[to], "y": RANKS[to]},
        "piece": CODES[kind or abs(position.board[source(move)])],
    }
    if not kind:
        result["from"] = {"x": FILES[source(move)], "y": RANKS[source(move)]}
        result["promote"] = promotes(move)
    if position.board[to]:
        result["capture"] = CODES[abs(position.board[to])]
    return result


def _forks(dice: random.Random, line: tuple[int, ...]) -> dict[int, tuple[int, ...]]:
    """Return a variation of some moves by its ply, or none."""
    if dice.random() >= FORKED or len(line) < 10:
        return {}
    at, position, fork = dice.randrange(5, len(line)), Position.initial(), list[int]()
    for move in line[:at]:
        position.do_move(move)
    for _ in range(dice.randrange(2, 8)):
        choices = [move for move in legal_moves(position) if fork or move != line[at]]
        if not choices:
            break
        fork.append(dice.choice(choices))
        position.do_move(fork[-1])
    return {at: tuple(fork)} if fork else {}


def _player(dice: random.Random) -> str:
    return f"対局者{dice.choices(range(1, PLAYERS + 1), cum_weights=PLAYER_WEIGHTS)[0]}"


def _header(dice: random.Random) -> dict[str, str]:
    """Return players, event and day of a game; a few players play much, most little."""
    day = FIRST_DAY + timedelta(days=dice.randrange(DAYS))
    event = f"第{day.year - FIRST_DAY.year + 1}回試験戦{dice.randrange(EVENTS) + 1}組"
    return {"先手": _player(dice), "後手": _player(dice), "棋戦": event, "開始日時": f"{day:%Y/%m/%d}"}


def _record(dice: random.Random, line: tuple[int, ...]) -> Record:
    header = _header(dice)
    entries = _entries(line, Position.initial(), _forks(dice, line))
    ending: MoveEntry = {"special": dice.choice(ENDINGS)}
    return {"header": header, "initial": {"preset": "HIRATE"}, "moves": [{}, *entries, ending]}


def record(number: int) -> Record:
    """Return a game as a normalized record, with players, event, day and ending."""
    return _record(random.Random(f"header {number}"), moves(number))


def game(number: int) -> DerivedGame:
    """Return a public game for the store. Django must be set up."""
    from archive.derive.game import derive_game

    dice = random.Random(f"about {number}")
    line = moves(number if dice.random() >= PLAYED_AGAIN else dice.randrange(number + 1))
    record = _record(dice, line)
    special = record["moves"][-1]["special"]
    winner = (len(line) + 1) % 2 if special == "TORYO" else None
    ending = Ending("", special, len(line), winner, special == "SENNICHITE")
    ratings = tuple(round(dice.gauss(1600, 300)) if dice.random() < RATED else None for _ in range(2))
    return replace(derive_game(ParsedGame(record, "game", ending)), ratings=(ratings[0], ratings[1]))


# --- statistics of the games -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Shares:
    """Shares of the nodes of games: of distinct positions among all rows; of these, of positions that are
    reached from two others at least; of rows in forks; of nodes that repeat one of their own game."""

    games: int
    rows: int
    distinct: float
    transposed: float
    forked: float
    repeated: float


def shares(numbers: range) -> Shares:
    """Return the shares of some games. Takes about 5 ms a game."""
    from archive.index.schema import FORK

    before: dict[int, set[int]] = {}
    counts: Counter[str] = Counter()
    for ready in map(game, numbers):
        line = [row for row in ready.rows if not row.flags & FORK]
        counts.update(rows=len(ready.rows), forked=len(ready.rows) - len(line), nodes=ready.plies + 1)
        counts.update(repeated=ready.plies + 1 - len(line))
        for previous, row in zip([0, *(row.key for row in line)], line, strict=False):
            # A row after a repeated node follows another one than the list says; such are few.
            before.setdefault(row.key, set()).add(previous)
        for row in ready.rows:
            before.setdefault(row.key, set())
    transposed = sum(len(previous) > 1 for previous in before.values())
    return Shares(
        len(numbers), counts["rows"], len(before) / counts["rows"], transposed / len(before),
        counts["forked"] / counts["rows"], counts["repeated"] / counts["nodes"],
    )  # fmt: skip
