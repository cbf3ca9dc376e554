"""The index of the texts of games by their pieces (`archive.names.search_text`).

The index only filters: a text may have all pieces of a word in different places. So the texts are then
checked for the word itself. See docs/text-search.md.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol, cast

from django.db.backends.utils import CursorWrapper

from archive.index import postgresql_texts, sqlite_texts
from archive.project.reading import connection


class TextIndex(Protocol):
    """Implemented by the modules `sqlite_texts` and `postgresql_texts`."""

    HOLDS: str
    """The condition that `{text}` contains a word, the value; both in the form that is compared."""

    def write(self, cursor: CursorWrapper, texts: Mapping[int, str]) -> None:
        """Store texts by the ids of games that have none yet; within a transaction."""

    def remove(self, cursor: CursorWrapper, games: Collection[int]) -> None:
        """Remove the texts of games, by id; within a transaction."""

    def games_with_words(self, words: Sequence[str], spaces: Sequence[int], limit: int) -> list[int] | None:
        """Return the ids of the games of some spaces whose texts contain all words, in no order; None if more
        than `limit` texts may. No word may be empty.

        Texts of other spaces do not count towards the limit, so that a visitor cannot infer their number.
        """

    def faulty_games(self) -> list[int]:
        """Return the ids of games whose pieces in the index differ from those of their texts, ascending."""


_INDEXES = {"sqlite": sqlite_texts, "postgresql": postgresql_texts}


def text_index() -> TextIndex:
    """Return the module for the configured database."""
    return cast(TextIndex, _INDEXES[connection.vendor])
