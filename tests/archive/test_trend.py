"""Games through a position by year."""

from __future__ import annotations

import pytest

from archive.queries import trend as module
from archive.queries.scope import PUBLIC
from archive.queries.trend import trend
from kifu_core.shogi.keys import shogi64
from kifu_core.shogi.position import Position
from tests.archive import builders

pytestmark = pytest.mark.django_db

START = shogi64.encode(Position.initial())


def code(sfen: str) -> str:
    return shogi64.encode(Position.from_sfen(sfen))


def test_games_are_counted_by_year_without_gaps() -> None:
    builders.ingest(
        builders.ready("7g7f", day="2020/01/01"),
        builders.ready("7g7f 3c3d", day="2022/01/01"),
        builders.ready("7g7f 8c8d", day="2022/02/02"),
        builders.ready("2g2f"),
        builders.ready("5g5f", kind="problem", day="2021/01/01"),
    )
    found = trend(PUBLIC, "shogi", START)
    assert found.years == ((2020, 1), (2021, 0), (2022, 2))
    assert found.whole


def test_a_match_counts_the_other_orientations_too() -> None:
    builders.ingest(builders.ready("7g7f", day="2020/01/01"), builders.ready("3g3f", day="2021/01/01"))
    after = code("lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2")
    assert trend(PUBLIC, "shogi", after).years == ((2020, 1),)
    mirrored = builders.ready(
        "3g3f", start="lnsgkgsnl/1b5r1/ppppppppp/9/9/9/PPPPPPPPP/1R5B1/LNSGKGSNL b - 1", day="2023/01/01"
    )
    builders.ingest(mirrored)
    assert trend(PUBLIC, "shogi", after, "mirror").years == ((2020, 1), (2021, 0), (2022, 0), (2023, 1))


def test_a_year_that_was_not_looked_at_whole_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "NEWEST", 3)
    days = ["2020/01/01", "2021/01/01", "2021/05/05", "2022/01/01", "2023/01/01"]
    lines = ["7g7f", "2g2f", "5g5f", "6g6f", "1g1f"]
    builders.ingest(*(builders.ready(line, day=day) for line, day in zip(lines, days, strict=True)))
    found = trend(PUBLIC, "shogi", START)
    assert found.years == ((2022, 1), (2023, 1))
    assert not found.whole
