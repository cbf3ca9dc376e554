"""Named starts: handicap name, JKF preset and start position, in one table.

The presets are JKF's; the starts are those of its reference library, including preset 3, without the lance on
1a (other programs remove the lance on 9a, which is read as OTHER with its board). Further named starts have
the preset OTHER and their own position; their names are those of 81Dojo, lishogi and shogi-extend. Left and
right are White's.
"""

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

_REST: Final = "/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL"

INITIAL_SFEN: Final = f"lnsgkgsnl/1r5b1{_REST} b -"
"""The start of an even game, without a move number."""


@dataclass(frozen=True, slots=True)
class Handicap:
    """A named start. `sfen` has no move number; `aliases` are further names than `name`."""

    preset: str
    name: str
    sfen: str
    aliases: tuple[str, ...] = ()


def _start(preset: str, name: str, back: str, second: str, *aliases: str, hand: str = "-") -> Handicap:
    """Return a handicap that takes pieces off White's ranks 1 and 2; `hand` are Black's pieces in hand."""
    return Handicap(preset, name, f"{back}/{second}{_REST} w {hand}", aliases)


HANDICAPS: Final = (
    Handicap("HIRATE", "平手", INITIAL_SFEN, ("本将棋", "平手将棋", "定先", "互先")),
    _start("KY", "香落ち", "lnsgkgsn1", "1r5b1", "左香落ち"),
    _start("KY_R", "右香落ち", "1nsgkgsnl", "1r5b1"),
    _start("KA", "角落ち", "lnsgkgsnl", "1r7"),
    _start("HI", "飛車落ち", "lnsgkgsnl", "7b1", "飛落ち"),
    _start("HIKY", "飛香落ち", "lnsgkgsn1", "7b1", "飛車香落ち"),
    _start("2", "二枚落ち", "lnsgkgsnl", "9", "飛車角落ち", "飛角落ち"),
    _start("3", "三枚落ち", "lnsgkgsn1", "9"),
    _start("4", "四枚落ち", "1nsgkgsn1", "9"),
    _start("5", "五枚落ち", "2sgkgsn1", "9", "右五枚落ち", "五枚落ち右桂"),
    _start("5_L", "左五枚落ち", "1nsgkgs2", "9", "五枚落ち左桂"),
    _start("6", "六枚落ち", "2sgkgs2", "9"),
    _start("7_L", "左七枚落ち", "2sgkg3", "9", "七枚落ち左銀"),
    _start("7_R", "右七枚落ち", "3gkgs2", "9", "七枚落ち右銀"),
    _start("8", "八枚落ち", "3gkg3", "9"),
    _start("10", "十枚落ち", "4k4", "9"),
    _start("OTHER", "トンボ", "4k4", "1r5b1", "とんぼ"),
    Handicap("OTHER", "歩三兵", "4k4/9/9/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w 3p"),
    Handicap("OTHER", "十九枚落ち", "4k4/9/9/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w -", ("裸玉", "裸王")),
    _start("OTHER", "トンボ＋香", "l3k3l", "1r5b1"),
    _start("OTHER", "トンボ＋桂香", "ln2k2nl", "1r5b1"),
    _start("OTHER", "両香落ち", "1nsgkgsn1", "1r5b1"),
    _start("OTHER", "飛両香落ち", "1nsgkgsn1", "7b1", "飛車両香落ち"),
    _start("OTHER", "左九枚落ち", "3gk4", "9", "九枚落ち左金"),
    _start("OTHER", "右九枚落ち", "4kg3", "9", "九枚落ち右金"),
    _start("OTHER", "香得", "lnsgkgsn1", "1r5b1", hand="L"),
    _start("OTHER", "角得", "lnsgkgsnl", "1r7", hand="B"),
    _start("OTHER", "飛車得", "lnsgkgsnl", "7b1", "飛得", hand="R"),
    _start("OTHER", "飛香得", "lnsgkgsn1", "7b1", "飛車香得", hand="RL"),
    _start("OTHER", "二枚得", "lnsgkgsnl", "9", "二枚持ち", hand="RB"),
    _start("OTHER", "四枚得", "1nsgkgsn1", "9", hand="RB2L"),
    _start("OTHER", "六枚得", "2sgkgs2", "9", hand="RB2N2L"),
    _start("OTHER", "八枚得", "3gkg3", "9", hand="RB2S2N2L"),
)

