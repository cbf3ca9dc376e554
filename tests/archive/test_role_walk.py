"""Every address of the site and the API, requested by every kind of visitor, with the marks that each may
see.

`tests/data/role_walk.csv` has the status of each answer. What an answer says is looked through for marks that
stand in records and names of files; who may not read these must not meet them anywhere.
"""

from __future__ import annotations

import csv
import logging
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client, override_settings

from archive import libraries, store
from archive.accounts.roles import Role, set_role
from archive.analysis.requests import SearchOptions, request_game
from archive.collections import editing
from archive.collections.games import append
from archive.drafts.own_drafts import create_draft
from archive.following.follows import follow_name
from archive.following.notes import write_note
from archive.following.own_names import add_own_name
from archive.intake import uploads, worker
from archive.models import (
    Collection,
    CorrectionBatch,
    Entry,
    Game,
    Player,
    RepertoireMove,
    Space,
    TrainingCard,
    Upload,
    User,
)
from archive.observing import logs
from archive.project.engine_file import EngineFile, EngineSetting
from archive.queries.scope import FOLLOWED, hash_of
from archive.training import repertoires
from archive.training.moves import moves_of
from kifu_core.classes import PUBLIC
from kifu_core.games import SHOGI
from tests.archive.games import START
from tests.archive.routes import Route, routes

TABLE: Final = Path(__file__).parents[1] / "data" / "role_walk.csv"
VISITORS: Final = (
    "nobody", "other", "shared", "member", "group owner", "owner", "curator", "administrator",
)  # fmt: skip
STATES: Final = (
    "public", "published", "unlisted", "private", "group", "taken back", "hidden", "going", "deleted",
    "removed",
)  # fmt: skip
"""Of a game and the upload that it came in. Published: a public game of an upload in a library. Taken back:
the other way round. Going: of an upload that is being deleted. Removed: deleted from a library."""

STAFF: Final = {"curator", "administrator"}
READERS: Final[dict[str, set[str]]] = {
    "public": {*VISITORS}, "published": {*VISITORS}, "unlisted": {"owner"}, "private": {"owner"},
    "group": {"member", "group owner"}, "taken back": {"owner"}, "hidden": STAFF,
    "going": {*VISITORS}, "deleted": set(), "removed": set(),
}  # fmt: skip
"""The visitors who can read a record, by the state of its game. Lists have a public game until it is
deleted."""
COLLECTIONS: Final = ("public", "unlisted", "private", "group")
"""States of collections, which have all games. The link of the unlisted one is shared with one visitor."""
COLLECTION_READERS: Final = {state: READERS[state] for state in COLLECTIONS} | {
    "unlisted": {"owner", "shared"}
}
"""The visitors who can read a collection, by its state."""
OPEN: Final = {"public", "published", "going"}
SHARED: Final = {"unlisted", "private"}
"""States shared with one visitor, who sees them on the pages of the game only."""
FILES: Final = READERS | {"published": {"owner"}, "going": STAFF | {"owner"}}
"""The visitors who see the name of a file."""

FIRST_MOVES: Final = [*(f"{'１２３４５６７８９'[at]}六歩({at + 1}7)" for at in range(9)), "４八銀(39)"]

QUERIES: Final = (
    "/games/?q=zm", "/games/?player=zm", "/games/?player=zmprivat", "/players/?name=zm", "/events/?name=zm",
    "/games/?scope=all", "/games/?scope=public", "/api/v1/games?scope=all", "/api/v1/games?order=oldest",
    "/api/v1/games/facets?scope=all", "/api/v1/games/suggestions?player=zm", "/api/v1/games?q=zm&excerpts=1",
    "/api/v1/spaces?scope=all", "/players/?scope=all", "/statistics/?scope=all", "/?scope=all",
    "/api/v1/players?name=zm&scope=all", "/api/v1/players?order=games", "/api/v1/events?order=games",
    "/api/v1/games/export?scope=all", "/api/v1/games/export?scope=all&as=csv",
    "/api/v1/games/export?scope=all&as=kifu", "/api/v1/statistics?scope=all", "/api/v1/openings?scope=all",
    "/admin/archive/player/?q=zm", "/admin/archive/game/?q=zm", "/admin/archive/upload/?q=zf",
    "/collections/?scope=all", "/collections/?scope=public", "/api/v1/collections?scope=all",
    "/curation/?kind=taken", "/curation/?kind=days", "/curation/?kind=names", "/curation/?kind=twins",
    "/curation/?kind=people", "/curation/?kind=warnings", "/api/v1/nothing", "/nothing/",
)  # fmt: skip
"""Further addresses whose responses are searched for marks."""


