"""Every page that is read, made from the API alone: what stands on it, beside the site's own words, stands in
answers of the API.

A page that is new comes into `PAGES`, with the answers that it can be made from, or into `FORMS` with the
reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC
from functools import cache, partial
from gettext import GNUTranslations
from html import unescape
from pathlib import Path
from typing import Any, Final

import pytest
from django.template.defaultfilters import filesizeformat
from django.test import Client, override_settings
from django.utils.dateparse import parse_datetime
from django.utils.timezone import localtime
from django.utils.translation import override

from archive import libraries
from archive.collections import editing
from archive.collections.games import add, annotate
from archive.dumps import publishing
from archive.intake import uploads, worker
from archive.models import Collection, Event, Game, Place, Player, Problem, SiteText, Space, Upload, User
from archive.problems import finding
from archive.queries.scope import Scope
from archive.web.lists.browsing import duration_text
from archive.web.wording import clock_text, opening_text
from kifu_core.classes import PUBLIC
from kifu_core.games import GAMES
from kifu_core.shogi.header_names import english
from kifu_core.shogi.moves import from_usi
from kifu_core.shogi.patterns import parse
from kifu_core.shogi.patterns.words import pattern_words, step_words
from kifu_core.shogi.position import Position
from tests.archive.quoridor import NAMED
from tests.archive.routes import routes

pytestmark = [pytest.mark.django_db, pytest.mark.one_engine]

ROOT: Final = Path(__file__).resolve().parents[2]

FORMS: Final = {
    "/find/": "leads elsewhere, as `POST find` tells",
    "/complete/": "rows of names, as `players` and `events` tell, for the search box",
    "/positions/": "leads to a position",
    "/positions/{kind}/": "leads to a position, as `statistics` tells",
    "/upload/": "a form",
    "/uploads/{upload_id}/delete/": "a deed, `DELETE uploads/{id}`",
    "/uploads/{upload_id}/move/": "a deed, `POST uploads/{id}/move`",
    "/games/{game_id}/library/": "a deed, `POST games/{id}/library`",
    "/games/{game_id}/report/": "a form to write to people",
    "/collections/{collection}/report/": "a form to write to people",
    "/games/new/": "a form",
    "/games/{game_id}/edit/": "a form",
    "/games/{game_id}/take-down/": "a form, `POST games/{id}/take-down` and `POST games/{id}/restore`",
    "/players/{player_id}/take-down/": "a form, `POST players/{id}/take-down` and `restore`",
    "/games/{game_id}/correct/": "a form, `POST games/{id}/corrections`",
    "/curation/": "corrections, reports, entries and games that wait for a curator",
    "/analysis/": "`analyses` in words, and a form, `POST analyses` and `POST games/{id}/analyse`",
    "/curation/batches/": "`corrections/batches` in words",
    "/curation/batches/new/": "a form, `POST corrections/batches` and `POST corrections/batches/preview`",
    "/curation/batches/{batch_id}/": "`corrections/batches/{id}` in words",
    "/games/{game_id}/editions/": "the records of `entries/{seq}` in words",
    "/games/{game_id}/analysis/": "the numbers of `games/{id}/analyses` in words",
    "/games/{game_id}/mistakes/": "the moves of `games/{id}/mistakes` in words",
    "/positions/{kind}/{code}/chronicle/": "the numbers of `positions/{game}/{code}/chronicle` in words",
    "/players/{player_id}/innovations/": "the rows of `players/{id}/innovations` in words",
    "/preparation/": "the numbers of `preparation` in words",
    "/players/{player_id}/preparation/": "the numbers of `preparation` in words",
    "/games/{game_id}/history/": "the operations of `games/{id}/corrections` in words",
    "/players/{name_id}/correct/": "a form, `POST players/{id}/corrections`",
    "/events/{name_id}/correct/": "a form, `POST events/{id}/corrections`",
    "/places/{name_id}/correct/": "a form, `POST places/{id}/corrections`",
    "/players/{player_id}/split/": "a form, `POST players/{id}/corrections`",
    "/players/{name_id}/history/": "the operations of `players/{id}/corrections` in words",
    "/events/{name_id}/history/": "the operations of `events/{id}/corrections` in words",
    "/places/{name_id}/history/": "the operations of `places/{id}/corrections` in words",
    "/join/{key}/": "a form between people",
    "/shared/{key}/": "leads to a game or a collection, as `?key=` does in the API",
    "/collections/new/": "a deed, `POST collections`",
    "/collections/add/": "a form and a deed, `POST collections/{id}/games`",
    "/collections/{collection}/edit/": "forms of what `collections/{id}` and its games show",
    "/scope/": "a choice of the session, in the API `scope`",
    "/pieces/": "a choice of the browser",
    "/theme/": "a choice of the browser",
    "/i18n/setlang/": "a choice of the browser",
    "/quoridor/board/": "a board without anything of the archive",
    "/problems.atom": "days, and what `problems/daily` tells of them",
    "/problems/daily/": "leads to a problem, as `problems/daily` tells",
    "/problems/known/": "a form, `problems/known`",
    "/problems/progress/": "the numbers of `account/problems` in words",
    "/dumps/{dump}/{file}": "a file, whose address `dumps` tells",
    "/status/": "for the staff, of what `/metrics` tells machines",
    "/healthz": "for machines", "/readyz": "for machines", "/metrics": "for machines",
    "/engine/{path}": "for scripts",
    "/manifest/{language}.webmanifest": "for browsers", "/service-worker.js": "for browsers",
    "/offline/": "what the browser has", "/upload/share/": "the form of `/upload/`",
    "/robots.txt": "for machines", "/.well-known/security.txt": "for machines",
}  # fmt: skip
"""Addresses that show nothing of the archive, and why."""

ACCOUNTS: Final = ("/account/", "/mine/", "/drafts/", "/device/", "/oauth/", "/sign-", "/api/", "/admin/")
"""Forms of the account, the API itself, and the rooms of the staff."""

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


@pytest.fixture(scope="module")
def world(module_db: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """An archive with games of both kinds, one of a library, a broken record, texts and a dump."""
    with override_settings(ARCHIVE_DUMP_FOLDER=str(tmp_path_factory.mktemp("dumps"))):
        yield filled()


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


def pattern_told(world: World) -> Answers:
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

PAGES: Final[dict[str, list[Page]]] = {
    "/": [lambda: ("/", home)],
    "/games/": [
        lambda: ("/games/", listed),
        lambda: ("/games/?player=zz甲野", lambda world: listed(world, "player=zz甲野")),
        lambda: ("/games/?player=甲野", lambda world: listed(world, "player=甲野")),
        lambda: ("/games/?player=zz甲里", lambda world: listed(world, "player=zz甲里")),
        lambda: ("/games/?player=zz要点", lambda world: listed(world, "player=zz要点")),
        lambda: ("/games/?q=要点 OR zz私", lambda world: listed(world, "q=要点 OR zz私")),
    ],
    "/games/{game_id}/": [
        lambda: (f"/games/{of_shogi()}/", lambda world: game(world, of_shogi())),
        lambda: (f"/games/{of_quoridor()}/", lambda world: game(world, of_quoridor())),
        lambda: (f"/games/{private()}/", lambda world: game(world, private())),
        lambda: (f"/games/{broken()}/", lambda world: game(world, broken())),
    ],
    "/embed/games/{game_id}/": [
        lambda: (f"/embed/games/{of_shogi()}/", lambda world: game(world, of_shogi(), about=False)),
    ],
    "/positions/{kind}/{code}/": [
        lambda: (
            f"/positions/shogi/{START['shogi']}/",
            lambda world: position(world, "shogi", START["shogi"]),
        ),
        lambda: (
            f"/positions/shogi/{START['shogi']}/?match=any",
            lambda world: position(world, "shogi", START["shogi"], "&match=any"),
        ),
        lambda: (
            f"/positions/quoridor/{START['quoridor']}/",
            lambda world: position(world, "quoridor", START["quoridor"]),
        ),
    ],
    "/embed/positions/{kind}/{code}/": [
        lambda: (
            f"/embed/positions/shogi/{START['shogi']}/",
            lambda world: position(world, "shogi", START["shogi"]),
        ),
    ],
    "/collections/": [lambda: ("/collections/", collections)],
    "/collections/{collection}/": [
        lambda: (f"/collections/{of_collection()}/", collection),
        lambda: (f"/collections/{of_collection()}/?view=list", collection),
    ],
    "/collections/{collection}/standings/": [
        lambda: (f"/collections/{of_collection()}/standings/", standings),
    ],
    "/collections/{collection}/print/": [lambda: (f"/collections/{of_collection()}/print/", collection)],
    "/collections/{collection}/course/": [lambda: (f"/collections/{of_collection()}/course/", collection)],
    "/embed/collections/{collection}/": [
        lambda: (f"/embed/collections/{of_collection()}/", collection),
    ],
    "/positions/shogi/edit/": [lambda: ("/positions/shogi/edit/", edited)],
    "/positions/shogi/{code}/bod/": [
        lambda: (f"/positions/shogi/{START['shogi']}/bod/", lambda world: diagram(world, START["shogi"])),
    ],
    "/players/": [lambda: ("/players/", lambda world: names(world, "player"))],
    "/players/{player_id}/": [lambda: _of(Player, "players", "zz甲野", player)],
    "/events/": [lambda: ("/events/", lambda world: names(world, "event"))],
    "/events/{name_id}/": [lambda: _of(Event, "events", "zz杯", partial(label, kind="events"))],
    "/places/": [lambda: ("/places/", lambda world: names(world, "place"))],
    "/places/{name_id}/": [lambda: _of(Place, "places", "zz会館", partial(label, kind="places"))],
    "/statistics/": [lambda: ("/statistics/", statistics)],
    "/problems/": [lambda: ("/problems/", problems)],
    "/problems/{problem_id}/": [lambda: (f"/problems/{Problem.objects.get().pk}/", problem)],
    "/patterns/": [
        lambda: ("/patterns/?pattern=P7f", pattern_told),
    ],
    "/formations/": [lambda: ("/formations/", lambda world: iter([world.api("formations")]))],
    "/formations/{formation}/": [lambda: ("/formations/nakabisha/", formation)],
    "/dumps/": [lambda: ("/dumps/", lambda world: iter([world.api("dumps")]))],
    "/uploads/": [lambda: ("/uploads/", own_uploads)],
    "/uploads/{upload_id}/": [
        lambda: _upload("zz0.kif"), lambda: _upload("zz2.kif"), lambda: _upload("zzbild.png"),
    ],
    "/libraries/": [lambda: ("/libraries/", spaces)],
    "/libraries/{space}/": [lambda: (f"/libraries/{_group()}/", spaces)],
    "/games.atom": [lambda: ("/games.atom", feed)],
    "/positions/{kind}/{code}.atom": [
        lambda: (f"/positions/shogi/{START['shogi']}.atom", feed),
    ],
    **{f"/{page}/": [lambda page=page: (f"/{page}/", texts)] for page in SiteText.Page.values},
}  # fmt: skip
"""By route: addresses of pages, and the answers that each can be made from."""


def feed(world: World) -> Answers:
    result = world.api("games?order=added")
    games = [world.api(one["url"]) for one in result["results"]]
    yield from (
        result,
        games,
        [world.api(source["upload_url"]) for one in games for source in one["sources"]],
    )


def texts(world: World) -> Answers:
    yield world.api("texts")


def _of(model: Any, room: str, name: str, make: Callable[[World, int], Answers]) -> tuple[str, Make]:
    pk = model.objects.get(name__contains=name).pk
    return f"/{room}/{pk}/", lambda world: make(world, number=pk)


def _upload(name: str) -> tuple[str, Make]:
    pk = Upload.objects.get(name=name).pk
    return f"/uploads/{pk}/", lambda world: upload(world, pk)


def _group() -> int:
    return Space.objects.get(kind="group").pk


SITE: Final = {"2014", "2016", "2020", "z", "sha-256", *"歩香桂銀金角飛玉", "shogi64"} | {
    "lishogi", "editor", "kento", "piyo", "w",
}  # fmt: skip
"""Words of the site that have numbers in them, the pieces of the box to set up a position from, and programs
that a game is opened in."""

# --- words -----------------------------------------------------------------------------------------------

_DROPPED: Final = re.compile(
    r"<(script|style|svg|select|textarea|noscript|pre|form)\b.*?</\1>|<code id=\"snippet.*?</code>",
    re.DOTALL,
)
_TAG: Final = re.compile(r"<[^>]*>")
_MAIN: Final = re.compile(r"<main\b.*?</main>", re.DOTALL)
_WORD: Final = re.compile(r"[^\s,.:;·–—()“”\"'’/×…%|#<>=?&\[\]{}+!*、。「」]+")
_MARKS: Final = "☗☖▲△⛉⛊☐☑●○♙♟\ufe0e"


def words(text: str) -> set[str]:
    return {word.strip(_MARKS + "-_").lower() for word in _WORD.findall(text)} - {""}


def shown(html: str) -> set[str]:
    """The words of a page."""
    match = _MAIN.search(html)
    return words(unescape(_TAG.sub(" ", _DROPPED.sub(" ", match[0] if match else html))))


@cache
def own_words() -> frozenset[str]:
    """The site's own words, without numbers: those of its templates and of its catalogue."""
    with (ROOT / "archive/locale/ja/LC_MESSAGES/django.mo").open("rb") as file:
        catalogue = GNUTranslations(file)._catalog  # type: ignore[attr-defined]
    texts = [one if isinstance(one, str) else one[0] for one in catalogue]
    texts += [path.read_text() for path in sorted((ROOT / "archive/templates").rglob("*.html"))]
    plain = (re.sub(r"\{\{.*?\}\}|\{%.*?%\}|%\(\w+\)s|<[^>]*>", " ", text) for text in texts)
    return frozenset(word for text in plain for word in words(text) if not any(map(str.isdigit, word)))


