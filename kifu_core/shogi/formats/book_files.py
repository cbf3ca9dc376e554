"""The formats of opening books, to read and to write books as such."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from kifu_core.decoding import Notes, Source
from kifu_core.errors import Issue
from kifu_core.shogi.books import Book, BookEntry
from kifu_core.shogi.formats import apery, db, sbk, ybb
from kifu_core.shogi.packed import is_encodable
from kifu_core.shogi.position import Position

BookPart = Literal["positions", "counts", "scores", "depths", "replies", "remarks"]


@dataclass(frozen=True, slots=True)
class BookFile:
    """A format of books: the extension of its files, how they are read and written, and the parts of books
    that have no place in them."""

    extension: str
    read: Callable[[Source, Notes], Book]
    write: Callable[[Iterable[BookEntry]], Iterator[bytes]]
    lost: Sequence[BookPart] = ()


BOOK_FILES: Final = {
    "db": BookFile("db", db.read_book, db.write),
    "ybb": BookFile("ybb", ybb.read_book, ybb.write, ("positions", "counts", "replies", "remarks")),
    "sbk": BookFile("sbk", sbk.read_book, sbk.write, ("scores", "depths", "replies", "remarks")),
    "apery": BookFile("bin", apery.read_book, apery.write, ("depths", "replies", "remarks")),
}


def book_losses(entries: Iterable[BookEntry], book_format: str) -> tuple[Issue, ...]:
    """Return the losses of a book in a format as issues `book-lost-…`, each with its count.

    `sbk` has remarks of positions, but none of moves.
    """
    counts: Counter[BookPart] = Counter()
    for entry in entries:
        counts["positions"] += book_format == "ybb" and not is_encodable(Position.from_sfen(entry.sfen))
        counts["remarks"] += len(entry.remarks) if book_format != "sbk" else 0
        for one in entry.moves:
            counts["counts"] += one.times is not None
            counts["scores"] += one.score is not None
            counts["depths"] += one.depth is not None
            counts["replies"] += one.reply > 0
            counts["remarks"] += len(one.remarks)
    return tuple(
        Issue(f"book-lost-{part}", "warning", params={"format": book_format, "count": counts[part]})
        for part in BOOK_FILES[book_format].lost
        if counts[part]
    )
