"""Patterns asked of the archive: whatever is stored, moved, read again and deleted, what is found is what
replaying every game finds."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from archive import store
from archive.columns import checking, duck
from archive.columns.duck import BusyError, duck_query
from archive.models import ColumnWaiting, Game, Space
from archive.queries.games.facets import facets
from archive.queries.games.filters import GameFilters
from archive.queries.games.listing import each_game
from archive.queries.patterns.pattern_slots import is_waiting_for_columns, slots_with_pattern
from archive.queries.patterns.summary import pattern_games
from archive.queries.scope import PUBLIC, Scope
from archive.queries.search.errors import QueryError
from archive.queries.search.parsing import parse as parse_query
from archive.queries.search.printing import text_of as query_text
from kifu_core.shogi.patterns import parse, text_of
from kifu_core.shogi.pieces import BY_CODE
from kifu_core.shogi.squares import USI
from tests.archive.builders import ingest, random_game, ready, replace_games
from tests.archive.columns import build, matches_of, paths_of, replayed, summary_of
from tests.archive.games import KIF, stored
from tests.kifu_core.test_patterns import drawn

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def own_folder(settings, tmp_path) -> Path:
    """Files of these tests alone."""
    settings.ARCHIVE_COLUMN_FOLDER = tmp_path
    return tmp_path


# --- bounds ---------------------------------------------------------------------------------------------


def test_a_question_that_takes_too_long_is_interrupted(own_folder):
    with pytest.raises(TimeoutError), duck_query(0.05) as question:
        question.rows(
            "SELECT count(*) FROM range(100000000) a, range(1000) b WHERE a.range * b.range % 7 = 3"
        )


def test_after_its_time_a_question_asks_nothing_more(own_folder):
    with pytest.raises(TimeoutError), duck_query(-1) as question:
        question.rows("SELECT 1")


def test_one_question_waits_for_a_place_and_others_are_told_so_at_once(own_folder, settings, monkeypatch):
    """Who waits has a thread of the process, which visitors of other pages would lack."""
    settings.ARCHIVE_PATTERNS_AT_ONCE = 1
    monkeypatch.setattr("archive.columns.duck.PATIENCE_SECONDS", 600)
    waiting = duck._instance().waiting
    with duck_query(5), waiting, pytest.raises(BusyError), duck_query(5):
        pass


def test_as_many_ask_at_a_time_as_may(own_folder, settings, monkeypatch):
    settings.ARCHIVE_PATTERNS_AT_ONCE = 1
    monkeypatch.setattr("archive.columns.duck.PATIENCE_SECONDS", 0.01)
    with duck_query(5) as question:
        assert question.rows("SELECT 1") == [(1,)]
        with pytest.raises(BusyError), duck_query(5):
            pass
    stored(KIF)
    build()
    with duck_query(5), pytest.raises(QueryError) as caught:
        summary_of("P7f")
    assert (caught.value.code, caught.value.status, caught.value.wait) == ("query-busy", 429, 2)


def test_no_file_can_be_read(own_folder):
    import duckdb

    with duck_query(5) as question:
        for statement in (
            "SELECT * FROM read_csv('/etc/passwd')",
            f"SELECT * FROM read_text('{own_folder}/0/manifest.json')",
            "INSTALL httpfs",
            "SET enable_external_access = true",
        ):
            with pytest.raises(duckdb.Error):
                question.rows(statement)


# --- answers --------------------------------------------------------------------------------------------


def test_an_answer_tells_results_years_plies_moves_and_players():
    ingest(
        ready("7g7f 3c3d 2g2f", winner=0, black="甲", white="乙", day="2020/01/02"),
        ready("2g2f 3c3d 7g7f", winner=1, black="甲", white="丙", day="2020/05/02"),
        ready("2g2f 8c8d", winner=None, black="乙", white="丁", day="2021/01/02"),
        ready("3g3f 3c3d", winner=1, black="丁", white="乙"),
    )
    build()
    summary = summary_of("P7f own:black")
    assert (summary.games, summary.results, summary.years, summary.undated) == (
        2,
        (1, 1, 0, 0),
        ((2020, 2),),
        0,
    )
    assert summary.plies == ((0, 2),)
    assert [(one.move, one.own, one.games, one.results) for one in summary.moves] == [
        ("3c3d", False, 1, (1, 0, 0, 0))
    ]
    ((player, tally),) = summary.players
    assert (player.name, tally.wins, tally.losses, summary.players_of) == ("甲", 1, 1, 2)
    assert [(one.row.second, one.ply, one.move) for one in summary.page.items] == [
        ("丙", 3, ""),
        ("乙", 1, "3c3d"),
    ]
    both = summary_of("P7f")
    assert (both.games, both.results, both.undated) == (3, (3, 0, 0, 0), 1)
    assert {player.name: tally.games for player, tally in both.players} == {"甲": 1, "乙": 1, "丙": 1}


def test_next_moves_are_told_as_own_sees_them():
    ingest(ready("7g7f 3c3d 2g2f"), ready("7g7f 8c8d", event="x"))
    build()
    for text, moves in (
        ("P7f own:black", {"3c3d": 1, "8c8d": 1}),
        ("P3f own:black mirror:yes", {"7c7d": 1, "2c2d": 1}),
        ("P7f own:white", {"8c8d": 1}),
        ("P3f own:white mirror:yes", {"2c2d": 1}),
    ):
        summary = summary_of(text)
        assert Counter({one.move: one.games for one in summary.moves}) == moves, text
        assert not any(one.own for one in summary.moves), text


def test_moves_of_two_pieces_between_the_same_squares_are_two_moves():
    ingest(
        ready("5i5h 8c8d 5h4h 8d8e", event="king", winner=0),
        ready("4i5h 8c8d 5h4h 8d8e", event="gold", winner=1),
        ready("4i5h 8c8d 5h4h 8d8e 4h5h", event="again", winner=1),
    )
    build()
    summary = summary_of("{K,G}5h p8d own:black")
    data = [(one.move, one.kind, one.games, one.results.own) for one in summary.moves]
    assert ("5h4h", BY_CODE["KI"], 2, 0) in data and ("5h4h", BY_CODE["OU"], 1, 1) in data


def test_a_drop_is_told_with_its_piece():
    ingest(ready("7g7f 3c3d 8h2b+ 3a2b B*4e"))
    build()
    (one,) = summary_of("hand:B,b").moves
    assert (one.move, one.kind, one.own) == ("B*4e", BY_CODE["KA"], True)


def test_a_game_is_told_with_the_line_and_the_squares_where_the_pattern_stands():
    ingest(
        ready("7g7f 3c3d 2g2f", {3: [["6g6f", "8c8d", "6i7h"]]}, event="a"),
        ready("2g2f 8c8d", event="b"),
    )
    build()

    def place(text: str, game: int = 0) -> tuple[object, ...]:
        pages = sorted(summary_of(text).page.items, key=lambda one: one.row.id)
        one = pages[game]
        return one.ply, one.own, one.mirrored, one.path, [USI[square] for square in one.squares]

    assert place("P7f P2f") == (3, 0, False, "", ["7f", "2f"])
    assert place("P7f p8d G7h") == (5, 0, False, "3.0", ["8d", "7f", "7h"])
    assert place("P7f own:white") == (2, 1, False, "", ["3d"])
    assert place("P3f -3g own:black mirror:yes") == (1, 0, True, "", ["7f", "7g"])
    assert place("P8f own:white mirror:yes", 1) == (2, 1, True, "", ["8d"])


@pytest.mark.parametrize("few", [0, 5_000])
def test_filters_leave_the_games_that_have_them(few, monkeypatch):
    monkeypatch.setattr("archive.queries.patterns.summary.FEW", few)
    ingest(
        ready("7g7f 3c3d", black="甲", day="2020/01/02", event="x"),
        ready("7g7f 8c8d", black="乙", day="2021/01/02", event="x"),
        ready("2g2f 8c8d", black="乙", day="2021/01/02", event="y"),
    )
    build()
    assert summary_of("P7f own:black", player="乙").games == 1
    assert summary_of("P7f own:black", player="戊").games == 0
    assert summary_of("P7f own:black", q="event:x NOT player:甲").games == 1
    assert summary_of("P7f own:black", q='pattern:"p8d own:black"').games == 1
    assert summary_of("P7f own:black", event="x").games == 2


def test_pages_go_through_all_games_in_their_order():
    ingest(*(ready("7g7f", event=f"e{n}", **({"day": f"20{n:02}/01/01"} if n % 3 else {})) for n in range(9)))
    build()
    for order in ("newest", "oldest"):
        cursor, ids, pages = None, [], 0
        while True:
            summary = pattern_games(PUBLIC, parse("P7f"), None, order, cursor, 2)
            ids += [(one.row.played_from, one.row.id) for one in summary.page.items]
            pages += 1
            if (cursor := summary.page.next) is None:
                break
        days = [day for day, _ in ids if day]
        assert len({*ids}) == 9 and pages == 5 and [day for day, _ in ids[6:]] == [None] * 3
        assert days == sorted(days, reverse=order == "newest")


# --- everything -----------------------------------------------------------------------------------------


def some(random: Random, games: list[Game], share: float) -> list[Game]:
    return [game for game in games if random.random() < share]


def agree(random: Random, spaces: tuple[int, ...], questions: int) -> int:
    """Ask patterns drawn of what is stored in every scope; how many games that found."""
    result = 0
    records = [game.jkf for game in Game.objects.filter(kind="shogi").select_related("stored")]
    for _ in range(questions):
        pattern = drawn(random, random.choice(list(paths_of(random.choice(records)))))
        assert parse(text_of(pattern)) == pattern
        for scope in (PUBLIC, Scope(spaces)):
            present = matches_of(scope, pattern)
            assert present == replayed(pattern, scope), text_of(pattern)
            slots = Game.objects.filter(pk__in=present).order_by("slot").values_list("slot", flat=True)
            assert [*slots_with_pattern(scope, text_of(pattern))] == [*slots], text_of(pattern)
            result += len(present)
    return result


def stored_games() -> list[Game]:
    return list(Game.objects.order_by("pk"))


@pytest.mark.one_engine
def test_drawn_patterns_are_found_whatever_has_happened():
    random = Random(17)
    space = Space.objects.create(kind=Space.Kind.GROUP, name="x").pk
    result = 0
    for _ in range(4):
        ingest(*(random_game(random, plies=12) for _ in range(15)))
        build()
        games = list(Game.objects.filter(kind="shogi").order_by("pk"))
        for game in some(random, games, 0.2):
            # Not where it was deleted before.
            with suppress(store.TakenDownError):
                store.move_game(game.pk, random.choice([0, space]))
        store.reindex_games([game.pk for game in some(random, stored_games(), 0.2)])
        store.delete_games([game.pk for game in some(random, stored_games(), 0.2)])
        changed = some(random, [game for game in stored_games() if not game.space], 0.1)
        replace_games({game.pk: random_game(random) for game in changed})
        if random.random() < 0.5:
            build()
        waiting = ColumnWaiting.objects.count()
        if waiting:
            assert summary_of("P7f").waiting + pattern_games(Scope((space,)), parse("P7f")).waiting == waiting
            build()
        assert [*checking.wrong_slots()] == [] == [*checking.wrong_files()]
        result += agree(random, (0, space), 12)
    assert result > 100


# --- the API --------------------------------------------------------------------------------------------


def got(client, **query: str):
    return client.get("/api/v1/patterns", query)


def test_the_api_tells_what_is_known_of_a_pattern(client):
    stored(KIF)
    build()
    answer = got(client, pattern="P7f  own:black")
    assert answer.status_code == 200
    data = answer.json()
    (game,), (player,) = data.pop("results"), data.pop("players")
    assert (player["name"], player["games"], player["won"], player["lost"]) == ("先手の人", 1, 1, 0)
    assert (game["path"], game["squares"]) == ("", ["7f"])
    assert (game["id"], game["ply"], game["own"], game["mirrored"], game["fork"], game["move"]) == (
        Game.objects.get().pk, 1, "black", False, False, "3c3d",
    )  # fmt: skip
    results = {"own": 1, "enemy": 0, "draw": 0, "unknown": 0}
    assert data == {
        "pattern": "P7f own:black",
        "total": {"count": 1, "exact": True},
        "waiting": 0,
        "hints": [],
        "outcomes": results,
        "years": [{"year": 2024, "games": 1}],
        "undated": 0,
        "plies": [{"first": 0, "last": 9, "games": 1}],
        "moves": [
            {
                "move": "3c3d",
                "text": "△３四歩",
                "english": "△P-3d",
                "own": False,
                "games": 1,
                "outcomes": results,
            }
        ],
        "players_of": 1,
        "next_url": None,
    }
    assert got(client, pattern="P7f", result="white").json()["total"]["count"] == 0
    assert got(client, pattern="P7f", q="event:試しの棋戦").json()["total"]["count"] == 1


def test_pages_of_the_api_lead_to_the_next(client):
    ingest(*(ready("7g7f", event=f"e{n}") for n in range(3)))
    build()
    first = got(client, pattern="P7f", limit="2").json()
    second = client.get(first["next_url"]).json()
    ids = [one["id"] for page in (first, second) for one in page["results"]]
    assert len({*ids}) == 3 and second["next_url"] is None


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ({}, 400, "invalid"),
        ({"pattern": ""}, 400, "invalid"),
        ({"pattern": " "}, 400, "pattern-nothing"),
        ({"pattern": "P0f"}, 400, "pattern-square"),
        ({"pattern": "P7f" * 400}, 400, "invalid"),
        ({"pattern": "P7f", "limit": "0"}, 400, "invalid-limit"),
        ({"pattern": "P7f", "cursor": "x"}, 400, "invalid-cursor"),
        ({"pattern": "P7f", "q": "pattern:P0f"}, 400, "query-pattern"),
        ({"pattern": "P7f", "scope": "mine"}, 404, "not-found"),
    ],
)
def test_the_api_tells_what_is_wrong(client, query, status, code):
    answer = got(client, **query)
    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_the_api_tells_the_character_that_is_wrong(client):
    (result,) = got(client, pattern="K9i turn:mine").json()["errors"]
    assert (result["code"], result["column"]) == ("pattern-value", 10)
    (result,) = client.get("/api/v1/games", {"q": 'pattern:"K9i {G,Q}7h"'}).json()["errors"]
    assert result["position"] == len('pattern:"K9i {G,Q')


def test_the_api_tells_why_no_game_can_have_a_pattern(client):
    ingest(ready("7g7f"))
    build()
    data = got(client, pattern="K5i then P5a P5b").json()["hints"]
    assert [(one["code"], one["step"]) for one in data] == [("two-pawns", 2), ("dead", 2)]
    assert data[1]["message"] == "ステップ2：５一の歩は行き所がありません"
    assert got(client, pattern="P7f").json()["hints"] == []
    assert got(client, pattern="P7e").json()["hints"] == []


def test_the_api_says_when_to_come_again(client, own_folder, settings, monkeypatch):
    settings.ARCHIVE_PATTERNS_AT_ONCE = 1
    monkeypatch.setattr("archive.columns.duck.PATIENCE_SECONDS", 0.01)
    stored(KIF)
    build()
    with duck_query(5):
        for answer in (got(client, pattern="P7f"), client.get("/api/v1/games", {"q": "pattern:P7f"})):
            assert (answer.status_code, answer.json()["code"]) == (429, "query-busy")
            assert answer["Retry-After"] == "2"
    assert got(client, pattern="P7f").status_code == 200


def test_the_api_ends_what_takes_too_long(client, settings):
    stored(KIF)
    build()
    settings.ARCHIVE_SEARCH_SECONDS = 1e-6
    answer = got(client, pattern="P7f")
    assert (answer.status_code, answer.json()["code"]) == (422, "query-too-slow")


# --- the search language --------------------------------------------------------------------------------


def listed(query: str) -> set[int]:
    return {one.id for one in each_game(PUBLIC, GameFilters(q=query))}


@pytest.mark.parametrize("rare", [0, 2_000])
def test_patterns_are_terms_of_the_search_language(rare, monkeypatch):
    monkeypatch.setattr("archive.queries.search.words.RARE", rare)
    ingest(
        ready("7g7f 3c3d", black="甲", event="x"),
        ready("7g7f 8c8d", black="乙", event="y"),
        ready("2g2f 8c8d", black="乙", event="x"),
    )
    build()
    ids = list(Game.objects.order_by("pk").values_list("pk", flat=True))
    by_name = {game.pk: game.player0.name + game.event.name for game in Game.objects.all()}
    for query, names in {
        'pattern:"P7f own:black"': {"甲x", "乙y"},
        "pattern:P7f player:甲": {"甲x"},
        'NOT pattern:"P7f own:black"': {"乙x"},
        'pattern:"P2f own:black" OR pattern:"p3d own:black"': {"甲x", "乙x"},
        'pattern:"P7f own:black" event:y': {"乙y"},
        'pattern:"P7f own:black" pattern:"p8d own:black"': {"乙y"},
        '部分図:"+R5e"': set(),
    }.items():
        assert {by_name[pk] for pk in listed(query)} == names, query
    assert len(ids) == 3 and facets(PUBLIC, GameFilters(q="pattern:P7f")).games == 2


def test_a_pattern_is_printed_back_in_one_spelling():
    assert query_text(parse_query("形:「{S,G}7h  -5e」")) == 'pattern:"-5e {S,G}7h"'
    assert parse_query(query_text(parse_query("pattern:P7f"))) == parse_query("pattern:P7f")


@pytest.mark.parametrize(
    ("query", "position", "english"),
    [
        ('player:甲 pattern:"P7f Z5e"', 22, "pattern"),
        ("pattern:P0f", 9, "not a square"),
        ("pattern:", 8, "a pattern as"),
        ('pattern:""', 9, "needed here"),
    ],
)
def test_what_is_wrong_in_a_pattern_is_told_at_its_character(query, position, english):
    with pytest.raises(QueryError) as caught:
        parse_query(query)
    assert (caught.value.position, caught.value.status) == (position, 400)
    assert f"character {position + 1}: " in caught.value.message("en")
    assert english in caught.value.message("en") or caught.value.code == "query-pattern"


def test_a_pattern_that_stands_in_too_many_games_is_no_part_of_a_query(monkeypatch):
    monkeypatch.setattr("archive.queries.patterns.pattern_slots.MAX_GAMES", 1)
    ingest(ready("7g7f"), ready("7g7f 3c3d"))
    build()
    with pytest.raises(QueryError) as caught:
        listed("pattern:P7f")
    assert (caught.value.code, caught.value.status) == ("query-too-wide", 422)
    assert "more than 1 games" in caught.value.message("en")


def test_who_is_told_of_new_games_with_a_pattern_is_told_when_they_are_in_columns():
    ingest(ready("7g7f"))
    games = [Game.objects.get().pk]
    assert is_waiting_for_columns(PUBLIC, "pattern:P7f OR year:2020", games)
    assert not is_waiting_for_columns(PUBLIC, "year:2020", games)
    build()
    assert not is_waiting_for_columns(PUBLIC, "pattern:P7f OR year:2020", games)
