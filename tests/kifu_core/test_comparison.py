"""The table of what each format carries says what the writers and readers do."""

from __future__ import annotations

import pytest

from kifu_core.shogi.formats import losses
from tests.kifu_core.comparison import FORMATS, PAGE, carried, fields, page, sample

LOSSES = {
    "moves": "lost-moves",
    "variations": "lost-forks",
    "comments": "lost-comments",
    "bookmarks": "lost-bookmarks",
    "times": "lost-times",
    "other headers": "lost-headers",
}


def test_the_table_in_the_documentation_is_the_one_of_today():
    assert PAGE.read_text(encoding="utf-8") == page(), "run: python -m tests.kifu_core.comparison"


@pytest.mark.parametrize("file_format", FORMATS)
def test_what_does_not_come_back_is_announced_as_lost(file_format):
    found = carried(file_format)
    lost = {issue.code for issue in losses(sample(), file_format, csa="3")}
    for part, code in LOSSES.items():
        assert found[part] != (code in lost) or (part, file_format) in (
            ("bookmarks", "jkf"),
            ("variations", "usen"),
            ("times", "csa"),  # those of the main line come back
        )


def test_every_format_carries_the_start():
    assert all(carried(name)["start position"] for name in FORMATS)


def test_only_jkf_names_the_captured_piece():
    assert [name for name in FORMATS if fields(name)["captured piece (`capture`)"]] == ["jkf"]