def words_of(answers: Any) -> set[str]:
    """The words of answers, and what pages make of their times, sizes, shares and headers."""
    result: set[str] = set()
    for name, value in leaves(answers):
        result |= words(str(value)) | worded(name, value) | words(english(str(value)))
    return result


def leaves(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        yield name, value
        for key, inner in value.items():
            yield key, key
            yield from leaves(inner, key)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from leaves(inner, name)
    elif value is not None:
        yield name, value


def worded(name: str, value: Any) -> set[str]:
    """What a page makes of a member of an answer in other words."""
    if isinstance(value, dict):
        return of_object(value)
    if name == value:  # the name of a header
        return words(english(name))
    if name in ("received", "made", "finished", "changed") and (moment := parse_datetime(str(value))):
        return words(localtime(moment).strftime("%Y-%m-%d %H:%M")) | words(moment.astimezone(UTC).isoformat())
    if name == "plies" and isinstance(value, int):
        return {str(value + 1)}  # the ending stands behind the last move
    if name == "opening":
        with override("en"):
            return words(opening_text(value))
    if name == "size":
        with override("en"):
            return words(filesizeformat(value))
    if name in ("share", "points_share") and isinstance(value, float):
        return {str(round(100 * value))}
    if name in ("used", "elapsed", "remaining", "main") and isinstance(value, int | float):
        return words(clock_text(int(value)))
    return set()


def of_object(value: dict[str, Any]) -> set[str]:
    """What a page makes of an object: shares in percent, classes of lengths and times."""
    numbers = [one for one in value.values() if isinstance(one, int) and not isinstance(one, bool)]
    full = sum(numbers)
    results = {str(round(100 * one / full)) for one in numbers} if full else set()
    results |= {str(full)}
    if "below" in value:
        results |= words(duration_text(value["first"]))
    return results


# --- the pages -------------------------------------------------------------------------------------------


def test_every_page_is_in_one_of_the_tables():
    pages = {one.template for one in routes() if not one.template.startswith(ACCOUNTS)}
    assert pages == PAGES.keys() | FORMS.keys()
    assert not PAGES.keys() & FORMS.keys()


CASES: Final = [
    pytest.param(page, id=f"{route} {n}") for route, pages in PAGES.items() for n, page in enumerate(pages)
]


@pytest.mark.parametrize("page", CASES)
def test_what_a_page_shows_the_api_tells(world: World, page: Page):
    address, make = page()
    answer = world.client.get(address, headers={"Accept-Language": "en"})
    assert answer.status_code == 200
    html = shown(answer.content.decode()) - own_words()
    existing = words_of([world.api("about"), *make(world)]) | words(address) | SITE
    assert html, "a page that says nothing proves nothing"
    assert sorted(html - existing) == []
