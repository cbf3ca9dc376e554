"""Games through a position by year."""

from __future__ import annotations

from typing import Any

import pytest
from rest_framework.test import APIClient

from archive import libraries, store
from archive.accounts import tokens
from archive.intake import worker
from archive.models import User
from archive.queries.positions import trend as module
from archive.queries.positions.trend import trend
from archive.queries.scope import PUBLIC
from kifu_core.games import SHOGI
from kifu_core.shogi.keys import shogi64
from kifu_core.shogi.position import Position
from tests.archive import builders
from tests.archive.games import KIF

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
    result = trend(PUBLIC, "shogi", START)
    assert result.years == ((2020, 1), (2021, 0), (2022, 2))
    assert result.complete


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
    result = trend(PUBLIC, "shogi", START)
    assert result.years == ((2022, 1), (2023, 1))
    assert not result.complete


def get_trend(path: str, **query: str) -> Any:
    return APIClient().get(f"/api/v1/positions/{path}/trend", query)


def test_the_api_tells_games_by_year() -> None:
    builders.ingest(
        builders.ready("7g7f", day="2020/01/01"),
        builders.ready("7g7f 3c3d", day="2022/01/01"),
        builders.ready("2g2f"),
    )
    assert get_trend(f"shogi/{START}").json() == {
        "game": "shogi",
        "match": "exact",
        "code": START,
        "years": [{"year": 2020, "games": 1}, {"year": 2021, "games": 0}, {"year": 2022, "games": 1}],
        "complete": True,
    }


def test_the_api_counts_the_orientations_that_are_asked_for() -> None:
    builders.ingest(builders.ready("7g7f", day="2020/01/01"))
    mirrored = code("lnsgkgsnl/1b5r1/ppppppppp/9/9/9/PPPPPPPPP/1R5B1/LNSGKGSNL b - 1")
    path = SHOGI.codec.path_code(mirrored)
    assert get_trend(f"shogi/{path}").json()["years"] == []
    data = get_trend(f"shogi/{path}", match="mirror").json()
    assert (data["match"], data["code"]) == ("mirror", mirrored)
    assert data["years"] == [{"year": 2020, "games": 1}]


def test_the_api_says_that_older_games_were_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "NEWEST", 2)
    days = ("2021/01/01", "2022/01/01", "2023/01/01")
    lines = ("7g7f", "2g2f", "5g5f")
    builders.ingest(*(builders.ready(line, day=day) for line, day in zip(lines, days, strict=True)))
    data = get_trend(f"shogi/{START}").json()
    assert (data["years"], data["complete"]) == ([{"year": 2023, "games": 1}], False)


def test_the_api_answers_a_position_that_nobody_reached_with_no_years() -> None:
    data = get_trend(f"shogi/{START}").json()
    assert (data["years"], data["complete"]) == ([], True)


def test_the_api_counts_games_of_a_library_for_who_may_read_it() -> None:
    owner = User.objects.create_user("anna")
    created, _new = store.create_upload(
        "own.kif", [KIF.encode()], owner, space=libraries.own_library(owner).pk
    )
    worker.work_off(created.pk)
    assert get_trend(f"shogi/{START}").json()["years"] == []
    token = tokens.create(owner, "test", ("read-private",), None)[1]
    client = APIClient(headers={"Authorization": f"Bearer {token}"})
    data = client.get(f"/api/v1/positions/shogi/{START}/trend", {"scope": "mine"}).json()
    assert data["years"] == [{"year": 2024, "games": 1}]


@pytest.mark.parametrize(
    ("path", "query", "status", "error"),
    [
        ("shogi/xx", {}, 400, "truncated"),
        ("chess/xyz", {}, 404, "unknown-game"),
        (f"shogi/{START}", {"match": "some"}, 400, "invalid"),
        (f"shogi/{START}", {"lines": "all"}, 400, "invalid"),
    ],
)
def test_the_api_refuses_what_has_no_trend(path: str, query: dict[str, str], status: int, error: str) -> None:
    answer = get_trend(path, **query)
    assert (answer.status_code, answer.json()["code"]) == (status, error)
