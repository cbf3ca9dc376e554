"""Records drawn from the grammars that read them.

The lines of a record are drawn from the expressions of the grammar's own leaves, taken apart to the last
character class. Only what must make sense on a board is filled in: moves are legal ones of a random game,
boards and hands those of a real position, variations begin at plies there are.
"""

from __future__ import annotations

import re._constants as sre
import re._parser as sre_parser
from collections.abc import Callable
from random import Random
from typing import Any

import pyparsing as pp

from kifu_core import dump
from kifu_core.detect import detect
from kifu_core.formats.describe import GRAMMARS, identifier, leaves
from kifu_core.formats.grammar import items
from tests.kifu_core.random_games import random_record

POOL = " 0189AZaz+-/.,'$%&#*:;=()[]{}|~!?ａ１９一二十歩金玉成先後手の：、。（）＋▲△　ぁんアン鷗é"
"""Characters of which a class is drawn, as far as they belong to it."""

LIMIT = 6
"""The most that is drawn of what may stand any number of times."""


def text_of(pattern: str, random: Random) -> str:
    """A random text that the expression matches, as far as it needs no looking ahead."""
    return "".join(_text(code, argument, random) for code, argument in sre_parser.parse(pattern))


def _text(code: Any, argument: Any, random: Random) -> str:
    if code is sre.LITERAL:
        return chr(argument)
    if code is sre.NOT_LITERAL:
        return random.choice([char for char in POOL if ord(char) != argument])
    if code is sre.IN:
        return random.choice(_members(argument))
    if code is sre.BRANCH:
        return _several(random.choice(argument[1]), random)
    if code is sre.SUBPATTERN:
        return _several(argument[3], random)
    if code in (sre.MAX_REPEAT, sre.POSSESSIVE_REPEAT):
        least, most, part = argument
        most = least + LIMIT if most is sre.MAXREPEAT else min(most, least + LIMIT)
        return "".join(_several(part, random) for _ in range(random.randint(least, most)))
    return ""  # a place, or something looked ahead at


def _several(parts: Any, random: Random) -> str:
    return "".join(_text(code, argument, random) for code, argument in parts)


def _members(members: Any) -> list[str]:
    negated = members[0][0] is sre.NEGATE
    wanted = set()
    for code, argument in members[negated:]:
        if code is sre.RANGE:
            wanted |= {chr(char) for char in range(argument[0], argument[1] + 1)}
        elif code is sre.CATEGORY:
            wanted |= set(" \t\n\r\f\v") if argument is sre.CATEGORY_SPACE else set("0123456789")
        else:
            wanted.add(chr(argument))
    return sorted(set(POOL) - wanted) if negated else sorted(wanted)


def line_of(name: str, leaf: pp.Regex, random: Random) -> str:
    """A line of the kind of a leaf: one that the grammar, which tries its leaves in order, takes for it.

    What begins a record anew or means something else by its words is drawn again.
    """
    grammar = GRAMMARS[name].lines
    for _ in range(1000):
        text = text_of(str(leaf.pattern), random).rstrip("\n") + "\n"
        found = items(grammar, text)
        if [item[0] for item in found] == [identifier(leaf)] and not _means_more(identifier(leaf), text):
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
    """A drawn record: its text, and the kinds of lines that are in it."""

    def __init__(self, name: str, seed: int) -> None:
        self.random = Random(f"{name} {seed}")
        self.name = name
        self.kinds: set[str] = set()
        self.leaves = {identifier(leaf): leaf for leaf in leaves(GRAMMARS[name])}
        made: Callable[[int], list[str]] = self._csa if name == "csa" else self._kakinoki
        self.text = "".join(made(seed))

    def _some(self, *kinds: str) -> list[str]:
        """A few lines of these kinds in any order."""
        chosen = [self.random.choice(kinds) for _ in range(self.random.randint(0, 3))]
        return [self._line(kind) for kind in chosen]

    def _line(self, kind: str) -> str:
        self.kinds.add(kind)
        return line_of(self.name, self.leaves[kind], self.random)

    def _kinds_of(self, text: str) -> str:
        """A text whose kinds of lines are noted."""
        self.kinds |= {kind for kind, _ in items(GRAMMARS[self.name].lines, text)}
        return text

    def _kakinoki(self, seed: int) -> list[str]:
        """Headers, the start, then a game of legal moves with lines of other kinds between its lines."""
        record = random_record(seed, plies=self.random.randint(1, 12), forks=2)
        written = dump(record, self.name).splitlines(keepends=True)
        first = next(number for number, line in enumerate(written) if self._is_play(line))
        head, play = written[:first], written[first:]
        # A text that begins with a bracket would be taken for JSON.
        lines = [self._line("remark"), *self._some("header", "remark", "flip", "blank")]
        lines.append(self._kinds_of("".join(head)))
        self.kinds.discard("unknown")
        lines += self._some("comment", "bookmark") if self.name == "kif" else []
        for line in play:
            lines.append(self._kinds_of(line))
            if self._is_move(line):
                lines += self._some("comment", "bookmark", "blank")
        return lines

    def _is_move(self, line: str) -> bool:
        return items(GRAMMARS[self.name].lines, line)[0][0] in ("rows", "moves")

    def _is_play(self, line: str) -> bool:
        return items(GRAMMARS[self.name].lines, line)[0][0] in ("rows", "moves", "result")

    def _csa(self, seed: int) -> list[str]:
        """One or two games with their parts in order, times and comments between the moves."""
        lines: list[str] = [*self._some("comment"), self._line("version")]
        for game in range(self.random.randint(1, 2)):
            if game:
                lines.append(self._line("next_game"))
            lines += self._some("player", "information", "comment", "blank")
            record = random_record(seed + 97 * game, plies=self.random.randint(1, 12), forks=0)
            for line in dump(record, "csa").splitlines(keepends=True)[1:]:
                lines.append(self._kinds_of(line))
                if line[0] == "%":
                    lines += [self._line("comment"), self._line("late_time")]
                if line[0] in "+-" and len(line) > 2:
                    lines += [self._line("late_time")] if self.random.random() < 0.3 else []
                    lines += self._some("comment", "blank")
        return lines
