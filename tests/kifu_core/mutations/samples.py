"""The thirty short texts that are mutated: our own samples, and games of random moves."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from kifu_core import dump, load
from kifu_core.decoding import decode
from kifu_core.jkf import Record
from kifu_core.shogi.formats.writing import branches
from kifu_core.shogi.move_times import complete_times
from kifu_core.shogi.replay import start
from tests.kifu_core.random_games import random_record

ROOT: Final = Path(__file__).parents[3]
FILES: Final = (
    "tests/data/kif/even_game.kif", "tests/data/kif/variations.kifu", "tests/data/evaluations/piyo_shogi.kif",
    "archive/samples/1709-10-29-intatsu-soguin.kif", "archive/samples/1709-11-08-intatsu-soguin.ki2u",
    "tests/data/ki2/relative_words.ki2", "tests/data/csa/even_game.csa",
    "tests/data/evaluations/floodgate.csa",
)  # fmt: skip
SEEDS: Final = {
    "kif": (0, 40, 2, 8, 19), "ki2": (0, 120, 7, 8, 18), "csa": (0, 1, 20, 40, 3, 25), "usi": (0, 4),
    "bod": (0, 18),
}  # fmt: skip
"""Games of random moves. Every twentieth begins with the usual start, 18 and 19 with boards of their own, the
others with handicaps."""

PROMOTED: Final = (
    "sfen k8/9/9/2+S1+N1+L2/9/9/4+P4/1+B5+R1/8K b G2Pr10p 1 moves "
    "7d7e 9a9b 5d5e 9b9a 3d3e 9a9b 5g5f P*4d 5f4e 9b9a 8h8g R*8a 2h2g 8a8g+ G*8f 8g8f"
)
"""A game of promoted pieces."""

HEADER: Final = {"先手": "甲野一郎", "後手": "乙山花子", "棋戦": "見本戦", "場所": "東京"}


class Sample(NamedTuple):
    """A text that is mutated, and the extension of its file."""

    name: str
    format: str
    text: str


@cache
def samples() -> tuple[Sample, ...]:
    files = [ROOT / name for name in FILES]
    found = [Sample(path.name, path.suffix[1:4], decode(path.read_bytes())[0]) for path in files]
    for file_format, seeds in SEEDS.items():
        options = {"ply": None} if file_format == "bod" else {}
        found += [
            Sample(f"random-{seed}.{file_format}", file_format, dump(_record(seed), file_format, **options))
            for seed in seeds
        ]
    promoted = load(PROMOTED).games[0].record
    found += [
        Sample(f"promoted.{one}", one, dump({**promoted, "header": HEADER}, one)) for one in ("kif", "ki2")
    ]
    return tuple(found)


def _record(seed: int) -> Record:
    """A game of random moves with headers, comments and times."""
    record = random_record(seed, plies=10, forks=1)
    record["header"] = dict(HEADER)
    if "special" not in record["moves"][-1]:
        record["moves"].append({"special": "TORYO"})
    for number, entry in enumerate(entry for branch in branches(record) for entry in branch.entries):
        entry["time"] = {"now": {"m": number % 3, "s": 7 * number % 60}}
        if number % 4 == 2 and not seed % 2:
            entry["comments"] = [f"感想その{number}", "次の一手"][: 1 + number % 3]
    complete_times(record["moves"][1:], start(record).turn)
    return record
