"""The same game once: editions that say more or less, and snapshots of running games."""

from __future__ import annotations

import itertools
import json
import re
import threading
from collections.abc import Iterable

import pytest
from django.db import connection

from archive.models import Entry, Game, GameAlias
from archive.store import verify
from tests.archive.builders import ingest, parsed, ready, record, snapshot
from tests.archive.games import stored
from tests.shared import GOLDEN

pytestmark = pytest.mark.django_db

OPENING = "7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d 2h2d 8e8f"
LONGER = OPENING + " 8g8f 8b8f 2d2h P*8g"


def all_right() -> bool:
    return not list(verify.verify())


def only(**values: object) -> Game:
    game = Game.objects.get()
    found = {name: getattr(game, name) for name in values}
    assert found == values
    assert all_right()
    return game


# --- headers that say more or less -----------------------------------------------------------------------

TITLED = re.compile(r"^(先手|後手|上手|下手|N\+|N-)(：?)([^\n]+)$", re.MULTILINE)


def with_titles(text: str) -> str:
    return TITLED.sub(lambda found: f"{found[1]}{found[2]}{found[3].rstrip()} 九段", text)


def without_day(text: str) -> str:
    return re.sub(r"^(?:開始日時|終了日時|\$START_TIME|\$END_TIME)[^\n]*\n", "", text, flags=re.MULTILINE)


def editions_of(row: dict[str, str]) -> list[tuple[str, str]]:
    texts = [(row[name], f"game.{name}") for name in ("kif", "ki2", "csa")]
    return [
        (change(text), name)
        for text, name in texts
        for change in (str, with_titles, without_day, lambda text: without_day(with_titles(text)))
    ]


@pytest.mark.one_engine
@pytest.mark.shared
@pytest.mark.parametrize("number", range(15))
def test_a_game_in_three_formats_with_and_without_day_and_titles_is_one(number):
    row = json.loads((GOLDEN / "jkf" / "xformat.jsonl").read_text().splitlines()[number])
    editions = editions_of(row)
    for text, name in (editions, editions[::-1])[number % 2]:
        assert stored(text, name).entries.exclude(state="failed").count() == 1
    game = Game.objects.get()
    assert {entry.game_id for entry in Entry.objects.all()} == {game.pk}
    assert sorted(Entry.objects.values_list("state", flat=True)).count("stored") == 1
    assert all_right()


@pytest.mark.shared
def test_all_fifteen_games_sent_together_are_fifteen():
    rows = [json.loads(line) for line in (GOLDEN / "jkf" / "xformat.jsonl").read_text().splitlines()]
    for row in rows:
        for text, name in editions_of(row)[::5]:
            stored(text, name)
    assert Game.objects.count() == 15 and all_right()


FACTS = [
    {"black": "甲", "white": "乙", "day": "2020/01/02"},
    {"black": "甲", "white": "乙"},
    {"day": "2020/01/02"},
    {"black": "甲 九段", "day": "2020"},
    {"white": "乙", "day": "2020/01"},
    {},
]


@pytest.mark.one_engine
@pytest.mark.parametrize("order", list(itertools.permutations(range(6)))[::31])
def test_in_whatever_order_they_come_editions_are_one_game_that_knows_all(order):
    for number in order:
        ingest(ready(OPENING, winner=None if number == 3 else 0, **FACTS[number]))
    game = only(precision="day", result=0, plies=12)
    assert (game.player0.name, game.player1.name, str(game.played_from)) == ("甲", "乙", "2020-01-02")


@pytest.mark.parametrize("order", [(0, 1, 2, 3, 4, 5), (5, 4, 3, 2, 1, 0), (3, 4, 0, 5, 2, 1)])
def test_editions_that_come_in_one_batch_are_one_game(order):
    ingest(*(ready(OPENING, **FACTS[number]) for number in order))
    assert [entry.state for entry in Entry.objects.order_by("seq")] == ["stored"] + ["duplicate"] * 5
    assert only(precision="day").player0.name == "甲"


