"""A reconciliation service (W3C community group, version 0.2) for names: libraries match the names of
their tables with ours, in OpenRefine and other programs."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final

import msgspec
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import reverse as path_of
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from archive.api.endpoints import body, endpoint
from archive.api.errors import ApiError
from archive.api.operations import Example, Operation
from archive.api.serializers import ReconcileFields, ReconcileQuery, SuggestQuery
from archive.models import GAMES_OF, LABELS, NAMED, AnyName, Event, NameKind, Player
from archive.queries.names.people import COUNT_LIMIT, shown_rows
from archive.queries.names.reconciling import FACTS, LONGEST, Candidate, candidates
from archive.queries.scope import PUBLIC

KINDS: Final[Mapping[str, NameKind]] = {f"{kind}s": kind for kind in NAMED}
MOST_QUERIES: Final = 50
MOST_CANDIDATES: Final = 25
USUAL_CANDIDATES: Final = 5
MOST_EXTENDED: Final = 100
_SUGGESTED: Final = 10

_NAMES: Final = {
    "name": "Name", "kana": "Reading", "latin": "Latin letters", "born": "Birth", "died": "Death",
    "titles": "Titles and grades", "place": "Place", "note": "Note", "source": "Authority", "games": "Games",
    "url": "Address",
}  # fmt: skip
PROPERTIES: Final[Mapping[NameKind, tuple[str, ...]]] = {
    "player": ("name", *FACTS["player"], "titles", "note", "source", "games", "url"),
    **{kind: ("name", *FACTS[kind], "note", "source", "games", "url") for kind in LABELS},
}


class _Fact(msgspec.Struct):
    pid: Annotated[str, msgspec.Meta(max_length=LONGEST)]
    v: Any


class _Query(msgspec.Struct):
    query: Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST)]
    limit: Annotated[int, msgspec.Meta(ge=1)] = USUAL_CANDIDATES
    properties: Annotated[list[_Fact], msgspec.Meta(max_length=20)] = []


class _Property(msgspec.Struct):
    id: str


class _Extension(msgspec.Struct):
    ids: Annotated[list[str], msgspec.Meta(max_length=MOST_EXTENDED)]
    properties: Annotated[list[_Property], msgspec.Meta(max_length=len(_NAMES))]


_Queries = Annotated[dict[str, _Query], msgspec.Meta(max_length=MOST_QUERIES)]

_BATCH: Final = '{"q0": {"query": "大橋宗銀", "limit": 1}}'


@endpoint(
    "GET",
    "POST",
    query={"GET": ReconcileQuery},
    operation={
        "GET": Operation(
            {200: dict[str, Any]},
            text="Return the manifest of the service; with `queries` or `extend` as POST does.",
            examples=(
                Example("The manifest", {"names": "players"}),
                Example("One name", {"names": "players"}, query={"queries": _BATCH}),
            ),
        ),
        "POST": Operation(
            {200: dict[str, Any]},
            body=ReconcileFields,
            text="Return candidates for names, or facts of players, events or places.",
            examples=(
                Example("One name", {"names": "players"}, body={"queries": _BATCH}),
                Example("No query", {"names": "events"}, body={}, status=400),
            ),
        ),
    },
)
def service(request: Request, names: str, query: dict[str, Any] | None = None) -> Response:
    """Match names with players, events or places, and tell facts about them."""
    kind = _kind(names)
    fields = body(ReconcileFields, request) if request.method == "POST" else (query or {})
    if "queries" in fields:
        return Response(_matches(kind, fields["queries"]))
    if "extend" in fields:
        return Response(_extended(request, kind, fields["extend"]))
    if request.method == "POST":
        raise ApiError("invalid", "queries or extend is missing", field="queries")
    return Response(_manifest(request, names, kind))


def _kind(names: str) -> NameKind:
    if names not in KINDS:
        raise Http404
    return KINDS[names]


def _manifest(request: Request, names: str, kind: NameKind) -> dict[str, Any]:
    base = reverse("api:reconcile", [names], request=request)
    site = request.build_absolute_uri(path_of(names))

    def suggesting(what: str) -> dict[str, str]:
        return {"service_url": base, "service_path": f"/suggest/{what}"}

    return {
        "versions": ["0.2"],
        "name": f"{request.get_host()}: {names}",
        "identifierSpace": site,
        "schemaSpace": base,
        "defaultTypes": [_type(kind)],
        "view": {"url": f"{site}{{{{id}}}}/"},
        "preview": {"url": f"{base}/preview/{{{{id}}}}", "width": 400, "height": 120},
        "suggest": {"entity": suggesting("entity"), "property": suggesting("property")},
        "extend": {
            "propose_properties": {"service_url": base, "service_path": "/properties"},
            "property_settings": [],
        },
    }


def _type(kind: NameKind) -> dict[str, str]:
    return {"id": kind, "name": kind.title()}


def _read(text: str, shape: Any, name: str) -> Any:
    try:
        return msgspec.json.decode(text, type=shape)
    except (msgspec.DecodeError, UnicodeEncodeError) as error:
        raise ApiError("invalid", str(error)[:LONGEST], field=name) from error


def _matches(kind: NameKind, text: str) -> dict[str, Any]:
    queries: dict[str, _Query] = _read(text, _Queries, "queries")
    return {name: {"result": _results(kind, one)} for name, one in queries.items()}


def _results(kind: NameKind, query: _Query) -> list[dict[str, Any]]:
    facts = {
        one.pid: one.v[:LONGEST]
        for one in query.properties
        if one.pid in FACTS[kind] and isinstance(one.v, str) and one.v
    }
    limit = min(query.limit, MOST_CANDIDATES)
    return [_result(kind, one) for one in candidates(PUBLIC, kind, query.query, limit, facts)]


def _result(kind: NameKind, candidate: Candidate) -> dict[str, Any]:
    return {
        "id": str(candidate.row.pk),
        "name": candidate.row.name,
        "description": _description(candidate.row),
        "type": [_type(kind)],
        "score": candidate.score,
        "match": candidate.match,
    }


def _description(row: AnyName) -> str:
    life = f"{row.born}–{row.died}" if isinstance(row, Player) and (row.born or row.died) else ""
    place = row.place if isinstance(row, Event) else ""
    return " · ".join(filter(None, (row.latin, row.kana, life, place)))


def _extended(request: Request, kind: NameKind, text: str) -> dict[str, Any]:
    extension: _Extension = _read(text, _Extension, "extend")
    wanted = [one.id for one in extension.properties]
    if unknown := [name for name in wanted if name not in PROPERTIES[kind]]:
        raise ApiError("invalid", f"there is no property {unknown[0][:LONGEST]!r}", field="extend")
    rows = {str(row.pk): row for row in _shown(kind, extension.ids)}
    return {
        "meta": [{"id": name, "name": _NAMES[name]} for name in wanted],
        "rows": {
            pk: {name: _VALUES[name](request, rows[pk]) if pk in rows else [] for name in wanted}
            for pk in extension.ids
        },
    }


def _shown(kind: NameKind, ids: list[str]) -> list[Any]:
    numbers = {int(pk) for pk in ids if pk.isascii() and pk.isdigit() and len(pk) <= _DIGITS}
    return [*shown_rows(PUBLIC, kind, numbers)]


_DIGITS: Final = 18


def _text(name: str) -> Callable[[Request, Any], list[dict[str, Any]]]:
    return lambda _request, row: [{"str": value}] if (value := getattr(row, name)) else []


def _titles(_request: Request, row: Any) -> list[dict[str, Any]]:
    return [{"str": one.get("title") or one.get("grade")} for one in row.titles]


def _games(_request: Request, row: Any) -> list[dict[str, Any]]:
    games = GAMES_OF[row.KIND]._default_manager.filter(**{row.KIND: row})
    return [{"int": len(games.values_list("slot")[:COUNT_LIMIT])}]


def _url(request: Request, row: Any) -> list[dict[str, Any]]:
    return [{"str": request.build_absolute_uri(path_of(row.KIND, args=[row.pk]))}]


_VALUES: Final = {name: _text(name) for name in _NAMES} | {
    "titles": _titles, "games": _games, "url": _url,
}  # fmt: skip


@endpoint(
    "GET",
    query=SuggestQuery,
    operation=Operation(
        {200: dict[str, Any]},
        examples=(
            Example("Players", {"names": "players", "what": "entity"}, query={"prefix": "大橋"}),
            Example("Facts", {"names": "players", "what": "property"}, query={"prefix": "la"}),
        ),
    ),
)
def suggest(request: Request, names: str, what: str, query: dict[str, Any]) -> Response:
    """Complete the beginning of a name, or of a property's name."""
    kind, prefix = _kind(names), query["prefix"]
    if what == "property":
        fitting = [name for name in PROPERTIES[kind] if _NAMES[name].lower().startswith(prefix.lower())]
        return Response({"result": [{"id": name, "name": _NAMES[name]} for name in fitting]})
    if what != "entity":
        raise Http404
    found = candidates(PUBLIC, kind, prefix, _SUGGESTED, {})
    return Response(
        {
            "result": [
                {
                    "id": str(one.row.pk),
                    "name": one.row.name,
                    "description": _description(one.row),
                    "notable": [_type(kind)],
                }
                for one in found
            ]
        }
    )


@endpoint(
    "GET",
    query=SuggestQuery,
    operation=Operation({200: dict[str, Any]}, examples=(Example("Of players", {"names": "players"}),)),
)
def properties(request: Request, names: str, query: dict[str, Any]) -> Response:
    """List the properties by which a table can be extended."""
    kind = _kind(names)
    listed = [{"id": name, "name": _NAMES[name]} for name in PROPERTIES[kind]]
    return Response({"type": kind, "properties": listed})


@endpoint(
    "GET",
    types=["text/html"],
    operation=Operation({200: None}, examples=(Example("A player", {"names": "players", "row": 1}),)),
)
def preview(request: Request, names: str, row: int) -> HttpResponse:
    """Show a row as a small page for a frame."""
    kind = _kind(names)
    shown = _shown(kind, [str(row)])
    if not shown:
        raise Http404
    context = {
        "row": shown[0],
        "description": _description(shown[0]),
        "address": request.build_absolute_uri(path_of(kind, args=[row])),
    }
    response = render(request._request, "archive/name_preview.html", context)
    response.xframe_options_exempt = True
    return response
