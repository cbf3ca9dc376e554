"""Fixtures that all tests share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.shared import SHARED, need_shared


@pytest.fixture
def shared() -> Path:
    """The folder of reference material; skips (fails on CI) where a checkout has none beside it."""
    need_shared()
    return SHARED


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Tests marked `shared` need the reference material even when they are parametrized over its files."""
    if item.get_closest_marker("shared"):
        need_shared()
