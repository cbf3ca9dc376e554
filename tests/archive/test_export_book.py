"""Opening books: of the games of a list, and of what was played from a position."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path
from random import Random
from typing import Any

import pytest
from rest_framework.test import APIClient

from archive.export import opening_books as books
from archive.export.opening_books import Counts
from archive.models import Game
from archive.queries.positions import opening_book as queries
from archive.queries.scope import PUBLIC
from kifu_core.games import SHOGI
from kifu_core.lines import NO_MOVE
from kifu_core.shogi.moves import from_usi, to_usi
from kifu_core.shogi.position import Position
from tests.archive import quoridor
from tests.archive.builders import ingest, random_line, ready
from tests.archive.games import START, stored

pytestmark = pytest.mark.django_db

EXPORT = "/api/v1/games/export"
HEADER = "#YANEURAOU-DB2016 1.00"

Book = dict[str, dict[str, int]]
"""By the SFEN without number the moves with how often they were played."""


@pytest.fixture
def client() -> APIClient:
    return APIClient()


@pytest.fixture
def games() -> list[Game]:
    """Games that meet each other often, some of them in other ways, and records that are no games."""
    dice, start = Random(3), Position.initial()
    played = [ready(random_line(start, dice, 12, 3), black=f"甲{n}") for n in range(40)]
    again = ["7g7f", "3c3d", "8h7g", "2b3c", "7g8h", "3c2b", "8h7g", "2b3c", "7g8h", "3c2b", "2g2f"]
    ingest(*played, ready("7g7f 3c3d 2g2f"), ready("2g2f 3c3d 7g7f"), ready(again))
    ingest(ready("7g7f 8c8d", kind="tree"), ready("7g7f 8c8d 2g2f", kind="problem"))
    stored(quoridor.NAMED, "game.txt")
    return list(Game.objects.filter(kind="shogi", record_kind="game"))


def text_of(client: APIClient, query: str) -> str:
    answer: Any = client.get(f"{EXPORT}?as=db{query}")
    assert answer.status_code == 200, answer.content
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    return b"".join(answer.streaming_content).decode()


def rows_of(text: str) -> list[tuple[str, int, list[list[str]]]]:
    """The positions of a book: SFEN without number, number, moves."""
    header, *rest = text.splitlines()
    assert header == HEADER
    result: list[tuple[str, int, list[list[str]]]] = []
    for line in rest:
        if line.startswith("sfen "):
            sfen, _, number = line.removeprefix("sfen ").rpartition(" ")
            result.append((sfen, int(number), []))
        elif not line.startswith("#"):
            result[-1][2].append(line.split(" "))
    return result


def book_of(text: str) -> Book:
    return {sfen: {move[0]: int(move[4]) for move in moves} for sfen, _number, moves in rows_of(text)}


def counted(games: list[Game], plies: int, min_games: int) -> tuple[Book, dict[str, int]]:
    """The book by counting in Python, and the smallest numbers of its positions."""
    times: dict[str, Counter[str]] = defaultdict(Counter)
    numbers: dict[str, int] = {}
    for game in games:
        seen = set()
        for ply, position, move, _entry in SHOGI.replay.main_line(game.jkf):
            if ply < plies and move != NO_MOVE:
                seen.add((position.sfen(None), to_usi(move)))
                number = ply + 1
                numbers[position.sfen(None)] = min(number, numbers.get(position.sfen(None), number))
        for sfen, usi in seen:
            times[sfen][usi] += 1
    chosen = {sfen: {u: n for u, n in result.items() if n >= min_games} for sfen, result in times.items()}
    return {sfen: result for sfen, result in chosen.items() if result}, numbers


@pytest.mark.parametrize(("plies", "min_games"), [(40, 1), (40, 2), (3, 1), (1, 1), (12, 5)])
@pytest.mark.parametrize("held", [1, 20_000])
def test_a_book_is_what_counting_gives(client, games, monkeypatch, plies, min_games, held):
    monkeypatch.setattr(books, "_BATCH", held)
    text = text_of(client, f"&plies={plies}&min_games={min_games}")
    book, numbers = counted(games, plies, min_games)
    assert book_of(text) == book
    assert {sfen: number for sfen, number, _moves in rows_of(text)} == {sfen: numbers[sfen] for sfen in book}


def test_a_book_is_in_the_order_in_which_engines_look(client, games):
    rows = rows_of(text_of(client, "&min_games=1"))
    names = [sfen.encode() for sfen, _number, _moves in rows]
    assert names == sorted(set(names))
    whole = [f"{sfen} {number}".encode() for sfen, number, _moves in rows]
    assert whole == sorted(whole)
    for _sfen, _number, moves in rows:
        times = [int(move[4]) for move in moves]
        assert times == sorted(times, reverse=True)


def test_every_move_of_a_book_and_every_reply_can_be_played(client, games):
    for sfen, number, moves in rows_of(text_of(client, "&min_games=1")):
        for move, reply, score, depth, _times in moves:
            position = Position.from_sfen(f"{sfen} {number}")
            assert (score, depth) == ("0", "0")
            assert from_usi(move) in SHOGI.rules.legal_moves(position)
            position.do_move(from_usi(move))
            assert reply == "none" or from_usi(reply) in SHOGI.rules.legal_moves(position)


def test_the_reply_is_what_most_games_answered(client):
    ingest(*(ready(line) for line in ("7g7f 3c3d", "7g7f 8c8d", "7g7f 8c8d 2g2f", "2g2f")))
    (_sfen, number, moves), *_rest = [
        row for row in rows_of(text_of(client, "&min_games=1")) if row[0].endswith(" b -") and row[1] == 1
    ]
    assert number == 1
    assert moves == [["7g7f", "8c8d", "0", "0", "3"], ["2g2f", "none", "0", "0", "1"]]


def test_our_own_reader_reads_it(client, games):
    text = text_of(client, "&min_games=2")
    result = SHOGI.formats.load(text.encode(), "book.db")
    assert result.games and {game.record_kind for game in result.games} == {"tree"}
    assert not [issue for game in result.games for issue in game.issues if issue.severity == "error"]
    upload = stored(text, "book.db")
    assert upload.state == "done"


def test_a_book_is_of_the_list_that_is_asked_for(client, games):
    matching = [game for game in games if game.player0 and game.player0.name in ("甲1", "甲2")]
    text = text_of(client, "&min_games=1&q=black:甲1 OR black:甲2")
    assert book_of(text) == counted(matching, 40, 1)[0]
    assert text_of(client, "&player=誰でもない") == f"{HEADER}\n"


def test_a_book_that_becomes_too_large_is_less_deep_and_says_so(client, games, monkeypatch):
    monkeypatch.setattr(books, "_BATCH", 1)
    made = books.Counts
    monkeypatch.setattr(books, "Counts", lambda plies, _most: made(plies, most=40 * 1024))
    text = text_of(client, "&min_games=1&plies=12")
    remark = text.splitlines()[1]
    assert remark in ("# 8 plies of 12", "# 4 plies of 12")
    assert book_of(text) == counted(games, int(remark.split()[1]), 1)[0]


def test_a_book_of_some_games_says_so(client, settings):
    ingest(ready("7g7f"), ready("2g2f"))
    text = text_of(client, "&min_games=1&limit=1")
    assert text.splitlines()[1].startswith("# 1 games, up to number ")


def test_counts_leave_no_file_behind(settings, tmp_path):
    settings.DATA_DIR = tmp_path
    counts = Counts(40)
    assert list(Path(tmp_path, "tmp").iterdir()) == []
    counts.close()


# --- of a position ---------------------------------------------------------------------------------------


def test_a_book_of_a_position_is_what_the_explorer_counts(client, games):
    rows = rows_of(text_of(client, f"&position={START}&plies=5&min_games=2"))
    names = [sfen.encode() for sfen, _number, _moves in rows]
    assert names == sorted(set(names))
    for sfen, _number, moves in rows:
        code = SHOGI.codec.path_code(SHOGI.codec.encode(Position.from_sfen(sfen)))
        explored = client.get(f"/api/v1/positions/shogi/{code}").json()["moves"]
        expected = {one["move"]: one["games"] for one in explored if one["games"] >= 2}
        assert {move[0]: int(move[4]) for move in moves} == expected


def test_both_books_are_the_same_where_all_games_begin_alike(client, games):
    of_games = book_of(text_of(client, "&plies=4&min_games=1"))
    assert book_of(text_of(client, f"&position={START}&plies=4&min_games=1")) == of_games


def test_a_position_may_be_named_by_an_sfen(client, games):
    sfen = Position.initial().sfen()
    by_sfen = text_of(client, f"&position={sfen}&plies=3")
    assert by_sfen == text_of(client, f"&position={START}&plies=3")


def test_a_book_of_a_position_has_a_bound(client, games, monkeypatch):
    monkeypatch.setattr(queries, "MOST_POSITIONS", 5)
    result = list(queries.book_positions(PUBLIC, START, 8, 1))
    assert len(result) == 5
    monkeypatch.setattr(books, "MOST_POSITIONS", 5)
    assert "# the nearest 5 positions" in text_of(client, f"&position={START}&plies=8&min_games=1")
