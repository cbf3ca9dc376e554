"""Where in games the words of a query stand: a line of a comment or a header, for the games of one page.

Records are read only where the games' texts hold a word, in order, up to a number of bytes; and of what they
unpack to only so much, for one page and of one game: who sends games chooses how long their lines are.
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
from archive.names.search_text import searched
from archive.queries.scope import Scope
from archive.queries.search.parsing import parse
from archive.queries.search.terms import Word, positive_leaves
from kifu_core.jkf import MoveEntry, Record
from kifu_core.lines import nodes_of

MOST_GAMES: Final = 50
MOST_BYTES: Final = 512 * 1024
"""What the packed records that are read for one page take together."""
MOST_UNPACKED: Final = 4 * 1024 * 1024
"""What the JSON of these records takes together."""
CHARACTERS: Final = 1024 * 1024
"""Characters of lines, or of their forms where these are longer, that are looked at for one page."""
OF_A_GAME: Final = 64 * 1024
"""As many of one game at most: what follows is not searched (`archive.names.search_text.LONGEST`)."""
LINES: Final = 2_000
"""Lines of a record that are looked at."""
LINE: Final = 2_000
"""Characters of a line that are looked at."""
BEFORE: Final = 20
AFTER: Final = 60
"""Characters of a line that are shown before and behind a word."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A piece of a line: the text before a word, the word as written, and the text after it. `ply` and `path`
    give the move and its line (`archive.web.replay.record`); a header has a `name` and no ply."""

    before: str
    word: str
    after: str
    ply: int | None = None
    path: str = ""
    name: str = ""


@dataclass(slots=True)
class _ExcerptBudget:
    """What may still be looked at: bytes of JSON, characters of lines."""

    json: int
    characters: int

    def record(self, packed: bytes | memoryview) -> Record | None:
        """Return a stored record; None for one that is larger than what is left."""
        text = codec.opened(packed, self.json)
        if text is None:
            return None
        self.json -= len(text)
        return codec.parsed(text)

    def form(self, text: str) -> str:
        """Return the form of a text as it is searched, and count it."""
        found = searched(text)
        self.characters -= max(len(text), len(found))
        return found


def words_of(query: str) -> list[str]:
    """Return the forms of the words that a valid query looks for, without those it excludes."""
    words = (one.text for one in positive_leaves(parse(query)) if isinstance(one, Word))
    return list(dict.fromkeys(filter(None, map(searched, words))))


def excerpts(scope: Scope, ids: Sequence[int], words: Sequence[str]) -> dict[int, Excerpt]:
    """Return for games of a scope, by their ids, where the first of some words in their form stands: in a
    comment, otherwise in a header. Games without one, and those beyond the bounds, have none."""
    if not words:
        return {}
    shown = ids[:MOST_GAMES]
    texts = GameText.objects.filter(pk__in=shown, game__space__in=scope.spaces).values_list("pk", "text")
    held = {pk: [word for word in words if word in text] for pk, text in texts}
    holding = [pk for pk, some in held.items() if some]
    sizes = dict(GameRecord.objects.filter(pk__in=holding).values_list("pk", Length("record")))
    chosen, left = [], MOST_BYTES
    for pk in shown:
        if pk in sizes and sizes[pk] <= left:
            left -= sizes[pk]
            chosen.append(pk)
    records = dict(GameRecord.objects.filter(pk__in=chosen).values_list("pk", "record"))
    room = _ExcerptBudget(MOST_UNPACKED, CHARACTERS)
    found = ((pk, _in_packed(records[pk], held[pk], room)) for pk in chosen if pk in records)
    return {pk: one for pk, one in found if one is not None}


def _in_packed(packed: bytes | memoryview, words: Sequence[str], room: _ExcerptBudget) -> Excerpt | None:
    """Return where the first of the words stand in a stored record, as far as there is room for that."""
    record = room.record(packed)
    if record is None:
        return None
    own = _ExcerptBudget(0, min(OF_A_GAME, room.characters))
    begun = own.characters
    found = _in_record(record, words, own)
    room.characters -= begun - own.characters
    return found


def _in_record(record: Record, words: Sequence[str], room: _ExcerptBudget) -> Excerpt | None:
    """Return the first comment that holds most of the words; without any the first such header."""
    best = _fullest(islice(_comments(record["moves"]), LINES), words, room)
    if best is not None:
        (path, ply), parts = best
        return Excerpt(*parts, ply=ply, path=path)
    lines = ((name, line) for name, value in record["header"].items() for line in value.splitlines())
    named = _fullest(islice(lines, LINES), words, room)
    return None if named is None else Excerpt(*named[1], name=named[0])


Place = TypeVar("Place")


def _fullest(
    lines: Iterable[tuple[Place, str]], words: Sequence[str], room: _ExcerptBudget
) -> tuple[Place, tuple[str, str, str]] | None:
    """Return the first of the lines that hold most of the words: its place, and the line as `cut` does; of
    those lines that there is room for."""
    best, most = None, 0
    for place, line in lines:
        if room.characters <= 0:
            break
        form = room.form(line[:LINE])
        held = sum(word in form for word in words)
        if held > most:
            best, most = (place, line), held
            if held == len(words):
                break
    parts = cut(best[1], sorted(words, key=len, reverse=True), room.form) if best else None
    return None if best is None or parts is None else (best[0], parts)


def _comments(moves: Sequence[MoveEntry]) -> Iterator[tuple[tuple[str, int], str]]:
    """Yield path and ply, and the line, of all comments: the main line's, then those of forks."""
    for path, ply, entry in nodes_of(moves):
        if "comments" in entry:
            yield from (((path, ply), line) for line in comment_lines(entry))


def cut(
    line: str, words: Iterable[str], form_of: Callable[[str], str] = searched
) -> tuple[str, str, str] | None:
    """Return the part of a line around the first of some words in it: the text before, the word as written,
    the text after. None if no word is in it. `form_of` makes the forms that are compared.

    >>> cut("これが髙見流", ["高見"])
    ('これが', '髙見', '流')
    """
    line = line[:LINE]
    form = form_of(line)
    word = next((one for one in words if one in form), None)
    if word is None:
        return None
    # The shortest beginning that holds it ends with it; of that the shortest end begins with it.
    end = bisect_left(range(len(line)), True, key=lambda at: word in form_of(line[:at]))
    begun = bisect_left(range(end), True, key=lambda back: word in form_of(line[end - back : end]))
    start = max(0, end - begun)
    before, after = line[:start].lstrip(), line[end:].rstrip()
    if len(before) > BEFORE:
        before = f"…{before[-BEFORE:]}"
    if len(after) > AFTER:
        after = f"{after[:AFTER]}…"
    return before, line[start:end], after
