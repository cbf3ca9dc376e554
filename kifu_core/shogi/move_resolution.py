"""Resolve written moves on a board: steps, and the plans that the replay loop executes.

A *step* is one written move, ending or unreadable row. Most texts name the source, so the effect of a move
depends only on the colour that moves: such a step has two *plans*, computed once and cached by its text. The
other steps need the position for their plan.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Final

from kifu_core.errors import AmbiguousMoveError, IllegalMoveError
from kifu_core.jkf import RELATIVES, Coordinates, Move
from kifu_core.memo import Memo
from kifu_core.shogi import rules
from kifu_core.shogi.attacks import BETWEEN, RAYS, STEPS, in_zone, is_dead
from kifu_core.shogi.moves import DROP, pack
from kifu_core.shogi.pieces import CAN_PROMOTE, CODES, FU, HAND_KINDS, OU, PROMOTED, UNPROMOTED, signed
from kifu_core.shogi.position import Position
from kifu_core.shogi.squares import FILES, RANKS, SQUARES

SAME: Final = -1
"""The target of a move to the square of the move before (同)."""

PLACES: Final[tuple[Coordinates, ...]] = tuple({"x": FILES[square], "y": RANKS[square]} for square in SQUARES)
"""The JKF objects of the squares; records share them, as they share those of plans."""


AGAIN: Final = 64
"""Added to the key of a plan's variant for a move with 同."""


@dataclass(eq=False, slots=True)
class MovePlan:
    """The effect of a move of one colour.

    `origin` is the source square or -1 for a drop, `piece` and `landed` the signed piece before and after.
    `between` are the squares that must be empty: the target of a drop; for a move that the piece never makes,
    its source, which is not empty. `rivals` are the squares from which an equal piece could come, empty if
    the words are given or never needed. `move` is the JKF object without the fields that depend on the
    position, `fault` a rule broken in any position. `variants` are the objects with such fields, by the key
    of `variant`.
    """

    origin: int
    to: int
    piece: int
    landed: int
    between: tuple[int, ...]
    rivals: tuple[int, ...]
    move: Move
    fault: str
    variants: dict[int, Move]

    def variant(self, key: int) -> Move:
        """Return the JKF object of a capture (key: the signed piece), of a move with 同 (`AGAIN`) or both."""
        move, taken = self.move.copy(), key if key < AGAIN // 2 else key - AGAIN
        if taken:
            move["capture"] = CODES[abs(taken)]
        if key != taken:
            move["same"] = True
        self.variants[key] = move
        return move

    @property
    def packed(self) -> int:
        """The packed move (see `moves`)."""
        origin = DROP + abs(self.piece) if self.origin < 0 else self.origin
        return pack(origin, self.to, self.piece != self.landed)


@lru_cache(maxsize=1 << 15)
def plan(
    origin: int,
    to: int,
    kind: int,
    promote: bool,
    color: int,
    relative: str | None = None,
    same: bool = False,
) -> MovePlan:
    """Return the plan of a move with all its fields; `origin` -1 is a drop.

    With `relative` None the replay computes the words; an empty text means that there are none.
    """
    piece = signed(color, kind)
    if origin < 0:
        return _drop_plan(to, piece, color, relative, same)
    grown = promote and bool(CAN_PROMOTE[piece])
    move: Move = {"color": color, "from": PLACES[origin], "to": PLACES[to], "piece": CODES[kind]}
    zone = bool(CAN_PROMOTE[piece]) and (in_zone(piece, origin) or in_zone(piece, to))
    if zone or grown:
        move["promote"] = grown
    fault = "bad-promote" if promote and not zone else ""
    if not grown and is_dead(piece, to):
        fault = "must-promote"
    _add_words(move, relative, same)
    rivals = _comers(piece, to) if relative is None else ()
    landed = PROMOTED[piece] if grown else piece
    between = BETWEEN[piece][origin * 81 + to]
    if between is None or fault:
        between = (origin,)
    return MovePlan(origin, to, piece, landed, between, rivals, move, fault, {})


def _drop_plan(to: int, piece: int, color: int, relative: str | None, same: bool) -> MovePlan:
    kind = abs(piece)
    move: Move = {"color": color, "to": PLACES[to], "piece": CODES[kind]}
    _add_words(move, relative, same)
    fault = "" if kind in HAND_KINDS else "bad-drop"
    if not fault and is_dead(piece, to):
        fault = "dead-drop"
    rivals = _comers(piece, to) if relative is None else ()
    return MovePlan(-1, to, piece, piece, (to,), rivals, move, fault, {})


def _add_words(move: Move, relative: str | None, same: bool) -> None:
    if relative:
        move["relative"] = relative
    if same:
        move["same"] = True


