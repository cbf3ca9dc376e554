"""Moves in Japanese and in English notation.

The Japanese notation is that of KI2, the English one that of Western players (piece, origin if needed, `-`
move, `x` capture, `*` drop, `+` promotes, `=` does not).
"""

from collections.abc import Sequence
from typing import Any, Final

from kifu_core.jkf import Coordinates, Move
from kifu_core.messages import Language
from kifu_core.shogi import moves, rules
from kifu_core.shogi.attacks import in_zone
from kifu_core.shogi.pieces import BY_CODE, CAN_PROMOTE, CODES, LETTERS, NAMES, signed
from kifu_core.shogi.position import Position
from kifu_core.shogi.spelling import RELATIVE
from kifu_core.shogi.squares import JAPANESE, USI, square

MARKS: Final = ("▲", "△")
"""The marks of moves of Black and White."""

SAME: Final = "同　"
_PLACE: Final = 2
"""Characters of a square's name."""


def record_move_label(move: Move, before: Move | None, language: Language) -> str:
    """Return a normalized move with its side's mark; `before` is the move before it, if any.

    >>> move = {"color": 0, "from": {"x": 7, "y": 7}, "to": {"x": 7, "y": 6}, "piece": "FU"}
    >>> record_move_label(move, None, "ja"), record_move_label(move, None, "en")
    ('▲７六歩', '▲P-7f')
    """
    return MARKS[move["color"]] + (_japanese(move, before) if language == "ja" else _english(move))


def _japanese(move: Move, before: Move | None) -> str:
    """Return a move without its mark: `７六歩`, `同　銀`, `５八金右`, `２二角成`.

    Some programs write KIF without 同, so an equal target of the move before counts too.
    """
    same = move.get("same") or (before is not None and before["to"] == move["to"])
    place = SAME if same else JAPANESE[_square(move["to"])]
    name = NAMES[BY_CODE[move["piece"]]]
    words = "".join(RELATIVE[word] for word in move.get("relative", ""))
    return place + name + words + {True: "成", False: "不成", None: ""}[move.get("promote")]


def _english(move: Move) -> str:
    """Return a move without its mark: `P-7f`, `Sx2b+`, `G4i-5h`, `P*5e`."""
    piece = LETTERS[BY_CODE[move["piece"]]]
    origin = move.get("from")
    start = USI[_square(origin)] if origin and move.get("relative") else ""
    sign = "*" if origin is None else "x" if move.get("capture") else "-"
    tail = {True: "+", False: "=", None: ""}[move.get("promote")]
    return f"{piece}{start}{sign}{USI[_square(move['to'])]}{tail}"


def _square(place: Coordinates) -> int:
    return square(place["x"], place["y"])


def move_text(position: Position, move: int) -> str:
    """Return a move about to be played as KI2 writes it, without a mark: `７六歩`, `５八金右`, `２二角成`."""
    words = "".join(RELATIVE[word] for word in rules.relative(position, move))
    tail = {True: "成", False: "不成", None: ""}[_promotion(position, move)]
    return JAPANESE[moves.target(move)] + NAMES[_moved(position, move)] + words + tail


def next_move_label(
    position: Position, move: int, text: str, language: Language, last: int | None = None
) -> str:
    """Return a move about to be played with its side's mark.

    `text` is the move's `move_text`, `last` the move before it, if known.
    """
    mark = MARKS[position.turn]
    if language != "ja":
        return mark + _english_played(position, move)
    same = last is not None and moves.target(last) == moves.target(move)
    return mark + (SAME + text[_PLACE:] if same else text)


def _english_played(position: Position, move: int) -> str:
    to, piece = moves.target(move), _moved(position, move)
    if moves.dropped(move):
        return f"{LETTERS[piece]}*{USI[to]}"
    others = len(rules.sources(position, position.turn, piece, to)) > 1
    sign = "x" if position.board[to] else "-"
    tail = {True: "+", False: "=", None: ""}[_promotion(position, move)]
    return f"{LETTERS[piece]}{USI[moves.source(move)] if others else ''}{sign}{USI[to]}{tail}"


def lone_move_label(move: int, kind: int, color: int, language: Language) -> str:
    """Return the label of a move without a board: no relative words, and drops always have 打.

    >>> [lone_move_label(moves.from_usi(usi), BY_CODE["KA"], 0, "ja") for usi in ("8h2b+", "B*4e")]
    ['▲２二角成', '▲４五角打']
    """
    position = Position.from_sfen("9/9/9/9/9/9/9/9/9 b -")
    position.turn = color
    if moves.dropped(move):
        position.hands[color][kind] = 1
    else:
        position.board[moves.source(move)] = signed(color, kind)
    text = move_text(position, move) + (RELATIVE["H"] if moves.dropped(move) else "")
    return next_move_label(position, move, text, language)


def disambiguated(next_move_label: Sequence[Move]) -> list[Move]:
    """Return moves of Black from several boards with the words that tell moves of equal text apart.

    The words are those of one board with all their pieces.

    >>> gold = {"color": 0, "piece": "KI", "to": {"x": 5, "y": 8}}
    >>> [_japanese(move, None) for move in disambiguated([gold | {"from": {"x": x, "y": 9}} for x in (4, 6)])]
    ['５八金右', '５八金左']
    """
    texts = [_japanese(move, None) for move in next_move_label]
    return [
        _among([rival for rival, other in zip(next_move_label, texts, strict=True) if other == text], move)
        if texts.count(text) > 1
        else move
        for move, text in zip(next_move_label, texts, strict=True)
    ]


def _among(alike: Sequence[Move], move: Move) -> Move:
    """Return a move with the words that tell it from moves of the same text."""
    board = [0] * len(USI)
    kind, origin = BY_CODE[move["piece"]], move.get("from")
    for other in alike:
        if other is not move and (place := other.get("from")):
            board[_square(place)] = kind
    words = rules.relative_words(board, _square(origin) if origin else -1, _square(move["to"]), kind)
    return {**move, "relative": words} if words else move


def move_facts(position: Position, move: int) -> dict[str, Any]:
    """Return fields of a move about to be played.

    `piece` is the piece before it promotes and `captured` the captured one, both in CSA; `promotes` is a
    bool.
    """
    captured = position.board[moves.target(move)]
    return {
        "piece": CODES[_moved(position, move)],
        "captured": CODES[abs(captured)] if captured else None,
        "promotes": moves.promotes(move),
    }


def _moved(position: Position, move: int) -> int:
    return moves.dropped(move) or abs(position.board[moves.source(move)])


def _promotion(position: Position, move: int) -> bool | None:
    """Return whether a move promotes, None where it cannot."""
    if moves.promotes(move):
        return True
    piece = signed(position.turn, _moved(position, move))
    if moves.dropped(move) or not CAN_PROMOTE[piece]:
        return None
    zone = in_zone(piece, moves.source(move)) or in_zone(piece, moves.target(move))
    return False if zone else None
