"""The short form of the attack, on the engine under test; `make hostile` is the long one."""

from __future__ import annotations

import os

import pytest

from tests.serving import said_by

ENGINE = "postgresql" if os.environ.get("DATABASE_URL") else "sqlite"


@pytest.mark.worker
def test_an_archive_withstands_an_attack():
    said_by("tests.hostile", "--short", "--engine", ENGINE)
