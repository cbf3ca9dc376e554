"""Records of Quoridor: positions along them, their classes, and what the JSON schema says of them."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from kifu_core import load
from kifu_core.errors import KifuError
from kifu_core.games import GAMES
from kifu_core.jkf import FORK_LEVELS
from kifu_core.lines import NO_MOVE, Visit
from kifu_core.quoridor import formats, keys
from kifu_core.quoridor.board import orient
from kifu_core.quoridor.position import QuoridorPosition
from kifu_core.quoridor.record import (
    QuoridorEntry,
    QuoridorRecord,
    as_jkf,
    check,
    from_jkf,
    packed_move,
    start,
)
from kifu_core.quoridor.replay import main_line, main_moves, position_at, replay_line, visits
from kifu_core.shogi.moves import from_usi
from kifu_core.shogi.position import Position as ShogiPosition
from tests.kifu_core.quoridor.records import random_record

SCHEMA = json.loads(
    (Path(__file__).parents[3] / "schema" / "quoridor-record.schema.json").read_text(encoding="utf-8")
)
VALID = Draft202012Validator(SCHEMA)
QUORIDOR = GAMES["quoridor"]


def record_of(text: str) -> QuoridorRecord:
    (game,) = formats.load(text).games
    return from_jkf(game.record)


def plain_visits(record: QuoridorRecord) -> list[Visit]:
    """What `visits` gives, written with recursion and with codes of positions built anew."""

    def node(position: QuoridorPosition, ply: int, fork: bool, move: int) -> Visit:
        found = keys.canonical(keys.decode(keys.display_key(position)))
        return Visit(ply, fork, *found, orient(move, found.orientation))

    def line(entries: list[QuoridorEntry], position: QuoridorPosition, ply: int, fork: bool) -> None:
        begin, branches = ply, []
        for entry in entries:
            branches += [(branch, position.copy(), ply) for branch in entry.get("forks", ())]
            if "move" in entry:
                move = packed_move(entry["move"])
                found.append(node(position, ply, fork, move))
                position.do_move(move)
                ply += 1
        if not fork or ply > begin:
            found.append(node(position, ply, fork, NO_MOVE))
        for branch in branches:
            line(*branch, True)

    found: list[Visit] = []
    line(record["moves"][1:], start(record).position, 0, False)
    return found


def test_every_node_of_a_record_is_visited_in_reading_order():
    for seed in range(8):
        record = random_record(seed)
        assert visits(record) == plain_visits(record)
        assert QUORIDOR.replay.visits(as_jkf(record)) == visits(record)


def test_games_that_mirror_each_other_visit_the_same_classes():
    games = [record_of(text) for text in ("e2 e8 d3h e7 f2v", "e2 e8 e3h e7 c2v")]
    first, second = map(visits, games)
    assert [visit.code for visit in first] == [visit.code for visit in second]
    apart = [one.orientation != other.orientation for one, other in zip(first, second, strict=True)]
    assert apart == [False, False, False, True, True, True]
    assert [visit.move for visit in first][3:] == [visit.move for visit in second][3:]


def test_positions_of_the_main_line():
    record = record_of("1. e2 {up} e8 2. e3h")
    plies = [(ply, position.copy(), move, entry) for ply, position, move, entry in main_line(record)]
    assert [ply for ply, *_ in plies] == [0, 1, 2, 3]
    assert [move for _, _, move, _ in plies] == [*main_moves(record), NO_MOVE]
    assert plies[1][3]["comments"] == ["up"]
    for ply, position, _, _ in plies:
        found, state, _ = position_at(record, ply)
        assert (found, state.position, state.turn_number) == (ply, position, ply + 1)
    assert position_at(record, None)[1].last_wall == 20
    for ply in (4, -1):
        with pytest.raises(KifuError) as error:
            position_at(record, ply)
        assert error.value.code == "no-such-ply"


def test_replaying_leaves_what_it_reads_as_it_was():
    record = random_record(4)
    before, state = copy.deepcopy(record), start(record)
    played = replay_line(record["moves"][1:], state)
    assert record == before and start(record) == state
    assert played.entries == record["moves"][1:]
    assert check(json.loads(json.dumps(record))) == record


def test_a_fork_that_cannot_be_played_is_cut_where_it_breaks():
    record = record_of("1. e2 e8 (1... d9 2. e9 d8) (1... e7) 2. e3")
    assert record["moves"][2]["forks"] == [[{"move": {"color": 1, "from": "e9", "to": "d9"}}]]
    (game,) = formats.load("1. e2 e8 (1... d9 2. e9 d8) (1... e7) 2. e3").games
    assert [(issue.code, issue.ply) for issue in game.issues] == [("illegal-move", 3), ("illegal-move", 2)]
    assert game.unread.count("\n") == 1


def test_forks_nested_as_deep_as_they_may_be_are_read_and_written():
    text = "1. e2 e8 " + "(1... d9 " * FORK_LEVELS + ")" * FORK_LEVELS + " 2. e3"
    (game,) = formats.load(text).games
    assert len(visits(from_jkf(game.record))) == 4 + 2 * FORK_LEVELS
    for file_format in ("alg", "json"):
        assert formats.load(formats.dump(game.record, file_format)).games[0].record == game.record
    (deeper,) = formats.load(text.replace("(", "(1... d9 (", 1).replace(") 2.", ")) 2.")).games
    assert [issue.code for issue in deeper.issues] == ["variation-too-deep"]
    assert len(visits(from_jkf(deeper.record))) == 4 + 2 * FORK_LEVELS


def test_a_list_of_openings_is_a_tree():
    text = "1. e2 e8 (d9) 2. e3 (d2) e7 (d8) 3. e4 (f3) e6 (d7)"
    assert formats.load(text).games[0].record_kind == "tree"
    assert formats.load('[White "Ada"]\n' + text).games[0].record_kind == "game"


def test_starts_as_texts():
    assert QUORIDOR.replay.start_text(as_jkf(record_of("e2 e8"))) == keys.display_key(
        QuoridorPosition.initial()
    )
    assert QUORIDOR.replay.start_text(as_jkf(record_of("j7oklAHMe1ICg"))) == "j7oklAHMewAA"
    shogi = load("手合割：平手\n1 ７六歩(77)\n").games[0].record
    assert GAMES["shogi"].replay.start_text(shogi) == ShogiPosition.initial().sfen(None)
    assert GAMES["shogi"].replay.main_moves(shogi) == [from_usi("7g7f")]


def mutants() -> list[Any]:
    """Records with one thing changed each that makes them something else than what we give."""
    found = []
    for path, value in [
        (["game"], "shogi"),
        (["version"], 2),
        (["initial"], {"preset": "HIRATE"}),
        (["initial"], {"preset": "OTHER"}),
        (["initial", "data", "pawns"], ["e1"]),
        (["initial", "data", "pawns", 0], "e3h"),
        (["initial", "data", "walls", 0], ["e3"]),
        (["initial", "data", "turn"], 1024),
        (["initial", "data", "color"], 2),
        (["initial", "data", "last"], "e3"),
        (["header", "a"], 1),
        (["moves"], []),
        (["moves", 0], {"move": {"color": 0, "wall": "e3h"}}),
        (["moves", 1, "move", "color"], None),
        (["moves", 1, "move"], {"color": 1, "to": "e3"}),
        (["moves", 1, "move"], {"color": 1, "from": "e4", "to": "e3", "wall": "e3h"}),
        (["moves", 1, "move"], {"color": 1, "wall": "i9h"}),
        (["moves", 1, "forks"], []),
        (["moves", 1, "forks"], [[]]),
        (["moves", 1, "comments"], "text"),
        (["moves", 1, "special"], "GOAL"),
        (["moves", 1, "more"], 1),
    ]:
        record: Any = json.loads(json.dumps(record_of('[Start "j7oklAHMe1ICg"]\n1... e6 {a} 2. e3')))
        target = record
        for step in path[:-1]:
            target = target[step]
        target[path[-1]] = value
        found.append(record)
    return found


def test_what_we_give_is_valid_and_every_rule_of_the_schema_bites():
    Draft202012Validator.check_schema(SCHEMA)
    for seed in range(6):
        VALID.validate(random_record(seed))
    for text in ("e2 e8 X", "j7oklAHMe1ICg", "QA", '[Start "j7oklAHMe1ICg"]\n1... e6 2. e5'):
        VALID.validate(record_of(text))
    for value in mutants():
        assert not VALID.is_valid(value), value
