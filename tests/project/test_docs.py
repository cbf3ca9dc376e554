"""The documentation keeps up with the code: links lead somewhere, every setting is described."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)")
SETTING = re.compile(r"""env\.\w+\(\s*"([A-Z_]+)""")
# What developers set while they work on the archive itself.
UNDOCUMENTED = {"DEBUG"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_between_pages_leads_to_a_file(page):
    targets = LINK.findall(page.read_text())
    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_every_setting_is_described():
    settings = set(SETTING.findall((ROOT / "archive" / "settings.py").read_text()))
    text = (ROOT / "docs" / "operations.md").read_text()
    assert len(settings) > 10
    assert sorted(name for name in settings - UNDOCUMENTED if f"`{name}`" not in text) == []


def test_every_described_setting_exists():
    described = set(
        re.findall(r"^\| `([A-Z_]+)` \|", (ROOT / "docs" / "operations.md").read_text(), re.MULTILINE)
    )
    assert described - set(SETTING.findall((ROOT / "archive" / "settings.py").read_text())) == set()


def test_the_newest_entry_of_the_changelog_is_this_version():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert newest is not None
    assert newest[1] == version


def test_both_readmes_give_the_same_commands():
    def commands(name: str) -> list[str]:
        blocks = re.findall(r"```\n(.*?)```", (ROOT / name).read_text(), re.DOTALL)
        return [line.split("#")[0].strip() for block in blocks for line in block.splitlines()]

    assert commands("README.md") == commands("README.ja.md")


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-dev.lock"])
def test_locks_pin_everything_with_hashes_and_name_no_registry(name):
    text = (ROOT / name).read_text()
    pinned = re.findall(r"^([\w.-]+)==", text, re.MULTILINE)
    named = re.findall(r"^([\w.-]+)", text, re.MULTILINE)
    assert pinned == named
    assert text.count("--hash=sha256:") >= len(pinned)
    assert "://" not in text
