"""The lines of `golden/dialect-lines.jsonl`: what programs write is read, and written, as it says there.

A line is read in a record of its format; what it should give stands here, by the line. A line of the file
that has no test fails.
"""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from archive.derive import headers
from archive.derive.headers.times import TimeLimit, read_limit
from kifu_core import ParsedGame, dump, encode_text, load
from kifu_core.game import Evaluation
from kifu_core.shogi.detect import program
from kifu_core.shogi.evaluations import evaluations
from kifu_core.shogi.handicaps import by_name
from tests.cases import each
from tests.shared import GOLDEN, need_shared

pytestmark = pytest.mark.shared

FILE = GOLDEN / "dialect-lines.jsonl"
ROWS = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()] if FILE.is_file() else []

ROW_1, ROW_2 = "   1 ７六歩(77)   ( 0:16/00:00:16)\n", "   2 ３四歩(33)   ( 0:00/00:00:00)\n"
BOARD = (
    """後手の持駒：なし
  ９ ８ ７ ６ ５ ４ ３ ２ １
+---------------------------+
| ・ ・ ・ ・ ・ ・ ・ ・v玉|一
| ・ ・ ・ ・ ・ ・ ・ ・ ・|二
| ・ ・ ・ ・ ・ ・ ・ ・ 歩|三
"""
    + "| ・ ・ ・ ・ ・ ・ ・ ・ ・|\n" * 6
    + "+---------------------------+\n先手の持駒：金\n"
)


def kif(head: str = "", rows: str = ROW_1 + ROW_2, tail: str = "") -> str:
    return f"{head}手数----指手---------消費時間--\n{rows}{tail}"


def only(text: str, name: str | None = None) -> ParsedGame:
    """The one game of a text, which is read without an issue."""
    result = load(text, name)
    assert [issue.code for issue in (*result.issues, *result.games[0].issues)] == []
    return result.games[0]


def plies(game: ParsedGame) -> int:
    return sum("move" in entry for entry in game.record["moves"])


def waiting(count: int, first: int = 0) -> str:
    """Rooks that go and come back, for records of any length; after four plies all is as before."""
    rooks = ("３八飛(28)", "７二飛(82)", "２八飛(38)", "８二飛(72)")
    if first:
        rooks = (rooks[1], rooks[0], rooks[3], rooks[2])
    return "".join(f"{ply + 1:4d} {rooks[ply % 4]}\n" for ply in range(count))


UNDER = "手合割：香落ち\n"
"""Here White begins, so that Black plays the even plies."""


# --- reading ---------------------------------------------------------------------------------------------


def header(line: str) -> None:
    """A header of KIF, kept as it stands."""
    name, _, value = line.partition("：")
    assert only(kif(line + "\n")).record["header"][name] == value


def information(line: str) -> None:
    """A `$` line of CSA, kept under the name that KIF has for it."""
    name = {"$EVENT": "棋戦", "$TIME_LIMIT": "持ち時間"}.get(
        line.partition(":")[0], line[1:].partition(":")[0]
    )
    game = only(f"V2.2\nN+a\nN-b\n{line}\n+\n+7776FU\n")
    assert game.record["header"][name] == line.partition(":")[2]
    assert game.record["initial"] == {"preset": "HIRATE"}


def player(line: str) -> None:
    game = only(f"V2.2\n{line}\nN-b\n+\n+7776FU\n")
    black, _ = headers.people(game.record["header"])
    assert (black.name, black.rank) == (line[2:].split()[0], line.split()[-1].strip("()"))


def day(expected: str, precision: str) -> Callable[[str], None]:
    def check(line: str) -> None:
        header(line)
        found = headers.read_day(line.partition("：")[2])
        assert (found.start.isoformat() if found.start else "").startswith(expected)
        assert found.precision == precision

    return check


def remark(line: str) -> None:
    """A line with `'` before the moves is kept as a remark."""
    game = only(f"V2.2\n{line}\nPI\n+\n+7776FU\n")
    assert line[1:] in (*game.remarks, *game.record["moves"][0].get("comments", []))


