"""Text that a program decoded wrongly and saved again."""

from __future__ import annotations

from pathlib import Path

import pytest

from kifu_core import KifuError, load, message
from kifu_core.mojibake import misread, repair
from tests.shared import CORPUS, need_shared

DATA = Path(__file__).parents[1] / "data"
KIF = (DATA / "kif" / "even_game.kif").read_bytes().decode("cp932")

# cp932 has nothing for the bytes of full-width digits, so no KIF survives being taken for it; names can.
LUCKY = "V2.2\nN+大山 康晴\n$EVENT:名人戦\nPI\n+\n+7776FU\n%TORYO\n"


def as_windows_shows(data: bytes) -> str:
    """Bytes as Windows programs and browsers show them as Latin-1."""
    shown = (bytes([byte]) for byte in data)
    return "".join(one.decode("latin-1" if one in b"\x81\x8d\x8f\x90\x9d" else "cp1252") for one in shown)


@pytest.mark.parametrize("encoding", ["utf-8", "cp932"])
@pytest.mark.parametrize("show", [as_windows_shows, lambda data: data.decode("latin-1")])
def test_text_taken_for_latin_1_is_put_right(encoding, show):
    result = load(show(KIF.encode(encoding)).encode())
    assert result.games[0].record == load(KIF).games[0].record
    assert [(issue.code, issue.params) for issue in result.issues] == [
        ("double-encoded", {"text": "latin-1"})
    ]
    assert "latin-1" in message(result.issues[0], language="en")


def test_utf_8_taken_for_cp932_is_put_right_where_nothing_was_lost():
    shown = LUCKY.encode().decode("cp932")
    assert shown != LUCKY
    result = load(shown.encode())
    assert result.games[0].record == load(LUCKY).games[0].record
    assert [issue.params for issue in result.issues] == [{"text": "cp932"}]


@pytest.mark.parametrize("lost", ["replace", "ignore", "?", "・"])
def test_text_that_has_lost_bytes_is_left_alone_and_named(lost):
    shown = KIF.encode().decode("cp932", lost if len(lost) > 1 else "replace")
    shown = shown.replace("\ufffd", lost) if len(lost) == 1 else shown
    assert repair(shown) == (shown, "")
    assert misread(shown) == "cp932"
    try:
        found = [(issue.code, issue.params["text"]) for issue in load(shown.encode()).issues]
    except KifuError as error:
        found = [(error.code, error.params["text"])]
    assert ("misread", "cp932") in found


@pytest.mark.parametrize("name", ["大山康晴", "たにがわ", "羽生　善治"])
def test_names_that_have_lost_bytes_are_named(name):
    shown = LUCKY.replace("大山 康晴", f"九段{name}１").encode().decode("cp932", "replace")
    result = load(shown.encode())
    assert len(result.games) == 1
    assert [issue.code for issue in result.issues] == ["misread"]
    assert "cp932" in message(result.issues[0]) and "cp932" in message(result.issues[0], language="en")


def test_shift_jis_taken_for_utf_8_is_named():
    shown = KIF.encode("cp932").decode("utf-8", "replace")
    with pytest.raises(KifuError) as caught:
        load(shown.encode())
    assert (caught.value.code, caught.value.params["text"]) == ("misread", "utf-8")
    broken = load(KIF.encode("cp932")[:200] + b"\xff" * 30)
    assert "misread" not in [issue.code for issue in broken.issues]


def test_text_taken_for_latin_1_that_has_lost_bytes_is_named():
    shown = as_windows_shows(KIF.encode()).replace("\x81", "").replace("\x8d", "")
    assert repair(shown) == (shown, "")
    assert misread(shown) == "latin-1"


@pytest.mark.parametrize(
    "text",
    ["", "7776FU", KIF, "先手：Müller\n", "'Gespräch über Schach £ © é\n", "ｱｲｳｴｵ：ﾃｽﾄ", "ÂÃâ"],
)
def test_sound_text_is_left_alone(text):
    assert repair(text) == (text, "")
    assert misread(text) == ""


LOST_BEFORE = {"83e765c87d8d-83e765.kif", "dd75793e4511-dd7579.kif", "56a2079f82b7-56a207.kif"}
"""The files that are broken: Shift_JIS, saved as UTF-8 with half of their characters lost."""


@pytest.mark.shared
def test_no_file_of_the_corpus_is_taken_for_broken():
    need_shared()
    for path in CORPUS.rglob("*.ki*"):
        for encoding in ("utf-8", "cp932", "euc_jp"):
            try:
                text = path.read_bytes().decode(encoding)
            except UnicodeDecodeError:
                continue
            lost = "utf-8" if path.name in LOST_BEFORE else ""
            assert (repair(text), misread(text)) == ((text, ""), lost), path
            break


@pytest.mark.parametrize("comment", ["na\u00efve", "{\u00e0}", "caf\u00e9"])
def test_accented_letters_of_a_western_comment_stay(comment):
    assert repair(f"+7776FU\n'*{comment}\n") == (f"+7776FU\n'*{comment}\n", "")
