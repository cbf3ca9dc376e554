"""Every query about positions uses its index, on an archive large enough for planners to choose."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from functools import partial
from random import Random
from typing import Any

import pytest
from django.core.cache import caches
from django.db import connection, transaction

from archive.index import counters, postgresql, sqlite
from archive.index.engine import engine
from archive.index.schema import FIRST, GameAtKey, IndexRow
from archive.index.texts import text_index
from archive.models import (
    Entry,
    Event,
    Game,
    GameEvent,
    GamePlace,
    GamePlayer,
    GameRecord,
    HotMove,
    HotPosition,
    Place,
    Player,
    Upload,
)
from archive.queries.games import facets, list_query, statistics
from archive.queries.games import listing as games
from archive.queries.games.filters import GameFilters
from archive.queries.games.keyset import ORDERS
from archive.queries.games.listing import find_games, game_by_id
from archive.queries.games.taken_down import is_hidden
from archive.queries.games.twins import twins
from archive.queries.names import people
from archive.queries.names.people import label_summary, player_summary
from archive.queries.positions import position_lookup, reading_plan
from archive.queries.positions.explorer import explore, explore_many
from archive.queries.positions.novelty import novelty
from archive.queries.positions.opening_tree import build_tree
from archive.queries.positions.position_games import games_through
from archive.queries.positions.trend import trend
from archive.queries.scope import PUBLIC, Scope
from archive.store import deletion
from archive.store.change import Change
from archive.store.names import Names
from kifu_core.classes import key
from kifu_core.games import SHOGI
from kifu_core.shogi import moves
from kifu_core.shogi.keys import shogi64
from kifu_core.shogi.keys.canonical import canonical
from kifu_core.shogi.position import Position
from tests.archive.builders import ready, upload
from tests.archive.conftest import drop_segments
from tests.archive.plans import occurrences_sought, recorded, scans, sought_by
from tests.cases import each
from tests.citus import servers

GAMES = 12_000 if connection.vendor == "postgresql" else 3_000
"""PostgreSQL's planner chooses by the sizes of tables. SQLite's knows none: nothing in the archive has it
gather any."""

ROWS_A_GAME = 16
PLAYERS = GAMES // 120
UPLOADS = GAMES // 20
FIRST_DAY = date(1990, 1, 1).toordinal()
START = shogi64.encode(Position.initial())

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(
        bool(servers()),
        reason="nodes make the plans of shards, and the coordinator makes its own with values",
    ),
]


def after(*played: str) -> str:
    position = Position.initial()
    for usi in played:
        position.do_move(moves.from_usi(usi))
    return shogi64.encode(position)


RARE = after("9g9f")
MOVES = {0: [moves.from_usi(usi) for usi in ("7g7f", "2g2f", "5g5f")], 2: [moves.from_usi("7g7f")]}
"""Moves that can be played in both positions, as they are stored, by the colour bit of the key."""


@pytest.fixture(scope="module")
def archive(module_db: None) -> None:
    """Games, all through one position and a few through another; as large as is needed. On PostgreSQL they
    lie in several segments, and the one ahead is empty."""
    random = Random(1)
    if connection.vendor == "postgresql":
        _tables_as_new()
        _segments()
    Player.objects.bulk_create(Player(pk=number, name=f"対局者{number}") for number in range(1, PLAYERS + 1))
    Event.objects.bulk_create(Event(pk=number, name=f"棋戦{number}") for number in range(1, 41))
    Place.objects.bulk_create(Place(pk=number, name=f"対局場{number}") for number in range(1, 41))
    _games(random)
    _rows(random)
    result = canonical(Position.initial())
    counters.promote(key(result.code, result.orientation, "shogi"), result.code)
    _hot(random)
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")


def _tables_as_new() -> None:
    """Planners count pages, also those in which tests before these have left dead rows."""
    with connection.cursor() as cursor:
        cursor.execute(
            "TRUNCATE archive_game, archive_upload, archive_player, archive_event, archive_place CASCADE"
        )


def _segments() -> None:
    drop_segments()
    with pytest.MonkeyPatch.context() as patch, connection.cursor() as cursor:
        patch.setattr(postgresql, "SEGMENT_GAMES", GAMES // 3 + 1)
        for _ in range(5):
            postgresql.attach_segment(cursor)


def _games(random: Random) -> None:
    uploads = [upload()[0].pk for _ in range(UPLOADS)]
    rows, seats, events, places, entries = [], [], [], [], []
    for slot in range(1, GAMES + 1):
        played, event = FIRST_DAY + random.randrange(9000), random.randrange(1, 41)
        players = random.sample(range(1, PLAYERS + 1), 2)
        names = {f"player{colour}_id": player for colour, player in enumerate(players)}
        rows.append(
            Game(
                pk=slot, kind="shogi", record_kind="game", digest=slot.to_bytes(16, "big"), digest_version=1,
                slot=slot, event_id=event, place_id=event, played=played, handicap="HIRATE", result=slot % 4,
                plies=slot * 7919 % 211, precision="day", stem=(slot // 2).to_bytes(16, "big"),
                index_version=1, index_rows=ROWS_A_GAME, **names,
            )
        )  # fmt: skip
        events.append(GameEvent(event_id=event, played=played, slot=slot))
        places.append(GamePlace(place_id=event, played=played, slot=slot))
        entries.append(Entry(upload_id=uploads[slot % UPLOADS], seq=slot, state="stored", game_id=slot))
        for colour, player in enumerate(players):
            rating = random.randrange(1000, 2500)
            seats.append(GamePlayer(player_id=player, played=played, slot=slot, colour=colour, rating=rating))
    created_rows = (
        (Game, rows),
        (GamePlayer, seats),
        (GameEvent, events),
        (GamePlace, places),
        (Entry, entries),
    )
    for model, created in created_rows:
        model.objects.bulk_create(created, batch_size=2000)
    texts = {slot: f"棋譜{slot}\nの名手{'稀' * (slot % 1000 == 0)}" for slot in range(1, GAMES + 1)}
    with transaction.atomic(), connection.cursor() as cursor:
        text_index().write(cursor, texts)
    record = ready("7g7f 3c3d 2g2f 8c8d").record
    GameRecord.objects.bulk_create(
        (GameRecord(game_id=slot, record=record) for slot in range(1, GAMES + 1)), batch_size=2000
    )


def _rows(random: Random) -> None:
    rows = []
    existing = {code: canonical(shogi64.decode(code)) for code in (START, RARE)}
    keys = {code: key(result.code, result.orientation, "shogi") for code, result in existing.items()}
    days = dict(Game.objects.values_list("slot", "played"))
    for slot, played in days.items():
        reached = [keys[START], *([keys[RARE]] if slot % 100 == 0 else [])]
        reached += [random.getrandbits(63) for _ in range(ROWS_A_GAME - len(reached))]
        rows += [
            IndexRow(at, played, slot, ply, random.choice(MOVES[at & 2]), FIRST, slot % 4)
            for ply, at in enumerate(reached)
        ]
    with pytest.MonkeyPatch.context() as patch, transaction.atomic(), connection.cursor() as cursor:
        patch.setattr(sqlite, "RECENT_ROWS", len(rows) // 4)
        engine().insert(cursor, sorted(rows))


def _hot(random: Random) -> None:
    """Other hot positions."""
    keys = random.sample(range(10**6), 3000)
    HotPosition.objects.bulk_create(HotPosition(key=at, code="") for at in keys)
    HotMove.objects.bulk_create(
        HotMove(key=at, flags=2, move=256, result=result, n=500, rated=0, rating_sum=0, last_played=0)
        for at in keys
        for result in range(3)
    )


FILTERS = {
    "player": GameFilters(player="対局者7"),
    "side": GameFilters(black="対局者7", white="対局者8"),
    "event": GameFilters(event="棋戦3"),
    "days": GameFilters(since=date(1999, 1, 1), until=date(1999, 12, 31)),
    "player and days": GameFilters(player="対局者7", since=date(1999, 1, 1)),
    "result": GameFilters(result=2),
    "handicap": GameFilters(handicap="HIRATE"),
    "ratings": GameFilters(min_rating=2000),
    "nothing": None,
}
CODES = {"hot": START, "rare": RARE, "unknown": after("1g1f")}


def questions() -> dict[str, Callable[[], object]]:
    """Every kind of question, by what it is."""
    result: dict[str, Callable[[], object]] = {}
    filters_asked = FILTERS | {"upload": GameFilters(upload=Upload.objects.order_by("pk")[0].pk)}
    for where, code in CODES.items():
        for what, filters in filters_asked.items():
            for match in ("exact", "any"):
                name = f"{where}, {what}, {match}"
                result[f"explore {name}"] = lambda c=code, f=filters, m=match: counts(c, m, f)
                for order in ("newest", "oldest"):
                    result[f"{order} {name}"] = lambda c=code, f=filters, m=match, o=order: pages(c, m, o, f)
        result[f"transpositions {where}"] = lambda c=code: counts(c, "any", None, transpositions=True)
        result[f"years {where}"] = lambda c=code: trend(PUBLIC, "shogi", c, "any")
    result["batch"] = lambda: explore_many(PUBLIC, "shogi", [*CODES.values()], "any", "all")
    result["tree"] = lambda: build_tree(PUBLIC, "shogi", START, 2, 1)
    result["novelty"] = lambda: novelty(PUBLIC, Game.objects.select_related("stored").get(pk=GAMES // 2))
    result["twins"] = lambda: twins(PUBLIC, GAMES // 2)
    result["position of a game"] = lambda: position_lookup.position_of_game(PUBLIC, SHOGI, GAMES // 2, 2)
    result["game"] = lambda: game_by_id(PUBLIC, GAMES // 2)
    result["sum of a player"] = lambda: player_summary(PUBLIC, 7)
    result["sum of an event"] = lambda: label_summary(PUBLIC, "event", 3)
    for what, filters in LISTS.items():
        for order in ORDERS:
            result[f"list of {what}, {order}"] = lambda f=filters, o=order: lists(f, o)
    return result


LISTS = {
    "all": None,
    "player": GameFilters(player="対局者7"),
    "side": GameFilters(white="対局者8"),
    "event": GameFilters(event="棋戦3"),
    "days": GameFilters(since=date(1999, 1, 1), until=date(1999, 12, 31)),
    "result": GameFilters(player="対局者7", result=2),
    "rarer kind": GameFilters(game="quoridor"),
}


QUERIES = [
    "対局者7",
    "対局者7 棋戦3 NOT player:対局者8",
    "player:対局者7 result:draw",
    "NOT player:対局者7",
    "player:対局者7 OR event:棋戦3",
    "black:対局者7 OR white:対局者8",
    "first:対局者7 plies:>=1",
    "event:棋戦3 year:1999",
    "date:1999..2001 rating:2000..",
    "plies:1..500",
    "rating:>=2000 NOT has:forks",
    "format:kif OR program:x",
    "place:対局場3",
    "game:quoridor",
    "kind:game handicap:HIRATE special:TORYO opening:矢倉",
    f"reaches:{START}",
    f'reaches:{RARE} OR reaches:"{START}"/any/..9',
    f"NOT reaches:{RARE} player:対局者7",
    "稀",
    "名手",
    "手",
    "名手 棋譜7",
    "稀 OR 棋譜77",
    "NOT 名手",
    "稀 player:対局者7",
    "名手 player:対局者7",
    "has:comments",
]


@each("text", QUERIES)
def test_no_query_of_the_search_language_reads_a_table_whole(archive, text, monkeypatch):
    # Both so small that there are games beyond them, as in an archive that is large.
    monkeypatch.setattr(games, "PAGE_GAMES", 50)
    monkeypatch.setattr(list_query, "SORTED_GAMES", 20)
    filters = GameFilters(q=text)
    assert scanned_tables({order: partial(lists, filters, order) for order in ORDERS}) == {}
    query = list_query.query_of(PUBLIC, filters)
    assert query is not None
    sums = scanned_tables({"facets": partial(facets._count, query)})
    # Of a list that is as short as these, all may be sorted for its newest 5,000.
    assert [one for result in sums.values() for one in result if " sorted: " not in one] == []


SHORT = GameFilters(max_plies=99)


def lists(filters: GameFilters | None, order: str) -> None:
    """The first pages of a list of games."""
    cursor = find_games(PUBLIC, filters, order, None, 5).next
    if cursor is not None:
        find_games(PUBLIC, filters, order, cursor, 5)


def counts(code: str, match: str, filters: GameFilters | None, **options: bool) -> None:
    for lines in ("main", "all"):
        explore(PUBLIC, "shogi", code, match, lines, filters, **options)


def pages(code: str, match: str, order: str, filters: GameFilters | None) -> None:
    """The first pages and one that begins in the middle."""
    cursor = None
    for _ in range(3):
        cursor = games_through(PUBLIC, "shogi", code, match, order, cursor, 5, filters=filters).next
        if cursor is None:
            break


def test_no_question_about_positions_reads_a_table_whole(archive, monkeypatch):
    # So that it is fewer than all games of a player here, as it is in an archive that is large.
    monkeypatch.setattr(people, "MOST_COUNTED", 5)
    # The one question that reads a table whole, and means to.
    monkeypatch.setattr(reading_plan, "RATINGS_A_PROBE", 0)
    assert scanned_tables(questions()) == {}
    for few, rows_a_lookup in ((10**9, 1), (0, 0), (0, 10**9)):
        monkeypatch.setattr(reading_plan, "FEW_ROWS", few)
        monkeypatch.setattr(reading_plan, "ROWS_A_LOOKUP", rows_a_lookup)
        assert scanned_tables({name: ask for name, ask in questions().items() if "hot" in name}) == {}


def test_games_of_some_days_are_sought_from_the_first_of_these_days_on(archive):
    def read() -> None:
        counts(START, "exact", FILTERS["days"])
        pages(START, "exact", "oldest", FILTERS["days"])

    # Of several lower bounds PostgreSQL may start at the lowest.
    conditions = occurrences_sought(read, "ORDER BY d.played, d.slot")
    assert conditions and not [one for one in conditions if "(played > 0)" in one]


def test_samples_read_no_table_whole(archive, monkeypatch):
    for module, name, value in (
        (reading_plan, "EXACT_ROWS", 50),
        (reading_plan, "SAMPLE_ROWS", 40),
        (reading_plan, "PAGE_ROWS", 20),
    ):
        monkeypatch.setattr(module, name, value)
    assert explore(PUBLIC, "shogi", START, filters=FILTERS["ratings"]).sample is not None
    read = occurrences_sought(lambda: counts(START, "exact", FILTERS["ratings"]), "GROUP BY x.key")
    assert read and [conditions for conditions in read if conditions and "slot" not in conditions] == []
    assert scanned_tables({name: ask for name, ask in questions().items() if "hot" in name}) == {}


def test_facets_read_no_table_whole(archive, monkeypatch):
    monkeypatch.setattr(facets, "SAMPLE", 50)
    # As in an archive that is too large to be counted whole.
    monkeypatch.setattr(facets, "EXACT_GAMES", 0)
    lists = LISTS | {"upload": GameFilters(upload=Upload.objects.latest("pk").pk)}
    assert facets.facets(PUBLIC).sampled is True
    caches["counted"].clear()
    statistics.counts(PUBLIC)
    parameters = {
        name: partial(facets.facets, PUBLIC, filters)
        for name, filters in lists.items()
        # Those of all games and of a kind come from the statistics, which are counted once for all processes.
        if name not in ("all", "rarer kind")
    }
    assert scanned_tables(parameters) == {}


def test_a_game_is_looked_at_by_its_slot_not_among_all_games_of_a_player_or_an_upload(archive, monkeypatch):
    monkeypatch.setattr(reading_plan, "FEW_ROWS", 10**9)
    upload = GameFilters(upload=Upload.objects.order_by("pk")[0].pk)
    for filters, slot, other in (
        (FILTERS["player"], "gameplayer.slot", "gameplayer.player_id"),
        (upload, "entry.game_id", "entry.upload_id"),
    ):
        columns = sought_by(lambda asked=filters: counts(START, "exact", asked))
        assert slot in columns and other not in columns, columns


def test_lists_in_every_order_read_no_table_whole(archive, monkeypatch):
    """Sorted whole or looked for among all games, which all are more than a page looks at."""
    monkeypatch.setattr(games, "PAGE_GAMES", 500)
    lists_asked = LISTS | {
        "upload": GameFilters(upload=Upload.objects.latest("pk").pk),
        "length": SHORT,
        "draws": GameFilters(result=2),
        "both sides": GameFilters(black="対局者7", white="対局者8"),
    }
    for sorted_whole in (0, 5000):
        monkeypatch.setattr(list_query, "SORTED_GAMES", sorted_whole)
        parameters = {
            f"{what}, {order}": partial(lists, filters, order)
            for what, filters in lists_asked.items()
            for order in ORDERS
        }
        assert scanned_tables(parameters) == {}


def test_orders_have_indexes_of_their_own(archive):
    for order, column in (("added", "game.id"), ("longest", "game.plies"), ("shortest", "game.plies")):
        for filters in (None, LISTS["result"], GameFilters(result=2)):
            columns = sought_by(lambda f=filters, o=order: lists(f, o))
            assert "game.played" not in columns, (order, filters, columns)
            # SQLite keeps games in the order of their ids.
            if filters is not LISTS["result"] and (order != "added" or connection.vendor == "postgresql"):
                assert column in columns, (order, filters, columns)


@pytest.mark.skipif(
    connection.vendor != "sqlite", reason="the planner of PostgreSQL knows how many names there are"
)
def test_to_look_at_every_public_name_the_table_is_read_and_no_index(archive):
    names = "EXPLAIN QUERY PLAN SELECT n.searched FROM archive_player n WHERE {sql}"
    assert [row[3] for row in PUBLIC.scan_condition("n").embed(names).rows()] == ["SCAN n"]
    assert "INDEX" in Scope((1,)).scan_condition("n").embed(names).rows()[0][3]


def test_twins_are_found_by_moves_and_by_the_day_not_among_all_games_of_a_length(archive):
    columns = sought_by(lambda: twins(PUBLIC, GAMES // 2))
    assert "game.plies" not in columns and {"game.stem", "game.played"} <= columns, columns


def test_games_of_a_rarer_kind_are_read_in_a_list_of_their_own(archive):
    columns = sought_by(lambda: lists(LISTS["rarer kind"], "newest"))
    assert "game.kind" in columns and "game.played" not in columns, columns
    assert "game.kind" not in sought_by(lambda: lists(None, "newest"))


def test_removing_entries_reads_no_table_whole(archive):
    pk = Upload.objects.order_by("pk")[5].pk
    entries = list(Entry.objects.filter(upload=pk).values_list("pk", flat=True))
    games = list(Entry.objects.filter(pk__in=entries).values_list("game_id", flat=True))

    def read() -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            result = deletion._Removal(Change(cursor, Names({}, {})), entries)
            assert sorted(result.games) == sorted(games) and not result.left
            deletion._shared_games(games)
            is_hidden(games[0])

    assert scans(read) == []


def test_the_rows_of_games_that_are_taken_out_are_looked_up_one_by_one(archive):
    places = [(at, at, at) for at in range(3000)]
    with transaction.atomic(), connection.cursor() as cursor:
        for step in taking_out(places):
            cursor.execute(*step)
            if step[0].startswith("EXPLAIN"):
                text = "\n".join(" ".join(map(str, row)) for row in cursor.fetchall())
                sought = re.findall(SOUGHT[connection.vendor], text)
                assert len(sought) >= 1 and "Seq Scan on archive_occ" not in text, text
                assert not re.search(r"SCAN (o|archive_occ)|Merge Join|Hash Join", text), text
        transaction.set_rollback(True)


SOUGHT = {
    "sqlite": r"SEARCH (?:o|archive_occurrence_\w+) USING PRIMARY KEY \(key=\? AND played=\? AND slot=\?\)",
    "postgresql": r"Index Cond: \(\(key = d.key\) AND \(played = d.played\) AND \(slot = d.slot\)\)",
}


def taking_out(places: list[GameAtKey]) -> list[tuple[str, list[Any]]]:
    """The statements that find these rows, as `Engine.delete_places` prepares them, to be explained."""
    if connection.vendor == "sqlite":
        result = [(sqlite._DOOMED, list[Any]())]
        for table in sqlite.TABLES:
            hot, delete = (one.format(table=table) for one in (sqlite._DOOMED_HOT, sqlite._DELETE_PLACE))
            result += [(f"EXPLAIN QUERY PLAN {hot}", []), (f"EXPLAIN QUERY PLAN {delete}", [1, 2, 3])]
        return result
    columns = [str(list(column)).replace("[", "{").replace("]", "}") for column in zip(*places, strict=True)]
    return [(postgresql._LOOK_UP, ["off"] * 3), (f"EXPLAIN {postgresql._TAKE_OUT}", columns)]


def test_the_rows_of_a_game_that_is_verified_are_looked_up_one_by_one(archive):
    game = Game.objects.order_by("pk")[5]
    with recorded() as statements, connection.cursor() as cursor:
        engine().select(cursor, range(3000), game.played, game.slot)
    (statement,) = statements
    with connection.cursor() as cursor:
        explain = "EXPLAIN QUERY PLAN" if connection.vendor == "sqlite" else "EXPLAIN"
        cursor.execute(f"{explain} {statement.sql}", statement.params)
        text = "\n".join(" ".join(map(str, row)) for row in cursor.fetchall())
    assert re.search(OF_ONE_GAME[connection.vendor], text) and "Seq Scan" not in text, text
    assert not re.search(r"SCAN archive_occ|SEARCH \w+ USING PRIMARY KEY \(key=\?\)", text), text


OF_ONE_GAME = {
    "sqlite": r"SEARCH archive_occurrence_\w+ USING PRIMARY KEY \(key=\? AND played=\? AND slot=\?\)",
    "postgresql": r"Index Cond: \(\(key = ANY .*\) AND \(played = \d+\) AND \(slot = \d+\)\)",
}


def scanned_tables(asked: dict[str, Callable[[], object]]) -> dict[str, list[str]]:
    """The questions that read a table whole, with the table and the statement."""
    return {name: result for name, ask in asked.items() if (result := scans(ask))}


def test_a_query_that_reads_a_table_whole_would_be_found(archive):
    for sql, table in (
        ("SELECT count(*) FROM archive_occurrence d WHERE d.slot = 5", "occurrence"),
        ("SELECT count(*) FROM archive_occurrence d WHERE d.played > 5 AND d.result = 1", "occurrence"),
        ("SELECT max(g.plies) FROM archive_game g WHERE g.result = 7", "game"),
        ("SELECT p.rating FROM archive_gameplayer p WHERE p.rating = 7", "gameplayer"),
    ):

        def ask(statement: str = sql) -> None:
            with connection.cursor() as cursor:
                cursor.execute(statement)

        (result,) = scans(ask)
        assert result.startswith(f"{table}: ")


def test_a_kept_plan_that_sorts_all_rows_of_a_position_would_be_found(archive):
    if connection.vendor != "postgresql":
        return
    sql = "SELECT d.played FROM archive_occurrence d WHERE d.key = %s ORDER BY d.played DESC, d.slot DESC"
    result = canonical(Position.initial())
    start = key(result.code, result.orientation, "shogi")
    (sorting,) = scans(lambda: engine().fetch_prepared(f"{sql} LIMIT 5", [start]))
    assert sorting.startswith("occurrence sorted: ")
    assert scans(lambda: engine().fetch_prepared(f"{sql} LIMIT %s", [start, 5])) == []
