"""Named starts: handicap name, JKF preset and start position.

One table. The presets are JKF's; the starts are its reference library's, including preset 3, where the
lance on 1a goes (other programs take away the one on 9a, which is read as OTHER with its board). Named
starts beyond the presets have the preset OTHER and their own position.
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


def _start(preset: str, name: str, back: str, second: str, *aliases: str) -> Handicap:
    """Return a row for a start that lacks some of White's pieces on ranks 1 and 2 only."""
    return Handicap(preset, name, f"{back}/{second}{_REST} w -", aliases)


HANDICAPS: Final = (
    Handicap("HIRATE", "平手", INITIAL_SFEN),
    _start("KY", "香落ち", "lnsgkgsn1", "1r5b1", "左香落ち"),
    _start("KY_R", "右香落ち", "1nsgkgsnl", "1r5b1"),
    _start("KA", "角落ち", "lnsgkgsnl", "1r7"),
    _start("HI", "飛車落ち", "lnsgkgsnl", "7b1", "飛落ち"),
    _start("HIKY", "飛香落ち", "lnsgkgsn1", "7b1", "飛車香落ち"),
    _start("2", "二枚落ち", "lnsgkgsnl", "9", "飛車角落ち", "飛角落ち"),
    _start("3", "三枚落ち", "lnsgkgsn1", "9"),
    _start("4", "四枚落ち", "1nsgkgsn1", "9"),
    _start("5", "五枚落ち", "2sgkgsn1", "9", "右五枚落ち"),
    _start("5_L", "左五枚落ち", "1nsgkgs2", "9"),
    _start("6", "六枚落ち", "2sgkgs2", "9"),
    _start("7_L", "左七枚落ち", "2sgkg3", "9"),
    _start("7_R", "右七枚落ち", "3gkgs2", "9"),
    _start("8", "八枚落ち", "3gkg3", "9"),
    _start("10", "十枚落ち", "4k4", "9"),
    _start("OTHER", "トンボ", "4k4", "1r5b1", "とんぼ"),
    Handicap("OTHER", "歩三兵", "4k4/9/9/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w 3p"),
)

_NUMERALS: Final = str.maketrans("123456789", "一二三四五六七八九")


def _plain(name: str) -> str:
    """Return a name without what spellings differ in: width, blanks, digits for numerals, a final ち."""
    text = re.sub(r"\s+", "", unicodedata.normalize("NFKC", name)).replace("10", "十")
    return text.translate(_NUMERALS).removesuffix("ち")


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
    """Return the start that a handicap header names, or None if it names none.

    Differences in width, blanks and digits and a missing ち do not matter.

    >>> by_name("２枚落").preset
    '2'
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
"""Other games of the family: those of lishogi (5五, 中, 安南, 京都, 王手) and pychess by the names that
records have for them; and whatever else calls itself a 将棋 of its own."""


def is_other_game(name: str) -> bool:
    """Tell whether a handicap header names a game other than shogi: its board and moves mean nothing here.

    >>> is_other_game("５五将棋"), is_other_game("京都"), is_other_game("詰将棋"), is_other_game("平手")
    (True, True, False, False)
    """
    return bool(_OTHER_GAMES.fullmatch(_plain(name)))
