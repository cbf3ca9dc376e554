"""Lists of games: filters, order, pages."""

from __future__ import annotations

from datetime import date

import pytest

from archive import store
from archive.derive.game import DerivedGame, derive_game
from archive.models import Arrival, Game, Player, Upload, User
from archive.queries.games import keyset, list_query
from archive.queries.games import listing as module
from archive.queries.games.filters import GameFilters
from archive.queries.games.game_json import GameInfo
from archive.queries.games.keyset import ORDERS, InvalidCursorError
from archive.queries.games.listing import find_games
from archive.queries.scope import PUBLIC
from tests.archive.builders import ingest, parsed, ready, record
from tests.archive.games import KIF, stored
from tests.archive.library_games import game_of, send
from tests.archive.spellings import add_spelling
from tests.cases import each

pytestmark = pytest.mark.django_db

DAYS = ["2020/01/01", "2020/01/01", "2021/03", "1743", "", ""]


def games() -> list[DerivedGame]:
    """Six games named a to f, two of them without a day."""
    return [
        ready("7g7f 3c3d 2g2f", black=name, white="乙", **({"day": day} if day else {}))
        for name, day in zip("abcdef", DAYS, strict=True)
    ]


def names(filters: GameFilters | None = None, **options) -> list[str]:
    return [row.first for row in find_games(PUBLIC, filters, **options).items]


def test_newest_and_oldest_come_first_and_unknown_days_last():
    for game in games():
        ingest(game)
    assert names() == ["c", "b", "a", "d", "f", "e"]
    assert names(order="oldest") == ["d", "a", "b", "c", "e", "f"]


@pytest.fixture
def six_games() -> None:
    ingest(*games())


@each("order", ORDERS)
@each("filters", [None, GameFilters(white="乙"), GameFilters(player="乙")])
@each("limit", [1, 2, 3, 6])
def test_pages_follow_each_other_without_gaps(six_games, order, filters, limit):
    complete = names(filters, order=order)
    pages, cursor = [], None
    while True:
        page = find_games(PUBLIC, filters, order, cursor, limit)
        pages += [row.first for row in page.items]
        cursor = page.next
        if cursor is None:
            break
    assert pages == complete and len(complete) == 6


SHUFFLE = ["2h3h", "8b7b", "3h2h", "7b8b"]
LENGTHS = {"a": 5, "b": 9, "c": 5, "d": 1, "e": 9, "f": 7}


@pytest.fixture
def by_length() -> None:
    """The same six, one after the other, each of its own length."""
    for (name, plies), day in zip(LENGTHS.items(), DAYS, strict=True):
        dated = {"day": day} if day else {}
        winner = None if name in "be" else 0
        ingest(ready((SHUFFLE * 3)[:plies], black=name, white="乙", winner=winner, **dated))


ASKED = [
    (None, "abcdef"),
    (GameFilters(player="乙"), "abcdef"),
    (GameFilters(white="乙"), "abcdef"),
    (GameFilters(result=0), "acdf"),
    (GameFilters(player="乙", result=3), "be"),
    (GameFilters(since=date(2000, 1, 1)), "abc"),
    (GameFilters(player="乙", until=date(2020, 12, 31)), "abd"),
    (GameFilters(min_plies=5, max_plies=7), "acf"),
    (GameFilters(game="shogi", handicap="HIRATE"), "abcdef"),
    (GameFilters(player="丙"), ""),
    (GameFilters(min_rating=1), ""),
    (GameFilters(max_rating=9999), ""),
    (GameFilters(place="天童"), ""),
    (GameFilters(has="forks"), ""),
    (GameFilters(format="kif"), ""),
    (GameFilters(program="Kifu"), ""),
    (GameFilters(source="nowhere.zip"), ""),
    (GameFilters(uploaded_from=date(2020, 1, 1)), "abcdef"),
    (GameFilters(uploaded_to=date(2020, 1, 1)), ""),
    (GameFilters(q="plies:5..7 NOT player:丙"), "acf"),
    (GameFilters(q="player:乙 (a OR b)"), "ab"),
]


