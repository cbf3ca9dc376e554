"""Random legal games of Quoridor, the same for the same seed, and positions of them."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from kifu_core.quoridor.board import PAWN, is_wall
from kifu_core.quoridor.position import QuoridorPosition
from kifu_core.quoridor.rules import distance, legal_moves, pawn_moves


def random_move(position: QuoridorPosition, random: Random) -> int | None:
    """A legal move: a wall, or a pawn's, more often than not one that does not lead away from the goal."""
    if position.winner() is not None:
        return None
    walls = [move for move in legal_moves(position) if is_wall(move)] if random.random() < 0.4 else []
    if walls:
        return random.choice(walls)
    moves = pawn_moves(position)
    if not moves:
        return next(iter(legal_moves(position)), None)
    if random.random() < 0.7:
        return min(moves, key=lambda move: _distance_after(position, move))
    return random.choice(moves)


def _distance_after(position: QuoridorPosition, move: int) -> int:
    color = position.turn
    before = position.do_move(move)
    found = distance(position, color)
    position.undo_move(move, before)
    assert found is not None
    return found


def random_game(seed: int, plies: int = 150) -> list[int]:
    """The moves of a game that ends with a win or after so many plies."""
    random, position, game = Random(seed), QuoridorPosition.initial(), list[int]()
    while len(game) < plies and (move := random_move(position, random)) is not None:
        game.append(move)
        position.do_move(move)
    return game


def positions(seed: int, plies: int = 150) -> Iterator[QuoridorPosition]:
    """A copy of every position of a random game."""
    position = QuoridorPosition.initial()
    yield position.copy()
    for move in random_game(seed, plies):
        position.do_move(move)
        yield position.copy()


def jumps(game: list[int]) -> int:
    """How many moves of pawns in a game go further than one step."""
    position, found = QuoridorPosition.initial(), 0
    for move in game:
        square = position.pawns[position.turn]
        found += bool(move & PAWN) and abs(move - PAWN - square) not in (1, 9)
        position.do_move(move)
    return found
