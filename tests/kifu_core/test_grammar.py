"""The grammar is the documentation: what is drawn from it is read, and its pages are what it generates."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pyparsing as pp
import pytest

from kifu_core import load
from kifu_core.rule_names import NAMES
from kifu_core.shogi.formats.grammar import Leaf
from kifu_core.shogi.replay import start
from tests.kifu_core.drawing import Drawn
from tools.grammars import GRAMMARS, page, rules
from tools.railroads import Alternatives, Repeat, RuleName, Terminal, ebnf, railroads, tree

DOCS = Path(__file__).parents[2] / "docs" / "formats"
COUNT = int(os.environ.get("KIFU_DRAWN", "60"))
"""How many records are drawn per format."""

FORMATS = sorted(GRAMMARS)
LINES = [(name, leaf.name) for name in FORMATS for leaf in GRAMMARS[name].lines.leaves]


def reading(drawn):
    """All that comes out of a record: what a line does shows somewhere in it."""
    result = load(drawn.text, f"x.{drawn.name}")
    issues = [*result.issues, *(issue for game in result.games for issue in game.issues)]
    by_chance = ("total-mismatch", "other-move-count")  # every time and every count is drawn by itself
    issues = [issue for issue in issues if issue.code not in by_chance]
    games = [(g.record, g.ending, g.bookmarks, g.remarks, g.unread, g.fractions) for g in result.games]
    return games, [(issue.code, issue.source_line) for issue in issues]


@cache
def record_of(name, seed):
    return Drawn(name, seed)


@cache
def reading_of(name, seed):
    """What is read of a record with the whole grammar."""
    return reading(record_of(name, seed))


@pytest.fixture(scope="module", params=FORMATS)
def drawn(request):
    return {seed: record_of(request.param, seed) for seed in range(COUNT)}


def line_content(entries):
    """Moves, endings and variations of a line."""
    return [
        (entry.get("move"), entry.get("special"), [line_content(fork) for fork in entry.get("forks", ())])
        for entry in entries
        if entry.keys() & {"move", "special"}
    ]


def test_what_is_drawn_from_the_grammar_is_read_as_meant_and_without_an_issue(drawn):
    for seed, one in drawn.items():
        games, issues = reading_of(one.name, seed)
        assert issues == [], one.text
        assert [start(game[0]) for game in games] == [start(record) for record in one.records], one.text
        for (record, *_), meant in zip(games, one.records, strict=True):
            assert line_content(record["moves"]) == line_content(meant["moves"]), one.text


def test_every_kind_of_line_is_drawn(drawn):
    name = drawn[0].name
    kinds = {leaf.name for leaf in GRAMMARS[name].lines.leaves} - {"unknown"}
    assert set.union(*(record.kinds for record in drawn.values())) == kinds


@pytest.mark.parametrize("name, kind", [(name, kind) for name, kind in LINES if kind != "unknown"])
def test_a_grammar_without_one_of_its_rules_reads_something_else(name, kind, monkeypatch):
    samples = [seed for seed in range(40) if kind in record_of(name, seed).kinds]
    before = [reading_of(name, seed) for seed in samples]
    grammar = GRAMMARS[name].lines
    monkeypatch.setattr(grammar, "matchers", [pair for pair in grammar.matchers if pair[0] != kind])
    assert any(reading(record_of(name, seed)) != read for seed, read in zip(samples, before, strict=True))


def in_pyparsing(leaf: Leaf) -> pp.ParserElement:
    """The same leaf in pyparsing: what it reads, with its name."""
    element = pp.Regex(leaf.pattern).leave_whitespace()
    return element.set_parse_action(lambda tokens: (leaf.name, tokens[0]))


def test_pyparsing_reads_the_lines_of_a_drawn_record_the_same(drawn):
    grammar = GRAMMARS[drawn[0].name].lines
    leaves = pp.MatchFirst(map(in_pyparsing, grammar.leaves)).leave_whitespace()
    same = pp.ZeroOrMore(leaves).leave_whitespace().parse_with_tabs()
    for seed in range(5):
        found = [(name, match[0]) for name, match in grammar.items(drawn[seed].text)]
        parsed = same.parse_string(drawn[seed].text, parse_all=True)
        assert [*parsed] == found


@pytest.mark.parametrize("name", FORMATS)
def test_the_page_of_a_format_is_what_its_grammar_generates(name):
    again = "run: python -m tools.grammars"
    assert (DOCS / f"{name}.md").read_text(encoding="utf-8") == page(name), again
    assert (DOCS / f"{name}.svg").read_text(encoding="utf-8") == railroads(rules(GRAMMARS[name])), again


@pytest.mark.parametrize("name", FORMATS)
def test_every_rule_has_a_name_in_both_languages_and_stands_in_the_page(name):
    for rule in rules(GRAMMARS[name]):
        assert rule == "file" or all(NAMES[rule])
        assert f"\n{rule} " in page(name)


@pytest.mark.parametrize(
    "pattern, text",
    [
        ("ab", '"ab"'),
        (r"a\n", '"a" #xA'),
        ("[1-9]{2}", "[1-9]+ /* 2 */"),
        ("(?:ab)?+c*", '"ab"? "c"*'),
        ("a|bc", '"a" | "bc"'),
        ("(?!x)[^y]", '-"x" [^y]'),
        (r"x(?:\n|\Z)", '"x" (#xA | end_of_text)'),
    ],
)
def test_an_expression_as_ebnf(pattern, text):
    assert ebnf(tree(pattern, {})) == text


def test_other_rules_are_shown_by_their_names():
    shown = tree("-[0-9]+(?:x|-[0-9]+)", {"number": "-[0-9]+"})
    assert ebnf(shown) == "number (number | [x])"
    assert ebnf(tree("(?:b|a)", {"first": "a", "second": "b"})) == "second | first"


def test_a_railroad_shows_every_rule_and_text():
    picture = railroads({"line": Repeat(Alternatives((Terminal("<a>"), RuleName("other"))), 0, None)})
    assert picture.startswith("<svg ") and picture.endswith("</svg>\n")
    assert "&quot;&lt;a&gt;&quot;" in picture and ">other<" in picture
