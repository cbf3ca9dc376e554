"""The index of the texts of games: which texts have certain pieces (`archive.names.search_text`).

It is a filter, not an answer: the pieces of a word can stand in a text apart. Whoever asks gets texts that
hold the word itself. docs/text-search.md tells the whole story.
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
    """The condition that a text, `{text}`, holds a word, the value. Both are in the form that is compared."""

    def write(self, cursor: CursorWrapper, texts: Mapping[int, str]) -> None:
        """Store texts of games, by id, that have none; within a transaction."""

    def forget(self, cursor: CursorWrapper, games: Collection[int]) -> None:
        """Remove the texts of games, by id; within a transaction."""

    def holding(self, words: Sequence[str], spaces: Sequence[int], limit: int) -> list[int] | None:
        """Return the ids of the games of some spaces whose texts hold all of some words, in no order; None
        where more than `limit` texts may. None of the words is empty.

        Texts of other spaces are not counted: how many these are would show in what is told.
        """

    def wrong(self) -> list[int]:
        """Return the ids of games of which the index has other pieces than their texts give, ascending."""


_INDEXES = {"sqlite": sqlite_texts, "postgresql": postgresql_texts}


def text_index() -> TextIndex:
    """Return the module for the configured database."""
    return cast(TextIndex, _INDEXES[connection.vendor])