def summary(winner: int | None, draw: bool) -> Callable[[str], None]:
    def check(line: str) -> None:
        game = only(f"V2.2\nN+A\nN-B\nPI\n+\n+7776FU\n{line}\n")
        assert game.ending is not None
        assert (game.ending.winner, game.ending.draw) == (winner, draw)

    return check


def score(csa: bool, score: int | None, **fields: object) -> Callable[[str], None]:
    def check(line: str) -> None:
        text = (
            f"V2.2\nPI\n+\n+7776FU\n-3334FU\n{line}\n+2726FU\n"
            if csa
            else kif("", ROW_1 + ROW_2 + line + "\n")
        )
        found = evaluations(only(text).record)
        assert len(found) == 1 and isinstance(found[0], Evaluation)
        assert found[0].score == score
        assert {name: getattr(found[0], name) for name in fields} == fields

    return check


def no_score(line: str) -> None:
    game = only(kif("", ROW_1 + line + "\n"))
    assert line[1:] in game.record["moves"][1]["comments"]
    assert evaluations(game.record) == []


def result(
    count: int,
    special: str,
    winner: int | None,
    draw: bool = False,
    written_as: tuple[str, str] | None = None,
) -> Callable[[str], None]:
    """A まで line is the ending where no row is one; written again it is the same line, or `written_as` (in
    KIF, in KI2)."""

    def check(line: str) -> None:
        game = only(kif("", waiting(count), line + "\n"))
        assert game.ending is not None
        assert (game.ending.special, game.ending.ply) == (special, count)
        assert (game.ending.winner, game.ending.draw) == (winner, draw)
        for file_format, last in zip(("kif", "ki2"), written_as or (line, line), strict=True):
            written = dump(game.record, file_format, ending=game.ending)
            assert last in written.splitlines()
            assert only(written, f"x.{file_format}").ending == game.ending or file_format == "kif"

    return check


def problem(line: str) -> None:
    drawn = only(BOARD + kif("", "   1 １二金打\n", line.replace("7手", "1手") + "\n"))
    assert drawn.record_kind == "problem"
    assert drawn.ending is not None
    assert (drawn.ending.special, drawn.ending.winner) == ("TSUMI", None)


def problem_header(line: str) -> None:
    name, _, value = line.partition("：")
    game = only(f"{line}\n" + BOARD + kif("", "   1 １二金打\n"))
    assert (game.record_kind, game.record["header"][name]) == ("problem", value)


def handicap(line: str) -> None:
    name = line.partition("：")[2]
    known = by_name(name)
    assert known is not None
    expected = next(row["expect"] for row in ROWS if row["line"] == line)
    assert known.sfen.startswith(expected)
    assert only(line + "\n手数----指手--\n   1 ５二玉(51)\n").record["initial"]["preset"] == "OTHER"


def refused(line: str) -> None:
    found = load(line + "\n" + kif())
    assert found.games == ()
    assert [(issue.code, issue.params["name"]) for issue in found.issues] == [
        ("unknown-handicap", line.partition("：")[2])
    ]


def row(line: str) -> None:
    """A first row of 81Dojo."""
    game = only(f"手数----指手---------消費時間--\n{line}\n")
    time = game.record["moves"][1]["time"]
    seconds = 12 if "0:12/" in line else 2
    assert time == {"now": {"m": 0, "s": seconds}, "total": {"h": 0, "m": 0, "s": seconds}}


def bookmark(line: str) -> None:
    game = only(kif("", ROW_1 + line + "\n" + ROW_2))
    assert game.bookmarks == ((1, line[1:]),)


def starred_header(line: str) -> None:
    game = only(kif(line + "\n手合割：平手\n"))
    assert game.record["header"]["*放送日"] == "2010/02/13"


def commented_header(line: str) -> None:
    game = only(kif(line + "\n先手：甲\n"))
    assert game.record["header"]["先手"] == "甲"
    assert line[1:] in game.remarks


def adjourned(line: str) -> None:
    text = kif("", waiting(60) + line + "\n")
    game = only(text)
    assert game.ending is not None
    assert (game.ending.word, game.ending.winner, game.ending.ply) == ("封じ手", None, 60)
    assert line in dump(game.record, "kif", ending=game.ending).splitlines()[-2].rstrip()


