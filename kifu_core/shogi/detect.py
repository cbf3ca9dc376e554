"""Which format a text has, and which program wrote it."""

from __future__ import annotations

import re
from typing import Final, cast

from kifu_core.record import FormatName
from kifu_core.shogi.packed import HEAD_BYTES, packing_of
from kifu_core.shogi.spelling import BARE, NUMBER

_FIRST_ROW: Final = re.compile(
    r"""^(?:
    (?P<csa>V[23](?:\.[0-9])?[ ]*(?:,|$)|N[+-]|PI|P[1-9](?:[-+ ]|\*)|P[+-][0-9]{2}
        |[+-][0-9]{4}[A-Za-z]{2}|%[-+A-Z_]{4,40}|\$[A-Z_]{1,40}:|[+-]$)
    |(?P<kif>[ \t　]*+[0-9]{1,6}+[ 　\t]++
        (?![▲△☗☖▼▽][^\n▲△☗☖▼▽]*+[▲△☗☖▼▽][ 　]*+[１-９1-9同])
        [▲△☗☖▼▽]?(?:[１-９1-9][一二三四五六七八九1-9１-９]|同|投了|中断|詰))
    |(?P<ki2>[ 　\t]*+(?:(?:NUMBER|[0-9]{1,4}+(?=[ 　\t]))[ 　\t]*+)?+[▲△☗☖▼▽][ 　]*+[１-９1-9同][^\n：]
        |[ 　\t]*+BARE(?:\n[ 　\t]*+)?+BARE)
    )""".replace("NUMBER", NUMBER).replace("BARE", BARE),
    re.MULTILINE | re.VERBOSE,
)
"""The first line that only one of the formats has decides."""

_ENGINE_LINE: Final = re.compile(
    r"""^[ \t]*+(?:
    (?P<usi>(?:position[ \t]++)?+(?:startpos(?:[ \t]|$)|sfen[ \t]++[^/\s]++/)|position[ \t]++sfen[ \t]
        |moves[ \t]++[1-9PLNSGBR]|(?:[1-9][a-i]|[PLNSGBR]\*)[1-9][a-i]\+?(?:[ \t]|$))
    |(?P<sfen>(?:[1-9KRBGSNLPkrbgsnlp+]{1,18}+/){8}+\S++[ \t]++[bw][ \t])
    |(?P<usen>[0-9A-Za-z_.\-]*+~[0-9]{1,6}+\.[0-9a-z]*+(?:[.~\s]|$))
    )""",
    re.MULTILINE | re.VERBOSE,
)
"""The first line that is a position or a game by itself."""

_SET_LINES: Final = re.compile(
    r"^[ \t]*+[0-9]{1,9}+[ \t]++[^ \t\n]++[ \t]++[^ \t\n]++[ \t]++[^ \t\n]++[ \t]++[0-2][ \t]++[0-9]{1,5}+"
    r"(?:[ \t][^\n]*+)?+\n[ \t]*+[0-9]{4}[A-Za-z]{2}",
    re.MULTILINE,
)
"""Two lines of a set of CSA on one line."""

_USI_MOVE: Final = r"(?:[1-9][a-i]|[PLNSGBR]\*)[1-9][a-i]\+?"
_BOOK: Final = re.compile(
    r"\A\s*#YANEURAOU-DB|^[ \t]*+sfen[ \t][^\n]++\n(?:(?:#|//)[^\n]*+\n)*+"
    rf"{_USI_MOVE}[ \t]++(?:none|{_USI_MOVE})[ \t]++-?[0-9]",
    re.MULTILINE,
)
"""The first line of an opening book, or a position of one with a move, its reply and its score."""

