"""What people read stands in two places: the catalogue of the pages, and kifu_core for what is in records."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tools import texts

STATIC = Path(__file__).resolve().parents[2] / "archive" / "static"
JAPANESE = re.compile("[ぁ-ん][ぁ-んァ-ヶ一-龠]|[ァ-ヶ一-龠][ぁ-ん]|[ァ-ヶ]{2}")


@pytest.mark.parametrize("path", texts.modules(), ids=lambda path: path.parent.name)
def test_scripts_for_other_sites_bring_the_texts_of_today(path):
    assert path.read_text(encoding="utf-8") == texts.modules()[path], "run `python -m tools.texts`"


def test_a_text_is_found_where_a_script_asks_for_it():
    script = """note(gettext("Saved.", japanese)); let gettext; gettext("{steps} to go", true, { steps })"""
    assert texts.translations(script) == {"Saved.": "保存しました。", "{steps} to go": "あと{steps}歩"}


@pytest.mark.parametrize(
    "script", ["gettext(name, true)", "gettext(`Saved.`, true)", 'gettext("Nobody says so.")']
)
def test_a_text_that_cannot_be_translated_is_refused(script):
    with pytest.raises(ValueError):
        texts.translations(script)


def test_messages_are_those_of_the_codes_that_a_script_names():
    found = texts.messages("""throw new QfCodeError("pawn-overlap", { ply }); make("div", "qf-host")""")
    both = {"ja": "二つの駒が同じマスにあります", "en": "both pawns are on one square"}
    assert found == {"pawn-overlap": both}


def test_no_script_brings_japanese_of_its_own():
    scripts = [path for path in STATIC.rglob("*.js") if path not in texts.modules()]
    assert len(scripts) > 40
    found = {path.name: JAPANESE.search(path.read_text(encoding="utf-8")) for path in scripts}
    assert {name: match[0] for name, match in found.items() if match} == {}
