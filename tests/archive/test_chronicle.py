"""The history of a position's moves, and players' innovations, against plain counting by replay."""

from __future__ import annotations

from collections import Counter, defaultdict
from random import Random

import duckdb
import pytest

from archive.derive.game import DerivedGame
from archive.dumps import publishing
from archive.dumps.checking import check as check_dump
from archive.index import counters
from archive.models import Game, Player
from archive.queries.positions import chronicle as module
from archive.queries.positions import innovations as innovations_module
from archive.queries.positions.chronicle import chronicle, is_out_of_use
from archive.queries.positions.innovations import innovations
from archive.queries.positions.position_query import position_query
from archive.queries.scope import PUBLIC
from kifu_core.games import SHOGI
from kifu_core.shogi.moves import from_usi
from kifu_core.shogi.position import Position
from tests.archive.analysed import analyse
from tests.archive.builders import ROOKS, ingest, random_line, ready
from tests.archive.replaying import nodes

pytestmark = pytest.mark.django_db

START = ROOKS.removesuffix(" 1")


def code(text: str) -> str:
    return SHOGI.codec.encode(Position.from_sfen(text))


def drawn(random: Random, number: int) -> DerivedGame:
    start = Position.from_sfen(ROOKS)
    played = random_line(start, random, random.randrange(1, 9), 3)
    return ready(
        played,
        {1: [["5h5g"]]} if number % 9 == 0 and played[0] != "5h5g" else None,
        winner=random.choice([0, 1, None]),
        kind="game" if number % 10 else "problem",
        start=ROOKS,
        black="甲乙丙"[number % 3],
        white="丁甲乙"[number % 3],
        event=f"第{number}回",
        **(
            {}
            if number % 6 == 0
            else {"day": f"{1990 + random.randrange(20)}/02/{random.randrange(1, 29):02}"}
        ),
    )


@pytest.fixture(scope="module")
def pool(module_db: None) -> list[tuple[DerivedGame, Game]]:
    """Stored games with their rows."""
    random = Random(5)
    by_event = {}
    for number in range(150):
        game = drawn(random, number)
        by_event[game.digest] = game
    ingest(*by_event.values())
    rows = {bytes(game.digest): game for game in Game.objects.all()}
    return [(game, rows[digest]) for digest, game in by_event.items() if digest in rows]


def dated(pool: list[tuple[DerivedGame, Game]]) -> list[tuple[DerivedGame, Game]]:
    """Games with a day, in their order."""
    games = [(game, row) for game, row in pool if game.record_kind == "game" and game.played]
    return sorted(games, key=lambda pair: (pair[1].played, pair[1].slot))


def first_visits(game: DerivedGame) -> dict[str, tuple[int, int]]:
    visits: dict[str, tuple[int, int]] = {}
    for text, ply, fork, move in nodes(game):
        if not fork:
            visits.setdefault(text, (ply, move))
    return visits


def common(pool: list[tuple[DerivedGame, Game]], n: int) -> list[str]:
    counts = Counter(text for game, _row in pool for text in first_visits(game))
    return [text for text, _n in counts.most_common(n)]


def test_the_history_of_moves_is_that_of_plain_counting(pool):
    for text in common(pool, 12):
        check(pool, text)


def test_counters_by_year_tell_the_same(pool):
    (key,) = position_query(PUBLIC, "shogi", code(START)).keys
    before = chronicle(PUBLIC, "shogi", code(START))
    counters.promote(key, code(START))
    counters.promote_parts(key)
    assert module._parted([key]) == {key}
    assert chronicle(PUBLIC, "shogi", code(START)) == before


def check(pool: list[tuple[DerivedGame, Game]], text: str) -> None:
    answer = chronicle(PUBLIC, "shogi", code(text))
    turn, years, by_move = Position.from_sfen(text).turn, defaultdict(list), defaultdict(list)
    for game, row in dated(pool):
        if text in (visits := first_visits(game)):
            years[game.played_from.year].append(game)
            if move := visits[text][1]:
                by_move[move].append((game, row))
    assert answer.games == sum(map(len, years.values())) and answer.complete
    undated = [one for one, _row in pool if one.record_kind == "game" and not one.played]
    assert answer.undated == sum(text in first_visits(game) for game in undated)
    assert {one.move for one in answer.moves} == {*by_move}
    first_days = [one.first.played_from for one in answer.moves]
    assert first_days == sorted(first_days)

    def score(games: list[DerivedGame]) -> float | None:
        points = [1 if one.result == 2 else 2 * (one.result == turn) for one in games if one.result < 3]
        return sum(points) / 2 / len(points) if points else None

    for one in answer.moves:
        games = by_move[one.move]
        assert one.first.id == games[0][1].pk and one.games == len(games)
        assert one.last == games[-1][0].played_from
        assert dict(one.years) == Counter(game.played_from.year for game, _row in games)
        since = games[0][0].played_from.year
        assert one.before == score([game for year in years if year < since for game in years[year]])
        assert one.since == score([game for year in years if year >= since for game in years[year]])
        assert one.score == score([game for game, _row in games])
        last, newest = one.last.year, max(years)
        later = sum(len(years[year]) for year in years if year > last)
        assert one.out_of_use == (later >= 20 and newest - last >= 5)


