"""The short form of the attack, on the engine under test; `make hostile` is the long one."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.serving import ROOT

ENGINE = "postgresql" if os.environ.get("DATABASE_URL") else "sqlite"
SECONDS = 900


@pytest.mark.worker
def test_an_archive_withstands_an_attack():
    with subprocess.Popen(
        [sys.executable, "-m", "tests.hostile", "--short", "--engine", ENGINE],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    ) as process:  # fmt: skip
        try:
            said, _ = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            process.terminate()  # politely: it has servers to stop
            raise
    print(said)
    assert process.returncode == 0, said
