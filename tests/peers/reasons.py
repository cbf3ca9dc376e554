"""The differences between peers in reading our files, with reasons: the table of docs/formats/peers.md.

    python -m tests.peers.reasons

writes it into the pages, between their two marks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from kifu_core.shogi.formats.writing import DRAWN_HANDICAPS, has_sentence
from tests.peers.comparing import Case, doubled, lines


class Difference(NamedTuple):
    """A difference: of which peer, in which formats, for which games, and why."""

    peer: str
    formats: tuple[str, ...]
    what: frozenset[str]
    when: Callable[[Case], bool]
    reason: str
    japanese: str


_Told = tuple[str, str, Callable[[Case], bool], str, str]
"""A row without its peer: formats and what differs as words, for which games, and why in both languages."""


def _rows(peer: str, *rows: _Told) -> Iterator[Difference]:
    """The rows of a peer."""
    for formats, what, when, reason, japanese in rows:
        yield Difference(peer, tuple(formats.split()), frozenset(what.split()), when, reason, japanese)


def _illegal(case: Case) -> bool:
    return case.illegal


def _forked(case: Case) -> bool:
    return case.forked


def _commented(case: Case) -> bool:
    return case.commented


def _foul(case: Case) -> bool:
    return any("ILLEGAL_ACTION" in special for special in case.specials)


def _unsaid(case: Case) -> bool:
    return case.kind is not None and not has_sentence(case.kind)


def _ends(*specials: str | None) -> Callable[[Case], bool]:
    """The condition that a game ended in one of these ways; None are those that JKF has no name for."""
    return lambda case: case.kind is not None and case.kind.special in specials


def _without_winner(case: Case) -> bool:
    return case.result is None


def _unnamed(case: Case) -> bool:
    return case.handicap not in ("", *_NAMED)


def _drawn(case: Case) -> bool:
    return case.drawn or case.preset in DRAWN_HANDICAPS


_NAMED: Final = (
    "平手", "香落ち", "右香落ち", "角落ち", "飛車落ち", "飛香落ち", "二枚落ち", "三枚落ち", "四枚落ち",
    "五枚落ち", "左五枚落ち", "六枚落ち", "八枚落ち", "十枚落ち",
)  # fmt: skip
"""The handicaps that python-shogi and cshogi know."""

_BLIND: Final = "refused position moves winner comments"
"""The differences of a peer that begins with another position or misreads a move."""

_KNOWS_FEW_HANDICAPS: Final = (
    _unnamed,
    "refuses a 手合割 that it does not know: その他, 詰将棋, 左七枚落ち, トンボ",
    "知らない手合割（その他、詰将棋、左七枚落ち、トンボ）を受け付けない",
)

ROWS: Final[tuple[Difference, ...]] = (
    *_rows(
        "json-kifu-format",
        ("kif ki2 csa jkf", "refused", _illegal,
         "refuses a record with an impossible move, even in a variation",
         "盤上ありえない手がある棋譜を（変化の中でも）受け付けない"),
        ("kif ki2", "ending", _unsaid,
         "does not know 入玉勝ち, 引き分け, 待った, 最大手数, 不戦勝 and the like; KI2 has them in a remark",
         "入玉勝ち・引き分け・待った・最大手数・不戦勝などを知らない。KI2 では注記に書く"),
    ),
    *_rows(
        "tsshogi",
        ("kif ki2 csa jkf", "refused", _illegal,
         "refuses a record with an impossible move, in formats in which it has to find the piece",
         "動かす駒を探す形式では、盤上ありえない手がある棋譜を受け付けない"),
        ("ki2", "ending", _unsaid,
         "ignores the remark with an ending for which json-kifu-format has no sentence",
         "json-kifu-format が知らない終局を書いた注記を読み飛ばす"),
        ("csa jkf", "ending", _foul,
         "reads `+ILLEGAL_ACTION`, a foul by Black, as a win for Black; likewise for White",
         "先手の反則である `+ILLEGAL_ACTION` を先手の勝ちとする（後手も逆）"),
        ("jkf", "refused", lambda case: case.preset in DRAWN_HANDICAPS,
         "does not know the presets 3, 5, 5_L, 7_L and 7_R",
         "preset の 3、5、5_L、7_L、7_R を知らない"),
        ("csa", "comments", _commented,
         "reads comments with `'*` only; json-kifu-format does not remove the star",
         "`'*` のコメントだけを読む。json-kifu-format はその星も残す"),
        ("kif ki2", "comments", lambda case: case.starred,
         "reads a header that begins with `*`, as in NHK's records, as a comment",
         "`*` で始まるヘッダー（NHK の棋譜にある）をコメントとする"),
        ("kif ki2 jkf", "comments", lambda case: len(case.specials) > 1,
         "has one ending for a record: comments of a second one go to the first",
         "終局は一つだけで、二つ目のコメントは一つ目に付く"),
        ("jkf", "comments", lambda case: case.nameless,
         "replaces the comments of the last move by those of an ending without a name in JKF",
         "JKF に名のない終局のコメントで、最終手のコメントを上書きする"),
        ("kif ki2 jkf", "forks comments", lambda case: doubled(lines(case.entries)),
         "merges variations that begin with the same move",
         "同じ手で始まる変化を一つにする"),
    ),
    *_rows(
        "python-shogi",
        ("kif", "refused", *_KNOWS_FEW_HANDICAPS),
        ("kif", _BLIND, _drawn,
         "takes the side to move after the last move for the side to move on a drawn board",
         "局面図では、最終手の次の手番を開始局面の手番とする"),
        ("kif", _BLIND, _forked,
         "does not know variations: appends their moves to the main line, leaves out rows with `+`",
         "変化を知らず、その手を本譜の後に続ける。`+` のある行は落とす"),
        ("kif csa", "winner", _without_winner,
         "reports a draw for a game that was broken off or has no ending",
         "中断や終局のない対局を引き分けとする"),
        ("kif csa", "winner", _ends("HIKIWAKE", "KACHI", "TSUMI", None),
         "does not know 引き分け, 最大手数 and 入玉勝ち, nor CSA's `%KACHI` and `%TSUMI`",
         "知る終局が少ない。引き分け、最大手数、入玉勝ち、CSA の `%KACHI`、`%TSUMI` を知らない"),
        ("csa", "refused position", lambda case: case.pairs_in_hand,
         "loses pieces if a hand has several of one kind",
         "同じ種類の持駒が二枚以上あると失う"),
    ),
    *_rows(
        "cshogi",
        ("kif ki2", "refused", *_KNOWS_FEW_HANDICAPS),
        ("kif ki2", _BLIND, _drawn,
         "does not read drawn boards, and begins with the even game",
         "局面図を知らず、平手から始める"),
        ("kif ki2", _BLIND, _forked,
         "appends moves of variations to the main line, unless a まで line that it knows precedes them",
         "知っている「まで」の行がなければ、変化の手を本譜の後に続ける"),
        ("kif ki2 csa usi", "refused position moves winner", _illegal,
         "skips impossible moves",
         "盤上ありえない手を読み飛ばす"),
        ("ki2", _BLIND, lambda case: case.worded,
         "for 左, 右, 上 and 引 considers drops too, and the farthest piece only",
         "左・右・上・引を打つ手からも探し、最も遠い駒だけを見る"),
        ("kif ki2 csa", "winner", _without_winner,
         "reports a draw in CSA for a game that was broken off or has no ending",
         "CSA で、中断や終局のない対局を引き分けとする"),
        ("kif ki2", "winner", lambda case: _unsaid(case) or _ends("TIME_UP", "TSUMI")(case),
         "takes the winner from the まで line, and does not know 時間切れにより and 詰",
         "勝者を「まで」の行から読むが、「時間切れにより」と「詰」を知らない"),
        ("csa", "winner", _ends("TSUMI", None),
         "reports a draw for `%TSUMI` and for endings that it does not know",
         "`%TSUMI` と知らない終局を引き分けとする"),
        ("kif ki2 csa", "comments", _commented,
         "in CSA reads `'*` only and removes a second `*`; in KI2 gives a second line to the next move",
         "CSA では `'*` だけを読み、二つ目の `*` を除き、KI2 の二行目を次の手に付ける"),
    ),
)  # fmt: skip


def reason(case: Case, peer: str, file_format: str, what: str) -> Difference | None:
    """The reason of a difference, None if the table has none."""
    rows = (row for row in ROWS if row.peer == peer and file_format in row.formats and what in row.what)
    return next((row for row in rows if row.when(case)), None)


# --- documentation -------------------------------------------------------------------------------------

_DOCS: Final = Path(__file__).parents[2] / "docs" / "formats"
PAGES: Final = {"en": _DOCS / "peers.md", "ja": _DOCS / "peers.ja.md"}
_HEADS: Final = {
    "en": "| program | formats | what differs | why |",
    "ja": "| ソフト | 形式 | 違うもの | 理由 |",
}
_WORDS: Final = {
    "refused": "受け付けない", "position": "局面", "moves": "指し手", "comments": "コメント", "forks": "変化",
    "ending": "終局", "winner": "勝者",
}  # fmt: skip
_MARKS: Final = re.compile(r"(?<=<!-- table -->\n\n).*?(?=\n<!-- end of the table -->)", re.DOTALL)


def table(language: str) -> str:
    """The rows as a table of Markdown."""
    lines = [_HEADS[language], "| --- | --- | --- | --- |"]
    for row in ROWS:
        names = [name for name in _WORDS if name in row.what]
        what = ", ".join(names) if language == "en" else "、".join(_WORDS[name] for name in names)
        why = row.reason if language == "en" else row.japanese
        lines.append(f"| {row.peer} | {', '.join(map(str.upper, row.formats))} | {what} | {why} |")
    return "\n".join(lines) + "\n"


def with_table(text: str, language: str) -> str:
    """A page with the table as it is now."""
    return _MARKS.sub(lambda _: table(language), text)


if __name__ == "__main__":
    for language, page in PAGES.items():
        page.write_text(with_table(page.read_text(encoding="utf-8"), language), encoding="utf-8")
