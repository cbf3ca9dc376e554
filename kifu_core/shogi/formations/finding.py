"""Find the formations of a line: their sides and first plies.

All patterns are matched at once. One long integer has a few bits for each pattern, which count its unmet
conditions on squares and hands. A move changes two squares, and adds one number per change for all patterns.
So a move costs some additions, however many patterns there are.
"""

from collections.abc import Iterable
from functools import cache
from itertools import chain
from typing import Final, NamedTuple

from kifu_core.game import FormationOccurrence
from kifu_core.jkf import Record
from kifu_core.memo import Memo
from kifu_core.shogi.formations.excluding import compatible
from kifu_core.shogi.formations.register import BY_NAME, FORMATIONS, with_parents
from kifu_core.shogi.moves import DROP
from kifu_core.shogi.patterns import parse
from kifu_core.shogi.patterns.matching import OrientedStep, orientations
from kifu_core.shogi.patterns.pattern import CONTENTS
from kifu_core.shogi.pieces import FU, FULL_SET, HAND_KINDS, IN_HAND, PROMOTED
from kifu_core.shogi.position import Position
from kifu_core.shogi.replay import start
from kifu_core.shogi.squares import SQUARES

_MOST: Final = FULL_SET[FU]
"""The largest count in a hand that any pattern needs."""


class _Pattern(NamedTuple):
    """A pattern of a formation for one colour.

    `key` is the formation's name and the colour, `until` the last ply at which the formation may arise, and
    `kept` the number of plies for which the pattern has to stay.
    """

    key: tuple[str, int]
    until: int
    kept: int


class _Table:
    """All patterns, each with a field of bits.

    `patterns` has them by the highest bit of their field, `all` has these bits together, `empty` the fields
    of an empty board. `squares` and `hands` have the change of the fields by the content of a square, and by
    the count of a kind in a colour's hand.
    """

    def __init__(self) -> None:
        self.patterns: dict[int, _Pattern] = {}
        self.all = self.empty = self._used = 0
        self.squares = [[0] * CONTENTS for _ in SQUARES]
        self.hands = [[[0] * (_MOST + 1) for _ in range(len(HAND_KINDS) + 1)] for _ in range(2)]
        self.starts = Memo(self._start)

    def add(self, pattern: _Pattern, step: OrientedStep) -> None:
        """Give a pattern the next field of bits, which counts its unmet conditions: the highest bit is 0 if
        there are none."""
        nothing = (1 << (len(step.squares) + len(step.step.hands) - 1).bit_length()) - 1
        one = 1 << self._used
        highest = one * (nothing + 1)
        self._used = highest.bit_length()
        self.patterns[highest] = pattern
        self.all += highest
        self.empty += one * nothing
        for square, allowed in step.squares:
            self._add_values(one, self.squares[square], [bool(allowed >> bit & 1) for bit in range(CONTENTS)])
        for count in step.step.hands:
            color = step.own if count.piece > 0 else 1 - step.own
            self._add_values(one, self.hands[color][abs(count.piece)], [*map(count.allows, range(_MOST + 1))])

    def _add_values(self, one: int, changes: list[int], allowed: list[bool]) -> None:
        """Add to the table which values of a square or a hand a pattern allows."""
        self.empty += one * (not allowed[0])
        for value, allows in enumerate(allowed):
            changes[value] += one * (allowed[0] - allows)

    def unmet(self, position: Position) -> int:
        return self.starts[(*position.board, *position.hands[0], *position.hands[1])]

    def _start(self, contents: tuple[int, ...]) -> int:
        board, hands = contents[: len(SQUARES)], contents[len(SQUARES) :]
        fields = self.empty + sum(row[piece] for row, piece in zip(self.squares, board, strict=True))
        for row, count in zip(chain.from_iterable(self.hands), hands, strict=True):
            fields += row[min(count, _MOST)]
        return fields

    def change_hand(self, hand: list[int], color: int, kind: int, more: int) -> int:
        """Change a hand by `more` pieces of a kind; return the change of the fields."""
        before = hand[kind]
        hand[kind] = after = before + more
        counts = self.hands[color][kind]
        return counts[min(after, _MOST)] - counts[min(before, _MOST)]


@cache
def _table() -> _Table:
    """Return the table of all formations; raises ValueError for a pattern that the table cannot hold."""
    table = _Table()
    for formation in FORMATIONS:
        for text in formation.patterns:
            for oriented in orientations(parse(text)):
                step = oriented.steps[0].step
                plies = step.first is not None or step.last is not None
                if len(oriented.steps) != 1 or step.own_turn is not None or step.board or plies:
                    raise ValueError(f"{formation.name}: patterns have squares, hands and `kept` only")
                key = formation.name, oriented.own
                table.add(_Pattern(key, formation.until, step.kept), oriented.steps[0])
    return table


