"""What others keep in libraries of their own is in no answer to a stranger.

One public archive is asked for every address that its routes have and that its answers lead to; then much is
put into a library, with the same names, words and moves and more of them, and some of it goes; then it is
asked for the same once more. Every limit on what is looked at is small, so that what is looked at of others
would take the place of what is public.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import unified_diff
from html import unescape
from random import Random
from typing import Any, Final
from urllib.parse import quote, urljoin

import pytest
from django.core.cache import caches
from django.test import Client

from archive import libraries, store
from archive.collections import editing
from archive.collections.games import add_search, append
from archive.derive.game import DerivedEntry, DerivedGame, derive_game
from archive.index import schema
from archive.models import Collection, CollectionGame, Game, Hook, Upload, User
from archive.queries.games import facets, list_query, records_by_kind, statistics, totals
from archive.queries.games import listing as games
from archive.queries.games.filters import GameFilters
from archive.queries.names import people
from archive.queries.names import similar_names as likely
from archive.queries.patterns import formation_counts as formations
from archive.queries.patterns import summary as patterns
from archive.queries.positions import reading_plan, trend
from archive.queries.scope import Scope
from archive.queries.search import box as search_box
from archive.queries.search import suggestions as offers
from archive.queries.search import words
from kifu_core.classes import PUBLIC
from tests.archive.builders import Forks, parsed, record
from tests.archive.columns import build
from tests.archive.games import KIF, START, stored
from tests.archive.routes import routes

NAMES: Final = ("羽生善治", "谷川浩司", "髙見泰地", "高見泰地", "Ponanza", "先手の人")
EVENTS: Final = ("名人戦", "順位戦", "試しの棋戦")
LINES: Final = (
    "7g7f 8c8d 7i7h 8d8e 8h7g 3c3d 6g6f 7a6b 2h6h 4a3b 5i4h 5c5d 4h3h 5a4b 3h2h 4b4a 3i3h",
    "2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d 2h2d", "7g7f 3c3d 8h2b+ 3a2b B*4e",
    "7g7f 3c3d 6g6f 8c8d 2h6h", "5g5f 8c8d 2h5h",
)  # fmt: skip
PATTERNS: Final = (
    "P7f", "R6h", "S3h K2h", "P7f then<=9 R6h", "P7f kept:2", "hand:B>=1", "P5f mirror:yes", "X8d own:white",
)  # fmt: skip
FILTERS: Final = (
    "formation=aigakari", "formation=sujichigai&since=2015", "formation=mino&result=black", "player=Ponanza",
    "event=順位戦", "player=羽生善治&formation=ibisha", "min_rating=1", "since=2012&until=2020",
)  # fmt: skip
QUERIES: Final = (
    "羽生", "羽", "注釈", "秘", "player:高見", "event:順位", "has:comments", "has:forks", "opening:mino",
    "castle:mino", 'pattern:"P7f"', "reaches:7g7f", "2020..2030", "plies:>3", "羽生 OR 谷川", "NOT 羽生",
)  # fmt: skip
SMALL: Final[tuple[tuple[Any, str, int], ...]] = (
    (facets, "SAMPLE", 7), (formations, "MOST_COUNTED", 7), (formations, "NEWEST", 7),
    (formations, "RECORDS", 5), (games, "PAGE_GAMES", 9), (list_query, "SORTED_GAMES", 5),
    (likely, "_MOST_COMPARED", 3),
    (offers, "MOST_COUNTED", 9), (patterns, "FEW", 5), (patterns, "PLAYERS_OF", 7),
    (people, "MOST_COUNTED", 7),
    (reading_plan, "EXACT_ROWS", 20), (reading_plan, "FEW_ROWS", 3), (reading_plan, "PAGE_ROWS", 10),
    (reading_plan, "SAMPLE_ROWS", 10), (schema, "HOT_GAMES", 5), (search_box, "_MOST_EXAMINED", 5),
    (statistics, "MOST_TIMED", 9), (totals, "NAME_COUNT_LIMIT", 3),
    (trend, "NEWEST", 7), (records_by_kind, "RECOUNT_LIMIT", 0), (records_by_kind, "GAMES_A_SECOND", 0.1),
    (words, "LISTED_NAMES", 3), (words, "RARE", 9),
)  # fmt: skip
MOST: Final = 600
"""The number of requested addresses."""

_LINK: Final = re.compile(r'(?:href|src|action)="([^"]+)"|"(?:http://testserver)(/api/[^"]+)"')
_TOKEN: Final = re.compile(r'(name="csrfmiddlewaretoken" value=|nonce=|data-nonce=)"[^"]*"')
_OWN_HEADERS: Final = {"x-request-id", "content-security-policy", "server-timing", "date", "expires"}

pytestmark = pytest.mark.django_db


def games_of(random: Random, number: int, space: int, word: str = "") -> Iterator[DerivedGame]:
    """Games that share names, words and moves with all others from here."""
    for _ in range(number):
        moves = random.choice(LINES).split()
        cut = random.randrange(3, len(moves) + 1)
        forks: Forks = {2: [["3c3d"]]} if random.random() < 0.3 and moves[1] == "8c8d" else {}
        header = {
            "先手": random.choice(NAMES) + word, "後手": random.choice(NAMES),
            "棋戦": random.choice(EVENTS) + word,
            "開始日時": f"20{random.randrange(10, 30)}/0{random.randrange(1, 10)}/11",
            "場所": f"将棋会館{word}",
        }  # fmt: skip
        made = record(moves[:cut], forks, header)
        made["moves"][1]["comments"] = [f"注釈{word} {random.randrange(9)}"]
        yield derive_game(parsed(made, random.choice([0, 1, None])), space)


def sent(random: Random, number: int, space: int, user: User | None, word: str = "") -> Upload:
    """An upload with games, in a space."""
    content = [random.randbytes(16)]
    upload, _new = store.create_upload(f"{word or 'games'}.kif", content, user, "web", space=space)
    assert store.claim(upload.pk, "token")
    entries = [DerivedEntry(seq, game) for seq, game in enumerate(games_of(random, number, space, word))]
    store.store_batches([store.ReadBatch(upload.pk, entries)], "token")
    store.finish(upload.pk, "token")
    upload.refresh_from_db()
    return upload


def collect_public() -> None:
    """Make a public collection of public games."""
    owner = User.objects.create_user("clara", role=User.Role.CONTRIBUTOR)
    made = editing.create(owner, libraries.own_library(owner).pk, "名局集")
    editing.create_part(owner, made, "一章")
    add_search(owner, Scope((PUBLIC,)), made, GameFilters())
    editing.show(owner, made, "public")


def collected() -> int:
    return Collection.objects.get(title="名局集").pk


def collect_private(space: int) -> None:
    """Put games of a library into the public collection between the others, and into a private one."""
    private = list(Game.objects.filter(space=space).order_by("pk").values_list("pk", flat=True))
    CollectionGame.objects.bulk_create(
        CollectionGame(collection_id=collected(), game_id=pk, position=CollectionGame.GAP * at + 1, note="秘")
        for at, pk in enumerate(private)
    )
    made = Collection.objects.create(space_id=space, title="秘")
    append(made, private)


def fill_library(random: Random) -> None:
    """Put much into a library; some of it goes, some is moved about, some is shared."""
    owner = User.objects.create_user("anna")
    mine = libraries.own_library(owner).pk
    remaining, going = (sent(random, number, mine, owner, word) for number, word in ((60, ""), (20, "")))
    sent(random, 40, mine, owner, "秘")
    collect_private(mine)
    build()
    some = list(Game.objects.filter(space=mine).order_by("pk")[:4])
    libraries.share_by_link(owner, some[3])
    store.delete_games([game.pk for game in some[:3]])
    store.begin_deletion(going.pk)
    while not store.delete_upload(going.pk, 10):
        pass
    group = libraries.create_group(owner, "研究会秘")
    assert libraries.move_upload(owner, remaining, group.pk)
    while not store.move_upload(remaining.pk, 100):
        pass
    Hook.objects.create(user=owner, address="https://example.com/", query="秘", scope="all", salt="x")
    build()


# --- requests ---------------------------------------------------------------------------------------


def first_addresses() -> Iterator[str]:
    """Every route for things that are public, and questions of several sorts."""
    public = Game.objects.filter(space=PUBLIC).order_by("pk")
    for game in (public[0], public[len(public) // 2]):
        values = {
            "pk": str(game.pk), "game_id": str(game.pk), "player_id": str(game.player0_id),
            "event_id": str(game.event_id), "seq": "0", "kind": "shogi", "code": START, "name": "kif",
            "formation": "mino", "collection": str(collected()), "dump": "columns", "file": "manifest.json",
        }  # fmt: skip
        upload = Upload.objects.filter(entries__game=game)[0].pk
        for route in routes():
            existing = {**values, "upload_id": str(upload)}
            if route.template.startswith("/api/v1/uploads/{"):
                existing["pk"] = str(upload)
            yield route.address(**existing, **{name: "1" for name in route.parts if name not in existing})
    for name in ("shikenbisha", "furibisha", "ibisha"):
        yield from (f"/formations/{name}/", f"/api/v1/formations/{name}")
    for text in map(quote, PATTERNS):
        yield from (f"/api/v1/patterns?pattern={text}", f"/patterns/?pattern={text}")
    for text in map(quote, QUERIES):
        yield from (f"/games/?q={text}", f"/api/v1/games?q={text}", f"/games.atom?q={text}")
        yield from (f"/api/v1/games/facets?q={text}", f"/api/v1/games/export?as=csv&q={text}")
        yield f"/api/v1/games?q={text}&excerpts=1&limit=3"
    for name in map(quote, (*NAMES, "羽生善冶", "羽", "高", "秘", "Ponanze")):
        yield from (f"/games/?player={name}", f"/api/v1/games/suggestions?player={name}")
        yield from (f"/players/?name={name}", f"/api/v1/players?name={name}", f"/games/?opening={name}")
        yield f"/api/v1/players?name={name}&order=games&limit=2"
    for match in ("exact", "mirror", "any"):
        at = f"/api/v1/positions/shogi/{START}"
        yield from (f"{at}?match={match}", f"{at}/tree?match={match}&depth=4", f"{at}/games?match={match}")
        yield from (
            f"{at}?lines=all&match={match}",
            f"{at}/trend?match={match}",
            f"{at}/opening?match={match}",
        )
        yield f"/positions/shogi/{START}.atom?match={match}"
    collection = collected()
    for filters in (f"collection={collection}", f"collection={collection}&player=Ponanza", *FILTERS):
        at, asked_for = f"/api/v1/positions/shogi/{START}", quote(filters, safe="=&")
        yield from (
            f"{at}?{asked_for}",
            f"{at}/games?{asked_for}&limit=3",
            f"/positions/shogi/{START}/?{asked_for}",
        )
        yield from (f"/games/?{asked_for}", f"/api/v1/games?{asked_for}&order=longest")
    for order in ("collection", "oldest"):
        yield f"/api/v1/games?collection={collection}&limit=3&order={order}"
    yield from (f"/collections/{collection}/?view=list", f"/api/v1/games/facets?collection={collection}")


def responses_of(before: list[str] | None = None) -> dict[str, str]:
    """The responses to a stranger at every address: the given ones, or those that responses lead to."""
    for one in caches.all():
        one.clear()
    client, responses = Client(raise_request_exception=True), dict[str, str]()
    waiting = before or list(dict.fromkeys(first_addresses()))
    seen = {*waiting}
    client.cookies["csrftoken"] = "x" * 32
    for address in waiting:
        answer: Any = client.get(address, headers={"Accept-Language": "en"})
        body = b"".join(answer.streaming_content) if answer.streaming else answer.content
        text = body.decode(errors="replace")
        headers = sorted((k.lower(), v) for k, v in answer.headers.items() if k.lower() not in _OWN_HEADERS)
        responses[address] = _TOKEN.sub(r"\1", f"{answer.status_code} {headers}\n{text}")
        for link in () if before else links(address, text):
            if len(waiting) < MOST and link not in seen:
                seen.add(link)
                waiting.append(link)
    return responses


def links(address: str, text: str) -> Iterator[str]:
    """Addresses of this site that an answer leads to."""
    for first, second in _LINK.findall(text):
        link = urljoin(address, unescape(first or second)).partition("#")[0]
        if link.startswith("/") and not link.startswith(("//", "/static/")):
            yield link


def test_what_is_kept_in_libraries_changes_no_answer_to_a_stranger(settings, tmp_path, monkeypatch):
    settings.ARCHIVE_COLUMN_FOLDER = tmp_path
    settings.ARCHIVE_METRICS_FROM = []
    for module, name, value in SMALL:
        monkeypatch.setattr(module, name, value)
    random = Random(1)
    stored(KIF)
    for _ in range(3):
        sent(random, 12, PUBLIC, None)
    collect_public()
    build()
    responses = responses_of()
    fill_library(random)
    assert not differences(responses, responses_of([*responses]))
    failing = {address for address, response in responses.items() if response.startswith("5")}
    assert len(responses) == MOST and failing <= {"/readyz"}


def differences(before: dict[str, str], again: dict[str, str]) -> str:
    """The differences between responses, by address."""
    return "\n".join(
        "\n".join(
            [
                address,
                *list(unified_diff(one.splitlines(), again[address].splitlines(), lineterm="", n=0))[:12],
            ]
        )
        for address, one in before.items()
        if one != again[address]
    )
