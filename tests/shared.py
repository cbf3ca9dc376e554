"""Where the reference material beside a developer's checkout is, and what happens where there is none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"
GOLDEN = SHARED / "golden"
CORPUS = SHARED / "corpus"


def shared_paths(pattern: str) -> list[Path]:
    """Files of the reference material that match a glob pattern, sorted; an empty list without it."""
    return sorted(SHARED.glob(pattern)) if SHARED.is_dir() else []


def need_shared() -> None:
    """Skip the test without the reference material; on CI (`CI=true`) its absence is a failure."""
    if SHARED.is_dir():
        return
    reason = "the reference material ../shared is not beside this checkout"
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)
