"""Nodes of a record for the replay page: the main line, forks, what follows, what came before."""

from __future__ import annotations

from archive.web.replay.folding import piece_of
from archive.web.replay.record import STRETCH, find_node, move_list, node_query, position_at
from archive.web.wording import entry_text
from kifu_core.jkf import Move, MoveEntry, Record


def pawn(color: int, file: int) -> MoveEntry:
    """A first step of the pawn on that file."""
    start, to = ((7, 6), (3, 4))[color]
    move: Move = {"color": color, "from": {"x": file, "y": start}, "to": {"x": file, "y": to}, "piece": "FU"}
    return {"move": move}


def forked(entry: MoveEntry, *forks: list[MoveEntry]) -> MoveEntry:
    """The entry with other moves instead of it."""
    return {**entry, "forks": list(forks)}


# 1 P-7f 2 P-3d 3 P-2f, with P-8d instead of move 2 and, in that fork, P-6f and P-5f instead of its move 3.
RECORD: Record = {
    "header": {},
    "moves": [
        {},
        pawn(0, 7),
        forked(pawn(1, 3), [pawn(1, 8), forked(pawn(0, 2), [pawn(0, 6)], [pawn(0, 5), pawn(1, 1)])]),
        pawn(0, 2),
        {"special": "TORYO"},
    ],
}


def keys(path: str, ply: int) -> list[str]:
    return [f"{own}:{at}" for own, at, _entry in find_node(RECORD, path, ply).following]


def test_a_node_of_the_main_line_has_its_entries_and_neighbours() -> None:
    node = find_node(RECORD, "", 2)
    assert node.key == ":2"
    assert len(node.line) == 3
    assert node.before == ("", 1)
    assert node.end == ("", 4)
    assert keys("", 2) == [":3"]


def test_continuations_name_the_own_line_first_and_then_the_forks() -> None:
    assert keys("", 1) == [":2", "2.0:2"]
    assert keys("2.0", 2) == ["2.0:3", "2.0-3.0:3", "2.0-3.1:3"]


def test_the_first_move_of_a_fork_follows_the_line_that_it_leaves() -> None:
    assert find_node(RECORD, "2.0", 2).before == ("", 1)
    assert find_node(RECORD, "2.0-3.1", 3).before == ("2.0", 2)
    assert find_node(RECORD, "2.0-3.1", 4).before == ("2.0-3.1", 3)


def test_a_fork_is_replayed_on_the_line_that_leads_to_it() -> None:
    position, last, played = position_at(RECORD, find_node(RECORD, "2.0-3.1", 4))
    assert played == 4
    assert last is not None
    assert position.sfen(played + 1) == (
        "lnsgkgsnl/1r5b1/p1pppppp1/1p6p/9/2P1P4/PP1P1PPPP/1B5R1/LNSGKGSNL b - 5"
    )


def test_an_ending_keeps_the_position_and_counts_no_move() -> None:
    last_move = position_at(RECORD, find_node(RECORD, "", 3))
    ending = position_at(RECORD, find_node(RECORD, "", 4))
    assert ending[0] == last_move[0]
    assert ending[1:] == last_move[1:]


def test_a_ply_beyond_the_end_leads_to_the_end_and_a_wrong_fork_to_the_main_line() -> None:
    assert find_node(RECORD, "", 99).key == ":4"
    assert find_node(RECORD, "2.0", 99).key == "2.0:3"
    for wrong in ("2.7", "9.0", "x", "2.0-99.0", "2.0-", "-1.0", "1.0"):
        assert find_node(RECORD, wrong, 3).key == ":3"


def test_a_ply_before_the_fork_is_the_main_lines() -> None:
    assert find_node(RECORD, "2.0", 1).key == ":1"


def test_the_move_list_has_forks_after_the_move_that_they_replace() -> None:
    written = [
        part.row.key if part.row else part.name
        for part in move_list("shogi", piece_of(RECORD, find_node(RECORD, "", 0)))
    ]
    assert written == [
        "stretch", ":0", "end", ":1", "end", ":2",
        "fork", "2.0:2", "end", "2.0:3",
        "fork", "2.0-3.0:3", "end", "fork-end",
        "fork", "2.0-3.1:3", "end", "2.0-3.1:4", "end", "fork-end",
        "end", "fork-end", "end", ":3", "end", ":4", "end", "stretch-end",
    ]  # fmt: skip


def test_a_long_main_line_is_cut_into_stretches_that_keep_its_numbers() -> None:
    record: Record = {"header": {}, "moves": [{}, *(pawn(0, 7) for _ in range(STRETCH))]}
    parts = list(move_list("shogi", piece_of(record, find_node(record, "", 0))))
    assert [part.name for part in parts if part.name.startswith("stretch")] == ["stretch", "stretch-end"] * 2
    assert [part.row.key for part in parts if part.row] == [f":{ply}" for ply in range(STRETCH + 1)]


def test_addresses_name_only_what_is_needed() -> None:
    assert node_query("", 0) == ""
    assert node_query("", 7) == "?ply=7"
    assert node_query("2.0-3.1", 4) == "?ply=4&fork=2.0-3.1"


def test_deep_forks_make_no_deep_recursion_in_the_list() -> None:
    line: list[MoveEntry] = [pawn(0, 7)]
    for _level in range(100):
        line = [forked(pawn(0, 2), line)]
    record: Record = {"header": {}, "moves": [{}, *line]}
    assert (
        sum(part.name == "fork" for part in move_list("shogi", piece_of(record, find_node(record, "", 0))))
        == 100
    )
    assert find_node(record, "-".join(["1.0"] * 100), 1).ply == 1


def test_what_stands_in_the_list_is_a_move_an_ending_or_the_start() -> None:
    assert [entry_text("shogi", entry) for entry in RECORD["moves"][:2]] != ["", ""]
    assert entry_text("shogi", {"special": "TORYO"}) != "TORYO"