def test_a_move_is_out_of_use_when_years_of_games_went_without_it():
    years = Counter({1990: 5, 1995: 10, 2000: 10})
    assert is_out_of_use(1990, years)
    assert not is_out_of_use(1995, years)
    assert not is_out_of_use(1990, years + Counter({1990: 1}) - Counter({1995: 1}))


def test_only_the_first_rows_are_read(pool, monkeypatch):
    monkeypatch.setattr(module, "MOST_ROWS", 20)
    answer = chronicle(PUBLIC, "shogi", code(START))
    assert (answer.games, answer.complete) == (20, False)


def test_verdicts_before_and_after_are_of_one_engine(pool):
    mating = from_usi("5h5b+")
    game = next(pair for pair in dated(pool) if first_visits(pair[0])[START][1] not in (mating, 0))
    analyse(game[1], [30, 40, 50])
    answer = chronicle(PUBLIC, "shogi", code(START))
    (one,) = [one for one in answer.moves if one.verdicts]
    assert one.move == first_visits(game[0])[START][1]
    assert (one.verdicts.before.score, one.verdicts.after.score) == (30, 40)


NAMES = "甲乙丙丁"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("followers", [1, 3])
def test_innovations_are_those_of_plain_counting(pool, name, followers):
    reached: dict[str, list[tuple[DerivedGame, Game]]] = defaultdict(list)
    for game, row in dated(pool):
        for text in first_visits(game):
            reached[text].append((game, row))
    best: dict[int, tuple[int, int, str]] = {}
    for text, games in reached.items():
        mover = 1 - Position.from_sfen(text).turn
        game, row = games[0]
        ply = first_visits(game)[text][0]
        others = sum(one.players[mover] != name for one, _row in games)
        if ply and game.players[mover] == name and others >= followers:
            best[row.pk] = min(best.get(row.pk, (0, 0, "")), (-others, ply, text))
    found = innovations(PUBLIC, Player.objects.get(name=name), followers)
    assert {one.game.id: (-one.followers, one.ply, one.code) for one in found.items} == {
        pk: (others, ply, code(text)) for pk, (others, ply, text) in best.items()
    }
    numbers = [one.followers for one in found.items]
    assert numbers == sorted(numbers, reverse=True) and (followers > 1 or numbers)
    assert (found.more, found.plies) == (False, None)
    for one in found.items:
        position = SHOGI.codec.decode(one.before)
        position.do_move(from_usi(one.name))
        assert SHOGI.codec.encode(position) == one.code


def test_positions_beyond_the_limit_are_left_out_and_this_is_said(pool, monkeypatch):
    monkeypatch.setattr(innovations_module, "MOST_POSITIONS", 3)
    player = Player.objects.get(name="甲")
    found = innovations(PUBLIC, player, 2)
    assert found.plies is not None
    assert all(one.ply <= found.plies for one in found.items)


def test_the_novelties_of_a_dump_are_those_of_plain_counting(pool, settings, tmp_path):
    settings.ARCHIVE_DUMP_FOLDER = tmp_path / "dumps"
    reached: dict[str, list[tuple[DerivedGame, Game]]] = defaultdict(list)
    for game, row in sorted(dated(pool), key=lambda pair: (pair[1].played, pair[1].pk)):
        for text in first_visits(game):
            reached[text].append((game, row))
    expected = {}
    for text, games in reached.items():
        (game, row), ply = games[0], first_visits(games[0][0])[text][0]
        if ply and len(games) > 1:
            player = (row.player0_id, row.player1_id)[1 - Position.from_sfen(text).turn]
            days = [other.played_from for other, _row in games]
            expected[code(text)] = (row.pk, ply, player, days[0], len(games) - 1, days[1], days[-1])
    dump = publishing.make()
    assert [*check_dump(dump)] == []
    columns = "code, game_id, ply, player_id, played_from, followers, followed_from, last_played"
    path = dump.folder / "novelties.parquet"
    rows = duckdb.execute(f"SELECT {columns} FROM read_parquet('{path}')").fetchall()
    assert {row[0]: row[1:] for row in rows} == expected and len(rows) == len(expected)
    (file,) = [one for one in dump.files if one.name == "novelties.parquet"]
    assert file.games == len({row[1] for row in rows})


def test_the_api_and_the_pages_tell_the_history(pool, client):
    path = SHOGI.codec.path_code(code(START))
    answer = chronicle(PUBLIC, "shogi", code(START))
    data = client.get(f"/api/v1/positions/shogi/{path}/chronicle").json()
    assert [one["first"]["id"] for one in data["moves"]] == [one.first.id for one in answer.moves]
    assert (data["games"], data["undated"], data["complete"]) == (answer.games, answer.undated, True)
    text = client.get(f"/positions/shogi/{path}/chronicle/").content.decode()
    assert all(f"/games/{one.first.id}/" in text for one in answer.moves)
    assert client.get("/positions/shogi/xx/chronicle/").status_code == 400
    player = Player.objects.get(name="甲")
    found = innovations(PUBLIC, player)
    data = client.get(f"/api/v1/players/{player.pk}/innovations").json()
    assert [(one["game"]["id"], one["ply"], one["followers"]) for one in data["results"]] == [
        (one.game.id, one.ply, one.followers) for one in found.items
    ]
    assert data["undated"] == found.undated > 0
    text = client.get(f"/players/{player.pk}/innovations/").content.decode()
    assert all(f"/games/{one.game.id}/?ply={one.ply}" in text for one in found.items)
    assert client.get("/players/999999/innovations/").status_code == 404
