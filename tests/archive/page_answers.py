"""The archive of which pages are made again, and the answers of the API that each page can be made from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from django.test import Client

from archive import libraries
from archive.collections import editing
from archive.collections.games import add, annotate
from archive.dumps import publishing
from archive.intake import uploads, worker
from archive.models import Collection, Game, Problem, SiteText, User
from archive.problems import finding
from archive.queries.scope import Scope
from kifu_core.classes import PUBLIC
from kifu_core.games import GAMES
from kifu_core.shogi.moves import from_usi
from kifu_core.shogi.patterns import parse
from kifu_core.shogi.patterns.words import pattern_words, step_words
from kifu_core.shogi.position import Position
from tests.archive.quoridor import NAMED

FIRST: Final = (
    "手合割：平手\n先手：zz甲野\n後手：zz乙山\n棋戦：第3回zz杯\n場所：zz会館\n戦型：矢倉\n持ち時間：10分\n開始日時：2024/05/01\n"
    "手数----指手---------消費時間--\n*zzはじめに\n   1 ７六歩(77) (0:07/0:00:07)\n*zzここが要点\n&zz印\n"
    "   2 ３四歩(33) (0:11/0:00:11)\n   3 ２六歩(27) (0:05/0:00:12)\n   4 投了 (0:02/0:00:13)\n"
    "変化：3手\n   3 ６六歩(67)\n*zz変化の注\n"
)
SECOND: Final = (
    "手合割：平手\n先手：zz丙川\n後手：zz甲野\n棋戦：第3回zz杯\n開始日時：2023/02/03\n"
    "   1 ７六歩(77)\n   2 ８四歩(83)\n   3 投了\n"
)
BROKEN: Final = "手合割：平手\n先手：zz丁\n   1 ７六歩(77)\n   2 ３四歩(33)\n   3 ５五zz(99)\n   4 zz残り\n"
PROBLEM: Final = (
    "作品名：zz月\n作者：zz丙\n後手の持駒：なし\n"
    "| ・ ・ ・ ・v玉 ・ ・ ・ ・|一\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|二\n| ・ ・ ・ ・ 歩 ・ ・ ・ ・|三\n"
    + "| ・ ・ ・ ・ ・ ・ ・ ・ ・|\n" * 6
    + "先手の持駒：金\n   1 ５二金打\n   2 詰み\n"
)
OWN: Final = "手合割：平手\n先手：zz私\n後手：zz友\n   1 ２六歩(27)\n   2 投了\n"


@dataclass
class World:
    """The data of the archive."""

    client: Client
    dump: str
    group: int

    def api(self, address: str) -> Any:
        full = address if address.startswith("http") else f"/api/v1/{address}"
        answer = self.client.get(full, headers={"Accept-Language": "en"})
        assert answer.status_code == 200, (address, answer.content[:300])
        return answer.json()


def filled() -> World:
    anna = User.objects.create_user("anna", password="opensesame")
    group = libraries.create_group(anna, "zz道場")
    own = libraries.own_library(anna).pk
    for n, (text, space) in enumerate(
        ((FIRST, 0), (SECOND, 0), (BROKEN, 0), (NAMED, 0), (OWN, own), (PROBLEM, 0))
    ):
        name = f"zz{n}.{'txt' if text == NAMED else 'kif'}"
        upload, _new = uploads.receive(name, [text.encode()], anna, "web", space=space)
        worker.work_off(upload.pk)
    upload, _new = uploads.receive("zzbild.png", [b"\x89PNG\r\n\x1a\n" + bytes(40)], anna, "web")
    worker.work_off(upload.pk)
    for page in SiteText.Page.values:
        SiteText.objects.create(page=page, language="en", text=f"zz{page}\n\nzzmore")
    collect(anna, own)
    finding.find(Game.objects.values_list("pk", flat=True))
    made = publishing.make()
    assert made is not None
    client = Client()
    client.force_login(anna)
    return World(client, made.name, group.pk)


def collect(anna: User, space: int) -> None:
    """Make a collection of all games, with a part."""
    made = editing.create(anna, space, "zz集", "zz説明")
    part = editing.create_part(anna, made, "zz部")
    pks = list(Game.objects.order_by("pk").values_list("pk", flat=True))
    for collection in (made, part):
        add(anna, Scope((PUBLIC, space)), collection, pks)
    annotate(anna, made, pks[0], "zzメモ", 1)


# --- what pages are made from ----------------------------------------------------------------------------

Answers = Iterator[Any]


def home(world: World) -> Answers:
    numbers = world.api("statistics?game=shogi")
    yield from (numbers, world.api("games?limit=10"), *played(world, numbers["start_url"]))


def played(world: World, address: str, query: str = "") -> Answers:
    """Yield what was played at the address of a position, and all its moves in both languages."""
    yield from (world.api(address + query), world.api(f"{address}/legal"))


def listed(world: World, query: str = "") -> Answers:
    mark = "&" if query else ""
    yield world.api(f"games?{query}{mark}excerpts=1")
    yield world.api(f"games/facets?{query}")
    yield world.api(f"games/suggestions?{query}")


def game(world: World, number: int, *, about: bool = True) -> Answers:
    result = world.api(f"games/{number}")
    record = world.api(result["record_urls"].get("jkf") or result["record_urls"]["json"])
    yield from (result, record, world.api(f"games/{number}/series"), world.api(f"games/{number}/novelty"))
    yield world.api(f"games/{number}/analyses")
    yield world.api(f"games/{number}/library")
    for at in world.api(f"games/{number}/positions")["results"]:
        address = path_code(at["code"])
        yield from (at, world.api(f"positions/{result['game']}/{address}/legal"))
        yield world.api(f"positions/{result['game']}/{address}/board")
    for source in result["sources"] if about else ():
        yield from (world.api(source["upload_url"]), world.api(source["entry_url"]))
    yield from (world.api(twin["game_url"]) for twin in result["twins"])


def path_code(code: str) -> str:
    return code.replace("+", "-").replace("/", "_")


def position(world: World, kind: str, code: str, query: str = "") -> Answers:
    full = f"positions/{kind}/{code}"
    result = world.api(f"{full}?transpositions=1{query}")
    yield from (result, world.api(result["games_url"]))
    yield from (world.api(f"{full}/{part}") for part in ("legal", "trend", "board", "opening"))


def names(world: World, kind: str) -> Answers:
    yield world.api(f"{kind}s")


def player(world: World, number: int) -> Answers:
    result = world.api(f"players/{number}")
    yield from (result, world.api(result["games_url"] + "&limit=10"))
    for kind in {one["game"] for one in result["sides"]}:
        start = world.api(f"statistics?game={kind}")["start_url"]
        yield from played(world, start, f"?{GAMES[kind].rules.sides[0]}={result['name']}")


def label(world: World, kind: str, number: int) -> Answers:
    result = world.api(f"{kind}/{number}")
    yield from (result, world.api(result["games_url"] + "&limit=10"))


def statistics(world: World) -> Answers:
    result = world.api("statistics")
    yield from (result, *played(world, result["start_url"]))


def formation(world: World) -> Answers:
    result = world.api("formations/nakabisha")
    forms = (world.api(f"formations/{one['formation']}") for one in world.api("formations")["results"]
             if "nakabisha" in one["parents"])  # fmt: skip
    yield from (result, world.api(result["games_url"] + "&limit=20"), *forms)
    for name in result["parents"]:
        yield world.api(f"formations/{name}")


def upload(world: World, number: int) -> Answers:
    result = world.api(f"uploads/{number}")
    entries = world.api(result["entries_url"])
    yield from (result, entries, world.api("spaces"))
    for one in entries["results"]:
        if one["game_url"]:
            yield world.api(one["game_url"])


def own_uploads(world: World) -> Answers:
    yield from (world.api("uploads"), world.api("spaces"))


def spaces(world: World) -> Answers:
    result = world.api("spaces")
    yield result
    for one in result["results"]:
        if one["members_url"]:
            yield world.api(one["members_url"])


def collections(world: World) -> Answers:
    yield from (world.api("collections"), world.api("spaces"))


def collection(world: World) -> Answers:
    result = world.api(f"collections/{of_collection()}")
    yield from (result, world.api("spaces"), listed_games := world.api(result["games_url"]))
    for one in listed_games["results"]:
        yield from game(world, one["id"], about=False)


def standings(world: World) -> Answers:
    yield from (
        world.api(f"collections/{of_collection()}"),
        world.api(f"collections/{of_collection()}/standings"),
    )


def of_collection() -> int:
    return Collection.objects.get(title="zz集").pk


def edited(world: World) -> Answers:
    start = world.api("statistics?game=shogi")["start_url"]
    result = world.api(start)
    yield from (result, world.api(f"positions/shogi/oddities?sfen={result['sfen']}"), world.api("about"))


def problems(world: World) -> Answers:
    yield world.api("problems")


def problem(world: World) -> Answers:
    result = world.api(f"problems/{Problem.objects.get().pk}")
    yield from (result, world.api("about"), world.api("problems/daily"), *words_of_moves(world, result))


def words_of_moves(world: World, result: Any) -> Answers:
    """The moves of a solution, among the legal ones."""
    position = Position.from_sfen(result["sfen"])
    for name in result["moves"]:
        yield world.api(f"positions/shogi/{path_code(GAMES['shogi'].codec.encode(position))}/legal")
        position.do_move(from_usi(name))


def pattern(world: World) -> Answers:
    """The summary of a pattern, and its description by `kifu_core`."""
    query = parse("P7f")
    return iter(
        [world.api("patterns?pattern=P7f"), step_words(query.steps[0], "en"), pattern_words(query, "en")]
    )


def diagram(world: World, code: str) -> Answers:
    sfen = world.api(f"positions/shogi/{code}/board")["sfen"]
    sent = {"text": sfen, "to": "bod"}
    answer = world.client.post("/api/v1/convert", sent, "application/json")
    assert answer.status_code == 200, answer.content
    yield answer.json()


START: Final = {
    kind: path_code(one.codec.encode(one.rules.initial())) for kind, one in GAMES.items()
}  # fmt: skip


def of_shogi() -> int:
    return Game.objects.filter(player0__name="zz甲野").get().pk


def of_quoridor() -> int:
    return Game.objects.get(kind="quoridor").pk


def private() -> int:
    return Game.objects.get(player0__name="zz私").pk


def broken() -> int:
    return Game.objects.get(player0__name="zz丁").pk


Make = Callable[[World], Answers]
Page = Callable[[], tuple[str, Make]]
