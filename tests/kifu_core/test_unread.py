"""Moves that cannot be played are kept in the unread text, with their comments and forks."""

from __future__ import annotations

import json
import re
from random import Random

from kifu_core import dump, load
from kifu_core.shogi.formats.writing import branches
from tests.cases import each
from tests.kifu_core.random_games import random_record

HEAD = "手合割：平手\n手数----指手--\n"

REFUSED = """\
   1 ７六歩(77)

変化：9手
*甲
   9 ３四歩(33)
  10 ２六歩(27)
&乙

変化：10手
*丙
  10 ４六歩(47)

変化：10手
  10 ５六歩(57)
*丁
"""


def test_forks_of_a_refused_variation_are_kept_with_it():
    game = load(HEAD + REFUSED).games[0]
    assert game.unread == REFUSED.partition("\n\n")[2].replace("\n\n", "\n").rstrip("\n")
    assert [issue.code for issue in game.issues] == ["variation-without-move"]


def test_forks_of_a_line_that_stops_are_kept_with_their_own_forks():
    text = "▲７六歩 △５五銀 ▲２六歩\n\n変化：3手\n▲４六歩 △３四歩\n\n変化：4手\n*甲\n△８四歩\n"
    game = load(text).games[0]
    assert game.unread == "△５五銀 ▲２六歩\n変化：3手\n▲４六歩 △３四歩\n変化：4手\n*甲\n△８四歩"


def test_comments_behind_what_cannot_be_played_are_kept():
    game = load("PI\n+\n+7776FU\n-5544FU\n%TORYO\n'甲\nT3\n").games[0]
    assert game.unread == "-5544FU\n%TORYO\n'甲\nT3"
    game = load(HEAD + "1 ７六歩(77)\n2 ５四歩(55)\n&甲\n").games[0]
    assert game.unread == "2 ５四歩(55)\n&甲"


def test_a_refused_line_of_usen_keeps_its_own():
    game = load("~0.7ku~5.2jm6y2~6.6y2~7.zzz\n").games[0]
    assert game.unread == "~5.2jm6y2\n~6.6y2\n~7.zzz"


def test_forks_of_json_that_cannot_be_played_are_kept():
    def move(x: int, y: int, to: int) -> dict[str, object]:
        return {"move": {"from": {"x": x, "y": y}, "to": {"x": x, "y": to}}}

    inner = [move(9, 3, 4)]
    bad = [move(5, 5, 4), {**move(4, 3, 4), "forks": [inner]}]
    late = [move(3, 3, 4)]
    record = {
        "header": {},
        "moves": [{}, move(7, 7, 6), {**move(8, 3, 4), "forks": [bad]}, {**move(1, 5, 4), "forks": [late]}],
    }
    game = load(json.dumps(record)).games[0]
    saved = [json.loads(line) for line in game.unread.splitlines()]
    assert [entry["move"]["from"]["x"] for entries in saved for entry in entries] == [1, 5, 4]
    assert saved[0][0]["forks"] == [late] and saved[1][1]["forks"] == [inner]


ROW = re.compile(r"^( *[0-9]+ [^\n]*)$", re.MULTILINE)


def commented(record) -> None:
    """Give every entry a comment of its own."""
    count = 0
    for branch in branches(record):
        for entry in branch.entries:
            count += 1
            entry["comments"] = [f"c{count}."]


@each("file_format", ["kif", "ki2"])
@each("seed", range(12))
def test_every_line_of_a_broken_game_is_played_or_unread(file_format, seed):
    record, random = random_record(seed, plies=12, forks=4), Random(seed)
    commented(record)
    lines = dump(record, file_format).splitlines()
    moves = [at for at, line in enumerate(lines) if re.match(r" *[0-9]+ |[▲△]", line)]
    for at in random.sample(moves, min(3, len(moves))):
        lines[at] = re.sub(r"^( *[0-9]+ |[▲△])[^\n]*", r"\g<1>５九桂(58)", lines[at])
    for at in [at for at, line in enumerate(lines) if line.startswith("変化")][:1]:
        lines[at] = "変化：99手"
    text = "\n".join(lines) + "\n"
    result = load(text, f"x.{file_format}")
    saved = "".join(json.dumps(game.record) + game.unread for game in result.games)
    if not result.games:
        return
    for comment in re.findall(r"c[0-9]+\.", text):
        assert saved.count(comment) == 1, comment