@dataclass
class Thing:
    """A game and the upload it came in, as they were before anything was deleted."""

    state: str
    game: int
    upload: int
    player: int
    event: int
    place: int
    space: int
    code: str
    entry: int
    correction: int
    key: str = ""

    @property
    def mark(self) -> str:
        return "zm" + self.state.replace(" ", "")

    @property
    def file(self) -> str:
        return "zf" + self.state.replace(" ", "")


@dataclass
class World:
    """What there is, and who."""

    users: dict[str, User]
    group: Space
    things: dict[str, Thing] = field(default_factory=dict)
    draft: int = 0
    """Of the owner of the things."""
    follow: int = 0
    """Of the owner of the things, of the private player."""
    own_name: int = 0
    """The owner's own, which is the private player."""
    note: int = 0
    """The owner's own, on the position of the public game; there is one of the group, too."""
    repertoire: int = 0
    """The owner's own, with one move and its card."""
    move: int = 0
    card: int = 0
    batch: int = 0
    """A curator's edit of public games, which is done."""
    analysis: int = 0
    """A request for an analysis of the private game."""
    collections: dict[str, int] = field(default_factory=dict)
    key: str = ""
    """The key of the unlisted collection."""


def record_of(state: str) -> str:
    """A game whose first move no other one has, with the state's mark wherever a record says something."""
    mark = "zm" + state.replace(" ", "")
    return (
        f"手合割：平手\n先手：{mark}甲\n後手：{mark}乙\n棋戦：{mark}戦\n場所：{mark}館\n戦型：{mark}型\n開始日時：2024/05/01\n"
        f"   1 {FIRST_MOVES[STATES.index(state)]}\n*{mark}注\n   2 ３四歩(33)\n   3 {mark}破\n"
    )


ENGINES: Final = EngineFile(engine=(EngineSetting(name="engine", command=("engine",)),))


@pytest.fixture(autouse=True)
def engines(settings):
    """An engine, which is never started."""
    settings.ENGINES = ENGINES


@pytest.fixture(scope="module")
def world(module_db: None) -> World:
    """All of them, in all states."""
    result = World({name: account(name) for name in VISITORS[1:]}, Space())
    users = result.users
    result.group = libraries.create_group(users["group owner"], "zmgroup会")
    libraries.join(users["member"], libraries.invite(users["group owner"], result.group))
    mine = libraries.own_library(users["owner"]).pk
    spaces = {"published": mine, "unlisted": mine, "private": mine, "removed": mine, "group": result.group.pk}
    for state in STATES:
        sender = users["group owner" if state == "group" else "owner"]
        result.things[state] = sent(state, sender, spaces.get(state, PUBLIC))
    collect(result, mine)
    make_so(result)
    record = SHOGI.formats.load(record_of("private").replace("zmprivate破", "投了")).games[0].record
    edit = {"kind": "set", "header": "備考", "old": "", "new": "棋譜DB"}
    result.batch = CorrectionBatch.objects.create(author=users["curator"], state="done", edit=edit).pk
    result.draft = create_draft(users["owner"], record).pk
    with override_settings(ENGINES=ENGINES):
        private = Game.objects.get(pk=result.things["private"].game)
        result.analysis = request_game(users["owner"], private, SearchOptions()).pk
    result.follow = follow_name(users["owner"], "player", result.things["private"].player).pk
    private = Player.objects.get(pk=result.things["private"].player)
    result.own_name = add_own_name(users["owner"], private).pk
    first = next(moves_of(record, 1))
    repertoire = repertoires.create(users["owner"], "zmprivate定跡", 0)
    repertoires.add_lines(users["owner"], repertoire, [first])
    result.repertoire, result.move = repertoire.pk, RepertoireMove.objects.get().pk
    result.card = TrainingCard.objects.get().pk
    code = result.things["public"].code
    result.note = write_note(users["owner"], mine, "shogi", code, "zmprivate注").pk
    write_note(users["group owner"], result.group.pk, "shogi", code, "zmgroup注")
    return result


