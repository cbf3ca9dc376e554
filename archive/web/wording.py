"""Moves, endings, results and times in the words of the active language.

Japanese moves are written as KI2 writes them; English ones in the notation of Western players
(piece, origin where it is needed, `-` move, `x` capture, `*` drop, `+` promotes, `=` does not).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from archive.issues import language
from archive.queries.color_names import results_of
from archive.queries.keyset import Sorting
from kifu_core.games import GAMES as GAME_KINDS
from kifu_core.games import SHOGI
from kifu_core.quoridor import endings as quoridor_endings
from kifu_core.shogi import moves, rules, specials
from kifu_core.shogi.pieces import BY_CODE, CAN_PROMOTE, LETTERS, NAMES
from kifu_core.shogi.squares import JAPANESE, RANKS, USI, square

if TYPE_CHECKING:
    from datetime import date

    from kifu_core.jkf import Move, Place, Time
    from kifu_core.messages import Language
    from kifu_core.quoridor import record as quoridor_record
    from kifu_core.shogi.evaluations import Evaluation
    from kifu_core.shogi.position import Position

MARKS: Final = ("▲", "△")
_RELATIVE: Final = {"L": "左", "C": "直", "R": "右", "U": "上", "M": "寄", "D": "引", "H": "打"}

ENDINGS: Final[dict[str, Promise]] = {
    "TORYO": _("resigns"),
    "CHUDAN": _("adjourned"),
    "SENNICHITE": _("repetition"),
    "TIME_UP": _("out of time"),
    "ILLEGAL_MOVE": _("illegal move"),
    "+ILLEGAL_ACTION": _("Black acts against the rules"),
    "-ILLEGAL_ACTION": _("White acts against the rules"),
    "JISHOGI": _("impasse"),
    "KACHI": _("wins by declaration"),
    "HIKIWAKE": _("draw"),
    "MATTA": _("takes a move back"),
    "TSUMI": _("checkmate"),
    "FUZUMI": _("no checkmate"),
    "ERROR": _("error"),
    "GOAL": _("reaches the goal"),
    "WHITE_WINS": _("White wins"),
    "BLACK_WINS": _("Black wins"),
}
"""Words for the endings of records; an ending that is not among them is shown as the record has it."""

ENDINGS_OF: Final[dict[str, dict[str, Promise]]] = {
    "shogi": {name: words for name, words in ENDINGS.items() if name in specials.BY_SPECIAL},
    "quoridor": {name: words for name, words in ENDINGS.items() if name in quoridor_endings.NAMES},
}
"""Those that records of a game can have."""

RESULTS: Final[tuple[Promise, ...]] = (_("☗ wins"), _("☖ wins"), _("draw"), _("no result"))
"""By the result number of a game (black, white, draw, unknown)."""

GAMES: Final[dict[str, Promise]] = {"shogi": _("shogi"), "quoridor": _("Quoridor")}
"""What kinds of games are called."""

ORDERS: Final[dict[Sorting, Promise]] = {
    "newest": _("Latest day first"),
    "oldest": _("Earliest day first"),
    "added": _("Last added first"),
    "longest": _("Longest first"),
    "shortest": _("Shortest first"),
}
"""The orders of a list of games."""

FOLLOWING: Final[dict[Sorting, Promise]] = {"newest": _("Older games"), "oldest": _("Newer games")}
"""What comes after a page in an order; of others only that there is more."""

RECORDS: Final[dict[str, Promise]] = {
    "game": pgettext_lazy("figure", "games"),
    "problem": pgettext_lazy("figure", "problems"),
    "tree": pgettext_lazy("figure", "opening trees"),
    "position": pgettext_lazy("figure", "single positions"),
}
"""What records of each kind are called below their number."""

RESULTS_OF: Final[dict[str, tuple[Promise, ...]]] = {
    "shogi": RESULTS,
    "quoridor": (_("White wins"), _("Black wins"), *RESULTS[2:]),
}
MARKS_OF: Final = {"shogi": ("☗", "☖"), "quoridor": ("♙", "♟\ufe0e")}
"""Stand before the players of colours 0 and 1."""

SIDES_OF: Final[dict[str, dict[str, Any]]] = {
    "shogi": {"black": _("Black"), "white": _("White")},
    "quoridor": {"black": pgettext_lazy("Quoridor", "Black"), "white": pgettext_lazy("Quoridor", "White")},
}
"""Words for the names of sides."""

HANDICAPS: Final[dict[str, Promise]] = {
    "HIRATE": _("even game"),
    "KY": _("lance handicap"),
    "KY_R": _("right lance handicap"),
    "KA": _("bishop handicap"),
    "HI": _("rook handicap"),
    "HIKY": _("rook and lance handicap"),
    "2": _("two-piece handicap"),
    "3": _("three-piece handicap"),
    "4": _("four-piece handicap"),
    "5": _("five-piece handicap"),
    "5_L": _("left five-piece handicap"),
    "6": _("six-piece handicap"),
    "7_L": _("left seven-piece handicap"),
    "7_R": _("right seven-piece handicap"),
    "8": _("eight-piece handicap"),
    "10": _("ten-piece handicap"),
    "OTHER": _("own start position"),
}
"""Words for the starts of shogi."""

STARTS_OF: Final[dict[str, dict[str, Promise]]] = {
    "shogi": HANDICAPS,
    "quoridor": {"START": _("usual start"), "OTHER": HANDICAPS["OTHER"]},
}


def _results(game: str) -> Iterable[tuple[str, Promise]]:
    name = game or SHOGI.name
    return [*zip(results_of(GAME_KINDS[name]), RESULTS_OF[name], strict=True)]


MENUS: Final[dict[str, Callable[[str], Iterable[tuple[str, Promise]]]]] = {
    "result": _results,
    "handicap": lambda game: STARTS_OF[game or SHOGI.name].items(),
    "special": lambda game: ENDINGS_OF.get(game, ENDINGS).items(),
    "game": lambda game: GAMES.items(),
}
"""The values of filters that every kind of game words differently, with their words; for any kind of game
those of shogi, and the endings of all."""


def move_text(move: Move, before: Move | None = None, into: Language | None = None) -> str:
    """A normalized move with its side's mark; `before` is the move before it, if any, `into` the reader's
    language where many moves are told: to ask for it takes as long as the rest.

    >>> from django.utils.translation import override
    >>> move = {"color": 0, "from": {"x": 7, "y": 7}, "to": {"x": 7, "y": 6}, "piece": "FU"}
    >>> with override("ja"):
    ...     move_text(move)
    '▲７六歩'
    >>> with override("en"):
    ...     move_text(move)
    '▲P-7f'
    """
    text = japanese_move(move, before) if (into or language()) == "ja" else english_move(move)
    return MARKS[move["color"]] + text


def quoridor_move(move: quoridor_record.Move) -> str:
    """A move of Quoridor with its side's mark: the square of a pawn, or a wall."""
    return MARKS_OF["quoridor"][move["color"]] + (move.get("wall") or move["to"])


