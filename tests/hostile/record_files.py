"""Hostile files that hold records, or what looks like them."""

from __future__ import annotations

import json
from random import Random
from typing import Any, Final

from tests.containers import zipped
from tests.hostile import records
from tests.hostile.container_files import MB, File, Maker
from tests.hostile.records import HUGE, Text, kif_of
from tests.hostile.values import MARKS, MARKUP

_POSITION: Final = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n"
_ESCAPES: Final = b"+/v8-" + b"\x1b$B\x1b(J\x1b$@" * 2000


def _text(name: str, make: Text) -> Maker:
    return lambda: (name, make().encode("utf-8", "surrogatepass"))


def _texts(suffix: str, encoding: str, errors: str) -> File:
    """Every small hostile text as a file of its own."""
    files = enumerate(records.hostile_texts())
    return "texts.zip", zipped(
        *((f"{number}.{suffix}", text.encode(encoding, errors)) for number, text in files)
    )


# --- texts of the site in the place of texts of the game -------------------------------------------------


def _marked_kif() -> str:
    names = ("先手", "後手", "棋戦", "場所", "戦型", "備考", "開始日時", MARKUP)
    header = "".join(f"{name}：{MARKUP}\n" for name in names)
    moves = f"1 ７六歩(77)\n*{MARKUP}\n*</script>{MARKUP}\n&しおり{MARKUP}\n2 ３四歩(33)\n"
    engine = f"**Engines 0 評価値 9 読み筋 {MARKUP}\n3 {MARKUP}\nまで{MARKUP}\n"
    fork = f"変化：2手\n2 ８四歩(83)\n*{MARKUP}\n"
    return f"{header}手合割：平手\n*{MARKUP}\n{moves}{engine}{fork}"


def _marked_alg() -> str:
    return f'[White "{MARKUP}"]\n[Event "{MARKUP}"]\n1. e2 {{{MARKUP}}} e8 2. e3h e7 ; {MARKUP}\nX\n'


def _marked_csa() -> str:
    header = f"V2.2\nN+{MARKUP}\nN-{MARKUP}\n$EVENT:{MARKUP}\n$SITE:javascript:x\n"
    return f"{header}PI\n+\n+7776FU\n'*{MARKUP}\n-3334FU\n%TORYO\n"


def _marked_jkf() -> str:
    pawn: dict[str, Any] = {"from": {"x": 7, "y": 7}, "to": {"x": 7, "y": 6}, "piece": "FU"}
    moves = [{"comments": [MARKUP]}, {"move": pawn, "comments": [mark.decode() for mark in MARKS]}]
    header = {"先手": MARKUP, MARKUP: MARKUP, "x\r\ny": "z\nw", "\u2028": "\u2029"}
    return json.dumps({"header": header, "moves": moves})


def _nul_jkf() -> str:
    header = '{"\\u0000":"\\ud800","先手":"a\\u0000b"}'
    moves = (
        '[{"comments":["\\u0000\\udfff"]},{"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":6},"piece":"FU"}}]'
    )
    return f'{{"header":{header},"moves":{moves}}}'


# --- numbers that no number type holds -------------------------------------------------------------------


def _digits_kif() -> str:
    header = f"手合割：平手\n手数：{HUGE}\n持ち時間：{HUGE}時間\n開始日時：{HUGE}\n{HUGE} ７六歩(77)\n"
    clock = f"( {HUGE}:{HUGE}/{HUGE}:{HUGE}:{HUGE})"
    return f"{header}1 ７六歩(77) {clock}\n** 0 評価値 {HUGE}\n"


def _digits_csa() -> str:
    header = f"V3.0\n$TIME_LIMIT:{HUGE}:{HUGE}+{HUGE}\n$MAX_MOVES:{HUGE}\n$TIME:{HUGE}\n"
    return f"{header}PI\n+\n+7776FU\nT{HUGE}\n'** {HUGE}\n%TORYO\n"


def _digits_bod() -> str:
    hands = f"先手の持駒：歩{HUGE}\n後手の持駒：歩{'十' * 5000}\n"
    return f"{hands}{'|・・・・・・・・・|一' * 9}\n手数＝{HUGE}  まで\n"


FILES: Final[dict[str, Maker]] = {
    **{title: _text("large.txt", make) for title, make in records.LARGE.items()},
    "a KIF of 380,000 moves": _text("long.kif", lambda: kif_of(380_000)),
    "a CSA of 380,000 moves": _text("long.csa", lambda: records.csa_of(380_000)),
    "a JKF of 100,000 moves": _text("long.jkf", lambda: records.jkf_of(100_000)),
    "15 MB of USI": _text("long.usi", lambda: records.usi_of(15 * MB)),
    "4 MB of Quoridor": _text("long.alg", lambda: records.alg_of(4 * MB)),
    "14 MB of lines of *": _text("stars.kif", lambda: kif_of(1) + "*\n" * (7 * MB)),
    "10 MB in a line": _text("line.kif", lambda: "'" * (10 * MB)),
    "20,000 variations": _text("forks.kif", lambda: records.kif_forks(20_000)),
    "2,000 moves with long comments": _text("talk.kif", lambda: kif_of(2_000, "\n*" + "あ" * 900)),
    "moves with markup": _text("marks.kif", _marked_kif),
    "Quoridor with markup": _text("marks.alg", _marked_alg),
    "CSA with markup": _text("marks.csa", _marked_csa),
    "JKF with markup": _text("marks.jkf", _marked_jkf),
    "JSON with NUL and surrogates": _text("nul.jkf", _nul_jkf),
    "numbers of 4,400 digits": _text("digits.kif", _digits_kif),
    "numbers in CSA": _text("digits.csa", _digits_csa),
    "numbers in SFEN": _text(
        "digits.sfen", lambda: f"sfen 9/9/9/9/9/9/9/9/9 b {HUGE}P {HUGE} moves P*5e\n" * 50
    ),
    "numbers in BOD": _text("digits.bod", _digits_bod),
    "every small hostile text": lambda: _texts("txt", "utf-8", "surrogatepass"),
    "every small hostile text in cp932": lambda: _texts("kif", "cp932", "replace"),
    "UTF-16": lambda: ("wide.kif", kif_of(50).encode("utf-16")),
    "UTF-7 and escapes": lambda: ("seven.kif", _ESCAPES + kif_of(3).encode("iso2022_jp", "replace")),
    "a megabyte at random": lambda: ("random.kif", Random(1).randbytes(MB)),
    "a megabyte of zeros": lambda: ("zeros.kif", bytes(MB)),
    "an old Mac's lines": _text("mac.kif", lambda: kif_of(3000).replace("\n", "\r")),
    "a page with codes": _text("page.html", lambda: f'<p data-qfcode="gkwAAIAA" {MARKUP}>' * 5000),
    "60,000 empty games": _text("empty.csa", lambda: "PI\n+\n%TORYO\n/\n" * 60_000),
    "9,000 positions": _text("many.sfen", lambda: _POSITION * 9_000),
    "one byte": lambda: ("x", b"x"),
    "a name of control characters": _text("\x1b[2J\u202e\u2028a\x7f.kif", lambda: kif_of(8)),
    "a name of markup": _text(MARKUP + ".kif", lambda: kif_of(9)),
}