@pytest.mark.parametrize("sorted_whole", [0, 5000])
@pytest.mark.parametrize("looked_at", [1, 2, 20_000])
@each(("filters", "found"), ASKED)
def test_lists_are_sorted_by_arrival_and_by_length(
    by_length, monkeypatch, filters, found, looked_at, sorted_whole
):
    """Whether a list is sorted, or looked for among all games piece by piece."""
    monkeypatch.setattr(list_query, "SORTED_GAMES", sorted_whole)
    monkeypatch.setattr(module, "PAGE_GAMES", looked_at)
    expected = {
        "added": [*reversed(found)],
        "longest": [name for name in "ebfcad" if name in found],
        "shortest": [name for name in "dacfbe" if name in found],
        "newest": [name for name in "cbadfe" if name in found],
        "oldest": [name for name in "dabcef" if name in found],
    }
    assert {order: through_pages(filters, order, 2) for order in ORDERS} == expected


def through_pages(filters, order, limit):
    """The names on all pages; no page has more than its limit."""
    listed, cursor = [], None
    while True:
        page = find_games(PUBLIC, filters, order, cursor, limit)
        assert len(page.items) <= limit
        listed += [row.first for row in page.items]
        cursor = page.next
        if cursor is None:
            return listed


def test_what_came_in_a_small_upload_is_sorted_without_looking_at_other_games(by_length, monkeypatch):
    ingest(*(ready(f"7g7f {reply}", black=reply) for reply in ("3c3d", "8c8d")))
    monkeypatch.setattr(module, "PAGE_GAMES", 1)
    first = Upload.objects.order_by("pk")[0]
    for order in ORDERS:
        page = find_games(PUBLIC, GameFilters(upload=first.pk), order)
        assert [row.first for row in page.items] == ["a"] and page.next is None
    monkeypatch.setattr(list_query, "LARGE_UPLOAD", 0)
    for order in ORDERS:
        assert through_pages(GameFilters(upload=first.pk), order, 2) == ["a"]
    last = find_games(PUBLIC, GameFilters(upload=Upload.objects.latest("pk").pk), "longest")
    assert {row.first for row in last.items} == {"3c3d", "8c8d"}


def test_a_page_is_looked_for_until_it_has_a_game(by_length, monkeypatch):
    monkeypatch.setattr(module, "PAGE_GAMES", 1)
    page = find_games(PUBLIC, GameFilters(black="b", result=3), "added")
    assert [row.first for row in page.items] == ["b"]
    page = find_games(PUBLIC, GameFilters(result=3, min_plies=1000), "added")
    assert (page.items, page.next, page.searching) == ((), None, False)


def test_a_page_ends_where_it_has_looked_at_enough_games(by_length, monkeypatch):
    monkeypatch.setattr(module, "PAGE_GAMES", 2)
    monkeypatch.setattr(keyset, "SCAN_SECONDS", 0)
    page = find_games(PUBLIC, GameFilters(result=3), "added")
    assert [row.first for row in page.items] == ["e"] and page.next
    page = find_games(PUBLIC, GameFilters(result=3), "added", page.next)
    assert page.items == () and page.next and page.searching
    page = find_games(PUBLIC, GameFilters(result=3), "added", page.next)
    assert [row.first for row in page.items] == ["b"]
    # Without anything that games must have there is nothing to look for.
    assert (
        len(find_games(PUBLIC, None, "longest").items)
        == len(find_games(PUBLIC, GameFilters(player="乙")).items)
        == 6
    )


def test_the_last_one_added_stays_the_last_when_a_game_is_read_again():
    ingest(ready("7g7f 3c3d", black="a"))
    ingest(ready("2g2f 8c8d", black="b"))
    store.reindex_games([Game.objects.get(player0__name="a").pk])
    first, last = (Game.objects.get(player0__name=name) for name in "ab")
    assert first.slot > last.slot
    assert names(order="added") == ["b", "a"]


def test_an_order_that_there_is_not_is_refused():
    with pytest.raises(ValueError, match="added, longest, shortest"):
        find_games(PUBLIC, order="random")


def test_a_row_tells_what_is_known_of_a_game():
    ingest(ready("7g7f", black="羽生善治 九段", event="王位戦", site="東京", day="2021/03", winner=1))
    (row,) = find_games(PUBLIC).items
    assert (row.first, row.second, row.event, row.site) == ("羽生善治", "", "王位戦", "東京")
    assert (row.played_from, row.played_to, row.precision) == (date(2021, 3, 1), date(2021, 3, 31), "month")
    assert (row.result, row.plies, row.handicap, row.kind, row.record_kind) == (
        1,
        1,
        "HIRATE",
        "shogi",
        "game",
    )


CSA_LIKE = """V2.2
N+甲
N-乙
$TIME_LIMIT:00:25+30
'black_rate:甲:2500.4
'white_rate:乙:1800
PI
+
+7776FU
T5
'*良い手
%TORYO
"""


