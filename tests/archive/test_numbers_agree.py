"""Totals, facets and the walked list agree for whatever is asked for.

`KIFU_NUMBERS=long` draws 500 filters over 25,000 games, of which all numbers are exact.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from functools import partial
from random import Random
from typing import Any, Final

import pytest
from django.db import connection
from pytest_django.fixtures import Settings

from archive.index.schema import INDEX_VERSION
from archive.models import Entry, Event, Game, GameEvent, GameFormation, GamePlayer, Player, Upload
from archive.queries.games import facets as module
from archive.queries.games import keyset
from archive.queries.games import listing as games
from archive.queries.games.facets import MOST_VALUES, Facets, facets
from archive.queries.games.filters import GameFilters
from archive.queries.games.keyset import ORDERS
from archive.queries.games.listing import GameRow, each_game
from archive.queries.games.totals import total
from archive.queries.scope import PUBLIC
from kifu_core.shogi.formations import FORMATIONS

pytestmark = pytest.mark.django_db

LONG: Final = os.environ.get("KIFU_NUMBERS") == "long"
GAMES: Final = 25_000 if LONG else 1_500
FILTERS: Final = 500 if LONG else 60
UPLOADS: Final = 8
PLAYERS: Final = 60
EVENTS: Final = 12
BATCH: Final = 2_000

HANDICAPS: Final = ("HIRATE", "HIRATE", "HIRATE", "KA", "HI", "OTHER")
ENDINGS: Final = ("TORYO", "TORYO", "TORYO", "CHUDAN", "SENNICHITE", "TSUMI", "")
OPENINGS: Final = ("", "", "矢倉", "角換わり", "相掛かり", "四間飛車")
KINDS: Final = ("game", "game", "game", "game", "problem", "tree")
FIRST_DAY: Final = date(1990, 1, 1)
RARE: Final = 40
"""Of so many games one is of Quoridor."""


@pytest.fixture(autouse=True)
def patience(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """No query takes too long; long lists are walked in large steps."""
    settings.ARCHIVE_SEARCH_SECONDS = 600
    if LONG:
        for walking in (keyset, games):
            monkeypatch.setattr(walking, "MAX_PAGE", 10_000)


@pytest.fixture(scope="module", autouse=True)
def archive(module_db: None) -> None:
    """Light games, without records and without rows in the index."""
    dice = Random(29)
    for number in range(PLAYERS):
        Player.objects.create(name=f"棋士{number}", key=f"棋士{number}")
    for number in range(EVENTS):
        Event.objects.create(name=f"棋戦{number}")
    for number in range(UPLOADS):
        Upload.objects.create(
            sha256=f"{number:064}", name=f"{number}.zip", size=1, source="web", state="done"
        )
    players, events = ([*model.objects.order_by("pk")] for model in (Player, Event))
    uploads = [*Upload.objects.order_by("pk")]
    for first in range(1, GAMES + 1, BATCH):
        some = [game(dice, slot, players, events) for slot in range(first, min(first + BATCH, GAMES + 1))]
        Game.objects.bulk_create(some)
        _store_lists(dice, some, uploads)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")  # nothing else does it before these games are committed


def game(dice: Random, slot: int, players: list[Player], events: list[Event]) -> Game:
    """A game with drawn properties: some have no players, no event, no day."""
    day = FIRST_DAY + timedelta(days=int(12_000 * dice.random() ** 2)) if dice.random() < 0.9 else None
    sides = [dice.choice(players) if dice.random() < 0.95 else None for _ in range(2)]
    return Game(
        kind="quoridor" if dice.randrange(RARE) == 0 else "shogi",
        record_kind=dice.choice(KINDS),
        digest=slot.to_bytes(16, "big"),
        digest_version=1,
        slot=slot,
        player0=sides[0],
        player1=sides[1],
        event=dice.choice(events) if dice.random() < 0.7 else None,
        site=dice.choice(["", "", "東京", "大阪"]),
        played_from=day,
        played_to=day,
        precision="day" if day else "",
        played=day.toordinal() if day else 0,
        handicap=dice.choice(HANDICAPS),
        result=dice.randrange(4),
        special=dice.choice(ENDINGS),
        plies=int(dice.gauss(110, 40)) % 320,
        index_version=INDEX_VERSION,
        index_rows=1,
        opening=dice.choice(OPENINGS),
        features=dice.randrange(16),
    )


def _store_lists(dice: Random, some: list[Game], uploads: list[Upload]) -> None:
    """Store in which lists the games stand."""
    GamePlayer.objects.bulk_create(
        GamePlayer(player=player, played=one.played, slot=one.slot, colour=colour, rating=_rating(dice))
        for one in some
        for colour, player in enumerate((one.player0, one.player1))
        if player
    )
    GameEvent.objects.bulk_create(
        GameEvent(event=one.event, played=one.played, slot=one.slot) for one in some if one.event
    )
    GameFormation.objects.bulk_create(
        GameFormation(formation=formation.number, slot=one.slot, colour=colour, ply=20)
        for one in some
        if one.kind == "shogi"
        for colour in range(2)
        for formation in dice.sample(FORMATIONS[:12], dice.randrange(3))
    )
    Entry.objects.bulk_create(
        Entry(upload=upload, seq=one.slot, state="stored", game=one, format=dice.choice(["kif", "csa"]))
        for one in some
        for upload in dice.sample(uploads, 1 + (dice.random() < 0.1))
    )


def _rating(dice: Random) -> int | None:
    return dice.randrange(1000, 3000) if dice.random() < 0.5 else None


def drawn(dice: Random) -> GameFilters:
    """One to three filters, often of what few games have."""
    name, day = partial(dice.randrange, PLAYERS + 1), partial(dice.randrange, 12_000)
    day_of = lambda: FIRST_DAY + timedelta(days=day())  # noqa: E731
    upload = Upload.objects.order_by("pk")[dice.randrange(UPLOADS)].pk
    draws: dict[str, Any] = {
        "player": lambda: f"棋士{name()}",
        "black": lambda: f"棋士{name()}",
        "white": lambda: f"棋士{name()}",
        "event": lambda: f"棋戦{dice.randrange(EVENTS + 1)}",
        "since": day_of,
        "until": day_of,
        "result": lambda: dice.randrange(4),
        "opening": lambda: dice.choice(OPENINGS[2:]),
        "handicap": lambda: dice.choice([*HANDICAPS, "TAKA"]),
        "special": lambda: dice.choice([*ENDINGS[:-1], "JISHOGI"]),
        "record_kind": lambda: dice.choice([*KINDS, "position"]),
        "game": lambda: dice.choice(["shogi", "quoridor"]),
        "min_plies": lambda: dice.choice([1, 100, 150, 300, 319]),
        "max_plies": lambda: dice.choice([0, 10, 100, 200]),
        "min_rating": lambda: dice.choice([1000, 2000, 2900]),
        "max_rating": lambda: dice.choice([1100, 2000]),
        "place": lambda: dice.choice(["東京", "大阪", "京都"]),
        "has": lambda: dice.choice(["comments", "evals", "times", "forks"]),
        "formation": lambda: dice.choice(FORMATIONS[:13]).name,
        "black_formation": lambda: dice.choice(FORMATIONS[:13]).name,
        "upload": lambda: upload,
        "source": lambda: f"{dice.randrange(UPLOADS + 1)}.zip",
        "format": lambda: dice.choice(["kif", "csa", "usi"]),
        "uploaded_from": lambda: datetime.now(UTC).date() + timedelta(days=dice.randrange(-1, 2)),
        "q": lambda: dice.choice(
            ["plies:>=150", "NOT result:draw", f"player:棋士{name()}", "year:1991..1995"]
        ),
    }
    chosen = dice.sample([*draws], dice.choice([0, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3]))
    return replace(GameFilters(), **{one: draws[one]() for one in chosen})


def values_of(row: GameRow) -> Iterator[tuple[str, Any]]:
    """What a game of the list counts for, as facets name it."""
    yield from (("players", name) for name in {row.first, row.second} - {""})
    yield from (("events", name) for name in [row.event] if name)
    yield from (("years", day.year) for day in [row.played_from] if day)
    yield from (("endings", ending) for ending in [row.special] if ending)
    yield from (("openings", opening) for opening in [row.opening] if opening)
    yield from (("results", row.result), ("handicaps", row.handicap))
    yield from (("kinds", row.record_kind), ("boards", row.kind))


def told_values(found: Facets) -> dict[str, dict[Any, int]]:
    """The values and numbers of facets, without ids."""
    names = {kind: {name: n for _pk, name, n in getattr(found, kind)} for kind in ("players", "events")}
    plain = ("years", "endings", "openings", "results", "handicaps", "kinds", "boards")
    return names | {kind: dict(getattr(found, kind)) for kind in plain}


@pytest.mark.parametrize("share", range(4))
def test_totals_facets_and_the_walked_list_agree(share: int) -> None:
    dice = Random(share)
    for _ in range(FILTERS // 4):
        filters = drawn(dice)
        rows = [*each_game(PUBLIC, filters, dice.choice([*ORDERS]))]
        counts = facets(PUBLIC, filters)
        data = total(PUBLIC, filters, counts, 0)
        assert (data.number, data.exact) == (len(rows), True), filters
        assert (counts.games, counts.sampled) == (len(rows), False), filters
        assert len({row.id for row in rows}) == len(rows), filters
        counted: dict[str, Counter[Any]] = {kind: Counter() for kind in told_values(counts)}
        for row in rows:
            for kind, value in values_of(row):
                counted[kind][value] += 1
        for kind, values in told_values(counts).items():
            rest = [n for value, n in counted[kind].items() if value not in values]
            assert values == {value: counted[kind][value] for value in values}, (filters, kind)
            assert len(values) == min(MOST_VALUES, len(counted[kind])), (filters, kind)
            assert not rest or max(rest) <= min(values.values()), (filters, kind)
        if not dice.randrange(8):
            _check_names(counts, filters)


def _check_names(found: Facets, filters: GameFilters) -> None:
    """Compare the first upload and formation with the lists that they lead to."""
    for attribute, values in (
        ("upload", [(pk, n) for pk, _name, n in found.sources]),
        ("formation", [*found.formations]),
    ):
        if values and getattr(filters, attribute) is None:
            value, n = values[0]
            narrower = replace(filters, **{attribute: value})
            assert facets(PUBLIC, narrower).games == n, narrower


def test_what_is_not_exact_is_a_lower_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SAMPLE", GAMES // 3)
    monkeypatch.setattr(module, "EXACT_GAMES", 0)
    dice = Random(5)
    for _ in range(FILTERS // 2):
        filters = drawn(dice)
        games, result = sum(1 for _row in each_game(PUBLIC, filters)), facets(PUBLIC, filters)
        data = total(PUBLIC, filters, result, min(games, 50))
        assert data.number == games if data.exact else min(games, 50) <= data.number <= games, filters
        largest = max((n for values in told_values(result).values() for n in values.values()), default=0)
        assert largest <= data.number, filters
