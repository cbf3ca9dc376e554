"""The documentation keeps up with the code: links lead somewhere, every setting is described."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kifu_core import __version__
from tests.cases import each

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = ROOT / "archive" / "project" / "settings.py"
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)")
PICTURE = re.compile(r"""\b(?:src|srcset)="([^"]+)\"""")
MOST_PICTURE_BYTES = 120_000
SETTING = re.compile(r"""env\.\w+\(\s*"([A-Z_]+)""")
# What developers set while they work on the archive itself.
UNDOCUMENTED = {"DEBUG"}


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


@each("page", PAGES, ids=name_of)
def test_every_link_between_pages_leads_to_a_file(page):
    targets = LINK.findall(page.read_text())
    assert [target for target in targets if not (page.parent / target).exists()] == []


def anchors(page: Path) -> set[str]:
    """What the headings of a page are called in addresses, as GitHub names them."""
    headings = re.findall(
        r"^#+ (.*)", re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL), re.MULTILINE
    )
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@each("page", PAGES, ids=name_of)
def test_every_link_to_a_part_of_a_page_leads_to_a_heading(page):
    links = re.findall(r"\]\(([^):\s]*\.md)?#([^)\s]+)\)", page.read_text())
    assert [
        (name, part) for name, part in links if part not in anchors(page.parent / name if name else page)
    ] == []


@each("page", PAGES, ids=name_of)
def test_pictures_of_pages_are_there_and_told_in_words(page):
    outside_code = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    assert [name for name in PICTURE.findall(outside_code) if not (page.parent / name).exists()] == []
    assert [tag for tag in re.findall(r"<img[^>]*>", outside_code) if not re.search(r'alt="[^"]', tag)] == []


def test_every_picture_is_shown_somewhere_and_small():
    shown = {(page.parent / name).resolve() for page in PAGES for name in PICTURE.findall(page.read_text())}
    pictures = {*(ROOT / "docs" / "images").iterdir()}
    assert pictures
    assert pictures - shown == set()
    assert [picture.name for picture in pictures if picture.stat().st_size > MOST_PICTURE_BYTES] == []


@each("page", [page for page in PAGES if page.name.endswith(".ja.md")], ids=name_of)
def test_a_page_in_japanese_and_the_one_in_english_lead_to_each_other(page):
    english = page.with_name(page.name.replace(".ja.md", ".md"))
    assert f"({english.name})" in page.read_text()
    assert f"({page.name})" in english.read_text()


def test_the_readme_in_japanese_leads_to_every_page_in_japanese():
    targets = {(ROOT / target).resolve() for target in LINK.findall((ROOT / "README.ja.md").read_text())}
    pages = {page for page in PAGES if page.name.endswith(".ja.md")} - {ROOT / "README.ja.md"}
    assert pages - targets == set()


OPERATIONS = pytest.mark.parametrize("name", ["operations.md", "operations.ja.md"])


@OPERATIONS
def test_every_setting_is_described(name):
    settings = set(SETTING.findall(SETTINGS.read_text()))
    text = (ROOT / "docs" / name).read_text()
    assert 10 < len(settings) <= 60
    assert sorted(setting for setting in settings - UNDOCUMENTED if f"`{setting}`" not in text) == []


@OPERATIONS
def test_every_described_setting_exists(name):
    described = set(re.findall(r"^\| `([A-Z_]+)` \|", (ROOT / "docs" / name).read_text(), re.MULTILINE))
    assert described - set(SETTING.findall(SETTINGS.read_text())) == set()


def test_both_tables_of_settings_have_the_same_rows_and_defaults():
    def rows(name: str) -> list[tuple[str, str]]:
        """Name and default of each; of defaults only those that are plain values."""
        text = (ROOT / "docs" / name).read_text()
        found = re.findall(r"^\| `([A-Z_]+)` \| ([^|]*) \|", text, re.MULTILINE)
        return [(name, default if re.fullmatch(r"\d*|`[^`]*`", default) else "") for name, default in found]

    assert rows("operations.md") == rows("operations.ja.md")


def test_the_newest_entry_of_the_changelog_is_this_version():
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert newest is not None
    assert newest[1] == __version__


def test_both_readmes_give_the_same_commands():
    def commands(name: str) -> list[str]:
        blocks = re.findall(r"```\n(.*?)```", (ROOT / name).read_text(), re.DOTALL)
        return [line.split("#")[0].strip() for block in blocks for line in block.splitlines()]

    assert commands("README.md") == commands("README.ja.md")