def test_equal_moves_on_different_days_are_two_games():
    ingest(ready(OPENING, black="甲", day="2020/01/02"), ready(OPENING, black="甲", day="2020/01/03"))
    assert Game.objects.count() == 2 and all_right()


def test_an_undated_game_takes_the_first_day_that_comes_and_no_second_one():
    ingest(ready(OPENING, black="甲"))
    first = Game.objects.get().pk
    ingest(ready(OPENING, black="甲", day="2020/01/02"))
    assert only(precision="day").pk == first
    ingest(ready(OPENING, black="甲", day="2021/01/02"))
    assert Game.objects.count() == 2 and all_right()
    entries = [entry.jkf["header"] for entry in Entry.objects.order_by("pk")]
    assert entries[0] == {"先手": "甲"}


def test_an_edition_that_could_be_either_of_two_games_stays_apart():
    ingest(ready(OPENING, black="甲", day="2020/01/02"), ready(OPENING, black="甲", day="2020/01/03"))
    ingest(ready(OPENING, black="甲"))
    assert Game.objects.count() == 3 and all_right()


@pytest.mark.parametrize(
    "other", [{"black": "丙"}, {"white": "丙"}, {"day": "2021"}, {"day": "2020/02"}, {"day": "2020/01/03"}]
)
def test_what_is_known_and_differs_makes_another_game(other):
    ingest(ready(OPENING, **FACTS[0]), ready(OPENING, **other))
    assert Game.objects.count() == 2


def test_a_different_result_makes_another_game():
    ingest(ready(OPENING, winner=0, black="甲"), ready(OPENING, winner=1, black="甲"))
    assert Game.objects.count() == 2


def test_short_records_are_not_taken_for_one_another():
    short = OPENING[:29]
    ingest(ready(short, black="甲", white="乙"), ready(short))
    ingest(ready(short, black="甲", white="乙", day="2020/01/02"))
    assert Game.objects.count() == 3


def test_headers_comments_and_forks_of_all_editions_come_together():
    one = ready(OPENING, {3: [["6g6f"]]}, black="甲", day="2020/01/02")
    two = ready(OPENING, {3: [["5g5f"]]}, black="甲", event="名人戦", site="東京")
    ingest(one)
    ingest(two)
    game = only(site="東京", index_rows=13 + 2 + 2)
    assert game.event.name == "名人戦"
    assert game.jkf["header"] == {"先手": "甲", "開始日時": "2020/01/02", "棋戦": "名人戦", "場所": "東京"}
    assert [len(entry.jkf["moves"][3]["forks"]) for entry in Entry.objects.all()] == [1, 1]


def test_the_text_that_names_a_player_is_taken_where_the_game_knew_none():
    ingest(ready(OPENING, black="先手", day="2020/01/02"))
    ingest(ready(OPENING, black="羽生善治 九段"))
    game = Game.objects.get()
    assert game.jkf["header"]["先手"] == "羽生善治 九段" and game.player0.name == "羽生善治"
    assert all_right()


# --- snapshots -------------------------------------------------------------------------------------------

MEETING = {"black": "甲", "white": "乙", "day": "2020/01/02 10:00"}


def final(**header: str):
    return ready(LONGER, {2: [["8c8d"]]}, winner=1, **header)


@pytest.mark.parametrize("special", ["CHUDAN", None])
@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_snapshots_are_superseded_in_whatever_order_they_come(order, together, special):
    games = [
        snapshot(OPENING, special, {4: [["4a3b"]]}, **MEETING),
        snapshot(OPENING + " 8g8f", special, **MEETING),
        final(**MEETING),
    ]
    games = [games[number] for number in order]
    if together:
        ingest(*games)
    else:
        ingest(games[0])
        first = Game.objects.get().pk
        ingest(games[1])
        ingest(games[2])
        assert Game.objects.get().pk == first
    game = only(plies=16, result=1, special="TORYO")
    assert {entry.game_id for entry in Entry.objects.all()} == {game.pk}
    forks = [ply for ply, entry in enumerate(game.jkf["moves"]) if "forks" in entry]
    assert forks == [2, 4]
    lengths = sorted(sum("move" in move for move in entry.jkf["moves"]) for entry in Entry.objects.all())
    assert lengths == [12, 13, 16]


