"""Records that were edited, cut, damaged and joined: rows, variations, endings, headers and other text."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from kifu_core import load
from tests.kifu_core.mutations.kif import ROW, kanji, wide
from tests.kifu_core.mutations.kinds import (
    BEGINNING,
    KAKINOKI,
    REPORTED,
    SAME_GAME,
    SAME_MOVES,
    Change,
    kind,
    put,
    table,
)  # fmt: skip

PLAYED: Final = "kif ki2 csa"
_PLAY: Final = {
    "kif": re.compile(r"^ *[0-9]+ [^\n]*\n", re.MULTILINE), "ki2": re.compile("^[▲△][^\n]*\n", re.MULTILINE),
    "csa": re.compile(r"^[-+][0-9][^\n]*\n(?:T[^\n]*\n)?", re.MULTILINE),
}  # fmt: skip


def main_rows(text: str) -> tuple[str, list[str], str]:
    """The text before the rows of KIF's main line, the rows each with its comments, the text after them."""
    main, mark, rest = text.partition("\n変化")
    starts = [match.start() for match in ROW.finditer(main)]
    ends = [*starts[1:], len(main)]
    return main[: starts[0]], [main[a:b] for a, b in zip(starts, ends, strict=True)], mark + rest


def main_line(change: Callable[[list[str]], list[str]], least: int = 5) -> Change:
    """Change the list of the main line's rows, if there are so many."""

    def write(text: str) -> str | None:
        head, rows, rest = main_rows(text)
        return None if len(rows) < least else head + "".join(change(rows)) + rest

    return write


def among_moves(line: str) -> Change:
    """Put a line among the moves: after the third line of moves, or the first if there are few."""

    def write(text: str) -> str:
        found = next(matches for each in _PLAY.values() if (matches := list(each.finditer(text))))
        at = found[min(2, len(found) - 2)].end() if len(found) > 1 else found[0].end()
        return f"{text[:at]}{line}\n{text[at:]}"

    return write


def between_all_moves(line: str) -> Change:
    """Put a line after every line of moves."""
    return lambda text: next(
        each.sub(lambda match: match[0] + line + "\n", text) for each in _PLAY.values() if each.search(text)
    )


# --- rows ------------------------------------------------------------------------------------------------

table(
    "kif",
    REPORTED,
    {
        "a row is missing": main_line(lambda rows: [*rows[:2], *rows[3:]]),
        "the first row is missing": lambda text: (
            None if "|" in text else main_line(lambda rows: rows[1:])(text)
        ),
        "a row stands twice": main_line(lambda rows: [*rows[:3], *rows[2:]]),
        "rows are swapped": main_line(lambda rows: [*rows[:1], rows[2], rows[1], *rows[3:]]),
        "rows in upside-down order": main_line(lambda rows: rows[::-1]),
        "numbers begin again": main_line(lambda rows: [*rows[:3], *_renumbered(rows[3:], 1)]),
        "numbers jump": main_line(lambda rows: [*rows[:3], *_renumbered(rows[3:], 14)]),
        "every number is 1": main_line(lambda rows: [_renumbered([row], 1)[0] for row in rows]),
        "a row of signs": main_line(lambda rows: [*rows[:3], "   4 ＃＄％＆\n", *rows[4:]]),
        "a row without its move": main_line(lambda rows: [*rows[:3], "   4 \n", *rows[4:]]),
        "a move that nothing can make": main_line(lambda rows: [*rows[:3], "   4 ５五玉(56)\n", *rows[4:]]),
        "a row that is torn": main_line(lambda rows: [*rows[:3], rows[3][:7] + "\n", *rows[4:]]),
        "moves behind a resignation": main_line(lambda rows: [*rows[:3], "   4 投了\n", *rows[3:]]),
        "moves behind a draw": main_line(lambda rows: [*rows[:3], "   4 千日手\n", *rows[3:]]),
        "an unknown ending": main_line(lambda rows: [*rows[:-1], re.sub("投了", "参りました", rows[-1])]),
    },
)
table(
    "kif",
    SAME_MOVES,
    {
        "the ending twice": main_line(lambda rows: [*rows, rows[-1]]),
        "an adjournment in the middle": main_line(lambda rows: [*rows[:3], "   4 中断\n", *rows[3:]]),
        "a sealed move in the middle": main_line(lambda rows: [*rows[:3], "   4 封じ手\n", *rows[3:]]),
        "a sealed move in the middle that counts": main_line(
            lambda rows: [*rows[:3], "   4 封じ手\n", *_renumbered(rows[3:], 5)]
        ),
        "the line above the moves again": main_line(lambda rows: [*rows[:3], "手数----指手--\n", *rows[3:]]),
        "the end of a page": main_line(
            lambda rows: [*rows[:3], "\f\n手数----指手---------消費時間--\n", *rows[3:]]
        ),
        "numbers from 0": main_line(lambda rows: _renumbered(rows, 0)),
    },
)
table(
    "kif",
    SAME_GAME,
    {
        "no line above the moves": put("^手数-.*\n", ""),
        "a full-width line above the moves": put("^手数-.*", "手数－－－－指手－－－－－－消費時間－－"),
        "blanks in the line above the moves": put("^手数-.*", "手数    指手         消費時間"),
        "dots after endings": put(r"^( *[0-9]+ (?:投了|中断|千日手|持将棋))", r"\1。"),
        "blanks in endings": put(r"^( *[0-9]+) 投了", r"\1 投　了"),
        "marks before endings": put(r"^( *[0-9]+) (?=投了|中断|千日手)", r"\1 ▲"),
        "endings without numbers": put(r"^ *[0-9]+ (?=投了|中断|千日手|持将棋)", ""),
    },
)


