"""The file of engines: what it says, and that a wrong one is refused with one sentence."""

from __future__ import annotations

import pytest
from django.core.exceptions import ImproperlyConfigured

from archive.project.engine_file import read

FILE = """
new_public_games = true
workers = 2

[[engine]]
name = "Fairy-Stockfish"
version = "11.1"
command = ["/usr/games/fairy-stockfish"]
options = { UCI_Variant = "shogi" }

[[engine]]
name = "other"
command = ["other", "--usi"]
default = true
"""


def written(tmp_path, text: str):
    path = tmp_path / "engines.toml"
    path.write_text(text)
    return path


def test_a_file_names_engines_and_rules(tmp_path):
    file = read(written(tmp_path, FILE), needed=True)
    assert [one.name for one in file.engine] == ["Fairy-Stockfish", "other"]
    assert (file.workers, file.new_public_games, file.default.name) == (2, True, "other")
    assert file.by_name("Fairy-Stockfish").options == {"UCI_Variant": "shogi"}
    assert file.by_name("third") is None


def test_without_the_file_there_are_no_engines(tmp_path):
    file = read(tmp_path / "none", needed=False)
    assert (file.engine, file.default) == ((), None)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("engine = ", "Invalid value"),
        (FILE.replace('name = "other"', 'name = "Fairy-Stockfish"'), "two engines of the name"),
        (FILE.replace('version = "11.1"', "default = true"), "two engines are the default"),
        (FILE.replace('version = "11.1"', "nodes = 10\nmost_nodes = 5"), "more than its most_nodes"),
        (FILE.replace('version = "11.1"', "node = 10"), "unknown field `node`"),
        (FILE.replace('version = "11.1"', 'hash_mb = "16"'), "Expected `int`, got `str`"),
        (FILE.replace('command = ["other", "--usi"]', ""), "missing required field `command`"),
        (FILE.replace('"shogi"', '"a\\nsetoption"'), None),
        (FILE.replace("UCI_Variant", '"a\\nb"'), "matching regex"),
    ],
)
def test_a_wrong_file_is_refused_with_one_sentence(tmp_path, text, reason):
    with pytest.raises(ImproperlyConfigured, match=reason) as refused:
        read(written(tmp_path, text), needed=True)
    assert "\n" not in str(refused.value)


def test_a_file_that_the_setting_names_must_exist(tmp_path):
    with pytest.raises(ImproperlyConfigured, match="ARCHIVE_ENGINES: there is no file"):
        read(tmp_path / "none", needed=True)