def nameless(record_kind: str) -> str:
    """What a record without players is called."""
    return str(_NAMELESS.get(record_kind, _("Game without names")))


_NAMELESS: Final = {"problem": _("Problem"), "tree": _("Opening tree"), "position": _("Position")}

_SAME: Final = "同　"
_PLACE: Final = 2
"""Characters of a square's name."""


def japanese_move(move: Move, before: Move | None = None) -> str:
    """The move as KI2 writes it, without the side: `７六歩`, `同　銀`, `５八金右`, `２二角成`.

    Some programs write KIF without 同, so where the move before went counts too.
    """
    same = move.get("same") or (before is not None and before["to"] == move["to"])
    place = _SAME if same else JAPANESE[_square(move["to"])]
    name = NAMES[BY_CODE[move["piece"]]]
    words = "".join(_RELATIVE[word] for word in move.get("relative", ""))
    return place + name + words + {True: "成", False: "不成", None: ""}[move.get("promote")]


def english_move(move: Move) -> str:
    """The move as Western players write it, without the side: `P-7f`, `Sx2b+`, `G4i-5h`, `P*5e`."""
    piece = LETTERS[BY_CODE[move["piece"]]]
    origin = move.get("from")
    relative = move.get("relative", "")
    start = USI[_square(origin)] if origin and relative else ""
    sign = "*" if origin is None else "x" if move.get("capture") else "-"
    tail = {True: "+", False: "=", None: ""}[move.get("promote")]
    return f"{piece}{start}{sign}{USI[_square(move['to'])]}{tail}"


def _square(place: Place) -> int:
    return square(place["x"], place["y"])


def packed_move_text(position: Position, move: int, japanese: str, last: int | None = None) -> str:
    """A packed move about to be played, with its side's mark; `japanese` is its text in Japanese, with the
    square. `last` is the move before it, where one knows it."""
    mark = MARKS[position.turn]
    if language() != "ja":
        return mark + _english_packed(position, move)
    same = last is not None and moves.target(last) == moves.target(move)
    return mark + (_SAME + japanese[_PLACE:] if same else japanese)