def _renumbered(rows: list[str], first: int) -> list[str]:
    return [re.sub("^ *[0-9]+", f"{number:4d}", row) for number, row in enumerate(rows, first)]


# --- results ---------------------------------------------------------------------------------------------

_RESULT: Final = r"^まで([0-9]+)手で([先後上下]手)の勝ち$"


def results(form: str) -> Change:
    """Write result lines in a form of `{count}` and `{side}`, and leave out the rows of endings."""

    def write(match: re.Match[str]) -> str:
        return form.format(count=match[1], side=match[2], wide=wide(match[1]), kanji=kanji(match[1]))

    without = put(r"^ *[0-9]+ 投了.*\n(?=まで)", "")
    return lambda text: (
        re.sub(_RESULT, write, str(without(text)), flags=re.MULTILINE)
        if re.search(_RESULT, text, re.M)
        else None
    )


for form in (
    "まで{count}手で{side}の勝ち", "まで{wide}手で{side}の勝ち", "まで{kanji}手で{side}の勝ち",
    "まで、{count}手で{side}の勝ち",
    "まで {count}手で{side}の勝ち", "まで{count}手にて{side}の勝ち", "まで{count}手で{side}勝ち",
    "まで{count}手で{side}勝",
    "まで{count}手で{side}の勝ち。", "まで{count}手で{side}の勝利", "まで{count}手{side}の勝ち",
    "まで、{side}の勝ち",
    "まで{side}の勝ち", "まで{count}手をもって{side}の勝ち", "  まで{count}手で{side}の勝ち",
    "　まで{count}手で{side}の勝ち",
    "(まで{count}手で{side}の勝ち)", "（まで{count}手で{side}の勝ち）", "以上{count}手で{side}の勝ち",
    "以下{side}の勝ち", "まで{count}手で {side} の勝ち", "～まで{count}手で{side}の勝ち",
    "{count}手まで{side}の勝ち",
    "{count}手で{side}の勝ち", "{side}の勝ち", "まで{count}手で{side}の勝ち(投了)", "まで{count}手 投了",
):  # fmt: skip
    kind(KAKINOKI, f"results as {form}", SAME_MOVES)(results(form))
table(
    KAKINOKI,
    REPORTED,
    {
        "results of another count": put(r"^まで[0-9]+手", "まで777手"),
        "results of the other side": put(
            _RESULT, lambda line: line[0].replace(line[2], "先後上下"["後先下上".index(line[2][0])] + "手")
        ),
        "results of nobody": put(_RESULT, r"まで\1手で無効試合"),
        "results of an unknown reason": put(_RESULT, r"まで\1手で終局しました"),
        "a second result line": put(r"^まで[0-9]+手.*", r"\g<0>\nまで5手で中断"),
    },
)
table(
    "ki2",
    SAME_MOVES,
    {
        "results behind the last move": put(r"^([▲△].*)\n(まで[0-9]+手.*)", r"\1 \2"),
        "投了 for the result": put(r"^まで[0-9]+手で[先後上下]手の勝ち", "投了"),
        "投了 behind the last move": put(r"^([▲△].*)\nまで[0-9]+手で[先後上下]手の勝ち", r"\1 投了"),
        "まで behind the last move": put(r"\n(?=まで[0-9]+手)", "まで\n"),
    },
)

