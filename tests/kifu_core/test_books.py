"""Opening books of every format: what is written comes back, what is lost is told, and damage is noted."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from itertools import count

import pytest

from kifu_core import load
from kifu_core.deadline import TooSlowError, time_limit
from kifu_core.decoding import Notes, Source
from kifu_core.shogi.binary import APERY_MOVE, YBB_MAGIC
from kifu_core.shogi.books import Book, BookEntry, BookMove, MoveCounts
from kifu_core.shogi.formats import apery, sbk, ybb
from kifu_core.shogi.formats.book_files import BOOK_FILES, book_losses
from kifu_core.shogi.moves import from_usi, to_usi
from kifu_core.shogi.packed import encode
from kifu_core.shogi.position import Position
from kifu_core.shogi.rules import legal_moves

NAMES = {name: f"a.{book.extension}" for name, book in BOOK_FILES.items()}
START = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -"


@cache
def made(positions: int = 120) -> tuple[BookEntry, ...]:
    """A book of random positions from the usual start, each with up to three moves."""
    chance, found = random.Random(5), dict[str, BookEntry]()
    waiting = [(Position.initial(), 0)]
    while len(found) < positions:
        position, ply = waiting.pop(0)
        if position.sfen(None) in found:
            continue
        moves = []
        for move in sorted(chance.sample(legal_moves(position), 3)):
            after = position.copy()
            after.do_move(move)
            waiting.append((after, ply + 1))
            reply, score = chance.choice(legal_moves(after)), chance.randint(-900, 900)
            moves.append(BookMove(move, reply, chance.randint(1, 99), score, chance.randint(1, 40), ("一",)))
        found[position.sfen(None)] = BookEntry(position.sfen(None), ply, moves, ("二", "三"))
    return tuple(found.values())


def written(entries: tuple[BookEntry, ...], book_format: str) -> bytes:
    return b"".join(BOOK_FILES[book_format].write(entries))


def read(data: bytes, book_format: str) -> tuple[Book, list[str]]:
    """A book, and the codes of its issues."""
    text = data.decode("utf-8" if book_format == "db" else "latin-1")
    source = Source(text, "", NAMES[book_format])
    notes = Notes(source)
    return BOOK_FILES[book_format].read(source, notes), [issue.code for issue in notes.all()]


def without(entries: tuple[BookEntry, ...], book_format: str) -> Iterator[BookEntry]:
    """A book as a format holds it."""
    for entry in entries:
        moves = [
            {
                "db": one._replace(remarks=[*one.remarks]),
                "ybb": BookMove(one.move, score=one.score, depth=one.depth, remarks=[]),
                "sbk": BookMove(one.move, times=one.times, remarks=[]),
                "apery": BookMove(one.move, times=one.times, score=one.score, remarks=[]),
            }[book_format]
            for one in entry.moves
        ]
        remarks = [*entry.remarks] if book_format in ("db", "sbk") else []
        yield entry._replace(moves=moves, remarks=remarks)


@pytest.mark.parametrize("book_format", BOOK_FILES)
def test_what_is_written_comes_back(book_format):
    book, codes = read(written(made(), book_format), book_format)
    assert codes == []
    assert sorted(book.entries()) == sorted(without(made(), book_format))


@pytest.mark.parametrize(
    ("book_format", "lost"),
    [
        ("db", []),
        ("ybb", ["counts", "replies", "remarks"]),
        ("sbk", ["scores", "depths", "replies", "remarks"]),
        ("apery", ["depths", "replies", "remarks"]),
    ],
)
def test_what_a_format_loses_is_counted(book_format, lost):
    issues = book_losses(made(), book_format)
    assert [issue.code for issue in issues] == [f"book-lost-{part}" for part in lost]
    remarks = {"ybb": 600, "sbk": 360, "apery": 600}.get(book_format)
    counts = [*[360] * (len(lost) - 1), remarks]
    assert [issue.params["count"] for issue in issues] == counts[: len(lost)]


@pytest.mark.parametrize("book_format", BOOK_FILES)
def test_a_book_is_recognised_and_its_trees_are_records(book_format):
    result = load(written(made(), book_format), NAMES[book_format])
    assert (result.format, result.issues) == (book_format, ())
    assert {game.record_kind for game in result.games} == {"tree"}
    assert [game.issues for game in result.games] == [()] * len(result.games)


def test_positions_of_an_apery_book_are_found_by_an_unexpected_reply():
    position = Position.initial()
    entries = [BookEntry(position.sfen(None), 0, [BookMove(from_usi("7g7f"))])]
    for move in ("7g7f", "9a9b"):
        position.do_move(from_usi(move))
    entries.append(BookEntry(position.sfen(None), 2, [BookMove(from_usi("2g2f"))]))
    book, codes = read(written(tuple(entries), "apery"), "apery")
    assert ([(one.sfen, one.ply) for one in book.entries()], codes) == (
        [(one.sfen, one.ply) for one in entries],
        [],
    )


def test_hashes_are_those_of_apery():
    """The values are cshogi's `book_key`."""
    hashes = {
        START: 0xEEBE8EE7E1AD7E15,
        "4k4/9/9/9/9/9/9/9/4K4 w -": 0x811041AE2DA4ADA6,
        "4k4/9/9/9/9/9/9/9/4K4 w p": 0x1B26B16A4A092095,
        "4k4/9/9/9/4+P4/9/9/9/4K4 b -": 0x749691C0D234162E,
        "4k4/9/9/9/9/9/9/9/4K4 b 18P2R": 0x24DECE52FD3A061F,
    }
    assert {sfen: apery.hash_of(Position.from_sfen(sfen)) for sfen in hashes} == hashes


