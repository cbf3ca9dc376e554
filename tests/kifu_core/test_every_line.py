"""Every line of a text is kept: in the record, beside it, in its unread text, or in an issue."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kifu_core import KifuError, load
from kifu_core.decoding import decode
from tests.cases import each
from tests.kifu_core.accounting import losses
from tests.kifu_core.corpus import read_all
from tests.kifu_core.mutations import samples
from tests.shared import CORPUS

ROOT = Path(__file__).parents[2]
FOLDERS = ("tests/data/kif", "tests/data/ki2", "tests/data/csa", "tests/data/illegal", "archive/samples")
FILES = [path for folder in FOLDERS for path in sorted((ROOT / folder).glob("*.[kc][is][fa2]*"))]
LINES = ("kif", "ki2", "csa", "bod")
"""The formats of which each line says something by itself."""


@each("path", FILES, ids=lambda path: path.name)
def test_no_line_of_our_own_files_is_lost(path):
    text = decode(path.read_bytes())[0]
    assert losses(text, load(text, path.name)) == []


@pytest.mark.shared
def test_no_line_of_a_real_file_is_lost():
    for file in read_all():
        if file.result is not None and file.result.format in LINES:
            assert losses(decode((CORPUS / file.path).read_bytes())[0], file.result) == [], file.path


# --- the accounting --------------------------------------------------------------------------------------

SAYS_SOMETHING = re.compile(r"^ *[0-9]+ [^\n]|^[▲△]|^\*|^'|^[^：+|]+：.+|^[-+][0-9]|^T[1-9]|^N[-+]|^\$|^%")
"""Lines that tell of the game, and not of the start, which their formats may leave out."""

SAMPLES = [one for one in samples() if one.format in ("kif", "ki2", "csa") and len(one.text) < 900]


@each("sample", SAMPLES, ids=lambda sample: sample.name)
def test_a_line_that_was_dropped_is_noticed(sample):
    """Each line in turn is kept from the reader."""
    lines = re.sub("(?m)^#?まで.*\n", "", sample.text).splitlines()  # they say again what the rows say
    for number, line in enumerate(lines):
        if not SAYS_SOMETHING.match(line) or "持駒" in line:
            continue
        if sample.format == "kif" and line.startswith("変化"):  # the numbers that go back say the same
            continue
        rest = "\n".join([*lines[:number], *lines[number + 1 :]]) + "\n"
        try:
            result = load(rest, f"x.{sample.format}")
        except KifuError:
            continue
        if result.games:
            assert losses("\n".join(lines), result) != [], line


@each(
    ("text", "changed"),
    [
        ("手合割：平手\n1 ７六歩(77) ( 0:12/00:00:12)\n", "手合割：平手\n1 ７六歩(77)\n"),
        ("手合割：平手\n1 ７六歩(77) ( 0:12/00:00:12)\n", "手合割：平手\n1 ７六歩(77) ( 0:13/00:00:13)\n"),
        ("手合割：平手\n1 ７六歩(77) *好手\n", "手合割：平手\n1 ７六歩(77)\n"),
        ("手合割：平手\n1 ７六歩(77)\n*甲\n*甲\n", "手合割：平手\n1 ７六歩(77)\n*甲\n"),
        ("手合割：平手\n1 ７六歩(77)\n2 投了\n", "手合割：平手\n1 ７六歩(77)\n"),
        ("手合割：平手\n1 ７六歩(77)\n変化：1手\n", "手合割：平手\n1 ７六歩(77)\n"),
        ("手合割：平手\n▲７六歩 △３四歩\n", "手合割：平手\n▲７六歩\n"),
        ("手合割：平手\n▲７六歩 △３四歩\nまで2手で後手の勝ち\n", "手合割：平手\n▲７六歩 △３四歩\n"),
        ("PI\n+\n+7776FU,T3\n", "PI\n+\n+7776FU,T4\n"),
        ("PI\n+\n+7776FU'甲\n", "PI\n+\n+7776FU\n"),
        ("PI82HI\n+\n-3334FU\nP+00FU\n", "PI82HI\n+\n-3334FU\n"),
        ("後手の持駒：飛\n1 ７六歩(77)\n", "後手の持駒：なし\n1 ７六歩(77)\n"),
    ],
)
def test_a_part_of_a_line_that_was_dropped_is_noticed(text, changed):
    assert losses(text, load(changed)) != []
