"""The index of texts on PostgreSQL: a GIN index over a function of ours that splits a text into pieces.

The pieces are stored in the index only. The server's own parsers are not used, because their idea of a letter
depends on the database's locale.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from django.db import transaction
from django.db.backends.utils import CursorWrapper

from archive.names.search_text import required_pieces
from archive.project.reading import connection

HOLDS: Final = "strpos({text}, %s) > 0"

_STORE: Final = "INSERT INTO archive_gametext (game_id, text) SELECT * FROM unnest(%s::bigint[], %s::text[])"
_REMOVE: Final = "DELETE FROM archive_gametext WHERE game_id = ANY(%s::bigint[])"
_BY_INDEX: Final = "SELECT set_config('enable_seqscan', %s, true)"
_HOLDING: Final = """
    SELECT t.game_id, {holds} FROM archive_gametext t
    WHERE archive_pieces(t.text) @@ %s::tsquery
    AND (SELECT g.space FROM archive_game g WHERE g.id = t.game_id) = ANY(%s::bigint[]) LIMIT %s
"""


def write(cursor: CursorWrapper, texts: Mapping[int, str]) -> None:
    cursor.execute(_STORE, [list(texts), list(texts.values())])


def remove(cursor: CursorWrapper, games: Collection[int]) -> None:
    cursor.execute(_REMOVE, [list(games)])


def games_with_words(words: Sequence[str], spaces: Sequence[int], limit: int) -> list[int] | None:
    """Force the use of the index: for a word that seems frequent, the planner would split all texts."""
    terms = " & ".join(term for word in words for term in _terms(word))
    sql = _HOLDING.format(holds=" AND ".join([HOLDS.format(text="t.text")] * len(words)))
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_BY_INDEX, ["off"])
        cursor.execute(sql, [*words, terms, [*spaces], limit + 1])
        rows = cursor.fetchall()
        cursor.execute(_BY_INDEX, ["on"])
    return None if len(rows) > limit else [game for game, holds in rows if holds]


def _terms(word: str) -> Iterator[str]:
    required = required_pieces(word)
    yield from map(_quoted, required.pieces)
    if required.prefix:
        yield f"{_quoted(required.prefix)}:*"


def faulty_games() -> list[int]:
    """Return none: the server maintains its index."""
    return []


def _quoted(piece: str) -> str:
    return "'{}'".format(piece.replace("\\", "\\\\").replace("'", "''"))