def test_positions_that_nothing_leads_to_are_counted():
    far = BookEntry("4k4/9/9/9/9/9/9/9/4K4 b G", 0, [BookMove(from_usi("G*5b"))])
    book, codes = read(written((*made(3), far), "apery"), "apery")
    assert (len(book.places), codes) == (3, ["book-unreached"])
    lonely = sbk._content(3, sbk._message(7, 0, 0, 0, 0, 0))
    book, codes = read(written(made(3), "sbk") + lonely, "sbk")
    assert (len(book.places), codes) == (3, ["book-unreached"])


@pytest.mark.parametrize("book_format", ["ybb", "sbk"])
def test_a_damaged_book_keeps_its_readable_positions(book_format):
    data = written(made(), book_format)
    book, codes = read(data[:-40], book_format)
    assert 0 < len(book.places) < 120
    assert "book-damaged" in codes
    assert read(data[:20], book_format)[1] == ["book-damaged"]


def test_positions_in_a_circle_are_written_to_sbk_with_one_of_them_as_root():
    position, entries = Position.initial(), []
    for ply, move in enumerate(("2h3h", "8b7b", "3h2h", "7b8b")):
        entries.append(BookEntry(position.sfen(None), ply, [BookMove(from_usi(move), times=3)]))
        position.do_move(from_usi(move))
    data = written(tuple(entries), "sbk")
    assert data.count(b"/") == 8  # one SFEN
    book, codes = read(data, "sbk")
    assert [[to_usi(move.move) for move in one.moves] for one in book.entries()] == [
        ["2h3h"], ["8b7b"], ["3h2h"], ["7b8b"],
    ]  # fmt: skip
    assert codes == []


def test_moves_that_cannot_be_played_are_noted():
    entry = BookEntry(START, 0, [BookMove(from_usi("7g7e")), BookMove(from_usi("7g7f"))])
    for book_format in BOOK_FILES:
        book, codes = read(written((entry,), book_format), book_format)
        assert codes == ["book-move"]
        assert [[move.move for move in one.moves] for one in book.entries()] == [[from_usi("7g7f")]]


