"""Positions along a record: its start, its main line, and every position it visits."""

from collections.abc import Iterator

from kifu_core.deadline import watched
from kifu_core.errors import KifuError
from kifu_core.jkf import Move, MoveEntry, Record
from kifu_core.lines import NO_MOVE, Branch, Visit, main_line_from, visit_all
from kifu_core.shogi.keys.canonical import canonical_of
from kifu_core.shogi.keys.shogi64 import Encoder
from kifu_core.shogi.moves import DROP, orient
from kifu_core.shogi.pieces import BY_CODE
from kifu_core.shogi.position import Position
from kifu_core.shogi.start import start_position


def start(record: Record) -> Position:
    """Return the start of a record as a new position; raises ParseError if the record has none."""
    return start_position(record.get("initial"))


def packed_move(move: Move) -> int:
    """Return the packed move of a normalized record's move (see `moves`)."""
    # As `pack` and `square` have it: this is done several times for every move that comes in.
    to, source = move["to"], move.get("from")
    origin = source["y"] * 9 - source["x"] if source else DROP + BY_CODE[move["piece"]]
    return origin << 8 | (to["y"] * 9 - to["x"]) << 1 | (move.get("promote") is True)


def main_line(record: Record) -> Iterator[tuple[int, Position, int, MoveEntry]]:
    """Yield every position of the main line: ply, position, next move or `NO_MOVE`, the ply's entry.

    The position is one object, changed between the steps: copy it to keep it. A move that the board does not
    allow ends the line.
    """
    return main_line_from(start(record), record["moves"], packed_move, can_play)


def main_moves(record: Record) -> list[int]:
    """Return the packed moves of the main line."""
    return [packed_move(entry["move"]) for entry in record["moves"] if "move" in entry]


def visits(record: Record) -> list[Visit]:
    """Return every node of the record: the main line from ply 0 to its end, then the forks in reading order.

    A fork begins with the position it branches from and its own first move; its own forks precede its
    siblings'. A move that the board does not allow ends its line, and so does a position without a code (more
    pieces than a set has). Linear in the number of moves, forks included; no recursion.
    """
    return visit_all(record["moves"], start(record), _add_visits)


def _add_visits(branch: Branch[Position], visits: list[Visit], forks: list[Branch[Position]]) -> None:
    try:
        _add_visits_of_line(branch, visits, forks)
    except KifuError as error:
        if error.code != "unencodable":
            raise


def _add_visits_of_line(branch: Branch[Position], visits: list[Visit], forks: list[Branch[Position]]) -> None:
    entries, position, ply, fork = branch
    encoder = Encoder(position)
    for entry in entries:
        if "forks" in entry:
            forks += [Branch(line, position.copy(), ply, True) for line in entry["forks"]]
        if "move" not in entry:
            continue
        move = packed_move(entry["move"])
        if not can_play(position, move):
            break
        code, orientation, symmetric = canonical_of(encoder)
        visits.append(Visit(ply, fork, code, orientation, symmetric, orient(move, orientation)))
        encoder.follow(move, position.do_move(move))
        ply += 1
    if ply > branch.ply or not fork:
        visits.append(Visit(ply, fork, *canonical_of(encoder), NO_MOVE))


def codes(record: Record) -> Iterator[str]:
    """Yield the code of each position of the main line, up to the first that has none (more pieces in hand
    than a set has)."""
    try:
        yield from _codes(record)
    except KifuError as error:
        if error.code != "unencodable":
            raise


def _codes(record: Record) -> Iterator[str]:
    position = start(record)
    encoder = Encoder(position)
    yield encoder.code()
    for move in watched(main_moves(record)):
        if not can_play(position, move):
            break
        encoder.follow(move, position.do_move(move))
        yield encoder.code()


def can_play(position: Position, move: int) -> bool:
    """Return whether `do_move` can play a move: with an own piece on the source or in hand, and none on the
    target."""
    board, turn = position.board, position.turn
    origin, to = move >> 8, move >> 1 & 127
    if origin > DROP:
        kind = origin - DROP
        return kind < 8 and not board[to] and position.hands[turn][kind] > 0
    sign = -1 if turn else 1
    return board[origin] * sign > 0 and board[to] * sign <= 0
