"""The Japanese spelling of moves, for formats, detection and the search box."""

from typing import Final

MARKS: Final = "▲△☗☖▼▽"
"""The marks of the sides; each colour's alternate."""

RELATIVE: Final = {"L": "左", "C": "直", "R": "右", "U": "上", "M": "寄", "D": "引", "H": "打"}
"""The words that tell pieces apart, by JKF's letters."""

SQUARE: Final = "[1-9１-９][1-9１-９一二三四五六七八九]"
PIECE: Final = "(?:成[香桂銀歩角飛]|[歩香桂銀金角飛玉王と杏圭全馬龍竜])"
TAIL: Final = "[左直右上寄引行入下打]{0,3}(?:成|不成|不|生)?[左直右上寄引行入下]{0,3}+"

NUMBER: Final = "[(（]?[0-9０-９]{1,4}+(?:手目?|[.．:)）])"
"""The number before a move: `1.`, `12手目`."""

MOVE: Final = rf"(?:同[ 　]*+|{SQUARE}[ 　]*+){PIECE}{TAIL}"
"""A move by its target: `７六歩`, `同　銀右`, `88角成`."""

APART: Final = r"(?=[\s　、，,。．.・→!?！？…1-9１-９同▲△☗☖▼▽]|\Z)"
"""The end of a move that is no part of a sentence."""

BARE: Final = rf"(?:{NUMBER}[^\S\n]*+)?{MOVE}{APART}(?:[^\S\n]|[、，,。．.・→])*"
"""A move without a mark, with its number and the separator after it."""