def account(name: str) -> User:
    made = User.objects.create_user(name.replace(" ", "-"), password="opensesame")
    give_role(made, name)
    return made


def give_role(user: User, name: str) -> None:
    """Create an account what its name says."""
    role = {"curator": Role.CURATOR, "administrator": Role.ADMINISTRATOR}.get(name, Role.CONTRIBUTOR)
    set_role(user, role)


def sent(state: str, sender: User, space: int) -> Thing:
    name = f"zf{state.replace(' ', '')}.kif"
    upload, _new = uploads.receive(name, [record_of(state).encode()], sender, "web", space=space)
    worker.work_off(upload.pk)
    entry = Entry.objects.select_related("game").get(upload=upload)
    game = entry.game
    assert game is not None and game.player0_id and game.event_id and game.place_id
    position = SHOGI.replay.main_line(game.jkf)
    code = next(SHOGI.codec.encode(at.copy()) for ply, at, _move, _entry in position if ply == 1)
    old = game.jkf["header"]["棋戦"]
    rename = {"op": "header", "name": "棋戦", "old": old, "new": f"{old}名人"}
    correction = store.propose_correction(game, [rename], f"{old}の記事", store.Author(sender))
    return Thing(
        state,
        game.pk,
        upload.pk,
        game.player0_id,
        game.event_id,
        game.place_id,
        space,
        code,
        entry.pk,
        correction.pk,
    )


def collect(world: World, mine: int) -> None:
    """Make a collection of all games in each state."""
    for state in COLLECTIONS:
        user, space = ("group owner", world.group.pk) if state == "group" else ("owner", mine)
        made = editing.create(world.users[user], space, title_of(state), title_of(state))
        append(made, [thing.game for thing in world.things.values()])
        world.collections[state] = made.pk
    of_owner = Collection.objects.in_bulk(world.collections.values())
    editing.show(world.users["owner"], of_owner[world.collections["public"]], "public")
    world.key = editing.show(world.users["owner"], of_owner[world.collections["unlisted"]], "link")


def make_so(world: World) -> None:
    owner, things = world.users["owner"], world.things

    def game(state: str) -> Game:
        return Game.objects.get(pk=things[state].game)

    libraries.publish(owner, game("published"))
    libraries.take_back(owner, game("taken back"))
    things["unlisted"].key = libraries.share_by_link(owner, game("unlisted"))
    libraries.share_with(owner, game("private"), "shared")
    store.delete_games([things["hidden"].game], hide_bytes=True)
    store.begin_deletion(things["going"].upload)
    for state in ("deleted", "removed"):
        assert uploads.withdraw(things[state].upload)


def client_of(world: World, visitor: str) -> Client:
    client = Client(raise_request_exception=True)
    if visitor != "nobody":
        client.force_login(world.users[visitor])
    if visitor == "shared":
        session = client.session
        session[FOLLOWED] = [hash_of(world.things["unlisted"].key), hash_of(world.key)]
        session.save()
    return client


# --- requests ---------------------------------------------------------------------------------------

