"""Move lines of real files, written again, are the same to the byte, or the row here says why not."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from kifu_core import dump, load
from kifu_core.errors import KifuError
from kifu_core.text import decode
from tests.shared import CORPUS

pytestmark = pytest.mark.shared

LINES = {
    "kif": re.compile(r"^[ 　]*[0-9]+ [^\n]*|^まで[^\n]*|^[ 　]*変化[^\n]*", re.MULTILINE),
    "ki2": re.compile(r"^[ 　]*[▲△☗☖][^：\n]*$|^まで[^\n]*|^[ 　]*変化[^\n]*", re.MULTILINE),
}

NO_SIGN = "an early version: no + where a variation follows, no result line"
BY_HAND = "written by another program or by hand under this program's name: other columns"
OTHER_WORD = "the same in another word, of which one is written: 竜 and 龍, 詰 and 詰み"
NO_RESULT = "the version for iPhone writes no result line"
NUMBER = "a row with a wrong number, put right"
WIDTH = "another program's width of a line"

OTHERWISE = {
    "kif/club-games/0aa416d2c9d0-0aa416.kif": NO_SIGN,
    "kif/club-games/2a4f4de2131e-2a4f4d.kif": NO_SIGN,
    "kif/club-games/2e405b9bf26c-2e405b.kif": NO_SIGN,
    "kif/club-games/8b252f18d6f9-8b252f.kif": NO_SIGN,
    "kif/club-games/d46928d87998-d46928.kif": NO_SIGN,
    "kif/club-games/ef6bda2350e3-ef6bda.kif": NO_SIGN,
    "kif/hnakada123__ShogiBoardQ/oui202509090101-377bb4.kif": OTHER_WORD,
    "kif/hnakada123__ShogiBoardQ/test_basic-547a86.kif": BY_HAND,
    "kif/hnakada123__ShogiBoardQ/test_branch-8277ba.kif": BY_HAND,
    "kif/hnakada123__ShogiBoardQ/test_comments-e8e3c2.kif": BY_HAND,
    "kif/na2hiro__Kifu-for-JS/fork-b739ed.kif": OTHER_WORD,
    "kif/na2hiro__Kifu-for-JS/fork-test-13c0df.kif": NUMBER,
    "kif/na2hiro__Kifu-for-JS/hashimoto-sos-78180d.kif": OTHER_WORD,
    "kif/na2hiro__Kifu-for-JS/kifu_for_iphone-fc9504.kif": NO_RESULT,
    "kif/na2hiro__Kifu-for-JS/last-fork-4e0271.kifu": BY_HAND,
    "ki2/hnakada123__ShogiBoardQ/test_basic-73209d.ki2": BY_HAND,
    "ki2/na2hiro__Kifu-for-JS/20091203-14f90b.ki2": WIDTH,
    "ki2/na2hiro__Kifu-for-JS/denou3-1-89059d.ki2": WIDTH,
    "ki2/na2hiro__Kifu-for-JS/fork-14c737.ki2": BY_HAND,
    "ki2/na2hiro__Kifu-for-JS/illegal-bd1eb9.ki2": BY_HAND,
    "ki2/sunfish-shogi__shogihome/csa-sjis.vee10b01-ebce89.ki2": WIDTH,
    "ki2/sunfish-shogi__shogihome/ki2u-utf8-ab4d8d.ki2u": BY_HAND,
}
"""The files whose move lines come out otherwise, and why."""


def files() -> list[str]:
    path = CORPUS / "index.csv"
    if not path.is_file():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return [row["path"] for row in csv.DictReader(file) if row["format"] in ("kif", "kif?", "ki2")]


def rewritten(name: str) -> tuple[list[str], list[str]] | None:
    """The move lines of a file and of what we write of it; None for other programs' files."""
    data = (CORPUS / name).read_bytes()
    try:
        result = load(data, Path(name).name)
    except KifuError:
        return None
    text, _, _ = decode(data)
    if not result.games or (result.format == "kif" and "Kifu for" not in text[:300]):
        return None
    game, lines = result.games[0], LINES.get(result.format)
    if lines is None:
        return None
    written = dump(game.record, result.format, ending=game.ending)
    return lines.findall(text), lines.findall(written)


def test_move_lines_are_written_as_they_were():
    found = {name: lines for name in files() if (lines := rewritten(name)) is not None}
    assert len(found) > 590
    assert {name for name, (before, after) in found.items() if before != after} == set(OTHERWISE)


@pytest.mark.parametrize("name", [name for name, why in OTHERWISE.items() if why not in (NUMBER, BY_HAND)])
def test_otherwise_written_lines_have_the_same_moves(name):
    found = rewritten(name)
    assert found is not None
    before, after = (
        [re.sub(r"\(.*|[ 　+]|詰み?$|^まで.*|同", "", line).replace("竜", "龍") for line in lines]
        for lines in found
    )
    assert "".join(before) == "".join(after)
