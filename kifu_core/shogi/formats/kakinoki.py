"""The grammar that KIF and KI2 share: headers, boards, hands, comments, variations and result lines.

The formats are Kakinoki's: http://kakinoki.o.oo7.jp/kif_format.html; every program writes them differently.
`kakinoki_games` divides texts into games, `read_kakinoki` reads their lines, `kakinoki_words` the fields of a
line.
"""

import re
from typing import Final

from kifu_core.expressions import many
from kifu_core.formats import Mark, Stage
from kifu_core.shogi.detect import detect
from kifu_core.shogi.formats import kakinoki_words as words
from kifu_core.shogi.formats.grammar import BLANKS, Leaf, LineGrammar
from kifu_core.shogi.specials import RESULT_LINE
from kifu_core.shogi.spelling import PIECE, SQUARE

EOL: Final = r"(?:\n|\Z)"
_REST: Final = r"[^\n]*+" + EOL

_BOARD_ROW: Final = rf"[|｜│┃][^|｜│┃\n]{{4,200}}+(?:[|｜│┃][^|｜│┃\n]*+)?{EOL}"
_BOARD_EDGE: Final = rf"[+＋┌└┏┗][-－─━][-+ ＋－─━┬┴┐┘┓┛]*+{EOL}"

REMARK = Leaf("remark", r"#([^\n]*+)" + EOL)
COMMENT = Leaf("comment", BLANKS + r"[*＊]([^\n]*+)" + EOL)
BOOKMARK = Leaf("bookmark", r"&([^\n]*+)" + EOL)
BOARD = Leaf(
    "board",
    rf"(?:{BLANKS}[９9]{BLANKS}[８8]{_REST})?{BLANKS}(?:{_BOARD_EDGE}|{_BOARD_ROW})"
    + many(rf"{BLANKS}(?:{_BOARD_EDGE}|{_BOARD_ROW}|\n(?={BLANKS}[|｜│┃+＋]))"),
)
_SIGN: Final = "[■□◆◇●○★☆]?"
_HOLDER: Final = "[先後上下]手|[▲△☗☖]"
_OF_HAND: Final = rf"(?:[▲△☗☖]{BLANKS}(?=[先後上下]))?"
_HELD: Final = "の?持ち?駒"
HAND = Leaf("hand", rf"{BLANKS}{_SIGN}{_OF_HAND}({_HOLDER}){_HELD}{BLANKS}[：:]([^\n]*+){EOL}")
SIDE = Leaf("side_to_move", rf"{BLANKS}{words.SIDE_NAME}番{BLANKS}{EOL}")
FLIP = Leaf("flip", r"盤面(?:回転|反転)" + _REST)
COUNTER = Leaf("move_counter", r"手数[＝=][ 　]*+([0-9]{1,6})" + _REST)
_MOVE: Final = rf"(?:同|{SQUARE}){BLANKS}{PIECE}[^\n：:(（]{{0,6}}[(（][0-9０-９]{{2}}[)）]"
_CLOCK: Final = (
    rf"[(（\[［〔【{{<＜]{BLANKS}[0-9０-９]{{1,4}}[：:][0-9０-９]|[0-9][：:][0-9]{{2}}(?:\.[0-9]+)?/"
)
_VARIES: Final = rf"[ \t\xa0\u2000-\u200a\u202f\u3000【［\[(（]*+変化(?:手順|図)?[】］\])）]?{BLANKS}"
HEADER = Leaf(
    "header",
    rf"(?!{BLANKS}(?:{_SIGN}{_OF_HAND}(?:{_HOLDER}){_HELD}|第?[0-9０-９]{{1,6}}+手?目?[：:])"
    rf"|{_VARIES}|[^\n：:]{{0,60}}(?:{_CLOCK}|{_MOVE}))"
    rf"{BLANKS}{_SIGN}([^\s：:*＊#&|][^\n：:]{{0,60}}+)[：:]([^\n]*+)" + EOL,
)
SEPARATOR = Leaf("separator", rf"{BLANKS}手数[-－─]{_REST}")
RESULT = Leaf("result", RESULT_LINE.pattern + EOL)
A_RESULT: Final = re.compile(RESULT.pattern)
VARIATION = Leaf(
    "variation",
    rf"{_VARIES}[：:＝=；;]?{BLANKS}(?:([0-9０-９〇一二三四五六七八九十百]{{1,6}}+){_REST}|[^\nぁ-ゖ]{{0,12}}{EOL})",
)
BLANK = Leaf("blank", r"\s*\n|[^\S\n]++\Z")
UNKNOWN = Leaf("unknown", r"[^\n]++" + EOL)