# --- variations ------------------------------------------------------------------------------------------


def variations(form: str) -> Change:
    """Write the lines that begin variations in a form."""
    return put(
        "^変化：([0-9]+)手$",
        lambda match: form.format(ply=match[1], wide=wide(match[1]), kanji=kanji(match[1])),
    )


for form in (
    "変化:{ply}手", "変化： {ply}手", "変化：　{ply}手", "変化：{ply} 手", "変化：{ply}", "変化：{ply}手目",
    "変化：{ply}手目から",
    "変化：{wide}手", "変化：{wide}手目", "変化：{kanji}手", "変化 {ply}手", "変化{ply}手",
    "変化　{wide}手", "変化 ：{ply}手",
    " 変化：{ply}手", "　変化：{ply}手", "\t変化：{ply}手", "変化：{ply}手 別案", "変化：{ply}手　",
    "変化＝{ply}手", "変化；{ply}手",
    "【変化】{ply}手", "［変化：{ply}手］", "変化手順：{ply}手", "変化図：{ply}手",
):  # fmt: skip
    kind(KAKINOKI, f"variations as {form!r}")(variations(form))
for form in (
    "{ply}手目変化",
    "変化",
    "変化：",
    "変化：？手",
    "変化：手",
    "変化：xx手",
    "変化：0手",
    "変化：999手",
    "分岐：{ply}手",
    "-- {ply} --",
):
    kind(KAKINOKI, f"variations as {form!r}", REPORTED)(variations(form))
table(
    KAKINOKI,
    SAME_GAME,
    {
        "no blank lines before variations": put("\n\n(?=変化)", "\n"),
        "blank lines behind the lines of variations": put("^変化.*", r"\g<0>\n"),
    },
)


@kind(KAKINOKI, "variations of the main line alone, in ascending order")
def ascending(text: str) -> str | None:
    """Variations of several plies in the opposite order; all of them branch off the main line.

    By the formats' rule one that can be played in the one above it belongs there: such texts are left out.
    """
    main, *blocks = re.split("(?m)^(?=変化)", text)
    plies = [int(re.findall("[0-9]+", block)[0]) for block in blocks]
    if sorted(plies, reverse=True) != plies or len(set(plies)) != len(plies) or len(plies) < 2:
        return None
    changed = main + "".join(block.rstrip("\n") + "\n\n" for block in reversed(blocks))
    forks = (fork for entry in load(changed).games[0].record["moves"] for fork in entry.get("forks", ()))
    return None if any("forks" in entry for fork in forks for entry in fork) else changed


# --- headers ---------------------------------------------------------------------------------------------

_HEADER: Final = r"^((?!変化)[^\n：*#&+| 0-9]{2,5})：(.*)$"


def headers(form: str) -> Change:
    """Write headers in a form of `{name}` and `{value}`."""
    return put(_HEADER, lambda match: form.format(name=match[1], value=match[2]))


def moved(place: Callable[[list[str], str], str]) -> Change:
    """Take the headers out of a text, and put them elsewhere."""

    def write(text: str) -> str | None:
        found = [
            match[0] for match in re.finditer(_HEADER + "\n", text, re.MULTILINE) if "持駒" not in match[0]
        ]
        return place(found, re.sub(f"(?m){'|'.join(map(re.escape, found))}", "", text)) if found else None

    return write


for form in (
    "{name}:{value}",
    "{name}： {value}",
    "{name}：　{value}",
    "{name} ：{value}",
    "{name}　：{value}",
    "{name} : {value}",
    " {name}：{value}",
):
    kind(KAKINOKI, f"headers as {form!r}")(headers(form))
for form in (
    "{name}={value}",
    "{name}\t{value}",
    "【{name}】{value}",
    "■{name}：{value}",
    "[{name}]{value}",
    "{name} {value}",
    "{name}；{value}",
):
    kind(KAKINOKI, f"headers as {form!r}", REPORTED)(headers(form))
