"""Every golden record gives exactly the reference's JSON and positions."""

from __future__ import annotations

from typing import Any

import pytest

from kifu_core import KifuError, load, normalize
from kifu_core.shogi.formats import dump
from kifu_core.shogi.replay import packed_move, start
from tests.cases import each
from tests.kifu_core import golden

pytestmark = pytest.mark.shared


def answer_of(text: str, name: str) -> Any:
    games = load(text, name).games
    assert games, f"nothing read from {name}"
    return games[0].record


def check(key: str, ours: object, theirs: object) -> None:
    """Equal, or different and in the table."""
    if key in golden.deviations():
        assert ours != theirs, f"{key} no longer deviates: take its row out of {golden.DEVIATIONS.name}"
    else:
        assert ours == theirs


def test_every_golden_file_belongs_to_a_record():
    assert list(golden.strays()) == []


def test_all_records_of_the_manifest_are_there():
    names = {name for name in golden.records() if name.split("/")[0] in golden.MANDATORY}
    assert names == golden.manifest_names()


@each("name", golden.records())
def test_it_normalizes_like_the_reference(name):
    check(name, answer_of(golden.text_of(name), name), golden.answer(name))


@each("name", golden.records())
def test_it_normalizes_the_raw_record(name):
    suffix = name.rpartition(".")[2]
    notation = {"kifu": "kif", "ki2u": "ki2"}.get(suffix, suffix)
    assert normalize(golden.answer(name, ".raw"), notation) == golden.answer(name)


@pytest.mark.parametrize("name", [name for name in golden.records() if name.startswith("jkf/")])
def test_minimal_jkf_becomes_complete(name):
    assert normalize(golden.answer(name, ".minimal")) == golden.answer(name)


def positions_of(record: Any) -> list[list[Any]]:
    """Every node as [ply, path of forks, SFEN], forks before the move they are alternatives to."""
    found: list[list[Any]] = []

    def walk(entries: Any, position: Any, ply: int, path: list[list[int]]) -> None:
        for entry in entries:
            for number, fork in enumerate(entry.get("forks", [])):
                walk(fork, position.copy(), ply, [*path, [ply, number]])
            if "move" in entry:
                position.do_move(packed_move(entry["move"]))
            found.append([ply, path, position.sfen(ply + 1)])
            ply += 1

    position = start(record)
    found.append([0, [], position.sfen(1)])
    walk(record["moves"][1:], position, 1, [])
    return found


@each("name", golden.records())
def test_it_reaches_the_positions_of_the_reference(name):
    expected = golden.answer(name, ".positions")
    ours = {(ply, str(path)): sfen for ply, path, sfen in positions_of(answer_of(golden.text_of(name), name))}
    assert {(ply, str(path)): sfen for ply, path, sfen in expected}.items() <= ours.items()


CASES = [
    pytest.param(case, id=f"{case['format']}-{case['name'].replace(' ', '_')}")
    for case in golden.lines("cases.jsonl")
    if case["kind"] == "parse" and case["format"] in golden.MANDATORY
]
NORMALIZE_CASES = [
    pytest.param(case, id=f"{case['kind']}-{case['format']}-{number}")
    for number, case in enumerate(golden.lines("cases.jsonl"))
    if case["kind"] in ("normalize", "error") and case["format"] in ("minimal", "kif", "ki2", "csa")
]


@each("case", CASES)
def test_a_parser_case_of_the_reference(case):
    assert answer_of(case["input"], "") == case["normalized"]


@each("case", NORMALIZE_CASES)
def test_a_normalizer_case_of_the_reference(case):
    notation = "jkf" if case["format"] == "minimal" else case["format"]
    if case["kind"] == "error":
        with pytest.raises(KifuError):
            normalize(case["input"], notation)
    else:
        assert normalize(case["input"], notation) == case["expected"]


ACROSS = [
    pytest.param(f"{file}#{number} {name}", game[name], game[f"jkf_{name}"], id=f"{file}-{number}-{name}")
    for file in ("xformat.jsonl", "random.jsonl")
    for number, game in enumerate(golden.lines(file))
    for name in ("kif", "ki2", "csa")
]


@each("key, text, expected", ACROSS)
def test_a_game_in_three_formats(key, text, expected):
    check(key, answer_of(text, key), expected)


def _plain(entries: Any, drop: set[str]) -> list[Any]:
    """Entries without the fields of `drop` and without nulls; a second ending in a row joins the first, since
    a KI2 text has one result line."""
    found: list[Any] = []
    for entry in entries:
        kept = {key: value for key, value in entry.items() if key not in drop}
        if "move" in kept:
            kept["move"] = {k: v for k, v in kept["move"].items() if v is not None and k not in drop}
        if "forks" in kept:
            kept["forks"] = [_plain(fork, drop) for fork in kept["forks"]]
        if found and "special" in kept and "special" in found[-1]:
            found[-1]["comments"] = found[-1].get("comments", []) + kept.get("comments", [])
        else:
            found.append(kept)
    return found


LOST = {"kif": set(), "ki2": {"time"}, "csa": {"forks"}, "jkf": set()}
# What says the same in other words: KI2 may name a piece by more words than it needs, KIF may write the
# square where 同 would do; formats without these words give the canonical ones back.
REWORDED = {"same", "relative"}


@each("file_format", ["kif", "ki2", "csa", "jkf"])
@each("name", [name for name in golden.records() if name.split("/")[0] in golden.MANDATORY])
def test_what_is_written_is_read_back(name, file_format):
    game = load(golden.text_of(name), name).games[0]
    options = {} if file_format == "jkf" else {"ending": game.ending}
    text = dump(game.record, file_format, **options)
    again = load(text, f"x.{file_format}").games[0]
    drop = LOST[file_format] | (set() if file_format == "jkf" else REWORDED)
    assert _plain(again.record["moves"], drop) == _plain(game.record["moves"], drop)
    assert start(again.record) == start(game.record)
    ours, theirs = again.ending, game.ending
    assert (ours and (ours.ply, ours.winner, ours.draw)) == (
        theirs and (theirs.ply, theirs.winner, theirs.draw)
    )