_TAGS: Final = re.compile(
    r'\s*+(?:\{[^}]*+\}\s*+)?+\[\s*+[A-Za-z]\w{0,40}+[ \t]++"[^\n]*\]|\s*+1\.[ \t]*+[PSGRBKNL]'
    r"|\s*+(?:1\.?\s++)?+[▲☗△☖]?[PLNSGBRK](?:[1-9][a-i])?-[1-9][a-i][+=]?[\s,▲△☗☖]"
)
_PSN_MOVE: Final = re.compile(
    r"(?<![^\s.▲△☗☖])\+?(?:[PLNSGBRK](?:[1-9][a-i][-x]?[1-9][a-i]|[1-9a-i]?[-x]?[1-9][a-i]|['*][1-9][a-i])"
    r"|(?=[1-9])[1-9][a-i]-?[1-9][a-i])[+=]?(?=[\s!?(,]|\Z)"
)
"""A tag, or the number of a first move; and a move of PSN: chess has its letter before the digit."""

_SHOGIDB2: Final = re.compile(r'"csa"\s*+:\s*+"(?:[-+][0-9]{4}[A-Z]{2}|%[A-Z])')
"""A move of shogidb2's JSON."""

_SEPARATOR: Final = re.compile(r"^手数-{2,}", re.MULTILINE)
"""The line above the moves of a KIF, which some KI2 texts have too: it decides where no move does before."""

_DRAWN: Final = re.compile(r"^[ 　]*\|[^\n]{18,40}\|[一二三四五六七八九]", re.MULTILINE)

_KAKINOKI_LINE: Final = re.compile(
    r"^(?:手合割|先手|後手|上手|下手|開始日時|終了日時|棋戦|表題|[先後上下]手の?持ち?駒)[：:]"
    r"|^[ 　]*\|[^\n]{18,40}\|[一二三四五六七八九]|^まで[0-9]+手|^[#＃]KIF",
    re.MULTILINE,
)
_BY_SUFFIX: Final[dict[str, FormatName]] = {
    "kif": "kif", "kifu": "kif", "ki2": "ki2", "ki2u": "ki2", "csa": "csa", "jkf": "jkf", "json": "jkf",
    "bod": "bod",
}  # fmt: skip


def detect(text: str, name: str = "") -> tuple[FormatName | None, str]:
    """The format of a text and the reason in one word; None if nothing is recognised.

    The content decides, the extension of `name` only where the content fits several formats.
    """
    if packing := _packing(text, name):
        return packing, "rows"
    if _TAGS.match(text) and _PSN_MOVE.search(text):
        return "psn", "rows"
    if text.lstrip()[:1] in ("{", "["):
        if _SHOGIDB2.search(text):
            return "shogidb2", "rows"
        return "jkf", "json"
    if _SET_LINES.search(text):
        return "csa1", "rows"
    if ("sfen" in text or "#YANEURAOU" in text) and _BOOK.search(text):  # the words first: it takes longer
        return "db", "rows"
    if match := _FIRST_ROW.search(text):
        return cast(FormatName, match.lastgroup), "rows"
    if _SEPARATOR.search(text):
        return "kif", "rows"
    if match := _ENGINE_LINE.search(text):
        return cast(FormatName, match.lastgroup), "rows"
    if _KAKINOKI_LINE.search(text):
        drawn: FormatName = "bod" if _DRAWN.search(text) else "kif"
        hint = _BY_SUFFIX.get(name.rpartition(".")[2].lower(), drawn)
        return (hint if hint in ("kif", "ki2", drawn) else drawn), "headers"
    return None, "nothing"


def _packing(text: str, name: str) -> FormatName | None:
    """The format of packed positions; their text has a character for each byte."""
    try:
        return packing_of(text[:HEAD_BYTES].encode("latin-1"), name)
    except UnicodeEncodeError:
        return None


_PROGRAM: Final = re.compile(r"[#'] *(?:-{2,}+|(?:Generated|Created) by )([^\n]+)")
_FILE_KIND: Final = re.compile(r" *(?:CSA形式|KIF形式)?棋譜ファイル$")


def program(text: str) -> str:
    """The software that wrote a text, as it names itself in the first lines; empty if it does not."""
    for line in text[:800].split("\n", 6)[:6]:
        if line[:1] in ("#", "'") and (match := _PROGRAM.match(line)):
            name = _FILE_KIND.sub("", match[1].strip(" -"))
            if name:
                return name[:80]
    return "81Dojo" if "場所：81Dojo" in text[:2000] else ""