table(
    KAKINOKI,
    SAME_GAME,
    {
        "headers behind the moves": moved(lambda found, rest: rest + "\n" + "".join(found)),
        "headers among the moves": moved(
            lambda found, rest: str(among_moves("".join(found).rstrip("\n"))(rest))
        ),
        "headers twice": moved(lambda found, rest: "".join(found * 2) + rest),
        "headers again behind the moves": lambda text: (
            f"{text}\n" + "".join(re.findall("^先手：.*\n|^後手：.*\n", text, re.M))
        ),
        "blank lines between headers": put(_HEADER, r"\g<0>\n"),
    },
)
table(
    KAKINOKI,
    SAME_MOVES,
    {
        "a header with two values": lambda text: f"備考：一行目\n備考：二行目\n{text}",
        "a header with three values apart": lambda text: f"備考：一\n{text}備考：二\n備考：三\n",
        "players of other names behind the moves": lambda text: f"{text}先手：丙\n後手：丁\n",
        "a header without a name": lambda text: f"：値だけ\n{text}",
        "a header without a value": lambda text: f"備考：\n{text}",
        "a header of many lines": lambda text: f"備考：長い話\n　その続き\n　さらに続く\n{text}",
        "an unknown start": put("^手合割：平手", "手合割：五分五分"),
        "手合 for 手合割": put("^手合割：", "手合："),
        "a start with words behind": put("^手合割：平手", "手合割：平手（振り駒）"),
        "a result in a header": lambda text: f"結果：先手勝ち\n{text}",
        "the page on the next game": lambda text: f"{text}\n手合割：平手\n先手：丙\n後手：丁\n",
    },
)

# --- other text ------------------------------------------------------------------------------------------

PROSE: Final = (
    "今日の将棋です。", "▲７六歩から始まりました。", "https://example.org/kifu/1", "----", "========",
    "□■□■", "2024/05/03",
    "評価値：10", "10分の長考。", "3 時間の熱戦", "1手目は７六歩でした", "先手が優勢",
    "まで考えたところです", "変化という手もある",
    "@@@@", "Re: 昨日の対局", "-- ", "- 2 -", "さて、ここで△３四歩なら？", "\ufffd\ufffd\ufffd",
    "長い行" * 70, "%", "%%%", "$", "P", "T", "N", "+", "&", "#", "*", "|", "同", "投了図以下の指し手", "▲",
    "▲先手 △後手",
    "消費時間", "手数", "後手番",
)  # fmt: skip
OF_CSA: Final = ("%", "+", "T")
"""Lines that CSA knows, or that begin one it knows."""


def before(line: str) -> Change:
    return lambda text: f"{line}\n{text}"


def after(line: str) -> Change:
    return lambda text: f"{text}{line}\n"


for words in PROSE:
    formats, shown = KAKINOKI if words in OF_CSA else PLAYED, repr(words[:12])
    for file_format in formats.split():
        kind(file_format, f"{shown} among the moves", SAME_MOVES)(among_moves(words))
    kind(formats, f"{shown} before the record", SAME_MOVES)(before(words))
    kind(formats, f"{shown} behind the record", SAME_MOVES)(after(words))
for words in ("ここは考えどころ", "評価値：{}", "（{}分）", "　", "＊{}", "※{}"):
    kind(PLAYED, f"{words!r} between all moves", SAME_MOVES)(between_all_moves(words.replace("{}", "10")))

# --- comments --------------------------------------------------------------------------------------------

for sign in ("＊", " *", "　*", "\t*", "* ", "*　", "＊　"):
    kind(KAKINOKI, f"comments by {sign!r}")(put(r"^\*", sign))
for sign in ("※", ";", "；", "//", "'", "# ", "＃", "・", "→", "(", "☆", "%", "{"):
    kind(KAKINOKI, f"comments by {sign!r}", SAME_MOVES)(put(r"^\*", sign))
for sign in ("’", "＇", "‘", " '", "\t'"):
    kind("csa", f"comments by {sign!r}", SAME_MOVES)(put("^'", sign))
kind(KAKINOKI, "comments by '**'", SAME_MOVES)(put(r"^\*", "**"))  # programs mark analyses so
kind(KAKINOKI, "comments without a sign", SAME_MOVES)(put(r"^\*", ""))
kind(KAKINOKI, "a full-width bookmark", SAME_MOVES)(among_moves("＆しおり"))
kind(KAKINOKI, "a comment of many lines", SAME_MOVES)(put(r"^\*(.*)", r"*\1\n　折り返した続き"))

