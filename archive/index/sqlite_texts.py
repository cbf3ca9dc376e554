"""The index of texts on SQLite: an FTS5 table that stores only which games have a piece.

It stores neither texts nor positions, and removing pieces needs the text they were made from: so a text and
its pieces always change together. The tokenizer takes all characters but ASCII for letters, so pieces are
written in full-width characters: none is a separator, in any version of Unicode.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Final

from django.db import connection
from django.db.backends.utils import CursorWrapper

from archive.names.search_text import pieces, required_pieces

HOLDS: Final = "instr({text}, %s) > 0"

_WIDE: Final = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}
_PART: Final = 500

_STORE: Final = "INSERT INTO archive_gametext (game_id, text) VALUES (%s, %s)"
_ADD: Final = "INSERT INTO archive_textindex (rowid, pieces) VALUES (%s, %s)"
_STORED: Final = "SELECT game_id, text FROM archive_gametext WHERE game_id IN ({places})"
_TAKE_OUT: Final = (
    "INSERT INTO archive_textindex (archive_textindex, rowid, pieces) VALUES ('delete', %s, %s)"
)
_REMOVE: Final = "DELETE FROM archive_gametext WHERE game_id IN ({places})"
_HOLDING: Final = """
    SELECT t.game_id, {holds} FROM (
        SELECT i.rowid AS id FROM archive_textindex i CROSS JOIN archive_game g ON g.id = i.rowid
        WHERE archive_textindex MATCH %s AND g.space IN ({spaces}) LIMIT %s
    ) x CROSS JOIN archive_gametext t ON t.game_id = x.id
"""


def write(cursor: CursorWrapper, texts: Mapping[int, str]) -> None:
    rows = sorted(texts.items())
    cursor.executemany(_STORE, rows)
    cursor.executemany(_ADD, list(_indexed(rows)))


def remove(cursor: CursorWrapper, games: Collection[int]) -> None:
    ids = sorted(games)
    for start in range(0, len(ids), _PART):
        part = ids[start : start + _PART]
        places = ", ".join(["%s"] * len(part))
        cursor.execute(_STORED.format(places=places), part)
        cursor.executemany(_TAKE_OUT, list(_indexed(cursor.fetchall())))
        cursor.execute(_REMOVE.format(places=places), part)


def _indexed(rows: Collection[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Yield the rows of the table; a text without pieces has none."""
    for game, text in rows:
        if text:
            yield game, " ".join(pieces(text)).translate(_WIDE)


_PIECES: Final = (
    "CREATE VIRTUAL TABLE IF NOT EXISTS temp.piece USING fts5vocab(main, archive_textindex, instance)"
)
# One statement, so that both are of one snapshot.
_BOTH: Final = (
    "SELECT doc, term, NULL FROM temp.piece UNION ALL SELECT game_id, NULL, text FROM archive_gametext"
)


def faulty_games() -> list[int]:
    """Compare a sum of hashes for each game, so that memory does not grow with the texts."""
    sums: dict[int, int] = {}
    with connection.cursor() as cursor:
        cursor.execute(_PIECES)
        cursor.execute(_BOTH)
        for game, piece, text in cursor:
            compared = [piece] if text is None else pieces(text.translate(_WIDE))
            sign = 1 if text is None else -1
            sums[game] = sums.get(game, 0) + sign * sum(map(_hash, compared))
        cursor.execute("DROP TABLE temp.piece")
    return sorted(game for game, total in sums.items() if total)


def _hash(piece: str) -> int:
    return int.from_bytes(blake2b(piece.encode(), digest_size=8).digest(), "big")


def games_with_words(words: Sequence[str], spaces: Sequence[int], limit: int) -> list[int] | None:
    terms = " ".join(term for word in words for term in _terms(word))
    holds = " AND ".join([HOLDS.format(text="t.text")] * len(words))
    sql = _HOLDING.format(holds=holds, spaces=", ".join(["%s"] * len(spaces)))
    with connection.cursor() as cursor:
        cursor.execute(sql, [*words, terms, *spaces, limit + 1])
        rows = cursor.fetchall()
    return None if len(rows) > limit else [game for game, holds in rows if holds]


def _terms(word: str) -> Iterator[str]:
    required = required_pieces(word)
    yield from (f'"{piece.translate(_WIDE)}"' for piece in required.pieces)
    if required.prefix:
        yield f'"{required.prefix.translate(_WIDE)}" *'
