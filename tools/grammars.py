"""Writes the grammars of KIF, KI2 and CSA as EBNF and railroad diagrams, from the expressions that the
parsers use.

    python -m tools.grammars [FOLDER]

writes `kif.md`, `ki2.md`, `csa.md` and a picture for each into the folder (docs/formats).
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from textwrap import fill
from typing import Final, NamedTuple

from kifu_core.rule_names import NAMES
from kifu_core.shogi.formats import ki2, kif
from kifu_core.shogi.formats import read_csa as csa
from kifu_core.shogi.formats.grammar import LineGrammar
from kifu_core.shogi.specials import BY_CSA, BY_WORD
from tools.railroads import Alternatives, Node, Repeat, RuleName, ebnf, railroads, tree

COLUMNS: Final = 158
"""Lines of documents are no longer."""


class Grammar(NamedTuple):
    """A format's grammar: the lines of a file, the expressions inside them by name, the source.

    `inside` has rules whose text is matched again in more detail, with the rules for that.
    """

    title: str
    lines: LineGrammar
    parts: dict[str, str]
    inside: dict[str, tuple[str, ...]]
    about: str


def _words(words: Iterable[str]) -> str:
    return "|".join(sorted(words, key=lambda word: (-len(word), word)))


GRAMMARS: Final = {
    "kif": Grammar(
        "KIF",
        kif.GRAMMAR,
        {**kif.PARTS, "ending": _words(BY_WORD)},
        {"text": ("move", "ending")},
        "A row per move with its number, its source square and its time (.kif, .kifu): "
        "<http://kakinoki.o.oo7.jp/kif_format.html>.",
    ),
    "ki2": Grammar(
        "KI2",
        ki2.GRAMMAR,
        {**ki2.PARTS, "ending": _words(BY_WORD)},
        {"text": ("move", "ending")},
        "Moves as in print, several on a line, with relative words instead of a source square (.ki2, .ki2u): "
        "<http://kakinoki.o.oo7.jp/kif_format.html>.",
    ),
    "csa": Grammar(
        "CSA",
        csa.GRAMMAR,
        csa.PARTS,
        {},
        "The Computer Shogi Association's records (.csa), V1 to V3: "
        "<http://www2.computer-shogi.org/protocol/record_v22.html>. Endings are "
        + ", ".join(f"`%{code}`" for code in BY_CSA)
        + "; any other word after `%` is kept as an ending without a winner.",
    ),
}


def rules(grammar: Grammar) -> dict[str, Node]:
    """Return the rules of a grammar: the file, its lines, the parts of lines."""
    lines = {leaf.name: leaf.pattern for leaf in grammar.lines.leaves}
    file = Repeat(Alternatives(tuple(map(RuleName, lines))), 0, None)
    nodes: dict[str, Node] = {"file": file}
    for name, pattern in {**lines, **grammar.parts}.items():
        if name in grammar.inside:
            nodes[name] = Alternatives(tuple(map(RuleName, grammar.inside[name])))
        else:
            nodes[name] = tree(str(pattern), grammar.parts)
    return nodes


def page(name: str) -> str:
    """Return the documentation page of a format."""
    grammar = GRAMMARS[name]
    nodes = rules(grammar)
    width = max(map(len, nodes))
    text = "\n".join(f"{rule:<{width}} ::= {ebnf(node)}" for rule, node in nodes.items())
    table = "\n".join(
        f"| `{rule}` | {NAMES[rule][1]} | {NAMES[rule][0]} |" for rule in nodes if rule != "file"
    )
    return f"""# {grammar.title}

{fill(grammar.about, COLUMNS, break_long_words=False, break_on_hyphens=False)}

This page is generated from the grammar that reads the files, by `python -m tools.grammars`.
A file is any number of lines. Each line has the first kind that matches. A line that no other kind matches is
`unknown` and is reported together with what was expected there, so no line is a syntax error. Expressions do
not backtrack. Blocks of moves are matched as a whole first, then line by line with the rules inside them:
{", ".join(f"`{part}`" for part in list(grammar.parts)[:4])}.

```
{text}
```

| rule | meaning | 日本語 |
| --- | --- | --- |
{table}

![The rules of {grammar.title} as railroad diagrams]({name}.svg)
"""


def write(folder: Path) -> None:
    """Write all pages and pictures."""
    for name, grammar in GRAMMARS.items():
        (folder / f"{name}.md").write_text(page(name), encoding="utf-8")
        (folder / f"{name}.svg").write_text(railroads(rules(grammar)), encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/formats"))
