"""The encodings of records are recognised by the content."""

from __future__ import annotations

import codecs
import re
from random import Random

import pytest

from kifu_core import dump, load
from kifu_core.decoding import decode
from kifu_core.errors import UnknownFormatError
from tests.cases import each
from tests.kifu_core.effort import seconds

KIF = """\
# ---- 棋譜ファイル ----
開始日時：2020/01/02
手合割：平手
先手：甲野太郎
後手：乙山花子
手数----指手---------消費時間--
   1 ７六歩(77)   ( 0:01/00:00:01)
   2 ３四歩(33)   ( 0:02/00:00:02)
*角交換を狙う。
   3 ２二角成(88) ( 0:02/00:00:03)
   4 同　銀(31)   ( 0:02/00:00:04)
   5 投了
"""
BOARD = (
    """\
後手の持駒：飛二　歩三
  ９ ８ ７ ６ ５ ４ ３ ２ １
+---------------------------+
| ・ ・ ・ ・v玉 ・ ・ ・ ・|一
"""
    + "".join(f"| ・ ・ ・ ・ ・ ・ ・ ・ ・|{rank}\n" for rank in "二三四五六七八")
    + """\
| ・ ・ ・ ・ 玉 ・ ・ ・ ・|九
+---------------------------+
先手の持駒：なし
"""
)
CSA = "' 棋譜\nV2.2\nN+甲野太郎\nN-乙山花子\n$EVENT:名人戦\nPI\n+\n+7776FU\n-3334FU\n%TORYO\n"
KI2 = "先手：甲野\n後手：乙山\n\n▲７六歩    △３四歩    ▲２六歩\nまで3手で先手の勝ち\n"
TEXTS = {"kif": KIF, "bod": BOARD, "csa": CSA, "ki2": KI2}
ENCODINGS = {
    "cp932": "cp932", "euc-jp": "euc_jp", "iso-2022-jp": "iso2022_jp", "utf-8": "utf-8",
    "utf-8-bom": "utf-8-sig", "utf-16": "utf-16", "utf-32": "utf-32", "gb18030": "gb18030",
}  # fmt: skip


@each("end", ["\n", "\r\n", "\r", "\r\r\n", "\n\r"])
@each("name", ENCODINGS)
@each("kind", TEXTS)
def test_every_encoding_is_told_from_the_others(kind, name, end):
    data = TEXTS[kind].replace("\n", end).encode(ENCODINGS[name])
    assert decode(data) == (TEXTS[kind], name, [])


@each("name", ["cp932", "euc-jp", "gb18030"])
@each("names", ["羽生善治", "名人太郎", "大将軍", "読み太"])
def test_names_alone_tell_the_encoding(name, names):
    text = f"V2.2\nN+{names}\nN-Gote\nPI\n+\n+7776FU\n"
    assert decode(text.encode(ENCODINGS[name])) == (text, name, [])


@pytest.mark.parametrize("names", ["ｺｳﾉ", "ﾊﾌﾞ ﾖｼﾊﾙ", "ﾜﾀﾅﾍﾞ", "ﾏﾂｵ", "ﾀﾆｶﾞﾜ ｺｳｼﾞ", "ｼｮｳｷﾞ"])
def test_half_width_names_are_those_of_shift_jis(names):
    text = f"V2.2\nN+{names}\nN-Gote\nPI\n+\n+7776FU\n"
    assert decode(text.encode("cp932")) == (text, "cp932", [])


# --- characters of NEC and IBM, half-width katakana --------------------------------------------------------

EUC = {
    "①": b"\xad\xa1", "Ⅲ": b"\xad\xb7", "㈱": b"\xad\xea", "纊": b"\xf9\xa1", "髙": b"\x8f\xf4\xfb",
    "ⅰ": b"\x8f\xf3\xf3", "№": b"\x8f\xf4\xac", "﨑": b"\x8f\xf4\xbd", "黑": b"\x8f\xf4\xfe",
    "丂": b"\x8f\xb0\xa1",
}  # fmt: skip


@pytest.mark.parametrize("character", EUC)
def test_characters_of_windows_in_euc(character):
    data = KIF.encode("euc_jp").replace("甲".encode("euc_jp"), EUC[character])
    assert decode(data) == (KIF.replace("甲", character), "euc-jp", [])


def test_a_record_in_euc_with_half_width_katakana():
    text = KIF.replace("甲野太郎", "ｶﾀｶﾅ").replace("乙", "①")
    data = text.encode("euc_jp", "replace").replace(b"?", b"\xad\xa1")
    (game,) = load(data).games
    assert (game.record["header"]["先手"], game.record["header"]["後手"]) == ("ｶﾀｶﾅ", "①山花子")


