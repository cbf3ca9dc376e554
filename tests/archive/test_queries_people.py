"""Players and events added up, and the archive as a whole."""

from __future__ import annotations

from random import Random

import pytest
from django.core.cache import caches

from archive.derive.game import DerivedGame, derive_game
from archive.models import Event, Game, Player
from archive.queries.games.records_by_kind import STEP
from archive.queries.games.statistics import counts, statistics
from archive.queries.names import people
from archive.queries.scope import PUBLIC
from tests.archive import builders
from tests.archive.spellings import add_spelling

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _nothing_kept() -> None:
    caches["counted"].clear()


def store() -> None:
    """Three games of 甲 and one of others."""
    builders.ingest(
        builders.ready("7g7f 3c3d", black="甲", white="乙", day="2020/01/01", event="名人戦"),
        builders.ready("7g7f 8c8d", winner=1, black="甲", white="丙", day="2022/05/05", event="名人戦"),
        builders.ready("2g2f 8c8d", winner=0, black="乙", white="甲", day="2022/06/06"),
        builders.ready("2g2f 3c3d", winner=None, black="丙", white="丁"),
        builders.ready("5g5f", kind="problem", black="甲"),
    )


def player(name: str) -> int:
    return int(Player.objects.get(name=name).pk)


def as_numbers(tally: people.ResultCounts) -> tuple[int, int, int, int]:
    return tally.wins, tally.losses, tally.draws, tally.unknown


def test_a_players_record_is_added_up_by_side_and_opponent() -> None:
    store()
    result = people.player_summary(PUBLIC, player("甲"))
    assert result
    assert [as_numbers(side) for side in result.sides["shogi"]] == [(1, 1, 0, 0), (0, 1, 0, 0)]
    assert [(one.name, as_numbers(tally)) for one, tally in result.people] == [
        ("乙", (1, 1, 0, 0)),
        ("丙", (0, 1, 0, 0)),
    ]
    assert result.years == ((2020, 1), (2021, 0), (2022, 2))
    assert (result.counted, result.more) == (3, False)


def test_other_names_of_a_player_are_told() -> None:
    store()
    add_spelling(Player.objects.get(name="甲"), "甲野")
    result = people.player_summary(PUBLIC, player("甲"))
    assert result
    assert result.aliases == ("甲野",)


def test_an_event_is_added_up_by_side_and_player() -> None:
    store()
    result = people.label_summary(PUBLIC, "event", Event.objects.get().pk)
    assert result
    assert as_numbers(result.sides["shogi"][0]) == (1, 1, 0, 0)
    assert {one.name: as_numbers(tally) for one, tally in result.people} == {
        "甲": (1, 1, 0, 0),
        "乙": (0, 1, 0, 0),
        "丙": (1, 0, 0, 0),
    }


def test_nobody_has_no_summary() -> None:
    assert people.player_summary(PUBLIC, 99) is None
    assert people.label_summary(PUBLIC, "event", 99) is None


def test_only_the_latest_games_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(people, "MOST_COUNTED", 2)
    store()
    result = people.player_summary(PUBLIC, player("甲"))
    assert result
    assert (result.counted, result.more) == (2, True)
    assert result.years == ((2022, 2),)


def test_names_come_in_order_by_part_and_page_by_page() -> None:
    store()
    every = people.names(PUBLIC, "player")
    assert [one.name for one in every] == sorted("甲乙丙丁", key=str)
    assert {one.name: one.games for one in every}["甲"] >= 3
    assert [one.name for one in people.names(PUBLIC, "player", "乙")] == ["乙"]
    assert people.names(PUBLIC, "player", "%") == people.names(PUBLIC, "player", "_") == []
    first = people.names(PUBLIC, "player", limit=2)
    assert [*first, *people.names(PUBLIC, "player", after=first[-1].name)] == every
    assert [one.name for one in people.names(PUBLIC, "event")] == ["名人戦"]


def test_the_archive_is_added_up_without_problems_and_trees() -> None:
    store()
    result = statistics(PUBLIC)
    assert result.games == 4
    assert result.years == ((2020, 1), (2021, 0), (2022, 2))
    assert result.undated == 1
    assert result.results == (2, 1, 0, 1)
    assert result.lengths == ((0, 4),)
    assert result.endings == (("TORYO", 4),)


def test_lengths_have_classes_without_gaps() -> None:
    shuffle = ["2h3h", "8b7b", "3h2h", "7b8b"] * 15
    builders.ingest(builders.ready(shuffle), builders.ready("7g7f"))
    assert statistics(PUBLIC).lengths == ((0, 1), (STEP, 0), (2 * STEP, 0), (3 * STEP, 1))


def timed(played: str, *seconds: int) -> DerivedGame:
    """A game whose moves took so long."""
    created = builders.record(played)
    for entry, used in zip(created["moves"][1:], seconds, strict=False):
        entry["time"] = {"now": {"m": used // 60, "s": used % 60}, "total": {"h": 0, "m": 0, "s": 0}}
    return derive_game(builders.parsed(created))


def test_games_are_counted_by_the_time_that_both_sides_used() -> None:
    builders.ingest(
        timed("7g7f 3c3d 2g2f", 20, 30, 9),  # 59 seconds
        timed("7g7f 8c8d 2g2f", 400, 199, 1),  # exactly ten minutes
        timed("2g2f 8c8d", 0, 0),  # no clock
        builders.ready("5g5f"),
    )
    assert statistics(PUBLIC).durations == ((0, 1), (60, 0), (300, 0), (600, 1))


def test_sums_agree_with_the_games_one_by_one() -> None:
    random = Random(5)
    builders.ingest(*(builders.random_game(random) for _ in range(60)))
    games = Game.objects.filter(record_kind="game")
    results = statistics(PUBLIC)
    assert results.games == games.count()
    assert results.results == tuple(games.filter(result=result).count() for result in range(4))
    for one in people.names(PUBLIC, "player"):
        summary = people.player_summary(PUBLIC, one.id)
        assert summary
        for colour, side in enumerate(summary.sides["shogi"]):
            assert side.games == games.filter(**{f"player{colour}": one.id}).count()
            assert side.wins == games.filter(**{f"player{colour}": one.id}, result=colour).count()


def test_sums_of_a_large_archive_are_kept_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("archive.queries.games.records_by_kind.RECOUNT_LIMIT", 0)
    monkeypatch.setattr("archive.queries.games.records_by_kind.GAMES_A_SECOND", 0.01)
    store()
    assert (counts(PUBLIC).games, statistics(PUBLIC).games) == (5, 4)
    builders.ingest(builders.ready("1g1f", black="戊"))
    assert (counts(PUBLIC).games, statistics(PUBLIC).games) == (5, 4)
    caches["counted"].clear()
    assert (counts(PUBLIC).games, statistics(PUBLIC).games) == (6, 5)


def test_an_empty_archive_adds_up_to_nothing() -> None:
    result = statistics(PUBLIC)
    assert (result.games, result.years, result.lengths, result.endings) == (0, (), (), ())
    assert counts(PUBLIC).positions == 0