_GAMES: Final = ("/games/{", "/embed/games/{", "/api/v1/games/{")
_UPLOADS: Final = ("/uploads/{", "/api/v1/uploads/{")
_ROWS: Final = ("game", "upload", "player", "event", "place")
_DRAFT: Final = {"header": {}, "moves": [{}]}
_CORRECTIONS: Final = (
    "/api/v1/games/{pk}/corrections",
    "/api/v1/players/{player_id}/corrections",
    "/api/v1/events/{event_id}/corrections",
    "/api/v1/places/{place_id}/corrections",
)
_ABOUT_NAME: Final = {
    "operations": [{"op": "field", "name": "latin", "old": "", "new": "Zen"}],
    "reason": "棋譜DB",
}
_EDIT: Final = {"kind": "set", "header": "備考", "new": "棋譜DB"}
BODIES: Final[dict[str, dict[str, Any]]] = {
    "/games/{game_id}/library/": {"action": "publish"},
    "/games/{game_id}/correct/": {
        "do": "send",
        "reason": "棋譜DB",
        "name": "備考",
        "old": "",
        "new": "棋譜DB",
    },
    "/games/{game_id}/history/": {"action": "restore", "number": "0"},
    "/players/{player_id}/take-down/": {"reason": "棋譜DB"},
    "/games/{game_id}/take-down/": {"reason": "棋譜DB"},
    "/players/{name_id}/correct/": {"do": "send", "kana": "ぜん", "reason": "棋譜DB"},
    "/events/{name_id}/correct/": {"do": "send", "kana": "ぜん", "reason": "棋譜DB"},
    "/places/{name_id}/correct/": {"do": "send", "kana": "ぜん", "reason": "棋譜DB"},
    "/players/{name_id}/history/": {"action": "accept", "correction": "0"},
    "/events/{name_id}/history/": {"action": "accept", "correction": "0"},
    "/places/{name_id}/history/": {"action": "accept", "correction": "0"},
    "/players/{player_id}/split/": {"reason": "棋譜DB"},
    "/curation/": {"answer": "undo"},
    "/curation/batches/new/": {"do": "run", "search": "player=zmpublic", "reason": "棋譜DB", **_EDIT},
    "/curation/batches/{batch_id}/": {},
    "/api/v1/corrections/batches": {"search": "player=zmpublic", "reason": "棋譜DB", "edit": _EDIT},
    "/api/v1/corrections/batches/preview": {"search": "player=zmpublic", "edit": _EDIT},
    "/api/v1/corrections/batches/{batch_id}": {"action": "undo"},
    "/analysis/": {"search": "player=zmpublic"},
    "/api/v1/games/{pk}/analyse": {},
    "/api/v1/analyses": {"search": "player=zmpublic"},
    "/api/v1/account/verdicts": {
        "position": START,
        "engine": "An engine",
        "nodes": 9,
        "lines": [{"cp": 1, "moves": "7g7f"}],
    },
    "/api/v1/analysis/acquire": {},
    "/api/v1/analysis/{claim}": {"verdicts": []},
    "/api/v1/analysis/{claim}/abort": {},
    "/uploads/{upload_id}/delete/": {},
    "/uploads/{upload_id}/move/": {"space": "mine"},
    "/upload/": {"text": "手合割：平手\n   1 ７六歩(77)\n   2 投了\n", "space": "mine"},
    "/api/v1/uploads": {"text": "手合割：平手\n   1 ７六歩(77)\n   2 投了\n", "space": "mine"},
    "/scope/": {"scope": "mine"},
    "/drafts/": {"remove": "1"},
    "/mine/follows/new/": {"kind": "search", "search": "player=zm"},
    "/mine/follows/{follow_id}/": {"action": "open"},
    "/mine/names/new/": {"target": "1"},
    "/mine/names/{own_name_id}/": {},
    "/mine/notes/new/": {"game": "shogi", "code": START, "text": "注"},
    "/mine/notes/{note_id}/": {"text": "注"},
    "/mine/training/": {"action": "limit", "new_cards": "5"},
    "/mine/training/cards/new/": {"kind": "problem"},
    "/mine/training/lines/new/": {"start": START, "line": "7g7f"},
    "/mine/training/repertoires/new/": {"title": "定跡", "side": "black"},
    "/mine/training/repertoires/{repertoire_id}/": {"action": "rename", "title": "定跡"},
    "/libraries/": {"name": "道場"},
    "/libraries/{space}/": {"action": "invite"},
    "/join/{key}/": {},
    "/find/": {"text": ""},
    "/api/v1/positions/{kind}/find": {},
    "/api/v1/find": {"text": ""},
    "/api/v1/spaces": {"name": "道場"},
    "/api/v1/spaces/{space}/invitations": {"people": 1},
    "/api/v1/games/{pk}/library": {"action": "publish"},
    "/api/v1/games/{pk}/corrections": {
        "operations": [{"op": "header", "name": "備考", "old": None, "new": "棋譜DB"}],
        "reason": "棋譜DB",
    },
    "/api/v1/players/{player_id}/corrections": _ABOUT_NAME,
    "/api/v1/players/authority": {"table": "name,latin\n誰,Dare\n", "reason": "棋譜DB"},
    "/api/v1/events/{event_id}/corrections": _ABOUT_NAME,
    "/api/v1/places/{place_id}/corrections": _ABOUT_NAME,
    "/api/v1/games/{pk}/versions/{number}": {},
    "/api/v1/games/{pk}/take-down": {"reason": "棋譜DB"},
    "/api/v1/games/{pk}/restore": {},
    "/api/v1/players/{player_id}/take-down": {"reason": "棋譜DB"},
    "/api/v1/players/{player_id}/restore": {},
    "/api/v1/corrections/{correction_id}": {"action": "accept"},
    "/api/v1/uploads/{pk}/move": {"space": "mine"},
    "/api/v1/account/follows": {"kind": "search", "search": "player=zm"},
    "/api/v1/account/follows/{follow_id}/seen": {},
    "/api/v1/account/names": {"player_id": 1},
    "/api/v1/account/repertoires": {"title": "定跡", "side": "black"},
    "/api/v1/account/repertoires/{repertoire_id}": {"title": "定跡"},
    "/api/v1/account/repertoires/{repertoire_id}/moves": {"moves": "7g7f"},
    "/api/v1/account/training": {"new_cards": 5},
    "/api/v1/account/training/cards": {"kind": "mistake", "code": START, "move": "7g7f"},
    "/api/v1/account/training/cards/{card_id}/review": {"grade": "good"},
    "/api/v1/notes": {"code": START, "text": "注"},
    "/api/v1/notes/{note_id}": {"text": "注"},
    "/api/v1/problems/soundness": {"sfen": "4k4/9/4P4/9/9/9/9/9/9 b G 1", "moves": ["G*5b"]},
    "/api/v1/problems/{problem_id}/attempts": {"moves": ["G*5b"]},
    "/api/v1/drafts": {"record": _DRAFT},
    "/api/v1/drafts/{draft_id}/save": {"space": "mine"},
    "/admin/archive/{row}/{object_id}/delete/": {"post": "yes"},
    "/collections/new/": {"title": "集"},
    "/collections/add/": {"title": "集", "search": "player=zm"},
    "/collections/{collection}/edit/": {"action": "describe", "title": "集"},
    "/api/v1/collections": {"title": "集"},
    "/api/v1/collections/{collection}": {"title": "集"},
    "/api/v1/collections/{collection}/parts": {"title": "集"},
    "/api/v1/collections/{collection}/games": {"order": "oldest"},
    "/api/v1/collections/{collection}/games/{game_id}": {"note": "注"},
    "/api/v1/collections/{collection}/search": {"search": "player=zm"},
}
"""The data of requests that change something; each change is undone at once."""


