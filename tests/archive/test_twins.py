"""Likely twins: found where they were planted, and nowhere else."""

from __future__ import annotations

from random import Random

import pytest

from archive.derive.game import DerivedGame
from archive.models import Entry, Game
from archive.queries.games.twins import Twin, twins
from archive.queries.scope import PUBLIC
from kifu_core.shogi.position import Position
from tests.archive.builders import ingest, random_line, ready
from tests.archive.games import stored
from tests.containers import zipped
from tests.shared import CORPUS

pytestmark = pytest.mark.django_db

OPENING = "7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d 2h2d 8e8f"
MEETING = {"black": "甲", "white": "乙", "day": "2020/01/02"}


def planted(number: int, random: Random) -> tuple[DerivedGame, DerivedGame]:
    """Two games that are likely one: cut short with a result, or with one header changed."""
    played = random_line(Position.initial(), random, random.randrange(30, 60), 6)
    header = {"black": f"甲{number}", "white": f"乙{number}", "day": f"2020/01/{number % 28 + 1:02}"}
    if number % 2:
        return ready(played, **header), ready(played[: random.randrange(12, 29)], winner=1, **header)
    changed = random.choice([{"black": "丙"}, {"white": "丙丁"}, {"day": "2021/12/31"}])
    return ready(played, **header), ready(played, **(header | changed))


def test_fifty_planted_pairs_are_found_and_no_others():
    random = Random(50)
    pairs = [planted(number, random) for number in range(50)]
    strangers = [
        ready(random_line(Position.initial(), random, 40, 6), **(MEETING | {"white": f"乙{number % 7}"}))
        for number in range(50)
    ]
    ingest(*(one for one, _ in pairs), *strangers)
    ingest(*(other for _, other in pairs))
    ids = dict(Game.objects.values_list("digest", "pk"))
    ids = {bytes(digest): pk for digest, pk in ids.items()}
    expected = {frozenset((ids[one.digest], ids[other.digest])) for one, other in pairs}
    assert len(expected) == 50
    assert all_pairs() == expected
    for pk in ids.values():
        mine = {other for pair in expected for other in pair if pk in pair} - {pk}
        assert {twin.id for twin in twins(PUBLIC, pk)} == mine


def test_a_game_that_fits_two_others_names_both():
    ingest(ready(OPENING, black="甲", day="2020/01/02"), ready(OPENING, black="甲", day="2020/01/03"))
    ingest(ready(OPENING, black="甲"))
    pks = list(Game.objects.order_by("pk").values_list("pk", flat=True))
    assert [twin.id for twin in twins(PUBLIC, pks[2])] == pks[:2]
    assert twins(PUBLIC, pks[2])[0].reason == "same-moves"


def test_two_short_games_of_the_same_moves_are_no_twins():
    ingest(ready(OPENING[:29], black="甲"), ready(OPENING[:29], black="乙"))
    assert not all_pairs()


def test_a_game_that_is_not_there_has_none():
    assert twins(PUBLIC, 12345) == ()


def test_the_api_tells_of_twins(client):
    ingest(ready(OPENING, winner=0, **MEETING), ready(OPENING + " 8g8f", winner=1, **MEETING))
    short, long = Game.objects.order_by("plies")
    assert twins(PUBLIC, short.pk) == (Twin(long.pk, "beginning"),)
    (twin,) = client.get(f"/api/v1/games/{long.pk}").json()["twins"]
    assert (twin["game_id"], twin["reason"]) == (short.pk, "beginning")
    assert client.get(twin["game_url"]).json()["id"] == short.pk


@pytest.mark.shared
@pytest.mark.one_engine
def test_no_distinct_games_of_the_corpus_are_taken_for_twins():
    """The pairs that are found are all of them one game, entered twice: see `ENTERED_TWICE`."""
    paths = sorted(path for path in CORPUS.rglob("*") if path.is_file() and path.suffix in SUFFIXES)
    # In one file: each upload by itself would be as much work again.
    stored(zipped(*((path.name, path.read_bytes()) for path in paths)), "corpus.zip")
    assert len(paths) > 500
    assert {frozenset(map(source, pair)) for pair in all_pairs()} == ENTERED_TWICE


def all_pairs() -> set[frozenset[int]]:
    """Every pair of likely twins."""
    pks = Game.objects.values_list("pk", flat=True)
    return {frozenset((pk, twin.id)) for pk in pks for twin in twins(PUBLIC, pk)}


def source(pk: int) -> str:
    """The name of the file that brought a game."""
    return Entry.objects.get(game=pk, state="stored").path


SUFFIXES = {".kif", ".kifu", ".ki2", ".ki2u", ".csa", ".jkf"}
ENTERED_TWICE = set(
    map(
        frozenset,
        [
            # Nobody plays 80 to 146 moves twice: a name, an event or the day was entered differently.
            ("8f652e50c1c1-8f652e.kif", "b2da6b9f0c86-b2da6b.kif"),
            ("9ad3c81b815b-9ad3c8.kif", "baf94b407317-baf94b.kif"),
            ("388190e3b960-388190.kif", "7467afe4a1a3-7467af.kif"),
            ("6e7226c7f55c-6e7226.kif", "d6ddcc2f8486-d6ddcc.kif"),
            ("80f0c1eaf634-80f0c1.kif", "96327d95386e-96327d.kif"),
            ("1727e85b60c1-1727e8.kif", "ce2414b1fe85-ce2414.kif"),
            ("641cccb5e126-641ccc.kif", "9522cdce645b-9522cd.kif"),
            # One file with its names and once without them; of 11 and 12 moves, on the same minute.
            ("04ad65885af3-04ad65.kif", "no_henka-34b724.kif"),
            ("89b85cbc1eeb-89b85c.kif", "henka-78f274.kif"),
            # A game of 1711, and a damaged copy of it that breaks off after six moves with the result.
            ("15733-c0abf4.ki2", "15733.vb4f7130-4c3551.kif"),
        ],
    )
)