def dropped(line: str) -> None:
    rows = ROW_1 + ROW_2 + "   3 ２二角成(88)\n   4 同　銀(31)\n"
    game = only(kif("", rows + line.replace(" 44", "  5") + "\n"))
    assert game.record["moves"][5]["move"] == {"color": 0, "piece": "KA", "to": {"x": 3, "y": 3}}


def mate_row(line: str) -> None:
    rows = "   1 １二金打\n"
    game = only(BOARD + kif("", rows + line.replace("   8", "   2") + "\n"))
    assert game.ending is not None
    assert (game.ending.special, game.ending.winner, game.record_kind) == ("TSUMI", None, "problem")


def bare_sfen(line: str) -> None:
    text = "sfen ln2rg1nl/4k1g2/2ppp1p1p/pp4p2/9/PPP6/2SPPPP1P/2G1K2R1/LN3GSNL w Pp 36 moves P*7e"
    assert line.split()[0] == text.split()[0]
    game = load(text).games[0]
    assert plies(game) == 1


# --- writing ---------------------------------------------------------------------------------------------


def first_line_of_kifu(line: str) -> None:
    record = only(kif()).record
    assert dump(record, "kifu").splitlines()[0] == line
    assert line not in dump(record, "kif")


def exchange(ply: int) -> str:
    """Rows up to `ply`, the exchange of bishops that Black begins with that ply left out, White to begin."""
    rows = (f"{ply - 3:4d} ３四歩(33)\n{ply - 2:4d} ７六歩(77)\n", f"{ply - 1:4d} ９四歩(93)\n")
    return waiting(ply - 4, 1) + "".join(rows)


def same_row(line: str) -> None:
    """A row that comes out as it went in, at its own place of a record."""
    number = int(line.split()[0])
    before = {
        "同": lambda: exchange(44) + "  44 ２二角成(88)\n", "２": lambda: exchange(12),
        "４": lambda: exchange(40) + "  40 ２二角成(88)\n  41 同　銀(31)\n  42 ９六歩(97)\n  43 １四歩(13)\n",
    }  # fmt: skip
    head = UNDER if line[5] in before else ""
    rows = before[line[5]]() if head else waiting(number - 1)
    fork = "\n変化：12手\n  12 ２六歩(27)\n" if "+" in line else ""
    game = only(kif(head, rows + line + "\n" + fork))
    assert line in dump(game.record, "kif", ending=game.ending).splitlines()


def after_the_main_line(line: str) -> None:
    game = only(kif("", waiting(96) + "  97 投了\n\n変化：3手\n   3 ２六歩(27)\n"))
    written = dump(game.record, "kif", ending=game.ending).splitlines()
    assert written.index(line) < written.index("変化：3手")
    under = only("手合割：香落ち\n手数----指手--\n   1 ３四歩(33)\n   2 投了\n")
    assert "まで1手で上手の勝ち" in dump(under.record, "kif").splitlines()


def ki2_line(line: str) -> None:
    game = only(line + "\n", "x.ki2")
    assert line in dump(game.record, "ki2").splitlines()


def not_promoting(line: str) -> None:
    rows = "   1 ４三銀(34)\n"
    board = BOARD.replace("| ・ ・ ・ ・ ・ ・ ・ ・ ・|\n", "| ・ ・ ・ ・ ・ ・ 銀 ・ ・|\n", 1)
    game = only(board + kif("", rows))
    assert line in dump(game.record, "ki2").splitlines()


def caption(line: str) -> None:
    game = only(kif("", waiting(168) + " 169 ７六歩(77)\n 170 ３四歩(33)\n 171 ２二角成(88)\n"))
    written = dump(game.record, "bod", ply=None).splitlines()
    assert line.replace("６二角成", "２二角成") in written
    assert written.index("後手番") > written.index(line.replace("６二角成", "２二角成"))


def dash(line: str) -> None:
    data, issues = encode_text(line + "\n", "ki2")
    assert (data.decode("cp932"), issues) == (line.replace("−", "－") + "\r\n", ())


