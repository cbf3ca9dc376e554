"""Games that are taken down, and patterns: from the commit on no question tells of them, and what is found is
what replaying the games that are left finds. Nothing is written to the columns in between."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from django.test import Client

from archive import store
from archive.columns import folder
from archive.models import Entry, Game, Space, Upload
from archive.queries.patterns.pattern_slots import slots_with_pattern
from archive.queries.patterns.summary import pattern_games
from archive.queries.scope import PUBLIC, Scope
from kifu_core.shogi.patterns import parse, text_of
from tests.archive.builders import ingest, random_game, ready
from tests.archive.columns import build, matches_of, paths_of, replayed
from tests.kifu_core.test_patterns import drawn

pytestmark = pytest.mark.django_db

LINE = "7g7f 3c3d 2g2f 8c8d"
GONE, STAYS = "消える", "残る"
QUERY = 'pattern:"P7f P2f"'
ASKED = (
    "/patterns/?pattern=P7f%20P2f",
    "/api/v1/patterns?pattern=P7f%20P2f",
    f"/games/?q={QUERY}",
    f"/api/v1/games?q={QUERY}",
    f"/api/v1/games/facets?q={QUERY}",
    f"/api/v1/games/export?q={QUERY}",
    f"/games.atom?q={QUERY}",
)


@pytest.fixture(autouse=True)
def own_folder(settings, tmp_path) -> Path:
    """Files of these tests alone."""
    settings.ARCHIVE_COLUMN_FOLDER = tmp_path
    return tmp_path


def body(client: Client, address: str) -> str:
    answer = client.get(address, headers={"Accept-Language": "ja"})
    assert answer.status_code == 200, (address, answer.status_code)
    return (b"".join(answer) if answer.streaming else answer.content).decode()


def hide(game: Game) -> None:
    store.delete_games([game.pk], hide_bytes=True)


def delete(game: Game) -> None:
    store.delete_games([game.pk])


def delete_upload(game: Game) -> None:
    assert store.delete_upload(Entry.objects.get(game=game).upload_id)


def take_away(game: Game) -> None:
    store.move_game(game.pk, Space.objects.create(kind=Space.Kind.GROUP, name="x").pk)


@pytest.mark.parametrize("gone", [hide, delete, delete_upload, take_away])
def test_no_question_on_patterns_tells_of_a_game_from_then_on(
    client, own_folder, gone: Callable[[Game], None]
):
    ingest(ready(LINE, black=GONE, day="2001/02/03"))
    ingest(ready(f"{LINE} 2f2e", black=STAYS, day="2002/03/04"))
    build()
    for address in ASKED:
        page = body(client, address)
        assert GONE in page and STAYS in page, address
    game = Game.objects.get(player0__name=GONE)
    gone(game)
    for address in ASKED:
        page = body(client, address)
        assert GONE not in page and "2001" not in page and STAYS in page, address
    summary = pattern_games(PUBLIC, parse("P7f P2f"))
    assert (summary.games, summary.years, sum(summary.results)) == (1, ((2002, 1),), 1)
    assert [(one.move, one.games) for one in summary.moves] == [("8c8d", 1)]
    assert [player.name for player, _ in summary.players] == [STAYS]
    assert [*slots_with_pattern(PUBLIC, "P7f P2f")] == [Game.objects.get(player0__name=STAYS).slot]


def test_other_programs_are_told_that_a_slot_is_gone(own_folder):
    ingest(ready(LINE, black=GONE))
    build()
    game = Game.objects.get()
    hide(game)
    build()
    manifest = json.loads((own_folder / "0" / folder.MANIFEST).read_text())
    in_files = any(one["first"] <= game.slot <= one["last"] for one in manifest["files"])
    assert not in_files or game.slot in manifest["gone"]


@pytest.mark.one_engine
def test_drawn_patterns_agree_with_a_replay_of_what_is_left():
    random = Random(31)
    space = Space.objects.create(kind=Space.Kind.GROUP, name="x").pk
    ingest(*(random_game(random, plies=12) for _ in range(25)))
    for _ in range(5):
        ingest(*(random_game(random, plies=12) for _ in range(2)))
    build()
    records = [game.jkf for game in Game.objects.filter(kind="shogi").select_related("stored")]
    patterns = [drawn(random, random.choice(list(paths_of(random.choice(records))))) for _ in range(10)]
    ways: list[Callable[[Game], object]] = [
        hide, delete, lambda game: store.move_game(game.pk, space), _delete_last_upload,
    ]  # fmt: skip
    shrunk = 0
    before = {text_of(one): len(matches_of(PUBLIC, one)) for one in patterns}
    for way in ways:
        way(random.choice(list(Game.objects.filter(kind="shogi", space=0))))
        for pattern in patterns:
            for scope in (PUBLIC, Scope((space,)), Scope((0, space))):
                present = matches_of(scope, pattern)
                # What has come into a space is looked through later.
                assert present.items() <= replayed(pattern, scope).items(), text_of(pattern)
            assert matches_of(PUBLIC, pattern) == replayed(pattern, PUBLIC), text_of(pattern)
            slots = Game.objects.filter(pk__in=matches_of(PUBLIC, pattern)).order_by("slot")
            assert [*slots_with_pattern(PUBLIC, text_of(pattern))] == [*slots.values_list("slot", flat=True)]
    for pattern in patterns:
        shrunk += before[text_of(pattern)] - len(matches_of(PUBLIC, pattern))
    assert shrunk > 2


def _delete_last_upload(_game: Game) -> None:
    last = Upload.objects.order_by("-pk").first()
    assert last and store.delete_upload(last.pk)
