"""Rows of KIF as people type and copy them: other numbers, brackets, letters, and words behind the move.

`kif` reads rows as programs write them, many at once. What it cannot read comes here, one line at a time.
"""

import re
from typing import Final, NamedTuple

from kifu_core.shogi.formats.times import TIMES, Unreadable
from kifu_core.shogi.move_resolution import SAME, Search, Special, Step, known
from kifu_core.shogi.pieces import BY_LETTER, BY_NAME
from kifu_core.shogi.specials import BY_WORD
from kifu_core.shogi.squares import BY_JAPANESE

_BLANKS: Final = (
    "\t\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
)
_PLAIN: Final = str.maketrans(
    {char: chr(char - 0xFEE0) for char in range(0xFF01, 0xFF5F)}
    | dict.fromkeys(map(ord, _BLANKS), " ")
    | dict.fromkeys(map(ord, "〔【［[｛{〈《<＜"), "(")
    | dict.fromkeys(map(ord, "〕】］]｝}〉》>＞"), ")")
    | dict.fromkeys(map(ord, "⛊●■◆☗▼"), "▲")
    | dict.fromkeys(map(ord, "⛉○□◇☖▽"), "△")
    | dict.fromkeys(map(ord, "ー－―─ｰ"), "一")
    | {ord(char): one for char, one in zip("ニハ步飞龙马银ト卜", "二八歩飛龍馬銀とと", strict=True)}
)
"""Characters that stand for those of a row: of another width or shape, or misread by a scanner."""

_SQUARE: Final = "[1-9一二三四五六七八九]"
_NUMBER: Final = (
    r" *(?:[|(・*-] ?)?(?:No\.? ?|第 ?)?(?:(\d{1,5}?)(?: ?(?:手目?|[.:),、|])| (?! )|(?=\D)|(?=\d))[ |]*)?"
)
_WORDS: Final = "[左直右上寄引行入下]{0,4}"
_MOVE: Final = re.compile(
    rf"{_NUMBER}(?:[▲△] ?|先手? ?[:.]? ?|後手? ?[:.]? ?)?(?:(同) *|({_SQUARE}{_SQUARE}) ?)"
    r"(成[香桂銀歩角飛]|[歩香桂銀金角飛玉王と杏圭全馬龍竜]|\+?[PLNSGBRK])"
    rf"{_WORDS}(成|不成|打|不|生)?{_WORDS} *(?:\( ?(\d\d|\d ?, ?\d) ?\))? *(不?成(?![香桂銀歩角飛]))?"
)
_ENDING: Final = re.compile(rf"{_NUMBER}([^\d(*!?#&+]{{1,24}})")
_IN_BRACKETS: Final = re.compile(r" *\(([^()]{0,40})\)")
_BARE: Final = re.compile(
    r" *((?:\d{1,4}:)?\d{1,4}:\d\d(?:\.\d{1,6})?(?: ?/ ?(?:\d{1,4}:)?\d{1,4}:\d\d)?"
    r"|(?=\d)(?:\d{1,4}時間)?(?:\d{1,4}分)?(?:\d{1,4}秒)?(?:/(?:\d{1,4}時間)?(?:\d{1,4}分)?(?:\d{1,4}秒)?)?)"
    r"(?= |\Z|\*|#)"
)
_OPENS_COMMENT: Final = "*＊!?！？#＃;；※…→←"


class Row(NamedTuple):
    """A row: its number, if it has one, its move or ending, the text of its clock, and its comment."""

    number: int | None
    step: Step
    clock: str
    comment: str


def read_row(line: str) -> Row | None:
    """Return what a line says as a row; None if it is none.

    A line without a number is one if its move has a source or a clock, or nothing but a comment behind it.
    """
    text = line.translate(_PLAIN)
    if match := _MOVE.match(text):
        step, clear = _step(match), bool(match[1] or match[6])
        number, end = match[1], match.end()
    elif (match := _ENDING.match(text)) and (word := _word(match[2])):
        step, clear = Special(word, BY_WORD[word].special), bool(match[1])
        number, end = match[1], match.end()
    else:
        return None
    if step is None:
        return None
    clock, rest = _clock(text[end:], line[end:])
    rest = rest.strip(" 　\t\xa0")
    if rest and not (clear or clock or rest[0] in _OPENS_COMMENT):
        return None
    comment = "" if rest in ("+", "。", ".") else rest.lstrip("*＊").strip(" 　")
    return Row(int(number) if number else None, step, clock, comment)


def _word(text: str) -> str:
    word = "".join(text.split()).strip("。．.、,|・")
    return word if word in BY_WORD else ""


def _step(match: re.Match[str]) -> Step | None:
    same, square, name, promotion, source, after = match.groups()[1:]
    to = SAME if same else BY_JAPANESE[square]
    kind = BY_NAME.get(name) or BY_LETTER[name] if name.lstrip("+") in BY_LETTER or name in BY_NAME else 0
    if not kind:
        return None
    promotes = "成" in (promotion, after)
    if promotion == "打" or source == "00":
        return known(-1, to, kind, False)
    if source is None:
        return Search(to, kind, promotes, "")
    origin = BY_JAPANESE.get(source.replace(" ", "").replace(",", ""), -1)
    return known(origin, to, kind, promotes) if origin >= 0 else None


def _clock(text: str, line: str) -> tuple[str, str]:
    """Return the clock behind a move, and the rest of the line; `text` is the line in plain characters."""
    for pattern in (_IN_BRACKETS, _BARE):
        match = pattern.match(text)
        if match is not None and _is_time(match[1]):
            return match[1], line[match.end() :].replace(
                line[: match.end()].strip(), ""
            )  # some write it twice
    for match in _IN_BRACKETS.finditer(text[:200]):
        if _is_time(match[1]):
            return match[1], f"{line[: match.start()]} {line[match.end() :]}"
    return "", line


def _is_time(text: str) -> bool:
    time = TIMES[text] if text.strip() else None
    return time is not None and not isinstance(time, Unreadable)