# --- the table -------------------------------------------------------------------------------------------

CHECKS: dict[str, Callable[[str], None]] = {
    "#KIF version=2.0 encoding=UTF-8": first_line_of_kifu,
    "   1 ７六歩(77)   ( 0:16/00:00:16)": same_row,
    "  12 ２二角成(88) ( 0:00/00:00:03)+": same_row,
    "  44 ４五角打     ( 0:07/00:01:00)": same_row,
    "  45 同　銀(31)   (112:05/05:42:10)": same_row,
    "  97 投了         ( 0:00/00:59:10)": same_row,
    "まで96手で後手の勝ち": after_the_main_line,
    "まで86手で先手の反則負け": result(86, "ILLEGAL_MOVE", 1),
    "まで86手で先手の反則勝ち": result(86, "-ILLEGAL_ACTION", 0),
    "まで3手で時間切れにより先手の勝ち": result(3, "TIME_UP", 0),
    # json-kifu-format refuses a record with this sentence; KIF tells it in the row above.
    "まで150手で先手の入玉勝ち": result(
        150, "KACHI", 0, written_as=("まで150手で先手の勝ち", "#まで150手で先手の入玉勝ち")
    ),
    "まで96手で千日手": result(96, "SENNICHITE", None, True),
    "まで7手詰": problem,
    "まで1手で詰み": problem,
    "まで10手で中断": result(10, "CHUDAN", None),
    "▲７六歩    △３四歩    ▲２二角成  △同　銀    ▲４五角    △５二金右": ki2_line,
    "▲４三銀不成": not_promoting,
    "手数＝171  ▲６二角成  まで": caption,
    "▲羽生善治棋王−△谷川浩司棋聖": dash,
    "場所：81Dojo (ver.2016/03/20)": lambda line: _is_program(line, "81Dojo"),
    "   1 ７六歩(77)   ( 0:12/)": row,
    "1   ７六歩(77)   (0:2/0:0:2)": row,
    "持ち時間：15分+60秒": lambda line: _limit(line, TimeLimit(900, 60)),
    "開始日時：2017/03/13 ??:??": day("2017-03-13", "day"),
    "N+Kato_Hifumi 三段": player,
    "N+doukeinari 5段": player,
    "N+na_o_ys (2級)": player,
    "$EVENT:将棋ウォーズ(10分切れ負け)": information,
    "$TIME_LIMIT:00:10+00": lambda line: _limit(line.replace(":", "：", 1), TimeLimit(600)),
    "$X_FINAL:投了": information,
    "+": lambda line: _assert_even(f"V2.2\n{line}\n+7776FU\n"),
    "先手：Shimi8266 1級": header,
    "先手段級：15級": header,
    "初期局面：通常": lambda line: _assert_even(kif(line + "\n"), header=line),
    "$EVENT:将棋クエスト": information,
    "# ----  ぴよ将棋 棋譜ファイル  ----": lambda line: _is_program(line, "ぴよ将棋"),
    "*#指し手[72]△１四歩  ▲６八銀  △３四歩": score(False, 72, role="analysis"),
    "*#推奨手[29]△４二銀  ▲５八金右": score(False, 29, role="alternative"),
    "*#定跡: △８五歩   △３四歩": no_score,
    "開始日時：2005/11/29･30日": day("2005-11-29", "day"),
    "開始日時：2014/09/13 14：59": day("2014-09-13", "day"),
    "消費時間：52▲222△236": header,
    "備考：昼休前33手目22分\\n封じ手時刻:18:30＜53手目＞\\n": header,
    "振り駒：1,0,佐": header,
    "図：投了": header,
    "手数----指手--": lambda line: _no_times(line),
    "先手：羽生 善治竜王": header,
    "後手：西尾　明五段": header,
    "  61 封じ手": adjourned,
    "*放送日：2010/02/13": starred_header,
    "#先手：先手56789012全3456789": commented_header,
    "&読み込み時表示": bookmark,
    "'black_rate:yyr+b5caa0acd241b9214b9ba54260f66b19:3749.0": lambda line: _rating(line),
    "'summary:time up:A win:B lose": summary(0, False),
    "'summary:max_moves:A draw:B draw": summary(None, True),
    "'summary:oute_sennichite:A lose:B win": summary(1, False),
    "'$END_TIME:2018/07/22 05:08:46": remark,
    "'Increment:10": remark,
    "$EVENT:wdoor+floodgate-300-10F+yyr+tenuki+20180722050000": lambda line: _floodgate(line),
    "'** 0 -8384FU": score(True, 0),
    "'** 130 7g7f 8c8d 7i6h": score(True, 130),
    "'** 30 -3334FU +2726FU #12345": score(True, 30, nodes=12345),
    "**評価値=-12": score(False, -12),
    "*#評価値=108": score(False, 108),
    "**詰み=先手勝ち:10手": score(False, None, winner=0, mate=10),
    "*#読み筋=▲８六歩(87)△８六飛(82)": lambda line: _kept_comment(line),
    "**対局 候補1 時間 00:01.0 深さ 10/17 ノード数 49691 評価値 34 読み筋 △３四歩(33)": score(False, 34),
    "**解析 0 ○ 候補1 時間 00:15.9 深さ 54 ノード数 1000495 評価値 207 読み筋 ▲同　歩(87)": score(
        False, 207, nodes=1000495, depth=54, time=15.9
    ),
    "*14時19分の着手。": no_score,
    "*2002年７月19日生まれ": no_score,
    "*4": no_score,
    "手合割：詰将棋": problem_header,
    "先手：詰方": problem_header,
    "後手：玉方": problem_header,
    "作者：伊藤看寿": header,
    "発表年月：慶応2年9月": day("1866", "month"),
    "発表年月：1967年2月号": day("1967-02", "month"),
    "完全性：": problem_header,
    "受賞：塚田賞": problem_header,
    "   8 詰み         ( 0:06/00:00:08)": mate_row,
    "sfen ln2rg1nl/… w Pp 36 moves P*7c": bare_sfen,
    "手合割：トンボ": handicap,
    "手合割：歩三兵": handicap,
    "手合割：5五将棋": refused,
    " 44 ３三角打(00)           ( 0:07/00:01:00)": dropped,
}