_DELETED: Final = (
    "/api/v1/account/follows/{follow_id}", "/api/v1/account/names/{own_name_id}", "/api/v1/notes/{note_id}",
    "/api/v1/uploads/{pk}", "/api/v1/drafts/{draft_id}", "/api/v1/collections/{collection}",
    "/api/v1/analyses/{analysis_id}", "/api/v1/account/repertoires/{repertoire_id}",
    "/api/v1/account/repertoires/{repertoire_id}/moves/{move_id}", "/api/v1/account/training/cards/{card_id}",
    "/api/v1/collections/{collection}/search", "/api/v1/collections/{collection}/games/{game_id}",
)  # fmt: skip


def values_of(template: str, thing: Thing, group: int) -> dict[str, str]:
    """Return what fills the places of a template for one thing."""
    row = next((row for row in _ROWS if template.startswith(f"/admin/archive/{row}/")), "")
    number = {name: getattr(thing, name) for name in ("upload", "player", "event", "place")}
    first = thing.upload if template.startswith(_UPLOADS) else thing.game
    return {
        "pk": str(first),
        "game_id": str(thing.game),
        "upload_id": str(thing.upload),
        "player_id": str(thing.player),
        "event_id": str(thing.event),
        "place_id": str(thing.place),
        "name_id": str(number.get(template.split("/")[1].removesuffix("s"))),
        "object_id": str(number.get(row, thing.game)),
        "space": str(group),
        "seq": "0",
        "kind": "shogi",
        "code": thing.code,
        "name": "kif",
        "key": thing.key or "nokey",
        "hook_id": "1",
        "member": "1",
        "number": "0",
        "correction_id": str(thing.correction),
        "formation": "anaguma",
    }


def is_of_a_thing(template: str) -> bool:
    """Return whether an address is of one game or upload, or of what is in them."""
    if template.startswith("/admin/"):
        return any(template.startswith(f"/admin/archive/{row}/{{object_id}}") for row in _ROWS)
    places = (
        "pk", "game_id", "upload_id", "player_id", "event_id", "place_id", "name_id", "code", "correction_id",
    )  # fmt: skip
    return any(f"{{{name}}}" in template for name in places)