@cache
def _comers(piece: int, to: int) -> tuple[int, ...]:
    """Return the squares from which the piece reaches `to` on an empty board, if it can need words.

    Pawns of one colour never share a file and a side has one king, so neither needs any.
    """
    if abs(piece) in (FU, OU):
        return ()
    return (*STEPS[-piece][to], *(square for line in RAYS[-piece][to] for square in line))


class Step:
    """A written move, an ending, or a row that cannot be read."""

    __slots__ = ()

    def plan(self, position: Position, last: int) -> MovePlan:
        """Return the plan for the side to move; `last` is the target of the move before, -1 if there is none.

        Raises IllegalMoveError or AmbiguousMoveError if the step cannot be played, EndOfPlay for an ending.
        """
        raise IllegalMoveError("bad-move")


class SourcedMove(Step):
    """A move whose plans depend on the colour alone."""

    __slots__ = ("black", "white")

    def __init__(self, origin: int, to: int, kind: int, promote: bool) -> None:
        self.black = plan(origin, to, kind, promote, 0)
        self.white = plan(origin, to, kind, promote, 1)

    def plan(self, position: Position, last: int) -> MovePlan:
        return self.white if position.turn else self.black


def sourced_step(origin: int, to: int, kind: int, promote: bool) -> Step:
    """Return a step with its source, as KIF writes them; `to` may be SAME."""
    return SameSquareMove(origin, kind, promote) if to == SAME else SourcedMove(origin, to, kind, promote)


class SameSquareMove(Step):
    """A move to the square of the move before (同)."""

    __slots__ = ("kind", "origin", "plans", "promote")

    def __init__(self, origin: int, kind: int, promote: bool) -> None:
        self.origin = origin
        self.kind = kind
        self.promote = promote
        self.plans: dict[tuple[int, int], MovePlan] = {}

    def plan(self, position: Position, last: int) -> MovePlan:
        if last < 0:
            raise IllegalMoveError("same-without-move")
        where = last, position.turn
        if where not in self.plans:
            self.plans[where] = plan(self.origin, last, self.kind, self.promote, position.turn, None, True)
        return self.plans[where]


class CsaMove(Step):
    """A CSA move, which names the piece after the move: it promotes now or has promoted before."""

    __slots__ = ("before", "now")

    def __init__(self, origin: int, to: int, kind: int) -> None:
        self.now = SourcedMove(origin, to, UNPROMOTED[kind], True)
        self.before = SourcedMove(origin, to, kind, False)

    def plan(self, position: Position, last: int) -> MovePlan:
        now = self.now.plan(position, last)
        return now if position.board[now.origin] == now.piece else self.before.plan(position, last)


def csa_step(origin: int, to: int, kind: int) -> Step:
    """Return the step of a CSA move, which names the piece as it is after the move; `origin` -1 is a drop."""
    if origin < 0 or kind == UNPROMOTED[kind]:
        return SourcedMove(origin, to, kind, False)
    return CsaMove(origin, to, kind)


Ray = tuple[int, ...]
"""Squares in a row, the nearest first."""

NOWHERE: Final = 1
"""A search without sources; each source adds a digit to the base 81."""


class SearchSide:
    """A searched move for one colour.

    `piece` is the signed piece; `steps` and `rays` are the squares from which it could come. `plans` are by
    the sources found, None if the rules have to decide.
    """

    __slots__ = ("piece", "plans", "rays", "steps")

    def __init__(
        self,
        piece: int,
        steps: tuple[int, ...],
        rays: tuple[Ray, ...],
        choose: Callable[[int], MovePlan | None],
    ) -> None:
        self.piece = piece
        self.steps = steps
        self.rays = rays
        self.plans = Memo[int, MovePlan | None](choose)

    def search(self, board: list[int]) -> MovePlan | None:
        """Return the plan for the pieces that reach the target on this board."""
        piece = self.piece
        sources = NOWHERE
        for origin in self.steps:
            if board[origin] == piece:
                sources = sources * 81 + origin
        for ray in self.rays:
            for origin in ray:
                if board[origin]:
                    if board[origin] == piece:
                        sources = sources * 81 + origin
                    break
        return self.plans[sources]


