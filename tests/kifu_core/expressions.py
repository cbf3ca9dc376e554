"""Texts drawn from an expression, taken apart to the last character class; groups may be given."""

from __future__ import annotations

import re._constants as sre
import re._parser as sre_parser
from collections.abc import Mapping
from functools import cache
from random import Random
from typing import Any, ClassVar

POOL = " 0189AZaz+-/.,'$%&#*:;=()[]{}|~!?ａ１９一二十歩金玉成先後手の：、。（）＋▲△　ぁんアン鷗é"
"""Characters of which a class is drawn, as far as they belong to it."""

LIMIT = 6
"""The greatest number of repetitions drawn for parts without a limit."""

Given = Mapping[int, str | None]
"""The texts of some groups by their number; None for a group that takes no part."""

_parsed = cache(sre_parser.parse)


def text_of(pattern: str, random: Random, given: Given | None = None) -> str:
    """A random text that the expression matches, as far as it needs no looking ahead."""
    return _Drawing(random, given or {}).several(_parsed(pattern))


class _Drawing:
    members: ClassVar[dict[int, list[str]]] = {}
    groups: ClassVar[dict[int, set[int]]] = {}

    def __init__(self, random: Random, given: Given) -> None:
        self.random = random
        self.given = given

    def several(self, parts: Any) -> str:
        return "".join(self._text(code, argument) for code, argument in parts)

    def _text(self, code: Any, argument: Any) -> str:
        if code is sre.LITERAL:
            return chr(argument)
        if code is sre.NOT_LITERAL:
            return self.random.choice(POOL.replace(chr(argument), ""))
        if code is sre.ANY:
            return self.random.choice(POOL)
        if code is sre.IN:
            return self.random.choice(self._members(argument))
        if code is sre.BRANCH:
            return self.several(self.random.choice(argument[1]))
        if code is sre.SUBPATTERN:
            return self._group(argument[0], argument[3])
        if code is sre.ATOMIC_GROUP:
            return self.several(argument)
        if code in (sre.MAX_REPEAT, sre.POSSESSIVE_REPEAT):
            return self._repeated(*argument)
        return ""  # a place, or something looked ahead at

    def _group(self, number: int | None, parts: Any) -> str:
        if number in self.given:
            return self.given[number] or ""
        return self.several(parts)

    def _repeated(self, least: int, most: int, part: Any) -> str:
        """A permitted number of times; at most once if it contains groups with given text."""
        inside = [self.given[number] for number in self._groups(part) if number in self.given]
        if inside:
            return self.several(part) if least or any(text is not None for text in inside) else ""
        most = least + LIMIT if most is sre.MAXREPEAT else min(most, least + LIMIT)
        return "".join(self.several(part) for _ in range(self.random.randint(least, most)))

    def _members(self, parts: Any) -> list[str]:
        """The characters of a class; the parts of parsed expressions live as long as the module."""
        if id(parts) not in self.members:
            self.members[id(parts)] = _members(parts)
        return self.members[id(parts)]

    def _groups(self, parts: Any) -> set[int]:
        if id(parts) not in self.groups:
            self.groups[id(parts)] = _groups(parts)
        return self.groups[id(parts)]


def _groups(parts: Any) -> set[int]:
    """The numbers of the groups in a part of an expression."""
    found: set[int] = set()
    for code, argument in parts:
        if code is sre.SUBPATTERN:
            found |= _groups(argument[3]) | ({argument[0]} - {None})
        elif code is sre.ATOMIC_GROUP:
            found |= _groups(argument)
        elif code in (sre.MAX_REPEAT, sre.POSSESSIVE_REPEAT):
            found |= _groups(argument[2])
        elif code is sre.BRANCH:
            found |= {number for branch in argument[1] for number in _groups(branch)}
    return found


def _members(members: Any) -> list[str]:
    negated = members[0][0] is sre.NEGATE
    wanted = set()
    for code, argument in members[negated:]:
        if code is sre.RANGE:
            wanted |= {chr(char) for char in range(argument[0], argument[1] + 1)}
        elif code is sre.CATEGORY and argument is sre.CATEGORY_NOT_SPACE:
            wanted |= set(POOL) - set(_CATEGORIES[sre.CATEGORY_SPACE])
        elif code is sre.CATEGORY:
            wanted |= set(_CATEGORIES[argument])
        else:
            wanted.add(chr(argument))
    return sorted((set(POOL) | set("\t")) - wanted) if negated else sorted(wanted)


_CATEGORIES = {sre.CATEGORY_SPACE: " \t\n\f\v　", sre.CATEGORY_DIGIT: "0123456789０９"}
