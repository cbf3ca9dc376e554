"""Files that would fill a machine: worked off, and their entries served again, with little memory.

Each is taken in by a process of its own that may have 60 MiB beyond what it begins with (RLIMIT_AS); the
bombs unpack to more than that.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.archive.bombs import SIZE, all_bombs
from tests.serving import ROOT

CEILING_MIB = 60
READ = {None, "unknown-format"}
"""Of entries whose bytes are there."""


def test_bombs_are_refused_in_little_memory_and_what_stands_beside_them_is_read(tmp_path):
    assert SIZE > CEILING_MIB * 1024 * 1024
    (tmp_path / "bombs").mkdir()
    expected = {}
    for name, made, outcome in all_bombs():
        (tmp_path / "bombs" / name).write_bytes(made())
        expected[name] = {(code, 200 if code in READ else 404) for code in outcome}
    found = taken_in(tmp_path / "bombs", tmp_path / "data")
    wrong = {name: answer for name, answer in found.items() if answer != expected[name]}
    assert wrong == {}
    assert found.keys() == expected.keys()


def taken_in(files: Path, data: Path) -> dict[str, Any]:
    """What became of each file in a process of its own: of its entries the errors and the answers' status."""
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    own = {"ARCHIVE_DATA_DIR": str(data), "ARCHIVE_READ_SECONDS": "600", "ALLOWED_HOSTS": "testserver"}
    # Each further arena of malloc would take 64 MiB of addresses, used or not.
    own["MALLOC_ARENA_MAX"] = "1"
    told = subprocess.run(
        [sys.executable, "-m", "tests.archive.under_limit", str(CEILING_MIB), str(files)],
        cwd=ROOT, env=environment | own, capture_output=True, text=True,
    )  # fmt: skip
    assert (told.returncode, told.stderr) == (0, "")
    lines = [json.loads(line) for line in told.stdout.splitlines()]
    return {name: answer if isinstance(answer, str) else set(map(tuple, answer)) for name, answer in lines}
