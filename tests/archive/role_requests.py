"""The requests of the role walk: every address, with each thing that its places can name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import unquote

from django.db import transaction
from django.test import Client

from tests.archive.games import START
from tests.archive.role_world import COLLECTIONS, STATES, Thing, World, record_of
from tests.archive.routes import Route, routes

GAMES: Final = ("/games/{", "/embed/games/{", "/api/v1/games/{")
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