def played_text(kind: str, position: Any, move: int, last: int | None = None) -> str:
    """A packed move of any game about to be played, with its mark; `last` as for `packed_move_text`."""
    text = GAME_KINDS[kind].text.move_text(position, move)
    if kind == SHOGI.name:
        return packed_move_text(position, move, text, last)
    return MARKS_OF[kind][position.turn] + text


def _english_packed(position: Position, move: int) -> str:
    to = moves.target(move)
    if kind := moves.dropped(move):
        return f"{LETTERS[kind]}*{USI[to]}"
    origin = moves.source(move)
    piece = position.board[origin]
    others = len(rules.sources(position, position.turn, abs(piece), to)) > 1
    sign = "x" if position.board[to] else "-"
    tail = "+" if moves.promotes(move) else "=" if _could_promote(piece, origin, to) else ""
    return f"{LETTERS[abs(piece)]}{USI[origin] if others else ''}{sign}{USI[to]}{tail}"


def _could_promote(piece: int, origin: int, to: int) -> bool:
    ranks = [RANKS[origin], RANKS[to]]
    return bool(CAN_PROMOTE[piece]) and (min(ranks) <= 3 if piece > 0 else max(ranks) >= 7)


def words_of(kind: str, position: Any) -> str:
    """The whole position of a kind of game for those who do not see it, in lines."""
    return GAME_KINDS[kind].picture.words(position, language())


def day_text(day: date | None, precision: str) -> str:
    """A day as precisely as it is known: `2024-03-15`, `2024-03`, `2024`; empty for none."""
    if day is None:
        return ""
    return day.isoformat()[: {"year": 4, "month": 7}.get(precision, 10)]


def score_text(one: Evaluation) -> str:
    """An evaluation from Black's side: `+123`, or the side that mates."""
    if one.winner is not None:
        return str(_("%(side)s mates")) % {"side": "☗☖"[one.winner]}
    return f"{one.score:+d}" if one.score is not None else ""


_CSA_MOVE: Final = re.compile("([-+])([0-9])([0-9])([1-9])([1-9])([A-Z]{2})")


def evaluation_text(one: Evaluation) -> str:
    """An evaluation as floodgate writes it in words: the score, and the line of play where it is one of CSA's
    moves.

    >>> from django.utils.translation import override
    >>> from kifu_core.shogi.evaluations import floodgate
    >>> with override("ja"):
    ...     evaluation_text(floodgate("** 1704 -8594OU #120"))
    '評価値 +1704 △９四玉 #120'
    """
    moves = [_csa_move_text(text) for text in one.pv.split()]
    nodes = [f"#{one.nodes}"] if one.nodes is not None else []
    return " ".join([str(_("Evaluation %(score)s")) % {"score": score_text(one)}, *moves, *nodes])


def _csa_move_text(text: str) -> str:
    """One of CSA's moves in words; piece and square are those behind the move. Others stay as they are."""
    match = _CSA_MOVE.fullmatch(text)
    if match is None or match[6] not in BY_CODE:
        return text
    place: Place = {"x": int(match[4]), "y": int(match[5])}
    move: Move = {"color": int(match[1] == "-"), "to": place, "piece": match[6]}
    if match[2] != "0":
        move["from"] = {"x": int(match[2]), "y": int(match[3])}
    return move_text(move)


def ending_text(special: str) -> str:
    """The ending of a line in words; unknown ones as the record has them."""
    return str(ENDINGS.get(special, special))


def handicap_text(kind: str, preset: str) -> str:
    """The start's name; unknown ones as they are."""
    return str(STARTS_OF[kind].get(preset, preset))


def time_text(time: Time) -> str:
    """A span of time: `0:16`, `1:02:33`.

    >>> time_text({"m": 0, "s": 16}), time_text({"h": 1, "m": 2, "s": 33})
    ('0:16', '1:02:33')
    """
    return clock_text((time.get("h", 0) * 60 + time["m"]) * 60 + time["s"])


def clock_text(seconds: int) -> str:
    """Seconds as a clock shows them: `0:16`, `1:02:33`."""
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def number_text(number: int) -> str:
    """Return an integer with commas between thousands.

    >>> number_text(1234567)
    '1,234,567'
    """
    return f"{number:,}"
