"""Excerpts with the words of a query: a line of a comment or a header, for the games of one page.

Only records of games whose texts contain a word are read, in order, up to a number of bytes. Their JSON and
their lines are limited too, for each page and each game, because senders choose how long their lines are.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, TypeVar

from django.db.models.functions import Length

from archive.derive.text import comment_lines
from archive.models import GameRecord, GameText, codec
from archive.names.search_text import search_form
from archive.queries.scope import Scope
from archive.queries.search.parsing import parse
from archive.queries.search.terms import Word, positive_leaves
from kifu_core.jkf import MoveEntry, Record
from kifu_core.lines import nodes_of

MOST_GAMES: Final = 50
MOST_BYTES: Final = 512 * 1024
"""Total bytes of the packed records of one page."""
MOST_UNPACKED: Final = 4 * 1024 * 1024
"""Total bytes of the JSON of these records."""
CHARACTERS: Final = 1024 * 1024
"""Characters of lines, or of their forms if these are longer, that are searched for one page."""
OF_A_GAME: Final = 64 * 1024
"""Characters of one game: the search text has no more of it (`archive.names.search_text.LONGEST`)."""
LINES: Final = 2_000
"""Lines of a record that are searched."""
LINE: Final = 2_000
"""Characters of a line that are searched."""
BEFORE: Final = 20
AFTER: Final = 60
"""Characters of an excerpt before and after the word."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A part of a line: the text before a word, the word as in the line, and the text after it. `ply` and
    `path` are those of the move (`archive.web.replay.record`); a header has a `name` and no ply."""

    before: str
    word: str
    after: str
    ply: int | None = None
    path: str = ""
    name: str = ""


@dataclass(slots=True)
class _ExcerptBudget:
    """The remaining bytes of JSON and characters of lines."""

    json: int
    characters: int

    def record(self, packed: bytes | memoryview) -> Record | None:
        """Return a stored record; None if it is larger than the budget."""
        text = codec.unpack_text(packed, self.json)
        if text is None:
            return None
        self.json -= len(text)
        return codec.parse(text)

    def form(self, text: str) -> str:
        """Return the form of a text that is searched, and subtract its length."""
        form = search_form(text)
        self.characters -= max(len(text), len(form))
        return form


def words_of(query: str) -> list[str]:
    """Return the forms of the words of a valid query, without those under a NOT."""
    words = (one.text for one in positive_leaves(parse(query)) if isinstance(one, Word))
    return list(dict.fromkeys(filter(None, map(search_form, words))))


def excerpts(scope: Scope, ids: Sequence[int], words: Sequence[str]) -> dict[int, Excerpt]:
    """Return excerpts of games by their ids: the first comment, else header, with most of the words, which
    are in their form. Games without such a line, and those beyond the limits, are left out."""
    if not words:
        return {}
    page = ids[:MOST_GAMES]
    texts = GameText.objects.filter(pk__in=page, game__space__in=scope.spaces).values_list("pk", "text")
    words_of_game = {pk: [word for word in words if word in text] for pk, text in texts}
    matching = [pk for pk, own in words_of_game.items() if own]
    sizes = dict(GameRecord.objects.filter(pk__in=matching).values_list("pk", Length("record")))
    selected, bytes_left = [], MOST_BYTES
    for pk in page:
        if pk in sizes and sizes[pk] <= bytes_left:
            bytes_left -= sizes[pk]
            selected.append(pk)
    records = dict(GameRecord.objects.filter(pk__in=selected).values_list("pk", "record"))
    budget = _ExcerptBudget(MOST_UNPACKED, CHARACTERS)
    results = ((pk, _in_packed(records[pk], words_of_game[pk], budget)) for pk in selected if pk in records)
    return {pk: one for pk, one in results if one is not None}


def _in_packed(packed: bytes | memoryview, words: Sequence[str], budget: _ExcerptBudget) -> Excerpt | None:
    record = budget.record(packed)
    if record is None:
        return None
    own_budget = _ExcerptBudget(0, min(OF_A_GAME, budget.characters))
    before = own_budget.characters
    excerpt = _in_record(record, words, own_budget)
    budget.characters -= before - own_budget.characters
    return excerpt


def _in_record(record: Record, words: Sequence[str], budget: _ExcerptBudget) -> Excerpt | None:
    """Return the first comment with most of the words; without any the first such header."""
    best = _best_line(islice(_comments(record["moves"]), LINES), words, budget)
    if best is not None:
        (path, ply), parts = best
        return Excerpt(*parts, ply=ply, path=path)
    lines = ((name, line) for name, value in record["header"].items() for line in value.splitlines())
    header = _best_line(islice(lines, LINES), words, budget)
    return None if header is None else Excerpt(*header[1], name=header[0])


Place = TypeVar("Place")


def _best_line(
    lines: Iterable[tuple[Place, str]], words: Sequence[str], budget: _ExcerptBudget
) -> tuple[Place, tuple[str, str, str]] | None:
    """Return the first of the lines with most of the words, within the budget: its place, and its parts as
    `cut` returns them."""
    best, most = None, 0
    for place, line in lines:
        if budget.characters <= 0:
            break
        form = budget.form(line[:LINE])
        hits = sum(word in form for word in words)
        if hits > most:
            best, most = (place, line), hits
            if hits == len(words):
                break
    parts = cut(best[1], sorted(words, key=len, reverse=True), budget.form) if best else None
    return None if best is None or parts is None else (best[0], parts)


def _comments(moves: Sequence[MoveEntry]) -> Iterator[tuple[tuple[str, int], str]]:
    for path, ply, entry in nodes_of(moves):
        if "comments" in entry:
            yield from (((path, ply), line) for line in comment_lines(entry))


def cut(
    line: str, words: Iterable[str], form_of: Callable[[str], str] = search_form
) -> tuple[str, str, str] | None:
    """Return the part of a line around the first of the words that it contains: the text before, the word as
    in the line, the text after. None without such a word. `form_of` makes the forms that are compared.

    >>> cut("これが髙見流", ["高見"])
    ('これが', '髙見', '流')
    """
    line = line[:LINE]
    form = form_of(line)
    word = next((one for one in words if one in form), None)
    if word is None:
        return None
    # The shortest prefix with the word ends with it; the shortest suffix of that prefix begins with it.
    end = bisect_left(range(len(line)), True, key=lambda at: word in form_of(line[:at]))
    length = bisect_left(range(end), True, key=lambda back: word in form_of(line[end - back : end]))
    start = max(0, end - length)
    before, after = line[:start].lstrip(), line[end:].rstrip()
    if len(before) > BEFORE:
        before = f"…{before[-BEFORE:]}"
    if len(after) > AFTER:
        after = f"{after[:AFTER]}…"
    return before, line[start:end], after
