"""Each kind of game has rooms of its own; what it is called stands in few other places."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CODE = (".py", ".html", ".js", ".css")

OUTSIDE = {
    "kifu_core/games.py": "the register of games",
    "kifu_core/__main__.py": "a command for its codes",
    "kifu_core/arguments.py": "the help of that command",
    "kifu_core/rule_names.py": "the names of its grammars' rules",
    "archive/web/game_registry.py": "the register of pages",
    "archive/queries/search/box.py": "an example of a search",
    "archive/templates/archive/upload.html": "the sentence that says what can be sent",
}
"""Where Quoridor is spoken of outside of folders of its name."""


def test_a_game_is_spoken_of_in_its_own_rooms_and_in_few_others():
    files = (
        path for room in ("archive", "kifu_core") for path in (ROOT / room).rglob("*") if path.suffix in CODE
    )
    found = {
        str(path.relative_to(ROOT))
        for path in files
        if "quoridor" not in path.relative_to(ROOT).parts
        and re.search("quoridor|コリドール", path.read_text(encoding="utf-8"), re.IGNORECASE)
    }
    assert found == {*OUTSIDE}


def test_what_games_share_in_the_browser_imports_of_no_game():
    shared = (ROOT / "archive/static/archive/js").glob("*.js")
    wrong = [
        path.name for path in shared if re.search(r'["`](?:\.\./)+(?:shogi|quoridor)/', path.read_text())
    ]
    assert wrong == []
