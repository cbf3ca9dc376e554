"""Every page that is read, made from the API alone: what stands on it, beside the site's own words, stands in
answers of the API.

A page that is new comes into `PAGES`, with the answers that it can be made from, or into `FORMS` with the
reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC
from functools import cache, partial
from gettext import GNUTranslations
from html import unescape
from pathlib import Path
from typing import Any, Final

import pytest
from django.template.defaultfilters import filesizeformat
from django.test import override_settings
from django.utils.dateparse import parse_datetime
from django.utils.timezone import localtime
from django.utils.translation import override

from archive.models import Event, Place, Player, Problem, SiteText, Space, Upload
from archive.web.lists.browsing import duration_text
from archive.web.wording import clock_text, opening_text
from kifu_core.shogi.header_names import english
from tests.archive.page_answers import (
    START,
    Answers,
    Make,
    Page,
    World,
    broken,
    collection,
    collections,
    diagram,
    edited,
    filled,
    formation,
    game,
    home,
    label,
    listed,
    names,
    of_collection,
    of_quoridor,
    of_shogi,
    own_uploads,
    pattern,
    player,
    position,
    private,
    problem,
    problems,
    spaces,
    standings,
    statistics,
    upload,
)
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


@pytest.fixture(scope="module")
def world(module_db: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """An archive with games of both kinds, one of a library, a broken record, texts and a dump."""
    with override_settings(ARCHIVE_DUMP_FOLDER=str(tmp_path_factory.mktemp("dumps"))):
        yield filled()


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
        lambda: ("/patterns/?pattern=P7f", pattern),
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