class Search(Step):
    """A KI2 move: the piece and the target; relative words help to find the source.

    The words matter only if several sources are found, and nearly always the same few sources are.
    """

    __slots__ = ("_recaptures", "black", "kind", "promote", "to", "white", "words")

    def __init__(self, to: int, kind: int, promote: bool, words: str) -> None:
        self.to = to
        self.kind = kind
        self.promote = promote
        self.words = words
        self.black = None if to == SAME else self._side(to, 0)
        self.white = None if to == SAME else self._side(to, 1)
        self._recaptures: dict[int, SearchSide] = {}

    def search(self, board: list[int], turn: int, last: int) -> MovePlan | None:
        """Return the plan for the pieces that reach the target; None if the rules have to decide."""
        side = self.white if turn else self.black
        if side is None:
            if last < 0:
                return None
            side = self._recapture(last, turn)
        return side.search(board)

    def _recapture(self, last: int, turn: int) -> SearchSide:
        key = last << 1 | turn
        if key not in self._recaptures:
            self._recaptures[key] = self._side(last, turn)
        return self._recaptures[key]

    def plan(self, position: Position, last: int) -> MovePlan:
        """Return the plan by the rules: by all words and, if several sources are left, by check."""
        to = last if self.to == SAME else self.to
        if to < 0:
            raise IllegalMoveError("same-without-move")
        sources = rules.resolve(position, self.kind, to, self.words)
        if not sources:
            raise IllegalMoveError("no-piece")
        if len(sources) > 1:
            raise AmbiguousMoveError("ambiguous")
        return self._plan(sources[0] if sources[0] <= DROP else -1, to, position.turn)

    def _side(self, to: int, color: int) -> SearchSide:
        piece = signed(color, self.kind)
        steps, rays = ((), ()) if self.words == "H" else (STEPS[-piece][to], RAYS[-piece][to])
        return SearchSide(piece, steps, rays, lambda sources: self._chosen(sources, to, color))

    def _chosen(self, sources: int, to: int, color: int) -> MovePlan | None:
        """Return the plan for the sources that a search has found; None if the rules have to decide.

        No source means a drop; words choose among several.
        """
        origins: list[int] = []
        while sources != NOWHERE:
            sources, origin = divmod(sources, 81)
            origins.append(origin)
        if not origins:
            drops = self.kind in HAND_KINDS and (not self.words or "H" in self.words)
            return self._plan(-1, to, color) if drops else None
        if len(origins) > 1:
            origins = [] if "H" in self.words else rules.matching(origins, to, color, self.words)
        return self._plan(origins[0], to, color) if len(origins) == 1 else None

    def _plan(self, origin: int, to: int, color: int) -> MovePlan:
        """Return the plan for a source, -1 for a drop; words unknown to JKF are computed anew."""
        words = self.words if not self.words or self.words in RELATIVES else None
        return plan(origin, to, self.kind, self.promote, color, words, self.to == SAME)


class JkfMove(Step):
    """A JKF move, which may lack the piece, the colour and all other fields that a replay fills in.

    A complete move (one with its colour) keeps its own 同 and relative words. A null for the source is kept
    too, as by json-kifu-format.
    """

    __slots__ = ("complete", "kind", "null_origin", "origin", "promote", "relative", "same", "to")

    def __init__(
        self,
        *,
        origin: int,
        to: int,
        kind: int,
        promote: bool | None,
        relative: str | None,
        same: bool,
        complete: bool,
        null_origin: bool,
    ) -> None:
        self.origin = origin
        self.to = to
        self.kind = kind
        self.promote = promote
        self.relative = relative
        self.same = same
        self.complete = complete
        self.null_origin = null_origin

    def plan(self, position: Position, last: int) -> MovePlan:
        to = last if self.to == SAME else self.to
        if to < 0:
            raise IllegalMoveError("same-without-move")
        kind = self.kind or abs(position.board[self.origin])
        if not kind:
            raise IllegalMoveError("no-piece")
        if self.origin < 0 and kind not in HAND_KINDS:
            raise IllegalMoveError("bad-drop")
        same = self.same or (not self.complete and to == last)
        sources = plan(self.origin, to, kind, bool(self.promote), position.turn, self.relative or None, same)
        if not self.null_origin:
            return sources
        return replace(sources, move={**sources.move, "from": None}, variants={})


class EndOfPlay(Exception):
    """Raised for the plan of an ending: there is no move to play."""


class EndingStep(Step):
    """A row that ends the play: `word` as written, `special` its name in JKF or None, `winner` the winning
    colour if the side to move does not decide it (fouls, lost connections)."""

    __slots__ = ("special", "winner", "word")

    def __init__(self, word: str, special: str | None, winner: int | None = None) -> None:
        self.word = word
        self.special = special
        self.winner = winner

    def plan(self, position: Position, last: int) -> MovePlan:
        raise EndOfPlay


def pauses(ending: EndingStep) -> bool:
    """Return whether play may go on after an ending: an adjournment, or a move taken back."""
    return ending.special in ("CHUDAN", "MATTA")


class UnreadableStep(Step):
    """A row that stands for a move but cannot be read."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def plan(self, position: Position, last: int) -> MovePlan:
        raise IllegalMoveError("unreadable-move", params={"text": self.text})
