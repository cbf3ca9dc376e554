"""Patterns in Japanese: expressions for words, pieces on squares and hands, for scripts too.

Japanese has no blanks, so expressions match one after the other: `9九玉9八香その後9八玉`. They are for
half-width text, in the syntax that Python and JavaScript share.
"""

from typing import Final

from kifu_core.shogi.pieces import BY_NAME
from kifu_core.shogi.squares import RANK_KANJI

_NAMES: Final = "|".join(BY_NAME)
_SQUARE: Final = f"[1-9][1-9{RANK_KANJI}]"
_TENS: Final = "十"

NUMERALS: Final = {
    text: number
    for number in range(1, 19)
    for text in (_TENS * (number > 9) + ("" if number == 10 else RANK_KANJI[number % 10 - 1]),)
}
"""Counts of pieces in diagrams: 一 to 十八."""

PLACED: Final = f"(?:[☗▲]|([☖△▽]))?(?:({_SQUARE})({_NAMES})|({_NAMES})({_SQUARE}))"
"""A piece on a square: whether it is the enemy's; the square and the piece, or the piece and the square."""

ALLOWED: Final = f"(!?)(\\{{[^{{}}]*\\}}|\\+?[A-Za-z]|-)([1-9][{RANK_KANJI}])"
"""The pieces of a square in letters, or as a list, and the square in Japanese."""

NAMED: Final = f"([☖△▽])?({_NAMES})"
"""One of several pieces that may stand on a square: whether it is the enemy's, and the piece."""

_LATER: Final = "(?:その後|そのあと)"
_NUMBER: Final = "([0-9]{1,9})"
_WITHIN: Final = f"{_NUMBER}手以内に?"
_STAYING: Final = f"{_NUMBER}手続く"

KEPT: Final = f"(?:{_LATER}[\\s、]*)?{_STAYING}"
"""The number of further plies that a step has to stay, also after a blank or 、."""

THEN: Final = f"{_LATER}(?:[\\s、]*{_WITHIN})?|(1)手後に?"
"""The next step, and within how many plies, also after a blank or 、; or the next ply."""

TO: Final = r"(?:\.\.|〜|~)"
"""The sign between the ends of a range."""

SPAN: Final = (
    f"{_NUMBER}(?:(?:手目)?{TO}|手目から){_NUMBER}手目(?:まで)?|"
    f"{_NUMBER}手目(?:(以降|以後|から)|(まで|以前|以内))?"
)
"""Plies: a range, one ply, from a ply on, or up to a ply."""

COUNTED: Final = (
    f"([☖△▽]|相手の)?({_NAMES})(?:(>=|<=|=)([0-9]{{1,9}})|(なし)|{_NUMBER}[〜~]{_NUMBER}枚|"
    f"([0-9]{{1,9}}|十[一二三四五六七八]?|[{RANK_KANJI}])(枚以上|枚以下|枚)?)?"
)
"""The count of a piece: whether of the enemy's; the piece; sign and number, none, a range, or a number and
its word."""

_UNCOUNTED: Final = f"(?:[☖△▽]|相手の)?(?:{_NAMES})(?:>=|<=|=)"

SIGNS: Final = {"枚": "=", "枚以下": "<=", "枚以上": ">="}
"""The signs for words after a number; without a word it is the least, as that of a letter."""

_LISTS: Final = {"持駒": "hand", "持ち駒": "hand", "盤上": "board"}

OPTIONS: Final = {**_LISTS, "手番": "turn", "手数": "ply"}
"""The names of options, before a colon."""

VALUES: Final = {"自分": "own", "相手": "enemy", "先手": "black", "後手": "white"}
"""The values of options."""

_LISTED: Final = f"(?:hand|board|{'|'.join(_LISTS)}):"

WORD: Final = (
    f"{_LISTED}[^\\s、]*(?:、(?:{COUNTED}|{_UNCOUNTED})(?=[\\s、]|$))*|"
    f"(?:\\{{[^\\s{{}}]*\\}}|{_LATER}[\\s、]+(?={_WITHIN}|{_STAYING})|(?!{_LISTED})[^\\s、])+"
)
"""A word between blanks or 、; in a list, 、 separates the items."""

WORDS: Final = {
    "自分の手番": "turn:own",
    "相手の手番": "turn:enemy",
    "先手だけ": "own:black",
    "先手": "own:black",
    "後手だけ": "own:white",
    "後手": "own:white",
    "左右反転も": "mirror:yes",
    "左右反転": "mirror:yes",
    "本譜だけ": "line:main",
    "本譜": "line:main",
}
"""Conditions in the words of pages (`words`), or in short."""
