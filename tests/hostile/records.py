"""Records as texts, good ones and hostile ones: for requests, and for the files that are uploaded."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import cycle, islice
from pathlib import Path
from typing import Any, Final

from tests.hostile.values import MARK_HEADER, MARKUP

SAMPLES: Final = Path(__file__).resolve().parents[2] / "archive" / "samples"
HUGE: Final = "9" * 4400
"""More digits than Python turns into a number."""

Text = Callable[[], str]

_ROOK: Final = (("３八飛", 28), ("７二飛", 82), ("２八飛", 38), ("８二飛", 72))


def samples() -> dict[str, str]:
    """The sample games that are UTF-8, by file name."""
    found = {}
    for path in sorted(SAMPLES.iterdir()):
        if path.suffix in {".csa", ".alg", ".qf", ".kifu", ".json"}:
            found[path.name] = path.read_text()
    return found


# --- long ones -------------------------------------------------------------------------------------------


def kif_of(plies: int, comment: str = "") -> str:
    """A game in which both rooks go back and forth, with a comment after each move."""
    lines = (f"{ply} {to}({origin})" for ply, (to, origin) in enumerate(islice(cycle(_ROOK), plies), 1))
    return "手合割：平手\n" + "\n".join(line + comment for line in lines) + "\n"


def csa_of(plies: int) -> str:
    """The same in CSA."""
    moves = cycle(("+2838HI", "-8272HI", "+3828HI", "-7282HI"))
    return "V2.2\nPI\n+\n" + "\n".join(islice(moves, plies)) + "\n"


def usi_of(size: int) -> str:
    """The same as a line of USI of so many characters."""
    return "position startpos moves " + "2h3h 8b7b 3h2h 7b8b " * (size // 20)


def alg_of(size: int) -> str:
    """Pawns of Quoridor that go back and forth, in so many characters."""
    return "e2 e8 e1 e9 " * (size // 12)


def walls_of(size: int) -> str:
    """Walls of Quoridor, all there are and again and again."""
    return " ".join(
        islice(cycle(f"{file}{rank}{way}" for rank in (2, 4) for file in "aceg" for way in "h"), size // 4)
    )


def jkf_of(plies: int) -> str:
    """The same in JKF."""
    moves = [
        {"move": {"from": {"x": a, "y": b}, "to": {"x": c, "y": b}, "piece": "HI"}}
        for a, b, c in islice(cycle(((2, 8, 3), (8, 2, 7), (3, 8, 2), (7, 2, 8))), plies)
    ]
    return json.dumps({"header": {}, "initial": {"preset": "HIRATE"}, "moves": [{}, *moves]})


# --- deep ones -------------------------------------------------------------------------------------------


def deep_json(depth: int, opening: str = "[", closing: str = "]") -> str:
    """Brackets within each other."""
    return opening * depth + closing * depth


def deep_forks(depth: int) -> str:
    """JKF whose every fork has a fork."""
    opening = '{"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":6},"piece":"FU"},"forks":[['
    return '{"header":{},"moves":[{},' + opening * depth + "{}" + "]]}" * depth + "]}"


def kif_forks(count: int) -> str:
    """KIF with so many variations, each of the one before."""
    forks = "\n".join(f"変化：{ply}手\n{ply} {to}({origin})" for ply, (to, origin) in zip(
        range(count, 0, -1), cycle(_ROOK), strict=False))  # fmt: skip
    return kif_of(count) + "\n" + forks + "\n"


def alg_forks(depth: int) -> str:
    """Moves of Quoridor in parentheses within each other."""
    return "1. e2 " + "( 1. e1 " * depth + ")" * depth + " e8\n"


# --- wrong ones ------------------------------------------------------------------------------------------


def _jkf(move: dict[str, Any]) -> str:
    return json.dumps({"header": {}, "moves": [{}, {"move": move}]})


def headers(name: str, value: str) -> str:
    """A short KIF with a header."""
    return f"手合割：平手\n{name}：{value}\n1 ７六歩(77)\n2 ３四歩(33)\n3 投了\n"


NAMES: Final = {"棋戦": "2018", "先手": "千日手"}
"""Names of an event and of a player that the search box could take for a year and for an ending."""

DROPS: Final[dict[str, str]] = {
    "kif": "手合割：平手\n1 ５五と打\n",
    "kif horse": "手合割：平手\n1 ５五馬打\n2 ３四歩(33)\n",
    "kif king": "手合割：平手\n1 ５五玉打\n",
    "ki2": "手合割：平手\n▲５五と打 △３四歩\n",
    "csa": "V2.2\nPI\n+\n+0055TO\n",
    "csa dragon": "V2.2\nPI\n+\n+7776FU\n-0055RY\n",
    "csa king": "V2.2\nPI\n+\n+0055OU\n",
    "usi": "position startpos moves +P*5e\n",
    "usi king": "position startpos moves K*5e\n",
    "jkf": _jkf({"to": {"x": 5, "y": 5}, "piece": "TO", "color": 0}),
    "jkf dragon": _jkf({"to": {"x": 5, "y": 5}, "piece": "RY"}),
    "jkf promoting": _jkf({"to": {"x": 5, "y": 5}, "piece": "FU", "promote": True}),
    "jkf promoted": _jkf({"from": {"x": 7, "y": 7}, "to": {"x": 7, "y": 6}, "piece": "TO", "promote": True}),
}
"""Pieces that cannot be dropped."""

WRONG_JSON: Final[tuple[str, ...]] = (
    "", "{", "[", "null", "true", "0", '"x"', "[]", "{}", "NaN", "Infinity", "-Infinity", "1e400",
    "-1e400", HUGE, "1" + "0" * 400, '{"text":NaN}', '{"ply":1e400}', '{"game_id":' + HUGE + "}",
    '{"text":"\\ud800"}', '{"match":"\\ud800"}', '{"lines":"\\udfff"}', '{"\\ud800":1}',
    '{"text":"\\u0000"}', '{"text":"a","text":"b"}', '{"codes":["\\ud800"]}', '{"codes":[null,{},[]]}',
    '{"codes":{}}', '{"codes":"x"}', '{"position":[]}', '{"position":{"board":null}}',
    '{"position":{"color":' + HUGE + "}}", '{"moves":null}', '{"moves":{}}', '{"moves":[]}',
    '{"moves":[null]}', '{"moves":[[]]}', '{"moves":"x"}', '{"header":[],"moves":[{}]}',
    '{"header":{"a":1},"moves":[{}]}', '{"header":{"x\\ny":"z\\r\\nw"},"moves":[{}]}',
    '{"header":{"\\ud800":"\\udfff"},"moves":[{}]}', '{"header":{"先手":"\\u0000"},"moves":[{}]}',
    '{"moves":[{},{"move":{"to":{"x":1e400,"y":1}}}]}', '{"moves":[{},{"move":{"to":{"x":-1,"y":0}}}]}',
    '{"moves":[{},{"move":{"to":{"x":' + HUGE + ',"y":1}}}]}',
    '{"moves":[{},{"move":{"to":{"x":true,"y":1.5}}}]}', '{"moves":[{},{"special":{}}]}',
    '{"moves":[{},{"special":"\\ud800"}]}', '{"moves":[{"comments":[null]}]}',
    '{"moves":[{"comments":"\\ud800"}]}', '{"moves":[{"forks":[[]]}]}',
    '{"moves":[{"time":{"now":{"m":1e400,"s":-1}}}]}',
    '{"moves":[{"time":{"now":{"m":' + HUGE + ',"s":0}}}]}', '{"initial":{"preset":"OTHER"},"moves":[{}]}',
    '{"initial":{"preset":"\\ud800"},"moves":[{}]}',
    '{"initial":{"preset":"OTHER","data":{"color":9,"board":[],"hands":[]}},"moves":[{}]}',
    '{"initial":{"preset":"OTHER","data":{"color":0,"board":[[{"color":0,"kind":"FU"}]],"hands":[{"FU":1e400},{"FU":-1}]}},"moves":[{}]}',
    '{"game":"quoridor","moves":[{}]}', '{"game":"quoridor","version":' + HUGE + ',"moves":[{}]}',
    '{"game":"quoridor","version":1,"moves":[{},{"move":{"wall":"z9z"}}]}',
    '{"game":"quoridor","version":1,"moves":[{},{"move":{"to":"\\ud800"}}]}',
    '{"game":"quoridor","version":1,"initial":{"preset":"OTHER","data":{"pawns":["e1","e1"],"walls":[[],[]],"turn":1e400,"color":7}},"moves":[{}]}',
    '{"game":"quoridor","version":1,"header":{"' + MARKUP.replace('"', '\\"') + '":"x"},"moves":[{}]}',
    '{"a":' * 5000 + "1" + "}" * 5000, "[" * 5000 + "]" * 5000, '{"text":' + "[" * 5000 + "]" * 5000 + "}",
    '{"position":' + '{"a":' * 5000 + "1" + "}" * 5000 + "}", '{"codes":' + "[" * 5000 + "]" * 5000 + "}",
    "[" * 900, "\ufeff{}", "{'text':1}", "// x\n{}", '{"text":"' + "\\u3042" * 300 + '"}',
    "{" + ",".join(f'"{n}":{n}' for n in range(1000)) + "}",
)  # fmt: skip
"""JSON that is wrong in form or in what it says."""

WRONG_TEXTS: Final[tuple[str, ...]] = (
    "", " ", "\n" * 500, "\ufeff", "x", "手合割：", "手合割：五々将棋\n1 ２四歩(25)\n", "変化：1手\n" * 60,
    "変化：" + HUGE + "手\n", f"手数＝{HUGE}\n後手番\n", f"手合割：平手\n{HUGE} ７六歩(77)\n",
    f"手合割：平手\n1 ７六歩(77) ( {HUGE}:00/{HUGE}:00:00)\n", "手合割：平手\n1 ７六歩(77) ( 0:²/٣:00:00)\n",
    "手合割：平手\n1 ０十歩(00)\n", "手合割：平手\n1 同　歩(77)\n", "手合割：平手\n² ７六歩(77)\n",
    "手合割：その他\n上手の持駒：歩" + "十" * 300 + "\n",
    "先手の持駒：歩" + HUGE + "\n後手の持駒：なし\n|" + "・" * 9 + "|一\n",
    headers("開始日時", "9999/99/99"), headers("開始日時", HUGE), headers("開始日時", "令和²年"),
    headers("持ち時間", HUGE + "時間"), headers("先手", MARKUP),
    headers("棋戦", MARKUP + f"\r{MARK_HEADER}: 1"),
    headers(MARKUP, MARKUP), headers("手数", HUGE), headers("先手レーティング", HUGE),
    headers("URL", "javascript:x"), headers("先手", "a" * 9000), headers("x" * 3000, "y"),
    *(headers(name, value) for name, value in NAMES.items()),
    headers("先手", "\ud800"), headers("先手", "a\0b"), headers("後手", "\u202e\u2028\u0085"),
    f"手合割：平手\n1 ７六歩(77)\n*{MARKUP}\n*** {HUGE}\n**評価値 1e400\n"
    f"**Engines 0 評価値 {HUGE} 読み筋 ▲\n",
    f"V2.2\nN+{MARKUP}\n$EVENT:{MARKUP}\nPI\n+\n+7776FU\nT{HUGE}\n%TORYO\n",
    f"V2.2\nPI\n+\n+7776FU,T{HUGE}\n'** {HUGE} +3334FU\n", "V2.2\nP1" + "+FU" * 400 + "\n+\n",
    "V2.2\nP+00AL\nP-00AL\n+\n", "V3.0\n$TIME:" + HUGE + "+0+0\nPI\n+\n",
    "V2.2\n'CSA encoding=UTF-7\nPI\n+\n", "PI82HI22KA91KY\n+\n+7776FU\n/\n" * 30,
    "V2.2\n" + "P+" * 500 + "\n+\n", "%TORYO\n" * 500, "position sfen " + "/" * 8 + " b - 1",
    "sfen 9/9/9/9/9/9/9/9/9 b - " + HUGE, "sfen 9/9/9/9/9/9/9/9/9 b " + HUGE + "P 1 moves P*5e",
    "~0." + "z" * 900 + ".r", "~" + HUGE + ".7ku", "~2.6ti" * 90, "1. e2 e8 2. e3h e7",
    "1. " + "e2 " * 300, f"[White \"{MARKUP}\"]\n[Start \"{'/' * 712}\"]\n1. e2 e8 X\n", f"{HUGE}. e2 e8",
    "[Date \"" + HUGE + "\"]\n1. e2 e8", "(" * 900, "1. e2 " + "( " * 900, "{" * 900, "A" * 713, "/" * 712,
    "gkwAAIAA", "data-qfcode=\"" + MARKUP + "\"", "label\tgkwAAIAA\n" * 40, "１．ｅ２ ｅ８", "1. ²2 e8",
    "P1-KY-KE\x00", "\x1b$B" * 60, "﻿" * 50, MARKUP, "\r" * 400, "a\rb\x85c\u2028d",
)  # fmt: skip
"""Texts that are no records, or that hold what a record should not."""


def hostile_texts() -> tuple[str, ...]:
    """All the small ones, at most some tens of kB each."""
    longer = (kif_of(300), csa_of(400), usi_of(4000), alg_of(3000), walls_of(600), jkf_of(60))
    deep = (deep_forks(60), kif_forks(60), alg_forks(90))
    return (*WRONG_TEXTS, *WRONG_JSON, *DROPS.values(), *longer, *deep)


LARGE: Final[dict[str, Text]] = {
    "a KIF of 20,000 moves": lambda: kif_of(20_000),
    "a CSA of 60,000 moves": lambda: csa_of(60_000),
    "1 MB of USI": lambda: usi_of(1_000_000),
    "1 MB of Quoridor": lambda: alg_of(1_000_000),
    "1 MB of walls": lambda: walls_of(1_000_000),
    "a JKF of 8,000 moves": lambda: jkf_of(8_000),
    "JSON 100,000 deep": lambda: deep_json(100_000),
    "objects 100,000 deep": lambda: deep_json(100_000, '{"moves":', "}"),
    "forks 900 deep": lambda: deep_forks(900),
    "4,000 variations": lambda: kif_forks(4_000),
    "parentheses 50,000 deep": lambda: alg_forks(50_000),
    "a line of 1 MB": lambda: "'" * 1_000_000,
    "1 MB of variations": lambda: "変化：1手\n" * 60_000,
    "1 MB of comments": lambda: "手合割：平手\n" + "*\n" * 500_000,
    "1 MB of codes": lambda: "gkwAAIAA\n" * 110_000,
    "1 MB of slashes": lambda: "/\n" * 500_000,
    "1 MB of triangles": lambda: "▲" * 330_000,
    "1 MB of headers": lambda: "".join(f"見出し{number}：値\n" for number in range(40_000)),
    "a header of 1 MB": lambda: headers("先手", "あ" * 330_000),
    "1 MB of random base64": lambda: "Ab9+/zQ7" * 125_000,
}
"""Texts of about 1 MB, the most that is converted without being stored."""