def test_drops_and_promotions_come_back():
    entry = BookEntry(
        "4k4/9/3P5/9/9/9/9/9/4K4 b RBGSNLP", 30,
        [
            BookMove(from_usi(text), times=1)
            for text in ("R*5b", "B*1a", "G*5c", "S*9i", "N*1c", "L*1h", "P*1i", "6c6b+", "6c6b")
        ],
    )  # fmt: skip
    for book_format in ("db", "ybb", "sbk"):
        book, codes = read(written((entry,), book_format), book_format)
        ((moves, ply),) = [([to_usi(move.move) for move in one.moves], one.ply) for one in book.entries()]
        assert (codes, ply, moves) == ([], 30, [to_usi(move.move) for move in entry.moves])


@pytest.mark.parametrize("book_format", ["ybb", "sbk", "apery"])
def test_any_bytes_are_a_book_or_noted(book_format):
    chance, good = random.Random(3), written(made(10), book_format)
    for _ in range(400):
        data = bytearray(good)
        for _ in range(chance.randint(1, 12)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        read(bytes(data[: chance.randint(0, len(data))]), book_format)


HOSTILE = {
    "ybb": ybb._HEADER.pack(YBB_MAGIC, 5_000, 0)
    + ybb._POSITION.pack(encode(Position.initial(), "psv"), 0, 1, 593) * 5_000
    + ybb._MOVE.pack(1, 0) * 593,
    "sbk": sbk._content(3, sbk._text(7, START) + sbk._content(9, sbk._message(1, 0, 0, -1)) * 200_000),
    "apery": APERY_MOVE.pack(apery.hash_of(Position.initial()), 1, 1, 0) * 200_000,
}
"""Books with far more moves than any position has."""


@pytest.mark.parametrize("book_format", HOSTILE)
def test_the_clock_is_checked_while_a_hostile_book_is_read(book_format):
    checks = count()
    with pytest.raises(TooSlowError), time_limit(500, clock=lambda: next(checks)):
        read(HOSTILE[book_format], book_format)


def test_positions_that_cannot_be_packed_are_lost_in_ybb():
    entries = (BookEntry("4k4/9/9/9/9/9/9/9/9 b G", 0, [BookMove(from_usi("G*5b"))]),)
    assert [(one.code, one.params["count"]) for one in book_losses(entries, "ybb")] == [
        ("book-lost-positions", 1)
    ]
    assert list(read(written(entries, "ybb"), "ybb")[0].entries()) == []


def test_the_moves_of_games_are_counted():
    counts = MoveCounts(plies=3)
    for text in ("7g7f 3c3d 2g2f 8c8d", "2g2f 3c3d 7g7f 8c8d", "7g7f 8c8d", "2h3h 8b7b 3h2h 7b8b 2h3h 8b7b"):
        counts.add(load(f"startpos moves {text}\n").games[0].record)
    book = Book(Notes(Source("", "")))
    counts.add_to(book, min_games=1)
    moves = {
        (entry.ply, to_usi(one.move)): (to_usi(one.reply) if one.reply else "", one.times)
        for entry in book.entries()
        for one in entry.moves
    }
    assert moves == {
        (0, "7g7f"): ("8c8d", 2), (0, "2g2f"): ("3c3d", 1), (0, "2h3h"): ("8b7b", 1),
        (1, "3c3d"): ("7g7f", 1),
        (1, "8c8d"): ("", 1), (1, "8b7b"): ("3h2h", 1), (2, "2g2f"): ("8c8d", 1), (2, "7g7f"): ("8c8d", 1),
        (2, "3h2h"): ("7b8b", 1),
    }  # fmt: skip
    book = Book(Notes(Source("", "")))
    counts.add_to(book, min_games=2)
    assert [[to_usi(one.move) for one in entry.moves] for entry in book.entries()] == [["7g7f"]]
