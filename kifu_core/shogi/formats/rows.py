"""Read moves as people type and copy them: other numbers, brackets, letters, and words after the move.

`kif` and `ki2` read the output of programs, many moves at once; other lines are read here.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final, NamedTuple

from kifu_core.shogi.formats.kakinoki_words import read_number
from kifu_core.shogi.formats.times import TIMES, Unreadable
from kifu_core.shogi.move_resolution import SAME, EndingStep, Search, Step, sourced_step
from kifu_core.shogi.pieces import BY_LETTER, BY_NAME
from kifu_core.shogi.specials import BY_WORD
from kifu_core.shogi.spelling import RELATIVE
from kifu_core.shogi.squares import BY_JAPANESE

_BLANKS: Final = (
    "\t\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
)
_ALIKE: Final = {
    "〔【［[｛{〈《<＜": "(",
    "〕】］]｝}〉》>＞": ")",
    "⛊●■◆☗▼▴🔺": "▲",
    "⛉○□◇☖▽▵": "△",
    "ー－―─—–ｰ": "一",
}
PLAIN: Final = str.maketrans(
    {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
    | dict.fromkeys(_BLANKS, " ")
    | {char: plain for chars, plain in _ALIKE.items() for char in chars}
    | dict(zip("ニハ步飞龙马银ト卜仝⇒", "二八歩飛龍馬銀とと同→", strict=True))
)
"""Substitutes for the characters of a move: of another width or shape, or misread by a scanner."""

_DIGIT: Final = "[1-9一二三四五六七八九]"
_NUMBER: Final = (
    r" *(?:[|(・*-] ?)?(?:No\.? ?|第 ?)?"
    r"(?:(\d{1,5}?|[①-⑳㉑-㉟㊱-㊿]|[一二三四五六七八九十百〇]{1,7}(?= ?手目))"
    r"(?: ?(?:手目?|[.:),、。|])| [-一] | (?! )|(?=\D)|(?=\d))[ |]*)?"
)
_CIRCLED: Final = frozenset(
    "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳㉑㉒㉓㉔㉕㉖㉗㉘㉙㉚㉛㉜㉝㉞㉟㊱㊲㊳㊴㊵㊶㊷㊸㊹㊺㊻㊼㊽㊾㊿"
)
_MARK: Final = "(?:[▲△] ?|先手? ?[:.]? ?|後手? ?[:.]? ?|[SG]: ?)?"
_WORDS: Final = "([左直右上寄引行入下打]{0,4})"
_NO_SOURCE: Final = r"(?![\d:.'/分秒時手])"


def _typed_move(gap: str) -> str:
    return (
        rf"(?:(同)(?! ?{_DIGIT}{_DIGIT}) *[、,]? *|(?:同 ?)?({_DIGIT} ?{_DIGIT}) ?(?:同 ?)?)"
        rf"(成[香桂銀歩角飛]|[歩香桂銀金角飛玉王と杏圭全馬龍竜]|\+?[PLNSGBRK](?![A-Za-z])){_WORDS}"
        rf"( ?成[りる]?|ナリ| ?不成|不|生|\+(?= ?\())?{_WORDS}[ちつ]?"
        rf"(?: *(?:[(（←] ?)({_DIGIT}(?: ?[,-] ?| )?{_DIGIT}|00){_NO_SOURCE} ?[)）]?"
        rf"|{gap}({_DIGIT}{_DIGIT}){_NO_SOURCE})?"
        r" *(成(?![香桂銀歩角飛])|不成)?"
    )


TYPED_MOVE: Final = _typed_move("(?!)")
"""A move in plain characters: 同, square, piece, words, promotion, words, source (two groups), promotion."""

_MOVE: Final = re.compile(_NUMBER + _MARK + _typed_move(" *"))
_ENDINGS: Final = "|".join(" ?".join(word) for word in sorted(BY_WORD, key=len, reverse=True))
_ENDING: Final = re.compile(rf"{_NUMBER}{_MARK}\(?({_ENDINGS})\)?(?!\w)", re.IGNORECASE)
_BY_WORD: Final = {word.lower(): word for word in BY_WORD}
_IN_BRACKETS: Final = re.compile(r"[ ,|]*\(([^()]{0,40})(?:\)|\Z)")
_BARE: Final = re.compile(
    r"[ ,|]*((?:\d{1,4}:)?\d{1,4}:\d\d(?:\.\d{1,6})?(?: ?/ ?(?:\d{1,4}:)?\d{1,4}:\d\d)?"
    r"|(?=\d)(?:\d{1,4}時間)?(?:\d{1,4}分)?(?:\d{1,4}秒)?(?:/(?:\d{1,4}時間)?(?:\d{1,4}分)?(?:\d{1,4}秒)?)?)"
    r"(?= |\Z|[*#+|])"
)
_SOURCED: Final = re.compile(rf"(?:同 *|{_DIGIT}{_DIGIT})\w{{1,4}}\({_DIGIT}{_DIGIT}\)")
_UNCLOSED: Final = re.compile(
    r" *(?:\d{1,4}:)?\d{1,4}:\d\d(?:\.\d{1,6})? *(?:/ *(?:\d{1,4}:)?\d{1,4}:\d\d *)?\+?"
)
"""A clock without a closing bracket, unless it is cut off."""

_BAD_SOURCE: Final = re.compile(r" *\(\d\d\)")
_NO_COMMENT: Final = re.compile(r"(?:[\s+,、|。.]|<br ?/?>)*", re.IGNORECASE)
_LONGEST: Final = 120
"""The length of a row after another on the same line."""

_OPENS_COMMENT: Final = "*＊!?！？#＃;；※…→←"


class KifRow(NamedTuple):
    """A row: its number or None, its move or ending, the text of its clock, and its comment.

    `next` is another row on the same line.
    """

    number: int | None
    step: Step
    clock: str
    comment: str
    next: KifRow | None = None


def read_row(line: str) -> KifRow | None:
    """Return a line as a row; None if it is not a row.

    A line without a number is a row if its move has a source or a clock, or only a comment after it.
    """
    text = line.translate(PLAIN)
    if match := _MOVE.match(text):
        step = typed_step(match.groups()[1:])
        clear = bool(match[1] or match[8] or match[9])
    elif match := _ENDING.match(text):
        word = _BY_WORD[match[2].replace(" ", "").lower()]
        step, clear = (
            EndingStep(word, BY_WORD[word].special),
            bool(match[1]) or text[match.end() :][:1] == " ",
        )
    else:
        return None
    if step is None:
        return None
    if _BAD_SOURCE.match(text, match.end()):
        return None
    number = _read_count(match[1]) if match[1] else None
    end = _next_begins(text, match.end(), number)
    clock, rest = _clock(text[match.end() : end], line[match.end() : end])
    rest += line[end:]
    comment = _NO_COMMENT.sub("", rest, 1).rstrip(" 　\t|").removesuffix("+").rstrip()
    if comment and not (clear or clock or comment[0] in _OPENS_COMMENT):
        return None
    if (following := _following(comment, number)) is not None:
        return KifRow(number, step, clock, "", following)
    return KifRow(number, step, clock, comment.lstrip("*＊").strip())


def _read_count(text: str) -> int:
    return int(unicodedata.numeric(text)) if text in _CIRCLED else read_number(text)


def _next_begins(text: str, at: int, number: int | None) -> int:
    """Return the offset of the next number's row on the same line, else the length of the line."""
    begin = text.find(f" {number + 1} ", at - 1, at + _LONGEST) if number is not None else -1
    return begin if begin >= 0 and _following(text[begin + 1 :], number) is not None else len(text)