def test_a_row_tells_ratings_times_and_what_its_record_has():
    upload = stored(CSA_LIKE)
    (row,) = find_games(PUBLIC).items
    game = GameInfo.from_row(row, "", "public")
    assert (game.black_rating, game.white_rating) == (2500, 1800)
    assert (game.time_control, game.has) == ("1500+30+0", ["comments", "times"])
    assert game.arrived == game.changed == upload.received.replace(microsecond=0)


@pytest.mark.parametrize(
    ("header", "told"),
    [
        ({}, ""),
        ({"持ち時間": "6時間"}, "21600+0+0"),
        ({"先手持ち時間": "10分", "後手持ち時間": "5分"}, "600+0+0/300+0+0"),
        ({"後手持ち時間": "5分"}, "/300+0+0"),
        ({"持ち時間": "10分 30秒 10回"}, "600+30+0+10"),
    ],
)
def test_a_time_control_is_written_in_seconds(header, told):
    ingest(derive_game(parsed(record("7g7f", header=header))))
    (row,) = find_games(PUBLIC).items
    assert GameInfo.from_row(row, "", "public").time_control == told


def test_a_game_tells_when_another_edition_changed_it():
    ingest(ready("7g7f 3c3d", black="甲", white="乙", day="2021/03/01"))
    (before,) = find_games(PUBLIC).items
    ingest(ready("7g7f 3c3d", black="甲", white="乙", day="2021/03/01"))
    assert find_games(PUBLIC).items[0].changed is before.changed is None
    ingest(ready("7g7f 3c3d", black="甲", white="乙", day="2021/03/01", site="東京"))
    (after,) = find_games(PUBLIC).items
    assert (after.id, after.site, after.arrived) == (before.id, "東京", before.arrived)
    assert after.changed is not None and after.changed > after.arrived
    assert GameInfo.from_row(after, "", "public").changed == after.changed.replace(microsecond=0)


def test_a_game_that_was_published_arrived_then():
    anna = User.objects.create_user("anna", password="opensesame")
    game = game_of(send(anna, KIF))
    store.move_game(game.pk, PUBLIC.spaces[0])
    (row,) = find_games(PUBLIC).items
    assert row.arrived == Arrival.objects.get(game=game.pk, moved=True).at


def test_names_are_found_as_they_are_written_on_records():
    ingest(ready("7g7f", black="羽生善治", white="谷川浩司"), ready("2g2f", black="谷川浩司", white="丙"))
    assert sorted(names(GameFilters(player="谷川　浩司 十七世名人"))) == ["羽生善治", "谷川浩司"]
    assert names(GameFilters(black="谷川浩司")) == ["谷川浩司"]
    assert names(GameFilters(white="谷川浩司")) == ["羽生善治"]
    assert names(GameFilters(black="羽生善治", white="谷川浩司")) == ["羽生善治"]
    assert names(GameFilters(black="羽生善治", player="谷川浩司")) == ["羽生善治"]
    assert sorted(names(GameFilters(player="谷川"))) == ["羽生善治", "谷川浩司"]
    assert names(GameFilters(event="谷川浩司")) == []


def test_a_player_is_found_by_an_alias():
    ingest(ready("7g7f", black="羽生善治"))
    add_spelling(Player.objects.get(), "Habu")
    assert names(GameFilters(player="Habu")) == ["羽生善治"]
    ingest(ready("2g2f", white="Habu", black="甲"))
    assert Player.objects.filter(home=None).count() == 2
    assert sorted(names(GameFilters(player="羽生善治"))) == ["甲", "羽生善治"]


def test_who_plays_himself_is_listed_once():
    ingest(ready("7g7f", black="甲", white="甲"), ready("2g2f", black="甲"), ready("5g5f", white="甲"))
    assert len(find_games(PUBLIC, GameFilters(player="甲")).items) == 3


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
    assert names(GameFilters(handicap="KY")) == [] and len(names(GameFilters(game="shogi"))) == 8


def test_a_changed_cursor_is_refused():
    ingest(*games())
    cursor = find_games(PUBLIC, limit=2).next
    with pytest.raises(InvalidCursorError):
        find_games(PUBLIC, cursor=cursor[:-2] + "xx")
    with pytest.raises(InvalidCursorError):
        find_games(PUBLIC, order="oldest", cursor=cursor)
    with pytest.raises(ValueError):
        find_games(PUBLIC, limit=501)
