"""The locks: all that is needed, pinned by hashes, from no named registry."""

from __future__ import annotations

import re
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
PINNED = re.compile(r"^([\w.-]+)==", re.MULTILINE)


def packages(requirements: list[str], extra: str = "") -> set[tuple[str, str]]:
    """The packages of requirements and those that they need here, each with an extra or "" for none."""
    every: set[tuple[str, str]] = set()
    waiting = [(text, extra) for text in requirements]
    while waiting:
        text, extra = waiting.pop()
        one = Requirement(text)
        if one.marker and not one.marker.evaluate({"extra": extra}):
            continue
        name = canonicalize_name(one.name)
        new = {(name, extra) for extra in ("", *one.extras)} - every
        every |= new
        waiting += [(text, extra) for name, extra in new for text in metadata.requires(name) or ()]
    return every


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-dev.lock"])
def test_locks_pin_everything_with_hashes_and_name_no_registry(name):
    text = (ROOT / name).read_text()
    pinned = PINNED.findall(text)
    assert pinned == re.findall(r"^([\w.-]+)", text, re.MULTILINE)
    assert text.count("--hash=sha256:") >= len(pinned)
    assert "://" not in text


def test_the_lock_of_a_server_has_all_that_its_packages_need():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needed = {name for name, _extra in packages(project["optional-dependencies"]["server"])}
    assert needed <= {
        canonicalize_name(name) for name in PINNED.findall((ROOT / "requirements.lock").read_text())
    }