def _following(text: str, number: int | None) -> KifRow | None:
    """Return the row that is the whole text: one with the next number, with a source or with a mark."""
    plain = text[:_LONGEST].translate(PLAIN)
    if not plain or len(text) > _LONGEST:
        return None
    marked = plain[0] in "▲△" or _SOURCED.fullmatch(plain) is not None
    if not marked and (number is None or not plain.startswith(str(number + 1))):
        return None
    row = read_row(text)
    if row is None or row.comment or not (marked or row.number == (number or 0) + 1):
        return None
    return row


def typed_step(groups: tuple[str | None, ...]) -> Step | None:
    """Return the step of the groups of `TYPED_MOVE`; None if there is no such piece."""
    same, square, name, before, promotion, behind, source, bare, after = groups
    assert name is not None and before is not None and behind is not None
    kind = BY_NAME.get(name) or BY_LETTER.get(name, 0)
    to = SAME if same else BY_JAPANESE[(square or "").replace(" ", "")]
    promotes = (promotion or after or "").strip()[:1] in ("成", "ナ", "+")
    source = (source or bare or "").translate({ord(char): None for char in " ,-"})
    if not kind:
        return None
    if source == "00" or (not source and before + behind == "打" and not same):
        return sourced_step(-1, to, kind, False)
    if source:
        return sourced_step(BY_JAPANESE[source], to, kind, promotes)
    words = "".join(sorted({LETTERS[word] for word in before + behind}, key="LCRUMDH".index))
    return Search(to, kind, promotes, words)


LETTERS: Final = {word: letter for letter, word in RELATIVE.items()} | {"行": "U", "入": "U", "下": "D"}
"""The relative words and their synonyms to JKF's letters."""


def _clock(text: str, line: str) -> tuple[str, str]:
    """Return the clock after a move, and the rest of the line; `text` is `line` in plain characters."""
    bare = _BARE.match(text)
    clocks = [bare] if bare and bare[1] else []
    clocks += [
        match
        for match in _IN_BRACKETS.finditer(text[:_LONGEST])
        if _is_time(match[1]) and (match[0].endswith(")") or _UNCLOSED.fullmatch(match[1]))
    ]
    if not clocks:
        return "", line
    clock = min(clocks, key=lambda match: ":" not in match[1])
    # Some programs write the clock twice.
    rest = line[clock.end() :].replace(line[clock.start() : clock.end()].strip(), "")
    return clock[1], f"{line[: clock.start()]} {rest}".strip()


def _is_time(text: str) -> bool:
    time = TIMES[text] if text.strip() else None
    return time is not None and not isinstance(time, Unreadable)
