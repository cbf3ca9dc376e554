"""Lists of games: filters, order, pages."""

from __future__ import annotations

from datetime import date

import pytest

from archive.ingest.ready import ReadyGame
from archive.models import Player, PlayerAlias
from archive.queries.games import GameFilters, find_games
from archive.queries.pages import InvalidCursorError
from tests.archive.builders import ingest, ready

pytestmark = pytest.mark.django_db

DAYS = ["2020/01/01", "2020/01/01", "2021/03", "1743", "", ""]


def games() -> list[ReadyGame]:
    """Six games named a to f, two of them without a day."""
    return [
        ready("7g7f 3c3d 2g2f", black=name, white="乙", **({"day": day} if day else {}))
        for name, day in zip("abcdef", DAYS, strict=True)
    ]


def names(filters: GameFilters | None = None, **options) -> list[str]:
    return [row.black for row in find_games(filters, **options).items]


def test_newest_and_oldest_come_first_and_unknown_days_last():
    for game in games():
        ingest(game)
    assert names() == ["c", "b", "a", "d", "f", "e"]
    assert names(order="oldest") == ["d", "a", "b", "c", "e", "f"]


@pytest.mark.parametrize("order", ["newest", "oldest"])
@pytest.mark.parametrize("filters", [None, GameFilters(white="乙"), GameFilters(player="乙")])
@pytest.mark.parametrize("limit", [1, 2, 3, 6])
def test_pages_follow_each_other_without_gaps(order, filters, limit):
    ingest(*games())
    whole = names(filters, order=order)
    pages, cursor = [], None
    while True:
        page = find_games(filters, order, cursor, limit)
        pages += [row.black for row in page.items]
        cursor = page.next
        if cursor is None:
            break
    assert pages == whole and len(whole) == 6


def test_a_row_tells_what_is_known_of_a_game():
    ingest(ready("7g7f", black="羽生善治 九段", event="王位戦", site="東京", day="2021/03", winner=1))
    (row,) = find_games().items
    assert (row.black, row.white, row.event, row.site) == ("羽生善治", "", "王位戦", "東京")
    assert (row.played_from, row.played_to, row.precision) == (date(2021, 3, 1), date(2021, 3, 31), "month")
    assert (row.result, row.plies, row.handicap, row.kind, row.record_kind) == (
        1,
        1,
        "HIRATE",
        "shogi",
        "game",
    )


def test_names_are_found_as_they_are_written_on_records():
    ingest(ready("7g7f", black="羽生善治", white="谷川浩司"), ready("2g2f", black="谷川浩司", white="丙"))
    assert sorted(names(GameFilters(player="谷川　浩司 十七世名人"))) == ["羽生善治", "谷川浩司"]
    assert names(GameFilters(black="谷川浩司")) == ["谷川浩司"]
    assert names(GameFilters(white="谷川浩司")) == ["羽生善治"]
    assert names(GameFilters(black="羽生善治", white="谷川浩司")) == ["羽生善治"]
    assert names(GameFilters(black="羽生善治", player="谷川浩司")) == ["羽生善治"]
    assert names(GameFilters(player="谷川")) == names(GameFilters(event="谷川浩司")) == []


def test_a_player_is_found_by_an_alias():
    ingest(ready("7g7f", black="羽生善治"))
    PlayerAlias.objects.create(name="Habu", player=Player.objects.get())
    assert names(GameFilters(player="Habu")) == ["羽生善治"]
    ingest(ready("2g2f", white="Habu", black="甲"))
    assert Player.objects.count() == 2
    assert sorted(names(GameFilters(player="羽生善治"))) == ["甲", "羽生善治"]


def test_who_plays_himself_is_listed_once():
    ingest(ready("7g7f", black="甲", white="甲"), ready("2g2f", black="甲"), ready("5g5f", white="甲"))
    assert len(find_games(GameFilters(player="甲")).items) == 3


def test_days_results_and_kinds_are_filters():
    ingest(*games())
    ingest(ready("2g2f", kind="problem", black="p"), ready("5g5f", winner=None, black="u", event="王位戦"))
    assert set(names(GameFilters(since=date(2020, 1, 1)))) == {"a", "b", "c"}
    assert set(names(GameFilters(until=date(2020, 1, 1)))) == {"a", "b", "d"}
    assert set(names(GameFilters(since=date(1800, 1, 1), until=date(2020, 12, 1)))) == {"a", "b"}
    assert set(names(GameFilters(result=0))) == set("abcdef")
    assert names(GameFilters(result=3, record_kind="game")) == ["u"]
    assert names(GameFilters(event="王位戦")) == ["u"]
    assert names(GameFilters(event="王位戦", result=0)) == []
    assert names(GameFilters(record_kind="problem")) == ["p"]
    assert names(GameFilters(handicap="KY")) == [] and len(names(GameFilters(kind="shogi"))) == 8


def test_a_changed_cursor_is_refused():
    ingest(*games())
    cursor = find_games(limit=2).next
    with pytest.raises(InvalidCursorError):
        find_games(cursor=cursor[:-2] + "xx")
    with pytest.raises(InvalidCursorError):
        find_games(order="oldest", cursor=cursor)
    with pytest.raises(ValueError):
        find_games(limit=501)
