"""Where a game leaves what earlier games had."""

from __future__ import annotations

import pytest
from rest_framework.test import APIClient

from archive.models import Game
from archive.queries.positions import novelty as module
from archive.queries.positions.novelty import novelty
from archive.queries.scope import PUBLIC
from tests.archive import builders

pytestmark = pytest.mark.django_db

FIRST = "7g7f 3c3d 2g2f"


def of(**filters: object) -> int | None:
    return novelty(PUBLIC, Game.objects.get(**filters))


def test_the_first_game_of_an_archive_is_new_from_its_first_move() -> None:
    builders.ingest(builders.ready(FIRST, day="2020/01/01"))
    assert of() == 1


def test_a_later_game_is_new_where_it_leaves_the_earlier_ones() -> None:
    builders.ingest(
        builders.ready(FIRST, day="2020/01/01"),
        builders.ready("7g7f 3c3d 6g6f", day="2021/01/01"),
        builders.ready("7g7f 3c3d", day="2022/01/01"),
    )
    assert of(played_from="2020-01-01") == 1
    assert of(played_from="2021-01-01") == 3
    assert of(played_from="2022-01-01") is None


def test_the_order_in_which_games_came_does_not_matter_only_their_days() -> None:
    builders.ingest(builders.ready(FIRST, day="2020/01/01"))
    builders.ingest(builders.ready("7g7f 3c3d 6g6f", day="1990/01/01"))
    assert of(played_from="1990-01-01") == 1
    assert of(played_from="2020-01-01") == 3


def test_the_way_to_a_position_does_not_matter() -> None:
    builders.ingest(
        builders.ready("7g7f 3c3d 2g2f 8c8d", day="2020/01/01"),
        builders.ready("2g2f 8c8d 7g7f 3c3d", day="2021/01/01"),
    )
    assert of(played_from="2021-01-01") == 1
    assert novelty(PUBLIC, Game.objects.get(played_from="2021-01-01")) == 1


def test_forks_problems_and_games_without_a_day_are_not_earlier_games() -> None:
    builders.ingest(
        builders.ready("7g7f", {1: [["2g2f"]]}, day="2020/01/01"),
        builders.ready("2g2f", kind="problem", day="2020/01/01"),
        builders.ready("2g2f 8c8d"),
        builders.ready("2g2f 3c3d", day="2021/01/01"),
    )
    assert of(played_from="2021-01-01") == 1
    assert of(played_from=None) is None
    assert of(record_kind="problem") is None


def test_many_positions_are_asked_for_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BATCH", 2)
    line = "7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h"
    builders.ingest(
        builders.ready(line, day="2020/01/01"),
        builders.ready(line.replace("6i7h", "2e2d"), day="2021/01/01"),
    )
    assert of(played_from="2021-01-01") == 7


def test_the_api_tells_it_of_each_game() -> None:
    builders.ingest(
        builders.ready(FIRST, day="2020/01/01"),
        builders.ready("7g7f 3c3d 6g6f", day="2021/01/01"),
        builders.ready("7g7f 3c3d", day="2022/01/01"),
        builders.ready("5g5f"),
    )
    data = {
        str(game.played_from): APIClient().get(f"/api/v1/games/{game.pk}/novelty").json()
        for game in Game.objects.all()
    }
    expected = {"2020-01-01": 1, "2021-01-01": 3, "2022-01-01": None, "None": None}
    assert data == {day: {"novelty": ply} for day, ply in expected.items()}
    assert APIClient().get("/api/v1/games/99999/novelty").status_code == 404
