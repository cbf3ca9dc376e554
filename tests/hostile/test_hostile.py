"""The short form of the attack; `make hostile` is the long one, on both engines."""

from __future__ import annotations

import pytest

from tests.serving import said_by


# `test_odd_requests` sends odd values to every address on both engines.
@pytest.mark.worker
@pytest.mark.one_engine
def test_an_archive_withstands_an_attack():
    said_by("tests.hostile", "--short", "--engine", "sqlite")