_LAST: Final = max(one.until for one in FORMATIONS)
_WITH_PARENTS: Final = {one.name: with_parents([one.name]) for one in FORMATIONS}


def find_in_record(record: Record, moves: Iterable[int]) -> list[FormationOccurrence]:
    """Return the formations of a record's main line, whose packed moves are `moves` (see `find_in_line`).

    Raises ParseError if the record has no start position.
    """
    return find_in_line(start(record), moves)


def find_in_line(start: Position, moves: Iterable[int]) -> list[FormationOccurrence]:
    """Return the formations of a line of packed moves with their parents, in order of plies.

    Each formation of a side occurs once, with the first ply of it or one of its forms. Of openings that
    exclude each other, one is left. An illegal move ends the line.
    """
    result: dict[tuple[str, int], FormationOccurrence] = {}
    for one in occurrences(start, moves):
        for name in _WITH_PARENTS[one.name]:
            result.setdefault((name, one.color), FormationOccurrence(name, one.color, one.ply))
    ordered = sorted(result.values(), key=lambda one: (one.ply, one.color, BY_NAME[one.name].number))
    return compatible(ordered)


def occurrences(start: Position, moves: Iterable[int]) -> list[FormationOccurrence]:
    """Return the formations of a line of packed moves, each of a side once, in order of plies.

    Parents are not added and nothing is excluded (`find_in_line` does both). An illegal move ends the line.
    Linear in the moves; moves after the last ply at which any formation can begin are not read.
    """
    table = _table()
    search, unmet = _FormationSearch(table), table.unmet(start)
    squares, waiting, pending = table.squares, search.waiting, search.update(0, unmet)
    board, hands, turn = start.board[:], (start.hands[0][:], start.hands[1][:]), start.turn
    # Moves are played here, not by `Position`: this is done for every game that comes in.
    for ply, move in enumerate(moves, 1):
        if ply > _LAST and not waiting:
            break
        origin, to = move >> 8, move >> 1 & 127
        taken = board[to]
        if origin > DROP:
            kind = origin - DROP
            if taken or kind > HAND_KINDS[-1] or not hands[turn][kind]:
                break
            piece = -kind if turn else kind
            change = squares[to][piece] + table.change_hand(hands[turn], turn, kind, -1)
        else:
            piece = board[origin]
            if (piece >= 0 or taken < 0) if turn else (piece <= 0 or taken > 0):
                break
            change = -squares[origin][piece]
            board[origin] = 0
            if move & 1:
                piece = PROMOTED[piece]
            change += squares[to][piece]
            if taken:
                change -= squares[to][taken]
                if kind := IN_HAND[taken]:
                    change += table.change_hand(hands[turn], turn, kind, 1)
        board[to] = piece
        turn ^= 1
        if change:
            unmet += change
            if unmet & pending != pending:
                pending = search.update(ply, unmet)
                continue
        if waiting:
            pending = search.update(ply, unmet)
    return sorted(search.occurrences.values(), key=lambda one: one.ply)


class _FormationSearch:
    """A search in one game: the occurrences, and the plies since which patterns stand that have to stay.

    `open` has the highest bit of each pattern that has not occurred.
    """

    def __init__(self, table: _Table) -> None:
        self.patterns = table.patterns
        self.open = table.all
        self.occurrences: dict[tuple[str, int], FormationOccurrence] = {}
        self.waiting: dict[int, int] = {}

    def update(self, ply: int, unmet: int) -> int:
        """Update the patterns that stand at a ply; return `open`."""
        for bit, since in [*self.waiting.items()]:
            pattern = self.patterns[bit]
            if unmet & bit:
                del self.waiting[bit]
                self.open |= bit
            elif ply - since >= pattern.kept:
                del self.waiting[bit]
                self.occurrences.setdefault(pattern.key, FormationOccurrence(*pattern.key, since))
        matching = self.open & ~unmet
        self.open ^= matching
        while matching:
            bit = matching & -matching
            matching ^= bit
            pattern = self.patterns[bit]
            if ply > pattern.until or pattern.key in self.occurrences:
                continue
            if pattern.kept:
                self.waiting[bit] = ply
            else:
                self.occurrences[pattern.key] = FormationOccurrence(*pattern.key, ply)
        return self.open
