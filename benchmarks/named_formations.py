"""Reads the records of the corpus that name a 戦型 and prints how many games have it by their moves.

Use: python -m benchmarks.named_formations [--missed]; --missed lists the games that have not.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Final

from benchmarks.support import interpreter
from kifu_core.jkf import Record
from kifu_core.shogi.formations import Formation, called, in_record
from kifu_core.shogi.replay import main_moves
from tests.kifu_core.corpus import read_all

FIELDS: Final = ("戦型", "OPENING", "先手の戦型", "後手の戦型", "下手の戦型", "上手の戦型")
SPELLED: Final = {"矢倉": "矢倉戦", "相振飛車": "相振り飛車", "向飛車": "向かい飛車"}


def _named(text: str) -> Formation | None:
    """Return what a word of such a field names: without その他 and forms such as △３三角型."""
    word = re.sub("[△▲].*型$", "", text.strip().removeprefix("*"))
    word = SPELLED.get(word, word)
    return called(word) or called(word.removesuffix("その他").replace("角交換型", "角交換"))


def _records() -> Iterator[tuple[str, Record]]:
    for file in read_all():
        for game in file.result.games if file.result else ():
            yield file.path, game.record


def main() -> None:
    """Count each name of a game once, and print the table."""
    interpreter.announce()
    seen: set[tuple[str, tuple[int, ...]]] = set()
    named, found = Counter[str](), Counter[str]()
    missed: list[str] = []
    for path, record in _records():
        texts = [record["header"][field] for field in FIELDS if field in record["header"]]
        moves = tuple(main_moves(record)) if texts else ()
        if not moves:
            continue
        has = {one.name for one in in_record(record, moves)}
        for one in filter(None, (_named(word) for text in texts for word in re.split("[,、 ]+", text))):
            if (one.name, moves) in seen:
                continue
            seen.add((one.name, moves))
            named[one.japanese] += 1
            found[one.japanese] += one.name in has
            if one.name not in has:
                missed.append(f"{one.japanese} {path} {len(moves)} {' '.join(sorted(has))}")
    for name, count in named.most_common():
        print(f"| {name} | {count} | {found[name]} |")
    print(f"| all | {named.total()} | {found.total()} |")
    if "--missed" in sys.argv[1:]:
        print(*missed, sep="\n")


if __name__ == "__main__":
    main()
