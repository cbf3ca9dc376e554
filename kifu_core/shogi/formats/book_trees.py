"""Opening books as records: a book is a graph, not a tree.

Each of its positions is played out once, at its first occurrence; other lines end with the move that reaches
it.
"""

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from kifu_core.deadline import watched
from kifu_core.decoding import Notes, Source
from kifu_core.formats import Format, Mark
from kifu_core.jkf import FORK_LEVELS
from kifu_core.limits import most_games
from kifu_core.record import ParsedGame
from kifu_core.shogi.books import Book, BookChoice, BookMove, BookPlace, position_of
from kifu_core.shogi.formats.positions import GAMES_OF_LINES, PositionDraft
from kifu_core.shogi.formats.usi import packed_step
from kifu_core.shogi.moves import to_usi
from kifu_core.shogi.raw_line import RawLine
from kifu_core.shogi.start import initial_of

PLACES_A_RECORD: Final = 1_000
"""Positions of the book in one record; the others begin records of their own."""


def book_format(name: str, read: Callable[[Source, Notes], Book], mark: Mark) -> Format:
    """Return a format whose files are books, read as their trees."""
    return Format(name, lambda source, notes: trees(read(source, notes), source), [mark])


def trees(book: Book, source: Source) -> list[ParsedGame]:
    """Return the trees of a book that was read from a source; issues go to the book's notes.

    Each position that no other leads to begins a tree, and so does each that did not fit into a tree. Scores
    become comments as in ShogiHome's analyses, from Black's side.
    """
    notes = book.notes
    games: list[ParsedGame] = []
    limit, scored = most_games(source.text, GAMES_OF_LINES), book.is_scored
    done: set[bytes] = set()
    for key in watched(_roots(book)):
        if key in done:
            continue
        if len(games) == limit:
            notes.add("too-many-games", book.places[key].begin or None, "error", limit=limit)
            break
        draft = _TreeBuilder(book, key, done, scored).draft(source)
        draft.remarks += book.remarks if not games else []
        game = draft.finished(len(games), _locate)
        if game is not None:
            games.append(game if game.record_kind == "position" else replace(game, record_kind="tree"))
        else:
            notes.take(draft.notes)
    return games


def _roots(book: Book) -> Iterator[bytes]:
    """Yield the roots of the trees: positions that no other leads to, then all positions."""
    reached = {choice.after for place in book.places.values() for choice in place.choices}
    yield from (key for key in book.places if key not in reached)
    yield from book.places


def _locate(block: str) -> list[int]:
    """Return the offset of a block's move twice: the expected reply stands on the same line."""
    return [0, 0]


class _TreeBuilder:
    """Builds the tree of a position: first moves are the main line, others variations."""

    def __init__(self, book: Book, root: bytes, done: set[bytes], scored: bool) -> None:
        self.book = book
        self.root = book.places[root]
        self.position = position_of(root)
        self.done = done
        self.scored = scored
        self.budget = PLACES_A_RECORD
        done.add(root)
        self.main = RawLine(restore_same=True)
        waiting = deque([(self.main, self.root)])
        for line, place in watched(iter(_popped(waiting))):
            self._grow(line, place, waiting)

    def draft(self, source: Source) -> PositionDraft:
        return PositionDraft(
            Notes(source),
            position=self.position,
            initial=initial_of(self.position),
            line=self.main,
            comments=self.root.remarks[:],
            first_offset=self.root.begin,
            started=True,
        )

    def _grow(
        self, line: RawLine, place: BookPlace | None, waiting: deque[tuple[RawLine, BookPlace]]
    ) -> None:
        """Extend a line as far as the book goes; other moves are appended to `waiting`."""
        while place is not None:
            index, next_place = len(line.steps), None
            for number, choice in enumerate(place.choices):
                target = line if not number else RawLine(restore_same=True, level=line.level + 1)
                if number:
                    line.forks.setdefault(index, []).append(target)
                following = self._take(target, choice)
                if not number:
                    next_place = following
                elif following is not None:
                    waiting.append((target, following))
            place = next_place

    def _take(self, line: RawLine, choice: BookChoice) -> BookPlace | None:
        """Add a book move to a line; return the position where the line goes on, None where it ends."""
        following = self.book.places.get(choice.after)
        one = choice.book_move
        moves = [one.move, one.reply] if following is None and one.reply else [one.move]
        if comments := [*self._comments(one, choice.after[-1] == 1), *choice.remarks]:
            line.comments[len(line.steps)] = comments
        if choice.end:  # binary books have no lines to point at
            line.spots.append((len(line.steps), choice.begin, choice.end))
        line.steps += map(packed_step, moves)
        line.times += [None] * len(moves)
        if following is None or choice.after in self.done or not self.budget or line.level == FORK_LEVELS:
            return None
        if following.remarks:
            line.comments.setdefault(len(line.steps) - 1, []).extend(following.remarks)
        self.done.add(choice.after)
        self.budget -= 1
        return following

    def _comments(self, one: BookMove, black: bool) -> Iterator[str]:
        if self.scored and one.score is not None:
            yield f"#評価値={one.score if black else -one.score}"
            if one.depth is not None:
                yield f"#深さ={one.depth}"
            if one.reply:
                yield f"#読み筋={to_usi(one.reply)}"
        if one.times is not None:
            yield f"採用数={one.times}"


def _popped(waiting: deque[tuple[RawLine, BookPlace]]) -> Iterator[tuple[RawLine, BookPlace]]:
    """Yield the items of a queue that grows meanwhile."""
    while waiting:
        yield waiting.popleft()
