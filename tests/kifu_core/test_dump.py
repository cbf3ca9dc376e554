"""Writing files: the exact forms, and that they are read back."""

from __future__ import annotations

from pathlib import Path

import pytest

from kifu_core import KifuError, dump, encode_text, json_text, load
from kifu_core.record import Ending
from kifu_core.shogi.replay import start
from tests.cases import each

DATA = Path(__file__).parents[1] / "data"


def record(name: str):
    return load((DATA / name).read_bytes(), name).games[0].record


def lines(name: str, file_format: str, **options) -> list[str]:
    return dump(record(name), file_format, **options).splitlines()


def test_kif_rows_have_their_columns():
    written = lines("kif/even_game.kif", "kif")
    assert "   1 ７六歩(77)   ( 0:01/00:00:01)" in written
    assert "  11 ２二角成(88) ( 0:11/00:00:36)" in written
    assert "  12 同　銀(31)   ( 0:12/00:00:42)" in written
    assert "  13 ３三角打     ( 1:13/00:01:49)" in written
    assert "  14 投了         ( 0:14/00:00:56)" in written
    assert written[-1] == "まで13手で先手の勝ち"


def test_a_kif_file_is_written_as_it_was_read():
    text = (DATA / "kif" / "even_game.kif").read_bytes().decode("cp932").replace("\r\n", "\n")
    assert dump(record("kif/even_game.kif"), "kif").splitlines() == text.splitlines()[1:]


def test_only_kifu_says_that_it_is_utf8():
    assert lines("kif/even_game.kif", "kifu")[0] == "#KIF version=2.0 encoding=UTF-8"
    assert lines("kif/even_game.kif", "kif")[0] == "開始日時：2024/05/03 10:00:00"


def test_variations_come_later_plies_first_each_before_its_siblings():
    written = lines("kif/variations.kifu", "kif")
    marks = [line for line in written if line.startswith("変化")]
    assert marks == ["変化：4手", "変化：2手", "変化：3手", "変化：1手"]
    assert "   1 ７六歩(77)   +" in written
    assert "   3 ２二角成(88)" in written
    assert "まで4手で中断" in written
    assert written.index("まで4手で中断") < written.index("変化：4手")


def test_ki2_lines_have_six_moves_of_twelve_columns():
    written = lines("ki2/relative_words.ki2", "ki2")
    assert "▲７六歩    △３四歩    ▲２二角成  △同　銀    ▲５八金右  △５二金左" in written
    assert "▲４八銀    △６二銀    ▲４五角    △７四歩    ▲６三角成" in written
    assert "変化：10手" in written


def test_ki2_says_when_a_piece_does_not_promote():
    text = dump(record("kif/odd_rows.kif"), "ki2")
    assert "▲２二角不成" in text
    assert "まで8手で時間切れにより後手の勝ち" in text


REMARKED = """'CSA encoding=UTF-8
V3.0
'Max_Moves:256
'
N+甲
$EVENT:某
'about the file
PI
+
'about the game
+7776FU
T1
%TORYO
"""


@pytest.mark.parametrize("version", ["2.2", "3"])
def test_csa_that_is_read_and_written_again_keeps_the_comments_about_its_file(version):
    game = load(REMARKED).games[0]
    text = dump(game.record, "csa", version=version, remarks=game.remarks)
    again = load(text).games[0]
    own_remarks = [remark for remark in game.remarks if not remark.startswith("CSA encoding")]
    assert own_remarks == ["Max_Moves:256", "", "about the file"]
    assert [remark for remark in again.remarks if not remark.startswith("CSA encoding")] == own_remarks
    assert again.record == game.record
    assert text.count("CSA encoding") == (version == "3")


def test_csa_is_version_2_2():
    written = lines("kif/even_game.kif", "csa")
    assert written[:3] == ["V2.2", "N+見本太郎", "N-見本花子"]
    assert written[written.index("+") + 1 :][:3] == ["'最初のコメント", "+7776FU", "T1"]
    assert written[-2:] == ["%TORYO", "T14"]


def test_endings_that_jkf_has_no_name_for_can_be_given_along():
    game = record("kif/tombo.kif")
    word = Ending("不戦敗", None, 2, 0)
    assert dump(game, "kif", ending=word).splitlines()[-2:] == ["   3 不戦敗      ", "まで2手で下手の勝ち"]
    assert dump(game, "ki2", ending=word).splitlines()[-1] == "#まで2手で上手の不戦敗"
    draw = Ending("MAX_MOVES", None, 2, None, draw=True)
    assert dump(game, "csa", ending=draw).splitlines()[-1] == "%MAX_MOVES"
    assert load(dump(game, "kif", ending=draw)).games[0].ending.draw


@each("file_format", ["kif", "kifu", "ki2", "csa", "jkf"])
@each("name", ["kif/problem.kif", "kif/tombo.kif", "csa/rest_in_hand.csa", "kif/position.kif"])
def test_every_start_is_written_and_read_back(name, file_format):
    original = record(name)
    again = load(dump(original, file_format), f"x.{file_format}").games
    assert start(again[0].record) == start(original)


def test_comments_of_several_lines_and_odd_headers_stay_readable():
    original = record("kif/even_game.kif")
    changed = {**original, "header": {**original["header"], "備考": "一\n二"}}
    changed["moves"] = [{"comments": ["a\nb"]}, *original["moves"][1:]]
    for file_format in ("kif", "ki2", "csa"):
        again = load(dump(changed, file_format)).games[0].record
        assert again["moves"][0]["comments"] == ["a", "b"]
        assert again["header"]["備考"] == "一\\n二"


def test_a_comment_that_looks_like_a_header_stays_a_comment():
    original = record("kif/even_game.kif")
    changed = {**original, "moves": [{"comments": ["放送日：今日"]}, *original["moves"][1:]]}
    for file_format in ("kif", "ki2"):
        again = load(dump(changed, file_format)).games[0].record
        assert again["moves"][0]["comments"] == ["放送日：今日"]
        assert "*放送日" not in again["header"]


def test_cp932_has_its_own_dashes_and_marks():
    data, issues = encode_text("☗羽生−谷川〜☖—\n", "kif")
    assert data.decode("cp932") == "▲羽生－谷川～△―\r\n"
    assert issues == ()


def test_what_cp932_lacks_is_listed_and_never_a_question_mark():
    data, issues = encode_text("𠮷野家😀𠮷", "ki2")
    assert data.decode("cp932") == "〓野家〓〓"
    assert [(issue.code, issue.params["text"]) for issue in issues] == [
        ("unencodable-character", "𠮷"),
        ("unencodable-character", "😀"),
    ]
    assert encode_text("𠮷", "kifu") == ("𠮷".encode(), ())


def test_an_unknown_format_is_refused():
    with pytest.raises(KifuError) as caught:
        dump(record("kif/even_game.kif"), "pgn")
    assert caught.value.code == "unknown-format"


@pytest.mark.parametrize("name", ["kif/even_game.kif", "kif/problem.kif", "kif/variations.kifu"])
def test_json_is_the_same_with_and_without_orjson(name, monkeypatch):
    written = dump(record(name), "jkf")
    monkeypatch.setattr(json_text, "orjson", None)
    assert dump(record(name), "jkf") == written


def test_numbers_that_orjson_refuses_are_written_all_the_same():
    made = record("kif/even_game.kif")
    made["moves"][1] = {**made["moves"][1], "time": {"now": {"m": 10**30, "s": 0}}}
    assert f'"m":{10**30}' in dump(made, "jkf")