@dataclass(frozen=True)
class RequestRow:
    """A request: one row of the table."""

    method: str
    template: str
    state: str
    address: str
    data: dict[str, Any] = field(hash=False, default_factory=dict)

    @property
    def row(self) -> tuple[str, str, str]:
        return self.method, self.template, self.state


def requests(world: World) -> Iterator[RequestRow]:
    for route in routes(admin=True):
        of_collection = "{collection}" in route.template
        for state in COLLECTIONS if of_collection else STATES if is_of_a_thing(route.template) else ("",):
            yield from of_route(world, route, state)


def of_route(world: World, route: Route, state: str) -> Iterator[RequestRow]:
    thing = world.things[state or "public"]
    values = values_of(route.template, thing, world.group.pk) | {"draft_id": str(world.draft)}
    values |= {"follow_id": str(world.follow), "note_id": str(world.note), "batch_id": str(world.batch)}
    values |= {"analysis_id": str(world.analysis), "own_name_id": str(world.own_name)}
    values |= {"repertoire_id": str(world.repertoire), "move_id": str(world.move), "card_id": str(world.card)}
    values |= {"problem_id": "0"}
    values["collection"] = str(world.collections.get(state, 0))
    missing = {name: "nothing" for name in route.parts if name not in values}
    address = route.address(**values, **missing)
    yield RequestRow("GET", route.template, state, address)
    body = route.template
    for row in _ROWS:
        body = body.replace(f"/admin/archive/{row}/", "/admin/archive/{row}/")
    if body in BODIES:
        data = dict(BODIES[body])
        if body.endswith("}/find"):
            data = {"game_id": thing.game}
        if body == "/mine/training/lines/new/":
            data |= {"repertoire": world.repertoire}
        if body == "/mine/training/cards/new/":
            data |= {"game": world.things["private"].game}
        if body in ("/find/", "/api/v1/find"):
            data = {"text": record_of(state or "private").replace("zm", "")}
        yield RequestRow("POST", route.template, state, address, data)
    if route.template in _DELETED:
        yield RequestRow("DELETE", route.template, state, address)
    if route.template == "/api/v1/drafts/{draft_id}":
        yield RequestRow("PUT", route.template, state, address, {"record": _DRAFT, "version": 1})


def answer(client: Client, request: RequestRow) -> Any:
    """Send a request, and roll its changes back."""
    with transaction.atomic():
        if request.method == "GET":
            result = client.get(request.address)
        elif request.method == "DELETE":
            result = client.delete(request.address)
        elif request.method == "PUT":
            result = client.put(request.address, request.data, "application/json")
        else:
            json = (
                "/api/v1/positions/", "/api/v1/drafts", "/api/v1/collections", "/api/v1/notes",
                "/api/v1/problems",
                "/api/v1/account/", "/api/v1/corrections/batches", "/api/v1/analysis/", *_CORRECTIONS,
            )  # fmt: skip
            as_json = request.template.startswith(json)
            result = (
                client.post(request.address, request.data, "application/json")
                if as_json
                else client.post(request.address, request.data)
            )
        result.searchable = text_of(result)
        transaction.set_rollback(True)
    return result


def text_of(result: Any) -> str:
    """Return the body and the headers of an answer as text."""
    body = b"".join(result.streaming_content) if result.streaming else result.content
    return body.decode(errors="replace") + unquote(str(result.headers))


# --- checks ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def table() -> dict[tuple[str, str, str], dict[str, str]]:
    with TABLE.open(newline="") as file:
        return {(row["method"], row["address"], row["state"]): row for row in csv.DictReader(file)}


@pytest.mark.django_db
@pytest.mark.parametrize("visitor", VISITORS)
def test_visitors_read_only_what_their_role_allows(world, table, visitor, caplog):
    client, wrong, met = client_of(world, visitor), [], set()
    caplog.set_level(logging.INFO)
    caplog.set_level(logging.INFO, logger=logs.ACCESS)
    rows = list(requests(world))
    for request in rows:
        result = answer(client, request)
        expected = table.get(request.row, {}).get(visitor)
        if str(result.status_code) != expected:
            wrong.append(f"{','.join(request.row)}: {result.status_code}, not {expected}")
        wrong += [
            f"{request.address}: tells {mark}"
            for mark in leaked_marks(world, visitor, request, result.searchable)
        ]
        wrong += cacheable_secrets(world, request, result)
        met |= marks(world, result.searchable)
    for address in QUERIES:
        request = RequestRow("GET", address.partition("?")[0], "", address)
        text = answer(client, request).searchable
        wrong += [f"{address}: tells {mark}" for mark in leaked_marks(world, visitor, request, text)]
    assert not wrong, "\n".join(wrong)
    readable = {thing.mark for thing in world.things.values() if visitor in READERS[thing.state]}
    assert readable <= met
    assert {request.row for request in rows} == table.keys()
    key = world.things["unlisted"].key
    assert client.get(f"/shared/{key}/").status_code == 302
    log = unquote(caplog.text)
    assert "/api/v1/games/facets" in log
    assert "/shared/…/" in log and key not in log and not marks(world, log)


