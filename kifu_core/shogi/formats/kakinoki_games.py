"""Divide the leaves of KIF and KI2 texts into games."""

import re
from collections.abc import Iterable, Iterator
from typing import ClassVar, Final, NamedTuple

from kifu_core.shogi.formats.grammar import LineGrammar
from kifu_core.shogi.formats.kakinoki import OF_ENDING
from kifu_core.shogi.formats.rows import KifRow
from kifu_core.shogi.specials import read_over, read_result

OPENERS: Final = frozenset(["手合割", "開始日時", "先手", "後手", "下手", "上手"])
"""Headers that begin another game after moves."""

_HEADS: Final = frozenset(["header", "remark", "separator", "hand", "board", "side_to_move", "flip"])
PLAYS: Final = frozenset(["rows", "row", "moves"])
_BETWEEN: Final = frozenset(["blank", "comment", "bookmark", "unknown", "move_counter"])

_OF_GAME: Final = re.compile(rf"{OF_ENDING}|まで[0-9]")
"""The remarks that belong to the game before them: see `ki2.dump`."""


class RowMatch(NamedTuple):
    """A line unknown to the grammar, read as a row."""

    match: re.Match[str]
    row: KifRow

    def start(self) -> int:
        """Return where the line begins in the text."""
        return self.match.start()

    def end(self) -> int:
        """Return where the line ends in the text."""
        return self.match.end()


KakinokiMatch = re.Match[str] | RowMatch


class KakinokiLeaves:
    """Yields the leaves of texts in one format, and recognises the beginnings and ends of games."""

    grammar: ClassVar[LineGrammar]

    @classmethod
    def split(cls, text: str) -> Iterable[tuple[int, tuple[str, KakinokiMatch]]]:
        """Return the leaves of a text, each with the offset of its game."""
        return _LeavesByGame(cls, text)

    @classmethod
    def leaves(cls, text: str, begin: int = 0) -> Iterator[tuple[str, KakinokiMatch]]:
        """Yield the leaves of a text from an offset on."""
        return cls.grammar.items(text, begin)

    @classmethod
    def first_number(cls, match: KakinokiMatch) -> int | None:
        """Return the number of the first move of a block; None in formats without numbers."""
        return None

    @classmethod
    def last_number(cls, match: KakinokiMatch) -> int | None:
        """Return the number of the last move of a block; None in formats without numbers."""
        return None

    @classmethod
    def has_move(cls, match: KakinokiMatch) -> bool:
        """Return whether a block of moves and endings has a move."""
        return True

    @classmethod
    def ends_game(cls, match: KakinokiMatch) -> bool:
        """Return whether a row ends the game; moves without numbers after it begin another."""
        return False

    @classmethod
    def continues(cls, last: KakinokiMatch, match: KakinokiMatch) -> bool:
        """Return whether moves without numbers continue those before them."""
        return False

    @classmethod
    def ends_play(cls, match: KakinokiMatch) -> bool:
        """Return whether no moves can follow a result line."""
        assert isinstance(match, re.Match)
        return _is_result(match) and match[2].strip() not in ("中断", "封じ手")


class _LeavesByGame:
    """The leaves of a text, each with the offset of its game.

    One text may have several games. Another one begins with the first line of a head (headers, a board,
    手数----) between moves and further moves, if the head names players, start or handicap or is 手数----
    itself, and if the numbers after it do not continue: otherwise it was only the head of a page. Without a
    head, another game begins with a row 1, and with a move after a result. Only the leaf after a head
    decides to which game the head belongs; the head is then read a second time, as storing its leaves would
    take much memory.
    """

    def __init__(self, reader: type[KakinokiLeaves], text: str) -> None:
        self.reader = reader
        self.text = text
        self.game = 0
        self.last: KakinokiMatch | None = None
        self.decided = False
        self.varies = False
        self.headed = False

    def __iter__(self) -> Iterator[tuple[int, tuple[str, KakinokiMatch]]]:
        head, opened = -1, False
        for name, match in self.reader.leaves(self.text):
            if self.last is None:  # nothing of the game is played yet
                self._follow(name, match)
                yield self.game, (name, match)
                continue
            if isinstance(match, re.Match) and self._is_head(name, match):
                head = match.start() if head < 0 else head
                opened = opened or name == "separator" or (name == "header" and match[1].strip() in OPENERS)
                continue
            if head >= 0:
                if name in _BETWEEN:
                    continue
                if name in PLAYS and (self._is_first(match) or (opened and not self._continues(match))):
                    self._begin(head)
                yield from self._until(match.start(), head)
                head, opened = -1, False
            elif name in PLAYS and self._is_first(match):
                self._begin(match.start())
            self._follow(name, match)
            yield self.game, (name, match)
        if head >= 0:
            yield from self._until(len(self.text), head)

    def _is_head(self, name: str, match: re.Match[str]) -> bool:
        return name in _HEADS and not (name == "remark" and _OF_GAME.match(match[1]))

    def _begin(self, offset: int) -> None:
        self.game, self.last, self.decided, self.headed = offset, None, False, True

    def _until(self, end: int, begin: int) -> Iterator[tuple[int, tuple[str, KakinokiMatch]]]:
        for name, match in self.reader.leaves(self.text, begin):
            if match.start() >= end:
                break
            yield self.game, (name, match)

    def _follow(self, name: str, match: KakinokiMatch) -> None:
        """Update the state that decides where the next game begins."""
        if name == "header" and self.last is None:
            self.headed = True
        elif name in PLAYS:
            self.last, self.varies, self.decided = match, False, self.reader.ends_game(match)
        elif name == "variation":
            self.varies = True
        elif name == "result" and self.last:
            self.decided = self.decided or self.reader.ends_play(match)

    def _is_first(self, match: KakinokiMatch) -> bool:
        """Return whether moves begin a game: a row 1 outside variations, or moves after a result."""
        number = self.reader.first_number(match)
        if number is None:
            return self.decided and not self.varies and self.reader.has_move(match)
        return number == 1 and not self.varies and not self._continues(match) and self._has_moves()

    def _has_moves(self) -> bool:
        assert self.last is not None
        return self.reader.last_number(self.last) != 1 or self.reader.has_move(self.last)

    def _continues(self, match: KakinokiMatch) -> bool:
        """Return whether the numbers of rows continue those of the rows before.

        Without numbers, a head may stand between the moves of a game that has no other head.
        """
        if self.last is None:
            return False
        number = self.reader.first_number(match)
        if number is None:
            return not (self.headed or self.decided) and self.reader.continues(self.last, match)
        last = self.reader.last_number(self.last)
        return last is not None and number == last + 1


def _is_result(match: re.Match[str]) -> bool:
    """Return whether a line that looks like a result has a count of moves or a known ending."""
    return bool(match[1]) or (read_over(match[2]) or read_result(match[2])) != (None, None)
