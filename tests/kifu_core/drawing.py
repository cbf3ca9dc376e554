"""Records drawn from the grammars that read them.

The lines of a record are drawn from the expressions of the grammar's own leaves, taken apart to the last
character class. Only what must make sense on a board is given: moves are legal ones of a random game, boards
and hands those of a real position, variations begin at plies there are; how they are written is drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from kifu_core import dump
from kifu_core.jkf import Record
from kifu_core.shogi.detect import detect
from kifu_core.shogi.formats.grammar import Leaf
from tests.kifu_core.expressions import text_of
from tests.kifu_core.random_games import random_record
from tests.kifu_core.variants import SPELLERS
from tools.grammars import GRAMMARS


def line_of(name: str, leaf: Leaf, random: Random) -> str:
    """A line of the kind of a leaf: one that the grammar, which tries its leaves in order, takes for it.

    What begins a record anew or means something else by its words is drawn again.
    """
    grammar = GRAMMARS[name].lines
    for _ in range(1000):
        text = text_of(leaf.pattern, random).rstrip("\n") + "\n"
        found = list(grammar.items(text))
        if [item[0] for item in found] == [leaf.name] and not _means_more(leaf.name, text):
            return text
    raise AssertionError(f"nothing drawn for {name} {leaf.name}")


RESERVED = ("手合割", "手番", "先手", "後手", "上手", "下手", "開始日時", "変化")


def _means_more(kind: str, text: str) -> bool:
    """Whether a header, or a comment among headers, has a name that the reader acts upon, or the look of
    another format's line."""
    if kind == "header" and detect(text)[0] is not None:
        return True
    return kind in ("header", "comment") and text.lstrip(" 　*").startswith(RESERVED)


# --- records ---------------------------------------------------------------------------------------------


class Drawn:
    """A drawn record: its text, the records that are written there, and the kinds of lines that are in it."""

    def __init__(self, name: str, seed: int) -> None:
        self.random = Random(f"{name} {seed}")
        self.name = name
        self.leaves = {leaf.name: leaf for leaf in GRAMMARS[name].lines.leaves}
        self.records: list[Record] = []
        made: Callable[[int], list[str]] = self._csa if name == "csa" else self._kakinoki
        self.text = "".join(made(seed))
        self.kinds = {kind for kind, _ in GRAMMARS[name].lines.items(self.text)}

    def _some(self, *kinds: str) -> list[str]:
        """A few lines of these kinds in any order."""
        chosen = [self.random.choice(kinds) for _ in range(self.random.randint(0, 3))]
        return [self._line(kind) for kind in chosen]

    def _line(self, kind: str) -> str:
        return line_of(self.name, self.leaves[kind], self.random)

    def _written(self, seed: int, forks: int) -> list[tuple[str, str]]:
        """A random record as lines with their kinds, each of them spelt otherwise."""
        record = random_record(seed, plies=self.random.randint(1, 12), forks=forks)
        self.records.append(record)
        speller = SPELLERS[self.name](self.name, self.random, record)
        found = []
        for line in dump(record, self.name).splitlines(keepends=True):
            kind = next(GRAMMARS[self.name].lines.items(line))[0]
            found.append((kind, speller.line(kind, line)))
        return found

    def _kakinoki(self, seed: int) -> list[str]:
        """Headers, the start, then a game of legal moves with lines of other kinds between its lines."""
        written = self._written(seed, 2)
        first = next(n for n, (kind, _) in enumerate(written) if kind in ("rows", "moves", "result"))
        # A text that begins with a bracket would be taken for JSON.
        lines = [self._line("remark"), *self._some("header", "remark", "flip", "blank", "move_counter")]
        lines += [self._line("separator")] if self.name == "ki2" and self.random.random() < 0.3 else []
        lines += [line for _, line in written[:first]]
        lines += self._some("comment", "bookmark") if self.name == "kif" else []
        for kind, line in written[first:]:
            lines.append(line)
            if kind in ("rows", "moves"):
                lines += self._some("comment", "bookmark", "blank")
        return lines

    def _csa(self, seed: int) -> list[str]:
        """One or two games with their parts in order, times and comments between the moves."""
        lines: list[str] = [*self._some("comment"), self._line("version")]
        for game in range(self.random.randint(1, 2)):
            if game:
                lines.append(("" if lines[-1].endswith("\n") else "\n") + self._line("next_game"))
            lines += self._some("player", "information", "comment", "blank")
            for kind, line in self._written(seed + 97 * game, 0)[1:]:
                lines.append(line)
                if not line.endswith("\n"):
                    continue
                if kind == "ending":
                    lines += [self._line("comment"), self._line("late_time")]
                elif kind == "moves":
                    lines += [self._line("late_time")] if self.random.random() < 0.3 else []
                    lines += self._some("comment", "blank")
        return lines