PARTS: Final = {
    "board_row": _BOARD_ROW,
    "board_edge": _BOARD_EDGE,
    "side": words.SIDE_NAME,
    "cell": words.CELL.pattern,
    "hand_item": words.HAND_ITEM.pattern,
    "line_end": EOL,
}
"""The rules inside the lines, for the documentation."""


def grammar(play: Leaf) -> LineGrammar:
    """Return the grammar of a format with its moves in blocks of `play`.

    A board precedes moves: the files above some boards are half-width digits, like a row of KIF.
    """
    return LineGrammar(
        BOARD, play, HEADER, COMMENT, BLANK, VARIATION, RESULT, REMARK, SEPARATOR, BOOKMARK, HAND, SIDE,
        FLIP, COUNTER, UNKNOWN,
    )  # fmt: skip


OF_START: Final = "開始時のコメント"
OF_ENDING: Final = "終局のコメント"
"""Remarks of our KI2 before comments. After the first, the comments are the start's, of which an empty first
one does not count; after the second, they are the ending's, which follows them."""

STARRED_HEADER: Final = re.compile(r"([^\s、。「」（）()：:]{1,10})：(.*)")
"""The text after `*` in a header that looks like a comment; prose has more before a colon."""


def can_hold_header(grammar: LineGrammar, file_format: str, name: str, text: str) -> bool:
    """Return whether a line with a name, a colon and a text is read as a header of that name.

    The line must match nothing else, nor make the file look like one of another format.
    """
    line = f"{name}：{text}\n"
    leaves, (format_name, why) = list(grammar.items(line)), detect(line)
    if len(leaves) != 1 or (
        format_name not in (None, file_format) and (format_name, why) != ("kif", "headers")
    ):
        return False
    kind, match = leaves[0]
    if kind == "comment":
        starred = STARRED_HEADER.match(match[1])
        return starred is not None and f"*{starred[1]}" == name
    if kind == "variation":
        return (name, text) == ("変化", f"{match[1]}手")
    return kind == "header" and match[1].strip() == name


_LINE: Final = re.compile(
    r"^(?:手合割|先手|後手|上手|下手|開始日時|終了日時|棋戦|表題|[先後上下]手の?持ち?駒)[：:]"
    r"|^[ 　]*\|[^\n]{18,40}\|[一二三四五六七八九]|^まで[0-9]+手|^[#＃]KIF",
    re.MULTILINE,
)
_DRAWN: Final = re.compile(r"^[ 　]*\|[^\n]{18,40}\|[一二三四五六七八九]", re.MULTILINE)


def headers_mark(file_format: str) -> Mark:
    """Return the mark of texts without moves, which are equal in KIF, KI2 and BOD.

    The file name tells KIF and KI2; without it a drawn board is a diagram.
    """

    def test(text: str, name: str) -> bool:
        if not _LINE.search(text):
            return False
        extension = name.rpartition(".")[2].lower().removesuffix("u")
        return file_format == (
            extension if extension in ("kif", "ki2") else "bod" if _DRAWN.search(text) else "kif"
        )

    return Mark(Stage.HEADER, test, "headers")
