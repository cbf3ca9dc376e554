"""The JSON schemas: what we give is valid, and each of their rules bites."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from kifu_core import load
from tests.kifu_core import golden
from tests.kifu_core.corpus import read_all
from tests.shared import SHARED

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data"


def schema(name: str) -> Any:
    return json.loads((ROOT / "schema" / name).read_text(encoding="utf-8"))


PUBLIC = Draft202012Validator(schema("jkf.schema.json"))
STRICT = Draft202012Validator(schema("jkf-normalized.schema.json"))


def records() -> list[Any]:
    others = ("backup", "compose", "formations")
    folders = [path for path in DATA.iterdir() if path.is_dir() and path.name not in others]
    files = sorted(path for folder in folders for path in folder.glob("*.*") if path.suffix != ".csv")
    return [game.record for path in files for game in load(path.read_bytes(), path.name).games]


@pytest.mark.parametrize("name", ["jkf.schema.json", "jkf-normalized.schema.json"])
def test_the_schemas_are_schemas(name):
    Draft202012Validator.check_schema(schema(name))


def test_our_own_fixtures_are_valid():
    assert len(records()) > 15
    for record in records():
        STRICT.validate(record)
        PUBLIC.validate(record)


@pytest.mark.shared
def test_real_files_become_valid_records():
    published = Draft202012Validator(
        json.loads((SHARED / "seeds" / "json-kifu-format.schema.json").read_text(encoding="utf-8"))
    )
    games = [game for item in read_all() if item.result for game in item.result.games]
    for game in games[::25]:  # the validator is slow: a sample over all formats
        STRICT.validate(game.record)
        published.validate(game.record)
        PUBLIC.validate(game.record)


@pytest.mark.shared
def test_the_public_schema_accepts_what_the_published_one_accepts():
    published = Draft202012Validator(
        json.loads((SHARED / "seeds" / "json-kifu-format.schema.json").read_text(encoding="utf-8"))
    )
    for name in golden.records()[::8]:
        for part in ("", ".raw"):
            value = golden.answer(name, part)
            assert PUBLIC.is_valid(value) == published.is_valid(value), name
    for value in mutants():
        assert PUBLIC.is_valid(value) == published.is_valid(value)


def base() -> Any:
    return copy.deepcopy(load((DATA / "kif" / "even_game.kif").read_bytes()).games[0].record)


def drawn() -> Any:
    return copy.deepcopy(load((DATA / "kif" / "problem.kif").read_bytes()).games[0].record)


def mutants() -> list[Any]:
    """Records with one thing changed each, some still valid JKF, all but the first not normalized."""
    found: list[Any] = [base()]

    def add(record: Any, path: list[Any], value: Any) -> None:
        target = record
        for step in path[:-1]:
            target = target[step]
        target[path[-1]] = value
        found.append(record)

    for path, value in [
        (["moves", 1, "move", "to", "x"], 0),
        (["moves", 1, "move", "to", "x"], "7"),
        (["moves", 1, "move", "to"], {"x": 7}),
        (["moves", 1, "move", "piece"], "XX"),
        (["moves", 1, "move", "color"], 2),
        (["moves", 1, "move", "color"], None),
        (["moves", 1, "move", "capture"], "OU"),
        (["moves", 1, "move", "relative"], "XXH--"),
        (["moves", 1, "move", "relative"], None),
        (["moves", 1, "move", "same"], None),
        (["moves", 1, "move", "extra"], 1),
        (["moves", 1, "special"], "MAX_MOVES"),
        (["moves", 1, "special"], None),
        (["moves", 1, "forks"], []),
        (["moves", 1, "forks"], None),
        (["moves", 1, "comments"], "text"),
        (["moves", 1, "time", "total"], {"m": 1, "s": 1}),
        (["moves", 1, "time", "now", "m"], 1.5),
        (["moves", 1, "time", "now", "h"], None),
        (["moves", 0], {"move": {"color": 0, "to": {"x": 1, "y": 1}, "piece": "FU"}}),
        (["moves"], []),
        (["moves"], {}),
        (["header", "a"], 1),
        (["initial"], None),
        (["initial", "preset"], "9"),
        (["initial", "preset"], "OTHER"),
        (["more"], 1),
    ]:
        add(base(), path, value)
    for path, value in [
        (["initial", "data", "hands", 0, "OU"], 1),
        (["initial", "data", "hands", 0, "FU"], -1),
        (["initial", "data", "hands"], [{}]),
        (["initial", "data", "board"], {}),
        (["initial", "data", "board"], []),
        (["initial", "data", "board", 0, 0], {"color": 0}),
        (["initial", "data", "board", 0, 0], {"color": None, "kind": None}),
        (["initial", "data", "color"], 2),
    ]:
        add(drawn(), path, value)
    return found


def test_every_rule_of_the_strict_schema_bites():
    first, *others = mutants()
    STRICT.validate(first)
    for value in others:
        assert not STRICT.is_valid(value), value


def test_the_public_schema_lets_some_of_them_pass():
    passed = [PUBLIC.is_valid(value) for value in mutants()]
    assert passed[0]
    assert 0 < passed.count(True) < len(passed)