def marks(world: World, text: str) -> set[str]:
    of_things = [mark for thing in world.things.values() for mark in (thing.mark, thing.file)]
    return {mark for mark in (*of_things, *map(title_of, COLLECTIONS)) if mark in text}


def title_of(state: str) -> str:
    return f"zc{state}"


def leaked_marks(world: World, visitor: str, request: RequestRow, text: str) -> Iterator[str]:
    """Yield the marks in an answer that this visitor must not meet there."""
    if visitor == "administrator" and request.template.startswith("/admin/"):
        return
    for thing in world.things.values():
        shared = visitor == "shared" and thing.state in SHARED and request.template.startswith(_GAMES)
        if thing.mark in text and visitor not in READERS[thing.state] and not shared:
            yield thing.mark
        if thing.file in text and visitor not in FILES[thing.state]:
            yield thing.file
    for state, readers in COLLECTION_READERS.items():
        if title_of(state) in text and visitor not in readers:
            yield title_of(state)


def cacheable_secrets(world: World, request: RequestRow, result: Any) -> list[str]:
    """Return the answer if it has private marks and a shared cache could store it."""
    secret = {thing.mark for thing in world.things.values() if thing.state not in OPEN | {"hidden"}}
    secret |= {title_of(state) for state in COLLECTIONS if state != "public"}
    if not marks(world, result.searchable) & secret or request.template.startswith("/admin/"):
        return []
    cached = result.headers.get("Cache-Control", "")
    return [] if cached == "private, no-store" and "ETag" not in result.headers else [f"{request}: {cached}"]


@pytest.mark.django_db
@pytest.mark.parametrize("visitor", VISITORS)
def test_everybody_counts_what_they_may_read(world, visitor):
    client = client_of(world, visitor)
    readable = OPEN | {
        state for state in ("unlisted", "private", "group", "taken back") if visitor in READERS[state]
    }
    for state, thing in world.things.items():
        answered = client.get(f"/api/v1/positions/shogi/{thing.code}").json()
        assert answered["games"] == (state in readable), state
    assert client.get("/api/v1/games/facets").json()["total"]["count"] == len(readable)
    collection = world.collections["public"]
    assert client.get(f"/api/v1/collections/{collection}").json()["games"] == len(readable)
    of_collection = client.get(f"/api/v1/games/facets?collection={collection}").json()
    assert of_collection["total"]["count"] == len(readable)


@pytest.mark.django_db
@pytest.mark.parametrize("visitor", VISITORS)
def test_whether_a_record_is_here_is_told_of_what_one_may_read(world, visitor):
    client = client_of(world, visitor)
    for state in ("public", "published", "unlisted", "private", "group", "taken back"):
        bare = record_of(state).replace(world.things[state].mark, "x")
        leads = client.post("/find/", {"text": bare}).headers.get("Location", "")
        existing = leads == f"/games/{world.things[state].game}/"
        assert existing == (visitor in READERS[state]), (state, leads)


@pytest.mark.django_db
def test_what_one_sends_is_new_whoever_else_has_it(world):
    for state in ("unlisted", "private", "group", "taken back"):
        data = {"file": SimpleUploadedFile("x.kif", record_of(state).encode()), "space": "public"}
        sent = client_of(world, "other").post("/api/v1/uploads", data).json()["uploads"][0]
        assert not sent["duplicate"]
        worker.work_off(sent["id"])
        entry = Entry.objects.get(upload=sent["id"])
        assert entry.state == Entry.State.STORED and entry.game_id != world.things[state].game
        assert Upload.objects.get(pk=sent["id"]).space == PUBLIC