def _is_program(line: str, name: str) -> None:
    assert only(kif(line + "\n")).record["moves"]
    assert program(kif(line + "\n")) == name


def _limit(line: str, expected: TimeLimit) -> None:
    assert read_limit(line.partition("：")[2]) == expected


def _assert_even(text: str, header: str = "") -> None:
    game = only(text)
    assert game.record.get("initial", {"preset": "HIRATE"}) == {"preset": "HIRATE"}
    if header:
        assert game.record["header"] == {header.partition("：")[0]: header.partition("：")[2]}


def _no_times(line: str) -> None:
    game = only("先手：甲\n" + line + "\n   1 ７六歩(77)\n")
    assert "time" not in game.record["moves"][1]
    assert line in dump(game.record, "kif").splitlines()


def _rating(line: str) -> None:
    game = only(f"V2.2\nN+yyr\nN-tenuki\nPI\n+\n{line}\n+7776FU\n")
    remarks = (*game.remarks, *game.record["moves"][0].get("comments", []))
    assert headers.ratings(game.record["header"], remarks)[0] == 3749


def _floodgate(line: str) -> None:
    game = only(f"V2\nN+yyr\nN-tenuki\n{line}\nPI\n+\n+7776FU\n")
    assert headers.limits(game.record["header"]) == (TimeLimit(300, 0, 10),) * 2


def _kept_comment(line: str) -> None:
    assert only(kif("", ROW_1 + line + "\n")).record["moves"][1]["comments"] == [line[1:]]


def test_every_line_of_the_file_has_a_test():
    need_shared()
    assert len(ROWS) == len(CHECKS) == 85
    assert {row["line"] for row in ROWS} == set(CHECKS)


@each("line", [row["line"] for row in ROWS])
def test_a_line_is_read_or_written_as_stated(line):
    CHECKS[line](line)