@pytest.mark.parametrize(
    ("characters", "data"),
    [
        ("ｺｳﾉ", b"\x1b(I:3I\x1b(B"),
        ("ｺｳﾉ", b"\x0e:3I\x0f"),
        ("ｺｳﾉ", "ｺｳﾉ".encode("cp932")),
        ("①", b"\x1b$B-!\x1b(B"),
        ("纊", b"\x1b$By!\x1b(B"),
        ("丂", b"\x1b$(D0!\x1b(B"),
        ("甲", b"\x1b$@9C\x1b(J"),
    ],
)
def test_characters_of_windows_in_iso_2022_jp(characters, data):
    text = KIF.replace("甲野太郎", characters)
    mixed = text.replace(f"先手：{characters}", "先手：@@").encode("iso2022_jp").replace(b"@@", data)
    assert decode(mixed) == (text, "iso-2022-jp", [])


def test_bytes_that_are_no_character_anywhere_are_lost_alone():
    text, encoding, findings = decode(KIF.encode("euc_jp").replace("甲".encode("euc_jp"), b"\xa9\xa1"))
    assert (encoding, findings) == ("euc-jp", [("bad-bytes", "euc-jp")])
    assert "先手：\ufffd" in text and "７六歩(77)" in text


def test_a_record_in_iso_2022_jp_that_was_cut_off():
    data = KIF.encode("iso2022_jp")
    text, encoding, findings = decode(data[: data.rindex(b"\x1b(B") - 1])
    assert (encoding, findings) == ("iso-2022-jp", [("bad-bytes", "iso-2022-jp")])
    assert text[:-1] == KIF[: len(text) - 1]


def test_escapes_of_a_terminal_are_no_iso_2022_jp():
    assert decode(b"\x1b$\x7f7g7f 3c3d\n") == ("\x1b$\x7f7g7f 3c3d\n", "ascii", [])


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize(
    "text", [KIF, CSA, KI2, "手合割：平手\n▲７六歩、△３四歩、▲２六歩まで\n", "▲７六歩 △３四歩"]
)
def test_utf_16_without_a_mark(text, codec):
    assert decode(text.encode(codec)) == (text, "utf-16", [])


# --- byte order marks --------------------------------------------------------------------------------------


def test_a_mark_of_utf_8_before_shift_jis():
    assert decode(codecs.BOM_UTF8 + KIF.encode("cp932")) == (KIF, "cp932", [])


def test_marks_of_files_that_were_put_together():
    data = codecs.BOM_UTF8 + CSA.encode() + b"/\n" + codecs.BOM_UTF8 + CSA.encode()
    assert decode(data)[0] == f"{CSA}/\n{CSA}"
    assert decode(codecs.BOM_UTF8 * 2 + CSA.encode())[0] == CSA


# --- megabytes of nothing ----------------------------------------------------------------------------------

ANYTHING = re.compile("[^x]*+")

NOTHING = [
    b"\r",
    b"\n",
    b" ",
    b"\t",
    b"\x1a",
    b"\0",
    b"\r\n",
    b"\x81\x40",
    "\u3000".encode(),
    b"\xef\xbb\xbf",
]


@pytest.mark.parametrize("part", NOTHING)
def test_megabytes_of_nothing_cost_some_looks_at_them(part):
    """An expression that is tried at each of their lines takes a hundred times as long.

    One look is an expression that passes over each character, since the time of copying such a text varies
    tenfold with the memory that a process has at hand.
    """
    data = part * (5_000_000 // len(part))

    def read() -> None:
        with pytest.raises(UnknownFormatError):
            load(data)

    text = data.decode("latin-1")
    elapsed = seconds(lambda: ANYTHING.fullmatch(text), 3)
    assert seconds(read, 3) < 60 * elapsed


@pytest.mark.parametrize("part", NOTHING)
def test_nothing_is_no_record(part):
    with pytest.raises(UnknownFormatError, match="unknown-format" if part == b"\0" else "empty-file"):
        load(part)


def test_bytes_of_chance_are_no_record():
    random = Random(7)
    for _ in range(2000):
        with pytest.raises(UnknownFormatError):
            load(random.randbytes(random.randint(30, 2000)))


def test_a_control_character_makes_no_text_binary():
    (game,) = load(KIF.replace("甲野", "甲\x08野")).games
    assert game.record["header"]["先手"] == "甲\x08野太郎"


def test_gb18030_holds_a_whole_record():
    (game,) = load(KIF.encode("gb18030")).games
    assert dump(game.record, "usi") == "position startpos moves 7g7f 3c3d 8h2b+ 3a2b\n"
    assert game.record["header"]["後手"] == "乙山花子"
