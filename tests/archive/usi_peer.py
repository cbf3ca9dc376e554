"""A small USI engine for tests: `python -m tests.archive.usi_peer [die-at|hang-at|eat-at N] [--lie]`.

Its score of a position is a number that follows from the position and the nodes alone. In its N-th search it
dies, hangs or takes memory; with a file as the last argument, in the N-th search of all processes.
"""

from __future__ import annotations

import sys
import time
import zlib
from itertools import pairwise
from pathlib import Path

from kifu_core.shogi import moves, rules
from kifu_core.shogi.position import Position


def board_of(words: list[str]) -> Position:
    moves_at = words.index("moves") if "moves" in words else len(words)
    position = Position.from_sfen(" ".join(words[2:moves_at]))
    for move in words[moves_at + 1 :]:
        position.do_move(moves.from_usi(move))
    return position


def score(position: Position, nodes: int, number: int) -> int:
    """The score of a candidate for the side to move."""
    return zlib.crc32(f"{position.sfen(None)} {nodes}".encode()) % 600 - 300 - 10 * number


def say(text: str) -> None:
    print(text, flush=True)


class Peer:
    def __init__(self, arguments: list[str]) -> None:
        self.lies = "--lie" in arguments
        self.file = Path(arguments[-1]) if arguments and "/" in arguments[-1] else None
        self.faults = {what: int(n) for what, n in pairwise(arguments) if what.endswith("-at")}
        self.searches, self.lines, self.position = 0, 1, Position.initial()

    def count(self) -> int:
        self.searches += 1
        if self.file is None:
            return self.searches
        with self.file.open("ab") as file:
            file.write(b".")
        return self.file.stat().st_size

    def go(self, nodes: int) -> None:
        number = self.count()
        if self.faults.get("die-at") == number:
            sys.exit(3)
        if self.faults.get("hang-at") == number:
            time.sleep(1000)
        if self.faults.get("eat-at") == number:
            _eaten = bytearray(2**31)
        legal = sorted(map(moves.to_usi, rules.legal_moves(self.position)))
        if not legal:
            say("bestmove resign")
            return
        say(f"info depth 5 nodes {nodes // 2} score cp 9999 lowerbound pv {legal[0]}")
        for one, move in enumerate(legal[: self.lines]):
            cp = score(self.position, nodes, one) + (5000 if self.lies else 0)
            say(f"info depth 8 multipv {one + 1} score cp {cp} nodes {nodes} pv {move} 1a1a")
        say(f"bestmove {legal[0]}")

    def obey(self, line: str) -> bool:
        words = line.split()
        match words:
            case ["usi"]:
                say("id name Peer 1.0\noption name USI_Hash type spin\noption name MultiPV type spin\nusiok")
            case ["isready"]:
                say("readyok")
            case ["setoption", "name", "MultiPV", "value", lines]:
                self.lines = int(lines)
            case ["position", *_rest]:
                self.position = board_of(words)
            case ["go", "nodes", nodes]:
                self.go(int(nodes))
            case ["quit"]:
                return False
        return True


if __name__ == "__main__":
    peer = Peer(sys.argv[1:])
    for line in sys.stdin:
        if not peer.obey(line):
            break
