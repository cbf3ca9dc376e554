"""Positions and codes line by line, and boards, by the `kifu` command."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.kifu_core.command import DATA, EVEN, EVEN_CODE, ROOT, kifu, text
from tests.shared import GOLDEN


def test_keys_line_by_line():
    piped = f"{EVEN} b - 1\n{EVEN} b -\nnonsense\n\n{EVEN} b 19P 1\n".encode()
    assert text("key", piped=piped, code=1).splitlines() == [
        EVEN_CODE, EVEN_CODE, "!sfen-fields", "!empty", "!unencodable",
    ]  # fmt: skip


def test_codes_line_by_line():
    piped = f"{EVEN_CODE}\n{EVEN_CODE}=\n{EVEN_CODE}A\r\n\xff\n".encode("latin-1")
    assert text("key", "--decode", piped=piped, code=1).splitlines() == [
        f"{EVEN} b - 1", "!bad-char", "!trailing-chars", "!bad-char",
    ]  # fmt: skip


def test_codes_of_quoridor_line_by_line():
    piped = b"QBA\n gkwAAAAQ==\ngkw\n\nj7ok-_HMe1ICg\n"
    first, second, *faults = text("qf", piped=piped, code=1).splitlines()
    assert json.loads(first)["moves"] == [
        {"by": "white", "kind": "pawn", "from": 4, "to": 13, "dir": 0, "jump": "none"}
    ]
    assert json.loads(second)["state"]["to_move"] == "black"
    assert faults == ["!truncated", "!empty", "!bad-char"]
    back = f"{first}\n{second}\n[]\n{{\n" + first.replace('"dir":0', '"dir":1') + "\n" + "[" * 100_000
    assert text("qf", "--encode", piped=back.encode(), code=1).splitlines() == [
        "QBA", "gkwAAAAQ", "!jkf-type", "!json", "!jkf-value", "!jkf-depth",
    ]  # fmt: skip


def test_a_key_is_answered_before_the_next_line_comes():
    command = [sys.executable, "-m", "kifu_core", "key"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(f"{EVEN} b -\n".encode())
        process.stdin.flush()
        assert process.stdout.readline().decode().strip() == EVEN_CODE
        process.stdin.close()
    assert process.returncode == 0


@pytest.mark.parametrize(
    ("arguments", "line"), [(("--json",), f"{EVEN} b -"), (("--decode", "--json"), EVEN_CODE)]
)
def test_positions_as_objects(arguments, line):
    found = json.loads(text("key", *arguments, piped=line.encode()))
    assert found["turn"] is True
    assert found["board"][:9] == [-2, -3, -4, -5, -8, -5, -4, -3, -2] and len(found["board"]) == 81
    assert found["hands"]["white"] == dict.fromkeys(["FU", "KY", "KE", "GI", "KI", "KA", "HI"], 0)


def test_the_class_of_a_position_and_how_it_lies_there():
    piped = b"9/9/9/9/9/9/9/9/K8 w -\n8K/9/9/9/9/9/9/9/9 b -\n9/9/9/9/9/9/9/9/8K w - 1\nx\n"
    codes = text("class", piped=piped, code=1).splitlines()
    assert codes[0] == "gAHbbbbbbbbYAAAAAAAAAAAAAAAA 3"
    assert codes[3] == "!sfen-fields"
    assert codes[2] == "gAHbbbbbbbbYAAAAAAAAAAAAAAAA 2"


def test_boards_in_the_terminal():
    assert text("show", f"{EVEN} b -") == text("show", piped=EVEN_CODE.encode()) != ""
    shown = text("show", "--ply", "0", DATA / "kif/even_game.kif", DATA / "kif/problem.kif")
    assert shown.count("先手の持駒") == 2 and shown.startswith("後手の持駒：なし\n  ９ ８")
    assert "[bad-char]" in kifu("show", "poU!", code=1)[1]


@pytest.mark.shared
def test_all_golden_codes_both_ways():
    rows = [json.loads(line) for line in (GOLDEN / "shogi64/vectors.jsonl").read_text().splitlines()]
    sfens = "\n".join(row["sfen"] for row in rows)
    codes = "\n".join(row["robust_code"] for row in rows)
    assert text("key", piped=sfens.encode()).splitlines() == codes.splitlines()
    assert text("key", "--decode", piped=codes.encode()).splitlines() == sfens.splitlines()


@pytest.mark.shared
def test_all_invalid_codes_by_name():
    rows = [json.loads(line) for line in (GOLDEN / "shogi64/invalid.jsonl").read_text().splitlines()]
    rows = [row for row in rows if "\n" not in row["code"]]
    piped = "".join(row["code"] + "\n" for row in rows).encode()
    messages = text("key", "--decode", piped=piped, code=1).splitlines()
    assert messages == [f"!{row['error']}" for row in rows]
