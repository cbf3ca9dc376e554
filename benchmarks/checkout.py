"""Timed rounds of a checkout of this project, for benchmarks/parse.py.

    python checkout.py CHECKOUT

The first line of the input is {format: [texts]}. The answer is a line per format: the plies of its games, and
then null. Then every line of the input is a format: read all its games once, and answer the seconds of the
processor that each game took. Any checkout will do that has `kifu_core.load`.
"""

import json
import sys
import time
from typing import Any


def main(checkout: str) -> None:
    """Answer until the input ends."""
    # Replaces this script's folder, whose modules are of the measuring checkout.
    sys.path[0] = checkout
    from kifu_core import load

    def plies(text: str) -> int:
        return len(load(text).games[0].record["moves"]) - 1

    def seconds(text: str) -> float:
        began = time.process_time()
        load(text)
        return time.process_time() - began

    texts = json.loads(sys.stdin.readline())
    for file_format, games in texts.items():
        answer({"format": file_format, "plies": sum(map(plies, games))})
    answer(None)
    for line in sys.stdin:
        answer([seconds(text) for text in texts[json.loads(line)]])


def answer(value: Any) -> None:
    """Write a line of the answer."""
    print(json.dumps(value), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
