"""The formats of opening books, to read and to write books as such."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from kifu_core.decoding import Notes, Source
from kifu_core.shogi.books import Book, BookEntry
from kifu_core.shogi.formats import apery, db, sbk, ybb


@dataclass(frozen=True, slots=True)
class BookFile:
    """A format of books: the extension of its files, and how they are read and written."""

    extension: str
    read: Callable[[Source, Notes], Book]
    write: Callable[[Iterable[BookEntry]], Iterator[bytes]]


BOOK_FILES: Final = {
    "db": BookFile("db", db.read_book, db.write),
    "ybb": BookFile("ybb", ybb.read_book, ybb.write),
    "sbk": BookFile("sbk", sbk.read_book, sbk.write),
    "apery": BookFile("bin", apery.read_book, apery.write),
}
