"""Rows of KIF as other programs and people write them: numbers, moves, clocks, words after them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Final, NamedTuple

from tests.kifu_core.mutations.kinds import (
    KAKINOKI,
    REFUSED,
    REPORTED,
    SAME_GAME,
    SAME_MOVES,
    Change,
    Written,
    kind,
    put,
    table,
)  # fmt: skip

# --- rows ------------------------------------------------------------------------------------------------


class Row(NamedTuple):
    """A row of KIF: its number, its move or ending, its clock without brackets, the sign of variations."""

    number: str
    move: str
    clock: str
    more: str

    def write(self, number: str | None = None, move: str | None = None, clock: str | None = None) -> str:
        """The row with other parts: a number with what separates it, a clock with its brackets."""
        number = f"{self.number:>4} " if number is None else number
        clock = f"({self.clock})" if clock is None and self.clock else clock or ""
        return f"{number}{self.move if move is None else move}   {clock}{self.more}".rstrip(" ")

    @property
    def minutes(self) -> int:
        return int(self.clock.split(":")[0])

    @property
    def seconds(self) -> int:
        return int(self.clock.partition("/")[0].split(":")[1])

    @property
    def total(self) -> str:
        return self.clock.partition("/")[2]


ROW: Final = re.compile(
    r"^ *([0-9]+) ((?:同　)?[^\s(+*]+(?:\([0-9]{2}\))?) *(?:\(([^()\n]*)\))?( ?\+)?$", re.MULTILINE
)


def row(match: re.Match[str]) -> Row:
    return Row(*(group or "" for group in match.groups()))


def rows(change: Callable[[Row], str]) -> Change:
    """Write every row otherwise."""
    return lambda text: ROW.sub(lambda match: change(row(match)), text)


def numbers(change: Callable[[str], str]) -> Change:
    """Write every number otherwise, with what separates it from its move."""
    return rows(lambda one: one.write(change(one.number)))


def clocks(change: Callable[[Row], str]) -> Change:
    """Write every clock otherwise, with its brackets."""
    return rows(lambda one: one.write(clock=change(one) if one.clock else ""))


def before_clock(words: str) -> Change:
    """Put words between every move and its clock."""
    return rows(lambda one: one.write(move=f"{one.move} {words}"))


def behind(words: str) -> Change:
    """Put words after every row."""
    return rows(lambda one: one.write().removesuffix("+").rstrip(" ") + words)


WIDE: Final = str.maketrans("0123456789().:/+-", "０１２３４５６７８９（）．：／＋－")
KANJI: Final = str.maketrans("123456789１２３４５６７８９", "一二三四五六七八九" * 2)


def wide(text: str) -> str:
    return text.translate(WIDE)


def kanji(number: str) -> str:
    """A number up to 199 in Chinese numerals."""
    hundreds, rest = divmod(int(number), 100)
    tens, ones = divmod(rest, 10)
    return (
        ("百" if hundreds else "") + (f"{tens if tens > 1 else ''}十" if tens else "") + str(ones or "")
    ).translate(KANJI)


table(
    "kif",
    SAME_GAME,
    {
        "numbers with a dot": numbers("{}. ".format),
        "numbers joined by a dot": numbers("{}.".format),
        "numbers with a bracket": numbers("{}) ".format),
        "numbers with a colon": numbers("{}: ".format),
        "numbers with a comma": numbers("{}, ".format),
        "numbers with 手目": numbers("{}手目 ".format),
        "numbers joined by 手目": numbers("{}手目".format),
        "numbers with 手": numbers("{}手 ".format),
        "numbers with 第 and 手": numbers("第{}手 ".format),
        "numbers in brackets": numbers("({}) ".format),
        "numbers in square brackets": numbers("[{}] ".format),
        "full-width numbers": numbers(lambda number: f"　{wide(number)}　"),
        "full-width numbers with a dot": numbers(lambda number: f"{wide(number)}．"),
        "full-width numbers with a half-width dot": numbers(lambda number: f"{wide(number)}. "),
        "full-width numbers with a bracket": numbers(lambda number: f"{wide(number)}）"),
        "full-width numbers with 手目": numbers(lambda number: f"{wide(number)}手目　"),
        "full-width numbers joined with moves by a comma": numbers(lambda number: f"{wide(number)}、"),
        "numbers with zeros": numbers("{:0>3} ".format),
        "numbers joined with moves": numbers(str),
        "no numbers": numbers(lambda number: ""),
        "blanks for numbers": numbers(lambda number: "     "),
        "numbers without blanks before": numbers("{} ".format),
    },
)
table(
    "kif",
    REPORTED,
    {
        "numbers in Chinese numerals": numbers(lambda number: f"{kanji(number)} "),
        "numbers with No.": numbers("No.{} ".format),
        "circled numbers": numbers(lambda number: f"{chr(0x2460 + int(number) - 1)} "),
        "commas between the columns": rows(lambda one: f"{one.number},{one.move},{one.clock}"),
        "a table of Markdown": rows(lambda one: f"| {one.number} | {one.move} | {one.clock} |"),
        "bullets before rows": rows(lambda one: f"・{one.write()}"),
        "clocks on lines of their own": put(r"^( *[0-9]+ .*?) +(\( ?[0-9]+:.*)$", r"\1\n      \2"),
        "moves broken by a line end": rows(lambda one: one.write(move=f"{one.move[:2]}\n{one.move[2:]}")),
    },
)

kind("kif", "bold rows of Markdown", REFUSED)(rows(lambda one: f"**{one.number} {one.move}**"))

# --- clocks ----------------------------------------------------------------------------------------------

table(
    "kif",
    SAME_GAME,
    {
        "clocks in square brackets": clocks(lambda one: f"[{one.clock}]"),
        "clocks in full-width brackets": clocks(lambda one: f"（{one.clock}）"),
        "clocks in full-width square brackets": clocks(lambda one: f"［{one.clock}］"),
        "clocks in 〔〕": clocks(lambda one: f"〔{one.clock}〕"),
        "clocks in 【】": clocks(lambda one: f"【{one.clock}】"),
        "clocks in braces": clocks(lambda one: f"{{{one.clock}}}"),
        "clocks in angle brackets": clocks(lambda one: f"<{one.clock}>"),
        "clocks without brackets": clocks(lambda one: one.clock),
        "full-width clocks": clocks(lambda one: wide(f"({one.clock})")),
        "clocks joined with moves": put(r"(?<=[)打了断手詰戦]) +(?=\()", ""),
        "clocks behind a tab": put(r" +(?=\( ?[0-9]+:)", "\t"),
        "clocks without totals": clocks(lambda one: f"({one.minutes}:{one.seconds:02d})"),
        "clocks with an empty total": clocks(lambda one: f"({one.minutes}:{one.seconds:02d}/)"),
        "clocks with hours": clocks(lambda one: f"(0:{one.minutes:02d}:{one.seconds:02d}/{one.total})"),
        "clocks with blanks about the slash": clocks(lambda one: f"({one.clock.replace('/', ' / ')} )"),
        "clocks in words": clocks(lambda one: f"({one.minutes}分{one.seconds}秒)"),
        "clocks in words with hours": clocks(lambda one: f"(0時間{one.minutes}分{one.seconds}秒)"),
        "clocks in words without brackets": clocks(lambda one: f"{one.minutes}分{one.seconds}秒"),
        "clocks in words before totals": clocks(lambda one: f"({one.minutes}分{one.seconds}秒/{one.total})"),
    },
)
table(
    "kif",
    SAME_MOVES,
    {
        "no clocks": clocks(lambda one: ""),
        "empty clocks": clocks(lambda one: "(  :  /  :  :  )"),
        "blanks for clocks": clocks(lambda one: "(     /        )"),
        "two moves on a row": put(
            r"^( *[0-9]+ \S+\([0-9]{2}\))[^\n*]*\n *[0-9]+ (\S+\([0-9]{2}\))[^\n*]*", r"\1 \2"
        ),
        "clocks with letters": clocks(lambda one: "(x:yy)"),
    },
)
table(
    "kif",
    REPORTED,
    {
        "clocks with dots": clocks(lambda one: f"({one.minutes}.{one.seconds:02d})"),
        "clocks with a comma": clocks(lambda one: f"({one.clock.replace('/', ', ')})"),
        "clocks with ' and \"": clocks(lambda one: f"({one.minutes}'{one.seconds:02d}\")"),
        "clocks in seconds": clocks(lambda one: f"({one.minutes * 60 + one.seconds}s)"),
        "clocks that never close": clocks(lambda one: f"({one.clock}"),
    },
)

# --- what stands behind moves ----------------------------------------------------------------------------

SIGNS: Final = ("!", "?", "!?", "??", "！", "？", "！？", "★", "◎", "♪", "…", "。", "、", "^_^")
WORDS: Final = (
    "*好手", "* 好手", "＊好手", "//好手", ";好手", "#好手", "←好手", "（好手）", "(好手)", "好手",
    "「好手」", "- good", "※好手", "10分の長考", "(12分)", "12分", "{好手}", "[好手]", "*▲４八銀 もある",
)  # fmt: skip

for words in SIGNS:
    kind("kif", f"{words} joined with rows", SAME_MOVES)(behind(words))
for words in (*SIGNS, *WORDS):
    kind("kif", f"{words} behind rows", SAME_MOVES)(behind(f" {words}"))
    kind("kif", f"{words} before clocks", SAME_MOVES)(before_clock(words))
    kind("ki2", f"{words} behind lines of moves", SAME_MOVES)(put("^([▲△].*)$", rf"\1 {words}"))

# --- moves of KIF and KI2 --------------------------------------------------------------------------------

LETTERS: Final = dict(zip("歩香桂銀金角飛玉", "PLNSGBRK", strict=True))
CODES: Final = {
    "歩": "FU", "香": "KY", "桂": "KE", "銀": "GI", "金": "KI", "角": "KA", "飛": "HI", "玉": "OU",
    "と": "TO",
    "成香": "NY", "成桂": "NK", "成銀": "NG", "馬": "UM", "龍": "RY",
}  # fmt: skip
PIECE: Final = r"(?<=[一二三四五六七八九　同])(成[香桂銀]|[歩香桂銀金角飛玉と馬龍])"
PLAIN: Final = r"(?<=[一二三四五六七八九　同])[歩香桂銀金角飛玉]"
PROMOTES: Final = "(?<=[歩香桂銀角飛])成"


def words_of_moves(pattern: str, written: Written) -> Change:
    """Replace something on the lines of moves."""
    return put(r"^(?: *[0-9]+ |[▲△])[^\n]*", lambda line: re.sub(pattern, written, line[0]))


def squares(change: Callable[[str, str], str]) -> Change:
    """Write every square otherwise, by its file and its rank."""
    return words_of_moves("([１-９])([一二三四五六七八九])", lambda match: change(match[1], match[2]))


def half(text: str) -> str:
    """Files and ranks in half-width digits."""
    return unicodedata.normalize("NFKC", text).translate(str.maketrans("一二三四五六七八九", "123456789"))


table(
    KAKINOKI,
    SAME_GAME,
    {
        "squares in Chinese numerals": squares(lambda file, rank: file.translate(KANJI) + rank),
        "squares in half-width digits": squares(lambda file, rank: half(file + rank)),
        "squares in full-width digits": squares(lambda file, rank: file + wide(half(rank))),
        "half-width files": squares(lambda file, rank: half(file) + rank),
        "half-width ranks": squares(lambda file, rank: file + half(rank)),
        "half-width files and full-width ranks": squares(lambda file, rank: half(file) + wide(half(rank))),
        "Chinese files and half-width ranks": squares(lambda file, rank: file.translate(KANJI) + half(rank)),
        "a blank behind squares": squares(lambda file, rank: f"{file}{rank} "),
        "a full-width blank behind squares": squares(lambda file, rank: f"{file}{rank}　"),
        "katakana ニ for 二": words_of_moves("(?<=[１-９])二", "ニ"),
        "katakana ハ for 八": words_of_moves("(?<=[１-９])八", "ハ"),
        "katakana ー for 一": words_of_moves("(?<=[１-９])一", "ー"),
        "a dash for 一": words_of_moves("(?<=[１-９])一", "―"),
        "a full-width minus for 一": words_of_moves("(?<=[１-９])一", "－"),
        "letters for pieces": words_of_moves(PLAIN, lambda match: LETTERS[match[0]]),
        "full-width letters for pieces": words_of_moves(
            PLAIN, lambda match: chr(ord(LETTERS[match[0]]) + 0xFEE0)
        ),
        "王 for 玉": words_of_moves("玉", "王"),
        "竜 for 龍": words_of_moves("龍", "竜"),
        "全 for 成銀": words_of_moves("(?<=[一二三四五六七八九　同])成銀", "全"),
        "圭 for 成桂": words_of_moves("(?<=[一二三四五六七八九　同])成桂", "圭"),
        "杏 for 成香": words_of_moves("(?<=[一二三四五六七八九　同])成香", "杏"),
        "成飛 for 龍": words_of_moves("龍", "成飛"),
        "成角 for 馬": words_of_moves("馬", "成角"),
        "成歩 for と": words_of_moves("と", "成歩"),
        "成り for 成": words_of_moves(PROMOTES, "成り"),
        "成る for 成": words_of_moves(PROMOTES, "成る"),
        "打ち for 打": words_of_moves("打", "打ち"),
        "打つ for 打": words_of_moves("打", "打つ"),
        "仝 for 同": words_of_moves("同", "仝"),
        "同 joined with pieces": words_of_moves("同　", "同"),
        "同 with two blanks": words_of_moves("同　?", "同　　"),
        "同 with a half-width blank": words_of_moves("同　?", "同 "),
        "full-width 同 with a comma": words_of_moves("同　?", "同、"),
    },
)
table(
    KAKINOKI,
    REPORTED,
    {
        "a blank within squares": squares(lambda file, rank: f"{file} {rank}"),
        "a hyphen within squares": squares(lambda file, rank: f"{file}-{rank}"),
        "katakana ミ for 三": words_of_moves("(?<=[１-９])三", "ミ"),
        "katakana ロ for 四": words_of_moves("(?<=[１-９])四", "ロ"),
        "katakana ト for と": words_of_moves("と", "ト"),
        "ナリ for 成": words_of_moves(PROMOTES, "ナリ"),
        "lower-case letters for pieces": words_of_moves(PLAIN, lambda match: LETTERS[match[0]].lower()),
        "codes of CSA for pieces": words_of_moves(PIECE, lambda match: CODES[match[0]]),
        "Chinese characters for 歩, 銀, 飛, 馬, 龍": words_of_moves(
            "[歩銀飛馬龍]", lambda match: match[0].translate(str.maketrans("歩銀飛馬龍", "步银飞马龙"))
        ),
        "同じく for 同": words_of_moves("同", "同じく"),
        "no pieces": words_of_moves(PIECE, ""),
        "no squares": words_of_moves("[１-９][一二三四五六七八九]", ""),
    },
)

# --- moves of KIF ----------------------------------------------------------------------------------------


def sources(change: Callable[[str, str], str]) -> Change:
    """Write every source otherwise, by its file and rank, with its brackets."""
    return put(r"\(([1-9])([1-9])\)", lambda match: change(match[1], match[2]))


table(
    "kif",
    SAME_GAME,
    {
        "成 behind sources": put(r"成(\([0-9]{2}\))", r"\1成"),
        "不成 where nothing promotes": put(r"(?<![成])([歩香桂銀角飛])(?=\([0-9]{2}\))", r"\1不成"),
        "(00) for 打": put("打", "(00)"),
        "(00) behind 打": put("打", "打(00)"),
        "a blank before sources": sources(lambda file, rank: f" ({file}{rank})"),
        "a full-width blank before sources": sources(lambda file, rank: f"　({file}{rank})"),
        "full-width sources": sources(lambda file, rank: wide(f"({file}{rank})")),
        "sources in full-width brackets": sources(lambda file, rank: f"（{file}{rank}）"),
        "sources in square brackets": sources(lambda file, rank: f"[{file}{rank}]"),
        "sources as squares of KIF": sources(lambda file, rank: f"({wide(file)}{kanji(rank)})"),
        "blanks within sources": sources(lambda file, rank: f"( {file}{rank} )"),
    },
)
table(
    "kif",
    REPORTED,
    {
        "sources behind an arrow": sources(lambda file, rank: f"←{file}{rank}"),
        "sources without brackets": sources(lambda file, rank: f"{file}{rank}"),
        "sources with a hyphen": sources(lambda file, rank: f"({file}-{rank})"),
        "sources that never close": sources(lambda file, rank: f"({file}{rank}"),
        "no sources": sources(lambda file, rank: ""),
        "wrong sources": sources(lambda file, rank: f"({rank}{file})"),
        "no 打": put("打", ""),
    },
)


def marked(black: str, white: str) -> Change:
    """Put the marks of the sides before moves, in games that Black begins."""
    marks = (white, black)
    change = rows(lambda one: one.write(move=marks[int(one.number) % 2] + one.move))
    return lambda text: None if re.search("落ち|[上下]手|後手番", text) else change(text)


for black, white in ("▲△", "☗☖", "▼▽", "⛊⛉", ("▲ ", "△ "), ("先手 ", "後手 ")):
    kind("kif", f"{black} and {white} before moves")(marked(black, white))
for black, white in ("●○", "■□", "◆◇", ("先", "後"), ("S:", "G:")):
    kind("kif", f"{black} and {white} before moves", REPORTED)(marked(black, white))


@kind("kif", "moves with marks and sources on one line", SAME_MOVES)
def moves_on_a_line(text: str) -> str | None:
    """Join the moves between two other lines, as lines of play of several programs."""
    changed = marked("▲", "△")(text)
    if changed is None or re.search("^変化", text, re.MULTILINE):
        return None
    return re.sub(
        r"^ *[0-9]+ ([▲△][^\s(]+(?:　\S)?(?:\([0-9]{2}\))?) *(?:\([^)\n]*\))?\n",
        r"\1 ",
        str(changed),
        flags=re.M,
    )
