"""Move lines of real files, written again, are the same to the byte, or the row here says why not."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from kifu_core import dump, load
from kifu_core.decoding import decode
from kifu_core.errors import KifuError
from tests.cases import each
from tests.shared import CORPUS

pytestmark = pytest.mark.shared

LINES = {
    "kif": re.compile(r"^[ 　]*[0-9]+ [^\n]*|^まで[^\n]*|^[ 　]*変化[^\n]*", re.MULTILINE),
    "ki2": re.compile(r"^[ 　]*[▲△☗☖][^：\n]*$|^まで[^\n]*|^[ 　]*変化[^\n]*", re.MULTILINE),
}

Lines = list[str]


def _without(pattern: str) -> Callable[[Lines], Lines]:
    """Lines without what a pattern matches; lines of which nothing is left are left out."""

    def remove_matches(lines: Lines) -> Lines:
        return [line for line in (re.sub(pattern, "", line) for line in lines) if line]

    return remove_matches


def _tokens(lines: Lines) -> Lines:
    """Moves of KI2, whatever their number on a line and their width."""
    text = "\n".join(re.sub(r"^([^▲△].*)$", r"▲\1", line) for line in lines)
    return [token.strip(" \n") for token in re.split("(?=[▲△])", text)]


def _blanks(lines: Lines) -> Lines:
    """Rows whose columns are left out of account."""
    return [re.sub(" +", " ", line).strip(" ") for line in lines]


def _branch(lines: Lines) -> Lines:
    """Rows without the hour's second digit, the sign of a variation, 目, and the mark of the second one."""
    rows = [re.sub(r"/0?(\d):", r"/\1:", line).removesuffix("+") for line in lines]
    return [row.removesuffix("目") for row in rows if row != "変化：5手目"]


ANDROID = "Kifu for Android Pro writes no + where a variation follows, and no result line"
IPHONE = "Kifu for iPhone writes no result line"
DRAGON = "竜, of which 龍 is written"
MATE = "an early version writes 詰み also of a problem, the later ones まで7手詰"
PROBLEM = "まで7手詰 of a problem; in KI2 tsshogi reads no ending there, as it does in まで7手で詰"
NUMBER = "two rows have the same number; numbers go on by one"
HOUR = "by hand: the hours of totals have one digit"
HOUR_AND_END = "by hand: one digit of hours, 手目, no +, and a variation of the ply behind its line's last"
COLUMNS = "by hand: rows without columns"
WIDTH = "another program's line: other blanks, more or fewer moves on it"
VARIATION = "another program: the ply of a variation has columns"

REASONS: dict[str, Callable[[Lines], Lines]] = {
    ANDROID: _without(r"\+$|^まで.*"),
    IPHONE: _without(r"^まで.*"),
    DRAGON: lambda lines: [line.replace("竜", "龍") for line in lines],
    MATE: lambda lines: [re.sub(r"手で?詰み?$", "手詰", line) for line in lines],
    PROBLEM: lambda lines: [re.sub(r"手で?詰$", "手詰", line) for line in lines],
    NUMBER: lambda lines: [re.sub(r"^ *[56] (４二銀)", r"   6 \1", line) for line in lines],
    HOUR: lambda lines: [re.sub(r"/0?(\d):", r"/\1:", line) for line in lines],
    HOUR_AND_END: _branch,
    COLUMNS: _blanks,
    WIDTH: _tokens,
    VARIATION: lambda lines: [re.sub(r"^変化： *", "変化：", line) for line in lines],
}
"""Why lines come out otherwise, and what makes the lines of both sides the same if that is all."""

OTHERWISE = {
    "kif/club-games/0aa416d2c9d0-0aa416.kif": ANDROID,
    "kif/club-games/2a4f4de2131e-2a4f4d.kif": ANDROID,
    "kif/club-games/2e405b9bf26c-2e405b.kif": ANDROID,
    "kif/club-games/8b252f18d6f9-8b252f.kif": ANDROID,
    "kif/club-games/d46928d87998-d46928.kif": ANDROID,
    "kif/club-games/ef6bda2350e3-ef6bda.kif": ANDROID,
    "kif/hnakada123__ShogiBoardQ/oui202509090101-377bb4.kif": DRAGON,
    "kif/hnakada123__ShogiBoardQ/test_basic-547a86.kif": HOUR,
    "kif/hnakada123__ShogiBoardQ/test_branch-8277ba.kif": HOUR_AND_END,
    "kif/hnakada123__ShogiBoardQ/test_comments-e8e3c2.kif": HOUR,
    "kif/na2hiro__Kifu-for-JS/fork-test-13c0df.kif": NUMBER,
    "kif/na2hiro__Kifu-for-JS/hashimoto-sos-78180d.kif": MATE,
    "kif/na2hiro__Kifu-for-JS/kifu_for_iphone-fc9504.kif": IPHONE,
    "kif/na2hiro__Kifu-for-JS/last-fork-4e0271.kifu": COLUMNS,
    "ki2/hnakada123__ShogiBoardQ/test_basic-73209d.ki2": WIDTH,
    "ki2/na2hiro__Kifu-for-JS/20091203-14f90b.ki2": WIDTH,
    "ki2/na2hiro__Kifu-for-JS/9fu-177a0f.ki2": PROBLEM,
    "ki2/na2hiro__Kifu-for-JS/9fu-7aa2f8.ki2": PROBLEM,
    "ki2/na2hiro__Kifu-for-JS/denou3-1-89059d.ki2": WIDTH,
    "ki2/na2hiro__Kifu-for-JS/fork-14c737.ki2": VARIATION,
    "ki2/na2hiro__Kifu-for-JS/illegal-bd1eb9.ki2": VARIATION,
    "ki2/na2hiro__Kifu-for-JS/kobayashi_kinsho196702-f1ee9c.ki2": PROBLEM,
    "ki2/sunfish-shogi__shogihome/csa-sjis.vee10b01-ebce89.ki2": WIDTH,
    "ki2/sunfish-shogi__shogihome/ki2u-utf8-ab4d8d.ki2u": VARIATION,
}
"""The files whose move lines come out otherwise, and why."""

PROGRAMS = {
    ANDROID: "Kifu for Android Pro V2.72",
    IPHONE: "Kifu for iPhone V3.21",
    MATE: "Kifu for Windows V5.00",
}
"""What the files themselves say wrote them, where the reason names a program."""


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


@each("name", sorted(OTHERWISE))
def test_the_reason_is_all_the_difference(name):
    found = rewritten(name)
    assert found is not None
    before, after = found
    same = REASONS[OTHERWISE[name]]
    assert before != after and same(before) == same(after)
    program = PROGRAMS.get(OTHERWISE[name], "")
    assert program in decode((CORPUS / name).read_bytes())[0][:300]


def test_every_reason_is_needed():
    assert set(OTHERWISE.values()) == set(REASONS)