ENGLISH: Final = {
    "トンボ": "dragonfly (rook, bishop and pawns only)",
    "歩三兵": "bare king, three pawns in hand",
    "十九枚落ち": "bare king",
    "トンボ＋香": "dragonfly with lances",
    "トンボ＋桂香": "dragonfly with knights and lances",
    "両香落ち": "two-lance handicap",
    "飛両香落ち": "rook and two-lance handicap",
    "左九枚落ち": "left nine-piece handicap",
    "右九枚落ち": "right nine-piece handicap",
    "香得": "lance handicap, lance in hand",
    "角得": "bishop handicap, bishop in hand",
    "飛車得": "rook handicap, rook in hand",
    "飛香得": "rook and lance handicap, both in hand",
    "二枚得": "two-piece handicap, both in hand",
    "四枚得": "four-piece handicap, all in hand",
    "六枚得": "six-piece handicap, all in hand",
    "八枚得": "eight-piece handicap, all in hand",
}
"""The English names of starts without a preset of JKF."""

_NUMERALS: Final = str.maketrans("123456789", "一二三四五六七八九")


_LONGEST: Final = 60
"""Characters of a name that are compared."""
_CHINESE: Final = str.maketrans("飞车车两兩", "飛車車両両")
_OPENING: Final = "([{<「『【〈《〔"
_CLOSING: Final = ")]}>」』】〉》〕"
_NOTED: Final = re.compile(rf"(?<=.)[{re.escape(_OPENING)}][^{re.escape(_CLOSING)}]*[{re.escape(_CLOSING)}]$")
"""A remark in brackets after a name: 平手（非レート）, 二枚落ち (2-piece)."""
_GAME: Final = re.compile(r"(?<=.)の?(?:戦|対局|手合割?)$")
_DROPPED: Final = re.compile(r"(?:落|(?:落|お|オ)[ちチ]|落と?し)$")


def _plain(name: str) -> str:
    """Remove differences of spelling: width, blanks, digits, Chinese forms, brackets, the kana of 落ち."""
    text = re.sub(r"\s+", "", unicodedata.normalize("NFKC", name[: _LONGEST + 1]))
    text = _GAME.sub("", _NOTED.sub("", text).strip(_OPENING + _CLOSING))
    text = re.sub("10|1(?=[1-9])", "十", text).translate(_NUMERALS | _CHINESE)
    return _DROPPED.sub("落", text).replace("両枚", "二枚")


_BY_PRESET: Final = {handicap.preset: handicap for handicap in HANDICAPS if handicap.preset != "OTHER"}
_BY_SFEN: Final = {handicap.sfen: handicap for handicap in HANDICAPS}
_BY_NAME: Final = {
    _plain(name): handicap for handicap in HANDICAPS for name in (handicap.name, *handicap.aliases)
}

PRESETS: Final = tuple(_BY_PRESET)
"""The presets of JKF that name a start, in JKF's order; OTHER is not among them."""


def by_preset(preset: str) -> Handicap:
    """Return the start of a JKF preset; raise KeyError for OTHER and for unknown ones."""
    return _BY_PRESET[preset]


def by_name(name: str) -> Handicap | None:
    """Return the start of a handicap header, or None.

    Width, blanks, digits, brackets, Chinese forms and a missing ち do not matter.

    >>> by_name("２枚落").preset, by_name("【飞车落】").preset, by_name("二枚落ち (2-piece)").preset
    ('2', 'HI', '2')
    >>> by_name("七枚落ち") is None  # left or right?
    True
    """
    return _BY_NAME.get(_plain(name))


def by_sfen(sfen: str) -> Handicap | None:
    """Return the named start with exactly this position (SFEN without move number), or None."""
    return _BY_SFEN.get(sfen)


_OTHER_GAMES: Final = re.compile(
    r"(?:五五|五々|ゴロゴロ|京都|中|大|小|天竺|泰|大局|禽|鳥|鵞鳥|安南|アンナン|安北|安東西|対面|背面|チェック|王手|キング"
    r"|クイーン|どうぶつ|動物|槍|和|広|平安|四人|三人|天下|ミニ|青空|ハサミ|はさみ|マスター"
    r"|mini|chuu?|kyoto|annan|check|tori|goose|dai|tenjiku|sho|wa|yari|judkins|whale|micro|dobutsu)"
    r"(?:将棋|しょうぎ|シ[ョヨ]ウギ)?(?:\s*shogi)?|(?!.*(?:詰|平手|落|本|双玉|実戦|指導|十番|番勝負)).+将棋",
    re.IGNORECASE,
)
"""Other games of the family: those of lishogi (5五, 中, 安南, 京都, 王手) and pychess by their names in
records, and any other name that ends in 将棋."""


def is_other_game(name: str) -> bool:
    """Return whether a handicap header names another game than shogi, whose board and moves are not shogi's.

    >>> is_other_game("５五将棋"), is_other_game("京都"), is_other_game("詰将棋"), is_other_game("平手")
    (True, True, False, False)
    """
    return bool(_OTHER_GAMES.fullmatch(_plain(name)))
