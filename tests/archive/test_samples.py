"""The sample games: real ones, all of them readable, and nobody's comments."""

from __future__ import annotations

from collections import Counter
from io import StringIO

import pytest
from django.core.management import call_command

from archive.management.commands.sample_games import sample_files
from archive.models import Entry, Game
from kifu_core.games import GAMES, load


@pytest.mark.parametrize("path", sample_files(), ids=lambda path: path.name)
def test_a_sample_is_read_without_a_finding_and_has_no_comments(path):
    _, result = load(path.read_bytes(), path.name)
    (game,) = result.games
    assert [issue.code for issue in (*result.issues, *game.issues)] == []
    assert game.ending is not None
    assert not any("comments" in entry or "forks" in entry for entry in game.record["moves"])


def test_there_are_about_forty_in_several_formats_and_encodings():
    files = sample_files()
    assert 35 <= len(files) <= 50
    assert len(Counter(path.suffix for path in files)) >= 7


@pytest.mark.django_db
def test_loading_them_twice_gives_each_game_once():
    for _ in range(2):
        call_command("sample_games", stdout=StringIO())
    assert Game.objects.count() == len(sample_files())
    assert {*Game.objects.values_list("kind", flat=True)} == {*GAMES}
    assert set(Entry.objects.values_list("state", flat=True)) == {Entry.State.STORED}
