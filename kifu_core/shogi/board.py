"""A shogi board with its move history, in the style of chess libraries.

`Board` combines a `Position`, the moves that led to it, and the rules of `kifu_core.shogi.rules`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, NamedTuple

from kifu_core.errors import AmbiguousMoveError, DecodeError, IllegalMoveError
from kifu_core.messages import Language, message
from kifu_core.shogi import draw, entering_king, rules
from kifu_core.shogi.handicaps import INITIAL_SFEN, by_name
from kifu_core.shogi.keys import shogi64
from kifu_core.shogi.mate import LONGEST, MateResult, mate_in_one, search_mate
from kifu_core.shogi.moves import dropped, from_usi, promotes, source, target, to_usi
from kifu_core.shogi.notation import SAME, move_text, next_move_label
from kifu_core.shogi.pieces import CODES, LETTERS, NAMES, PROMOTED
from kifu_core.shogi.position import Position
from kifu_core.shogi.pv import read_move
from kifu_core.shogi.repetition import FOURFOLD, checking_sides
from kifu_core.shogi.squares import BY_USI, CSA, JAPANESE, USI
from kifu_core.shogi.typed_moves import western_move

Notation = Literal["usi", "csa", "kif", "ki2", "western"]


class Move(int):
    """A move, packed into an integer as `kifu_core.shogi.moves` describes. `from_usi` makes one from a text;
    `Move(...)` takes the integer.

    >>> move = Move.from_usi("8h2b+")
    >>> move, move.source, move.target, move.promotes, move.drop
    (Move.from_usi('8h2b+'), '8h', '2b', True, None)
    """

    __slots__ = ()

    @classmethod
    def from_usi(cls, text: str) -> Move:
        """Return the move of a text in USI. Raises DecodeError `bad-usi-move`."""
        return cls(from_usi(text))

    @property
    def usi(self) -> str:
        """The move in USI."""
        return to_usi(self)

    @property
    def source(self) -> str | None:
        """The square that the piece leaves, in USI (`8h`); None for a drop."""
        return None if dropped(self) else USI[source(self)]

    @property
    def target(self) -> str:
        """The square that the piece goes to, in USI (`2b`)."""
        return USI[target(self)]

    @property
    def promotes(self) -> bool:
        """Whether the piece promotes."""
        return promotes(self)

    @property
    def drop(self) -> str | None:
        """The kind of the dropped piece, in CSA (`FU`); None for a move on the board."""
        kind = dropped(self)
        return CODES[kind] if kind else None

    def __str__(self) -> str:
        return to_usi(self)

    def __repr__(self) -> str:
        return f"Move.from_usi({to_usi(self)!r})"


class Outcome(NamedTuple):
    """The result of a game that the rules have ended. `winner` is a colour, or None for a draw.

    `reason` is `no-moves` (checkmate, or no legal move at all), `fourfold` or `perpetual-check`.
    """

    winner: int | None
    reason: Literal["no-moves", "fourfold", "perpetual-check"]


class Board:
    """A position and the moves that led to it.

    `position` is the current `Position`; read it, but change it only by the methods of the board. Colours are
    0 for Black (先手) and 1 for White (後手).

    >>> board = Board()
    >>> for move in ("7g7f", "３四歩", "+8822UM"):
    ...     _ = board.push(move)
    >>> board.ply, board.turn, board.is_check(), board.text(board.parse("同銀"))
    (3, 1, False, '△同　銀')
    """

    __slots__ = ("_captures", "_first_number", "_moves", "_start", "position")

    def __init__(self, sfen: str = INITIAL_SFEN) -> None:
        """Set up an SFEN, or a position and moves as in USI's command `position` (`startpos moves 7g7f`).

        Raises DecodeError for a text that cannot be read, and IllegalMoveError for an illegal move.
        """
        setup, _, moves = sfen.removeprefix("position ").partition(" moves ")
        setup = INITIAL_SFEN if setup.strip() == "startpos" else setup.removeprefix("sfen ")
        self._start = Position.from_sfen(setup)
        fields = setup.split()
        self._first_number = int(fields[3]) if len(fields) == 4 else 1
        self.position = self._start.copy()
        self._moves: list[Move] = []
        self._captures: list[int] = []
        for move in moves.split():
            self.push(move)

    @classmethod
    def handicap(cls, name: str) -> Board:
        """Set up a handicap by its Japanese name, such as 二枚落ち. Raises DecodeError `no-such-handicap`."""
        handicap = by_name(name)
        if handicap is None:
            raise DecodeError("no-such-handicap", params={"name": name[:40]})
        return cls(handicap.sfen)

    @classmethod
    def from_position(cls, position: Position) -> Board:
        """Set up a copy of a position."""
        return cls(position.sfen(None))

    # --- state ---

    @property
    def turn(self) -> int:
        """The colour to move."""
        return self.position.turn

    @property
    def ply(self) -> int:
        """The number of moves played on this board."""
        return len(self._moves)

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves played on this board, the first one first."""
        return tuple(self._moves)

    @property
    def start(self) -> Position:
        """A copy of the position before the first move."""
        return self._start.copy()

    @property
    def code(self) -> str:
        """The position's Shogi64 code. Equal positions have equal codes, by which archives find them.

        Raises KifuError `unencodable` for a position with more pieces than a set.
        """
        return shogi64.encode(self.position)

    def sfen(self) -> str:
        """Return the position as SFEN with the move number."""
        return self.position.sfen(self._first_number + len(self._moves))

    def usi(self) -> str:
        """Return the arguments of USI's command `position`: the start and the moves."""
        start = self._start.sfen(None)
        text = "startpos" if start == INITIAL_SFEN else f"sfen {self._start.sfen(self._first_number)}"
        return f"{text} moves {' '.join(map(to_usi, self._moves))}" if self._moves else text

    def copy(self) -> Board:
        """Return an independent copy with its history."""
        board = Board.__new__(Board)
        board._start, board._first_number = self._start, self._first_number
        board.position = self.position.copy()
        board._moves, board._captures = self._moves[:], self._captures[:]
        return board

    __copy__ = copy

    def piece_at(self, square: str) -> str | None:
        """Return the piece on a square (`7g`) in SFEN, White's in lower case; None for an empty square."""
        piece = self.position.board[BY_USI[square]]
        text = LETTERS[abs(piece)]
        return None if not piece else text if piece > 0 else text.lower()

    def hand(self, color: int) -> dict[str, int]:
        """Return the number of each piece in a colour's hand, by the letters of SFEN."""
        return {LETTERS[kind]: count for kind, count in enumerate(self.position.hands[color]) if count}

    def __eq__(self, other: object) -> bool:
        """Return whether two boards have equal positions, whatever moves led to them."""
        return self.position == other.position if isinstance(other, Board) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # boards change; `code` and `sfen()` are hashable

    # --- play ---

    def push(self, move: Move | int | str, *, legal: bool = True) -> Move:
        """Play a move and return it. A text is read by `parse`; an integer is a packed move.

        Raises the errors of `parse`, and IllegalMoveError with a code of `rules.violation`; the board is then
        unchanged. With `legal` False the rules are not checked: the only refused moves are those without a
        piece to move, with a piece of the other side, or to a square with a piece of the same side.
        """
        move = self.parse(move) if isinstance(move, str) else Move(move)
        fault = rules.violation(self.position, move) if legal else rules.fault(self.position, move)
        if fault is not None and (legal or fault in rules.UNPLAYABLE):
            raise self._illegal(fault, str(move) if fault != "bad-move" else f"{int(move)}")
        self._captures.append(self.position.do_move(move))
        self._moves.append(move)
        return move

    def pop(self) -> Move:
        """Take back the last move and return it. Raises IndexError if there is none."""
        move = self._moves.pop()
        self.position.undo_move(move, self._captures.pop())
        return move

    def peek(self) -> Move | None:
        """Return the last move; None if there is none."""
        return self._moves[-1] if self._moves else None

    # --- rules ---

    def legal_moves(self) -> list[Move]:
        """Return all legal moves. A search can play them with `push(move, legal=False)`, which is faster."""
        return list(map(Move, rules.legal_moves(self.position)))

    def is_legal(self, move: Move | int | str) -> bool:
        """Return whether a move is legal.

        Raises DecodeError for a text that is not a move, AmbiguousMoveError for one that can mean several.
        """
        try:
            return rules.is_legal(self.position, self.parse(move) if isinstance(move, str) else move)
        except IllegalMoveError:
            return False

    def is_check(self) -> bool:
        """Return whether the king of the side to move is attacked."""
        return rules.in_check(self.position, self.turn)

    def gives_check(self, move: Move | int) -> bool:
        """Return whether a legal move attacks the other side's king."""
        captured = self.position.do_move(move)
        check = rules.in_check(self.position, self.turn)
        self.position.undo_move(move, captured)
        return check

    def is_checkmate(self) -> bool:
        """Return whether the side to move is in check and has no legal move."""
        return self.is_check() and not rules.legal_moves(self.position)

    def occurrences(self) -> list[int]:
        """Return the plies at which the current position arose, including the current ply.

        Positions are equal if board, hands and side to move are. Linear in the number of moves.
        """
        position, plies = self._start.copy(), []
        for ply, move in enumerate(self._moves):
            if position == self.position:
                plies.append(ply)
            position.do_move(move)
        return [*plies, len(self._moves)]

    def is_fourfold_repetition(self) -> bool:
        """Return whether this is the position's fourth occurrence (千日手), perpetual check included."""
        return len(self.occurrences()) >= FOURFOLD

    def perpetual_checker(self) -> int | None:
        """Return the colour that loses by perpetual check (連続王手の千日手); None if neither does.

        With a fourfold repetition, that is the side whose every move since the first occurrence gave check.
        """
        plies = self.occurrences()
        if len(plies) < FOURFOLD:
            return None
        position = self._start.copy()
        for move in self._moves[: plies[0]]:
            position.do_move(move)
        sides = checking_sides(position, self._moves[plies[0] :])
        return sides[0] if len(sides) == 1 else None

    def outcome(self) -> Outcome | None:
        """Return the result if the rules have ended the game, else None.

        Players end games, too, by resignation, on time, or by a declaration (see `claim`).
        """
        if not rules.legal_moves(self.position):
            return Outcome(self.turn ^ 1, "no-moves")
        if not self.is_fourfold_repetition():
            return None
        checker = self.perpetual_checker()
        return Outcome(None, "fourfold") if checker is None else Outcome(checker ^ 1, "perpetual-check")

    def is_game_over(self) -> bool:
        """Return whether the rules have ended the game: see `outcome`."""
        return self.outcome() is not None

    def claim(self) -> entering_king.Claim:
        """Return the facts that decide a declaration win (入玉宣言) of the side to move.

        `claim().result(27)` is the result under the 27-point rule.
        In a handicap game the missing pieces count for White.
        """
        return entering_king.claim(self.position, entering_king.missing_points(self._start))

    def mate_in_one(self) -> Move | None:
        """Return a move that mates; None if there is none."""
        move = mate_in_one(self.position)
        return None if move is None else Move(move)

    def search_mate(self, *, nodes: int = 100_000, plies: int = LONGEST) -> MateResult:
        """Search for a forced mate by checks (詰み) in at most `plies` plies for the side to move.

        Expands at most `nodes` positions. The mate that is found may not be the shortest: to look for a
        shorter one, lower `plies`.
        """
        result = search_mate(self.position, nodes=nodes, plies=plies)
        return replace(result, moves=tuple(map(Move, result.moves)))

    # --- texts of moves ---

    def parse(self, text: str) -> Move:
        """Return the move of a text.

        Notations are USI (`7g7f`), CSA (`+7776FU`), KIF (`７六歩(77)`), KI2 (`▲７六歩`), Western (`P-7f`).
        The move need not be legal. Raises DecodeError `bad-move-text` for other texts, IllegalMoveError
        `unreachable` if no piece can make the move, and AmbiguousMoveError `ambiguous` if several can.
        """
        last = target(self._moves[-1]) if self._moves else -1
        candidates = read_move(text.strip(), self.position, last)
        if candidates is None:
            western = western_move(text.strip(), self.position)
            if western is None:
                raise DecodeError("bad-move-text", ply=self.ply + 1, params={"text": text[:40]})
            candidates = [western]
        if len(candidates) > 1:
            raise AmbiguousMoveError("ambiguous", ply=self.ply + 1, params={"text": text[:40]})
        if not candidates:
            raise self._illegal("unreachable", text[:40])
        return Move(candidates[0])

    def text(self, move: Move | int, notation: Notation = "ki2") -> str:
        """Return the text of a playable move in a notation, by default as people write it (KI2).

        >>> board = Board()
        >>> move = Move.from_usi("7g7f")
        >>> [board.text(move, notation) for notation in ("usi", "csa", "kif", "ki2", "western")]
        ['7g7f', '+7776FU', '７六歩(77)', '▲７六歩', '▲P-7f']
        """
        last = self._moves[-1] if self._moves else None
        match notation:
            case "usi":
                return to_usi(move)
            case "csa":
                return self._csa(move)
            case "kif":
                return self._kif(move, last)
            case "ki2":
                return next_move_label(self.position, move, move_text(self.position, move), "ja", last)
            case "western":
                return next_move_label(self.position, move, "", "en", last)

    def _csa(self, move: int) -> str:
        piece = self._piece(move)
        origin = "00" if dropped(move) else CSA[source(move)]
        landed = PROMOTED[piece] if promotes(move) else piece
        return f"{'+-'[self.turn]}{origin}{CSA[target(move)]}{CODES[landed]}"

    def _kif(self, move: int, last: int | None) -> str:
        to = target(move)
        place = SAME if last is not None and target(last) == to else JAPANESE[to]
        tail = "打" if dropped(move) else f"{'成' * promotes(move)}({CSA[source(move)]})"
        return place + NAMES[self._piece(move)] + tail

    def _piece(self, move: int) -> int:
        """Return the kind of the piece that moves, before it promotes."""
        return dropped(move) or abs(self.position.board[source(move)])

    def _illegal(self, code: str, text: str) -> IllegalMoveError:
        error = IllegalMoveError(code, ply=self.ply + 1, params={"text": text})
        error.message = f"{text}: {message(error, language='en')}"
        return error

    # --- pictures ---

    def __str__(self) -> str:
        return draw.text(self.position)

    def __repr__(self) -> str:
        return f"Board({self.sfen()!r})"

    def svg(self, *, flip: bool = False, language: Language = "ja") -> str:
        """Return an SVG of the board with the last move marked; `flip` puts White at the bottom."""
        return draw.svg(self.position, last=self.peek(), flip=flip, language=language)

    def _repr_svg_(self) -> str:
        return self.svg()