# --- the order of moves in CSA ---------------------------------------------------------------------------


def statements(change: Callable[[list[str]], list[str]]) -> Change:
    """Change the list of moves, each with its time and comments."""

    def write(text: str) -> str:
        head, *moves = re.split(r"(?m)^(?=[-+][0-9]|%)", text)
        return head + "".join(change(moves))

    return write


table(
    "csa",
    REPORTED,
    {
        "a move of CSA is missing": statements(lambda moves: [*moves[:2], *moves[3:]]),
        "the first move of CSA is missing": statements(lambda moves: moves[1:]),
        "a move of CSA stands twice": statements(lambda moves: [*moves[:3], *moves[2:]]),
        "moves of CSA are swapped": statements(lambda moves: [*moves[:1], moves[2], moves[1], *moves[3:]]),
        "moves behind a resignation in CSA": statements(lambda moves: [*moves[:3], "%TORYO\n", *moves[3:]]),
        "a torn move of CSA": statements(lambda moves: [*moves[:3], moves[3][:4] + "\n", *moves[4:]]),
        "a move of CSA that nothing can make": statements(
            lambda moves: [*moves[:3], "-5556OU\n", *moves[4:]]
        ),
        "the start again among the moves": statements(lambda moves: [*moves[:3], "PI\n+\n", *moves[3:]]),
    },
)

kind("csa", "the ending of CSA twice", SAME_MOVES)(statements(lambda moves: [*moves, moves[-1]]))
kind("csa", "an adjournment in the middle of CSA", SAME_MOVES)(
    statements(lambda moves: [*moves[:3], "%CHUDAN\n", *moves[3:]])
)

# --- parts of records ------------------------------------------------------------------------------------


def cut(share: float) -> Change:
    """The beginning of a text, whatever it ends in."""
    return lambda text: text[: int(len(text) * share)]


for share in (0.35, 0.5, 0.6, 0.71, 0.8, 0.93):
    kind(PLAYED, f"the first {share:.0%} of the characters", BEGINNING)(cut(share))
    for codec in ("utf-8", "cp932"):

        @kind(PLAYED, f"the first {share:.0%} of the bytes in {codec}", BEGINNING)
        def cut_bytes(text: str, share: float = share, codec: str = codec) -> bytes | None:
            if text.isascii():
                return None
            data = text.encode(codec, "replace")
            return data[: int(len(data) * share) | 1]

    @kind(PLAYED, f"the first {share:.0%} of the lines", BEGINNING)
    def cut_lines(text: str, share: float = share) -> str:
        lines = text.splitlines(keepends=True)
        return "".join(lines[: int(len(lines) * share)])


# --- records in one file ---------------------------------------------------------------------------------


def twice(between: str) -> Change:
    return lambda text: text + between + text


for between in (
    "\n",
    "\n\n",
    "\f\n",
    "----------\n",
    "==========\n\n",
    "第２局\n",
    "\n２局目\n\n",
    "\r\n\r\n",
):
    kind(KAKINOKI, f"two games with {between!r} between", SAME_MOVES, 2)(twice(between))
kind(KAKINOKI, "two games with nothing between", SAME_MOVES, 2)(twice(""))
for between in ("/\n", "\n", "", "//\n", "----\n", "\n'次の局\n"):
    kind("csa", f"two games of CSA with {between!r} between", SAME_MOVES, 2)(twice(between))
kind("usi", "two games of USI", SAME_MOVES, 2)(twice(""))
kind("usi", "two games of USI with a blank line between", SAME_MOVES, 2)(twice("\n"))
for between in ("", "\n", "----\n"):
    kind("bod", f"two diagrams with {between!r} between", SAME_MOVES, 2)(twice(between))


def without_head(between: str) -> Change:
    """Two games without headers, from the usual start."""

    def write(text: str) -> str | None:
        if "手合割：平手" not in text and "\nPI\n" not in text:
            return None
        body = re.sub(r"(?m)^(?:[^\n：*]+：[^\n手]*|手数-.*|#.*|N[-+].*|\$.*|V2.*|)\n", "", text)
        return body + between + body

    return write


for between in ("", "\n", "\n\n"):
    kind("kif", f"two games without headers with {between!r} between", SAME_MOVES, 2)(without_head(between))
for between in ("\n", "\n\n"):
    kind("ki2", f"two games without headers with {between!r} between", SAME_MOVES, 2)(without_head(between))
