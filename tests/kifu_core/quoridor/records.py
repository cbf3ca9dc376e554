"""Random records of Quoridor with forks, comments and endings, for round trips."""

from __future__ import annotations

from random import Random

from kifu_core.quoridor.endings import ENDINGS
from kifu_core.quoridor.position import QuoridorPosition
from kifu_core.quoridor.qf_code import QfState
from kifu_core.quoridor.record import QuoridorEntry, QuoridorRecord, move_object, new_record
from kifu_core.quoridor.replay import replay_line
from tests.kifu_core.quoridor.games import random_game, random_move

HEADERS = [
    {},
    {"先手": "Ada", "後手": 'B. "Bo" \\ [x]', "棋戦": "第1回", "開始日時": "2024/05/01"},
    {"表題": "opening: Gap", "備考": "a header of its own", "two words": "kept"},
]
COMMENTS = ["a comment", "two\nlines (with 1. e2)", "[White]", "; * # 1-0 X", "終わり"]


def random_record(seed: int, plies: int = 30, forks: int = 3) -> QuoridorRecord:
    """A complete record, the same for the same seed; every third begins on the way."""
    random = Random(seed)
    position, last = QuoridorPosition.initial(), None
    before = random_game(seed, random.randrange(20)) if seed % 3 == 0 else []
    for move in before:
        last = None if move & 256 else move & 63
        position.do_move(move)
    state = QfState(position, last, len(before) + 1)
    played = replay_line(_line(random, position, plies, forks, 0), state)
    assert not played.findings
    first: QuoridorEntry = {"comments": random.sample(COMMENTS, 2)} if seed % 2 else {}
    return new_record(dict(HEADERS[seed % 3]), state, [first, *played.entries])


def _line(random: Random, start: QuoridorPosition, plies: int, forks: int, level: int) -> list[QuoridorEntry]:
    """A random line; forks are shorter and have fewer forks."""
    position, line = start.copy(), list[QuoridorEntry]()
    for index in range(plies):
        move = random_move(position, random)
        if move is None:
            return line
        entry: QuoridorEntry = {"move": move_object(position, move)}
        if forks and random.random() < forks / plies and (index or not level):
            found = [
                _line(random, position, random.randint(1, 6), forks - 1, level + 1)
                for _ in range(random.randint(1, 2))
            ]
            entry["forks"] = found
        if random.random() < 0.2:
            entry["comments"] = random.sample(COMMENTS, random.randint(1, 2))
        line.append(entry)
        position.do_move(move)
    if position.winner() is None and random.random() < 0.5:
        line.append({"special": random.choice(ENDINGS).special})
    return line