def others() -> Iterable[dict[str, str]]:
    yield MEETING | {"black": "丙"}
    yield MEETING | {"day": "2020/01/03 10:00"}
    yield MEETING | {"day": "2020/01/02 14:00"}
    yield {"black": "甲", "white": "乙"}
    yield {"black": "甲", "day": "2020/01/02"}


@pytest.mark.parametrize("header", list(others()))
def test_a_snapshot_of_another_meeting_stays(header):
    ingest(final(**MEETING))
    ingest(snapshot(OPENING, **header))
    assert Game.objects.count() == 2 and all_right()


def test_a_game_that_ended_is_no_snapshot():
    ingest(ready(OPENING, winner=0, **MEETING))
    ingest(final(**MEETING))
    assert Game.objects.count() == 2


def test_a_record_that_goes_another_way_is_no_snapshot():
    ingest(snapshot(OPENING[:49] + " 9g9f", **MEETING), final(**MEETING))
    assert Game.objects.count() == 2


def test_what_two_games_could_have_grown_out_of_is_part_of_neither():
    ingest(final(**MEETING), ready(OPENING + " 8g8f 8b8f 2d3d", winner=0, **MEETING))
    ingest(snapshot(OPENING, **MEETING))
    assert Game.objects.count() == 3 and all_right()


def test_when_a_snapshot_becomes_a_game_that_is_there_already_one_id_is_an_alias():
    ingest(snapshot(OPENING, **MEETING))
    ingest(ready(LONGER, {2: [["8c8d"]]}, winner=1, black="甲"))
    assert Game.objects.count() == 2
    first, second = Game.objects.order_by("pk")
    ingest(final(**MEETING))
    assert only(plies=16).pk == first.pk
    assert GameAlias.objects.get().pk == second.pk and GameAlias.objects.get().game_id == first.pk


def test_the_end_of_a_game_known_only_as_interrupted_is_told():
    ingest(snapshot(OPENING, **MEETING))
    ingest(ready(OPENING, winner=0, **MEETING))
    only(result=0, special="TORYO")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("turn", range(6))
def test_two_writers_of_editions_of_one_game_do_not_overlook_each_other(turn):
    sides = [[FACTS[number] for number in half] for half in ((0, 3, 4), (5, 2, 1))]
    if turn % 2:
        batches = [[ready(OPENING, **facts) for facts in side] for side in sides]
    else:
        batches = [[snapshot(OPENING, **MEETING)], [final(**MEETING)]]
    at_once = threading.Barrier(2)

    def write(games):
        try:
            at_once.wait()
            for game in games:
                ingest(game)
        finally:
            connection.close()

    threads = [threading.Thread(target=write, args=[games]) for games in batches]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    game = only(precision="day")
    assert game.entries.count() == sum(map(len, batches))


def test_who_sends_a_problem_in_another_format_finds_it():
    ingest(ready(OPENING, winner=0, kind="problem"))
    ingest(ready(OPENING, winner=0))
    only(record_kind="problem", result=3)
    assert parsed(record(OPENING)).record_kind == "game"


def test_a_tree_and_a_game_in_one_batch_are_stored_though_their_union_has_another_identity():
    tree = ready(OPENING, kind="tree")
    game = ready(OPENING, winner=None)
    assert tree.identity == game.identity
    ingest(tree, game)
    only(record_kind="game", result=Game.Result.BLACK)
    assert [entry.state for entry in Entry.objects.order_by("pk")] == ["stored", "duplicate"]
