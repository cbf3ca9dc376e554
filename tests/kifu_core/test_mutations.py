"""Records in other forms are read as the same game, or their reading says what it could not read; no line is
lost."""

from __future__ import annotations

import re
from pathlib import Path

from tests.cases import each
from tests.kifu_core.mutations import KINDS, Expected, Kind, samples
from tests.kifu_core.mutations.reading import fault, lost_lines

REFUSED = Path(__file__).parents[2] / "docs" / "formats" / "refused.md"

each_kind = each("kind", KINDS, ids=str)


def faults(kind: Kind) -> dict[str, str]:
    """What is wrong with the readings of a kind, by the names of the samples."""
    found = {one.name: fault(kind, one.text) for one in samples() if one.format in kind.formats}
    return {name: text for name, text in found.items() if text}


def test_the_samples_are_thirty():
    assert len(samples()) == 30


def test_every_kind_has_a_name_of_its_own():
    assert len({str(kind) for kind in KINDS}) == len(KINDS) > 100


def test_every_kind_applies_to_some_sample():
    def applies(kind: Kind) -> bool:
        return any(kind.mutate(one.text) is not None for one in samples() if one.format in kind.formats)

    assert [str(kind) for kind in KINDS if not applies(kind)] == []


def test_the_documentation_says_what_is_refused_and_why():
    rows = re.findall(r"^\| ([^|]+) \| [A-Z0-9, ]+ \| \S", REFUSED.read_text(encoding="utf-8"), re.MULTILINE)
    assert rows == [kind.name for kind in KINDS if kind.expected is Expected.REFUSED]


def lost(kind: Kind) -> dict[str, list[tuple[int, str]]]:
    """The lines that are nowhere, by the names of the samples."""
    found = {one.name: lost_lines(kind, one.text) for one in samples() if one.format in kind.formats}
    return {name: lines for name, lines in found.items() if lines}


@each_kind
def test_a_mutated_record_is_read_as_expected_and_no_line_of_it_is_lost(kind):
    assert faults(kind) == {}
    assert lost(kind) == {}
