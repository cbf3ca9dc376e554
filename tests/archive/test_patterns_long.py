"""The long form of patterns: `KIFU_PATTERNS=long` asks 1,000 of them, drawn of what is stored: the games of
the reference material and 2,000 generated ones. What columns find has to be what replaying every game finds.
Between them games are deleted, moved and indexed again. A number is so many patterns."""

from __future__ import annotations

import os
from random import Random
from typing import Final

import pytest
from django.core.management import call_command

from archive import store
from archive.columns import checking
from archive.derive.game import derive_game
from archive.models import Game, Space
from archive.queries.scope import PUBLIC, Scope
from benchmarks import population
from kifu_core.shogi.patterns import text_of
from kifu_core.shogi.position import Position
from tests.archive.builders import ingest, parsed
from tests.archive.columns import Place, build, matches_of, paths_of, place_in
from tests.kifu_core.test_patterns import drawn
from tests.shared import CORPUS, need_shared

ASKED: Final = os.environ.get("KIFU_PATTERNS", "")
PATTERNS: Final = 1_000 if ASKED == "long" else int(ASKED or 0)
GAMES: Final = 2_000
ROUNDS: Final = 5
FOLDERS: Final = ("csa", "jkf", "ki2", "kif", "usen")
"""Those of whole games; the others have thousands of positions."""

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(not PATTERNS, reason="KIFU_PATTERNS=long asks them, for an hour"),
]


def fill() -> None:
    """Store the records of the reference material and generated games."""
    for folder in FOLDERS:
        call_command("import_kifu", str(CORPUS / folder), verbosity=0)
    for first in range(0, GAMES, 100):
        created = (population.record(number) for number in range(first, first + 100))
        ingest(*(derive_game(parsed(one)) for one in created))


def change(random: Random, space: int) -> None:
    """Delete, move and index again some of the games."""
    games = list(Game.objects.filter(kind="shogi").values_list("pk", flat=True))
    chosen = random.sample(games, len(games) // 10)
    third = len(chosen) // 3
    store.delete_games(chosen[:third])
    for pk in chosen[third : 2 * third]:
        if Game.objects.filter(pk=pk).exists():
            store.move_game(pk, random.choice([0, space]))
    store.reindex_games(list(Game.objects.filter(pk__in=chosen[2 * third :]).values_list("pk", flat=True)))


def test_drawn_patterns_are_found_in_all_games_that_have_them(settings, tmp_path):
    need_shared()
    settings.ARCHIVE_COLUMN_FOLDER, settings.ARCHIVE_SEARCH_SECONDS = str(tmp_path), 60
    random, result = Random(2_000), 0
    space = Space.objects.create(kind=Space.Kind.GROUP, name="x").pk
    fill()
    lines: dict[int, list[list[Position]]] = {}
    for number in range(ROUNDS):
        if number:
            change(random, space)
        build()
        assert [*checking.wrong_slots()] == []
        scope = random.choice([PUBLIC, Scope((0, space))])
        games = Game.objects.filter(kind="shogi", space__in=scope.spaces).select_related("stored")
        here = {game.pk: lines.get(game.pk) or list(paths_of(game.jkf)) for game in games}
        lines |= here
        for parameters in range(PATTERNS // ROUNDS):
            pattern = drawn(random, random.choice(random.choice([*here.values()])))
            places: dict[int, Place | None] = {pk: place_in(pattern, every) for pk, every in here.items()}
            expected = {pk: place for pk, place in places.items() if place is not None}
            assert matches_of(scope, pattern) == expected, text_of(pattern)
            result += len(expected)
            if parameters % 20 == 0:
                print(f"round {number}: {parameters} patterns, {len(here)} games, {result} found", flush=True)
    assert result > PATTERNS
