"""The declarations of endpoints, for the contract from which clients are generated
(`schema/openapi.yaml`).

All of it is plain data: `tools.contract` makes the contract from it; web processes do not use it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from rest_framework import serializers

from archive.api.problems import OF_STATUS
from archive.derive.issues import TEXTS as ARCHIVES
from archive.export.record_files import DOWNLOADS
from archive.models import LARGEST_ID
from archive.queries.search.errors import STATUSES
from archive.queries.search.errors import TEXTS as QUERY_TEXTS
from kifu_core.games import GAMES
from kifu_core.messages import TEXTS as LIBRARYS

Schema = dict[str, Any]
"""A JSON schema (2020-12), or a part of one."""

Problems = Mapping[int, Iterable[str]]
"""Codes of problem details by status."""


class About:
    """What the contract says of a member of an answer besides its type: a text, and keywords for its schema.

    It annotates the members of `archive.api.shapes`: `Annotated[int, About("plies", minimum=0)]`.
    """

    def __init__(self, text: str = "", **keywords: Any) -> None:
        self.schema: Schema = {"description": text, **keywords} if text else keywords


@dataclass(frozen=True, slots=True)
class Example:
    """A request that the sample games can answer, under a name that says what it asks for.

    `parts` are the parts of the address, named as in the URL configuration. `body` is sent as JSON; `accept`
    is the type in `Accept`, empty for the usual one.
    """

    name: str
    parts: Mapping[str, Any] = field(default_factory=dict)
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    status: int = 200
    accept: str = ""


@dataclass(frozen=True, slots=True)
class Operation:
    """What the contract says about one method of an address.

    `answers` has the shape of the JSON for each status (`archive.api.shapes`), None for an answer without a
    body; other types that the address offers have the same content. `problems` are the codes that only this
    address has, by status; all addresses have those of `EVERYWHERE`. `body` is what is sent; `or_body` are
    shapes that may be sent instead, or schemas with a title. `text` says in a sentence what the method does,
    if the view's docstring is about another method, too. The sample games answer the examples.
    """

    answers: Mapping[int, Any]
    problems: Problems = field(default_factory=dict)
    body: type[serializers.Serializer[Any]] | None = None
    or_body: Iterable[Any] = ()
    text: str = ""
    examples: tuple[Example, ...] = ()


# --- problems --------------------------------------------------------------------------------------------

EVERYWHERE: Final[Problems] = {
    400: ("invalid", "bad-request", "too-many-parameters", "unknown-host", "content-type"),
    401: ("not-authenticated", "authentication-failed"),
    403: ("permission-denied", "forbidden"),
    404: ("not-found",),
    406: ("not-acceptable",),
    415: ("charset",),
    429: ("throttled",),
    500: ("internal-error",),
    503: ("unavailable", "undecided", "busy", "too-slow"),
}
"""Codes of every address."""

OF_RESOURCES: Final[Problems] = {410: ("gone",)}
"""Codes of an address of a thing that may be taken down."""

OF_BODIES: Final[Problems] = {
    400: ("parse-error", "incomplete"),
    403: ("csrf",),
    408: ("body-too-slow",),
    411: ("length-required",),
    413: ("too-large", "too-many-files"),
    415: ("unsupported-media-type",),
    507: (OF_STATUS[507][0],),
}
"""Codes of an address that is sent something."""

OF_CHANGES: Final[Problems] = {403: ("csrf",), 507: (OF_STATUS[507][0],)}
"""Codes of an address that changes something without being sent a body."""

ELSEWHERE: Final[Problems] = {405: (OF_STATUS[405][0],)}
"""Codes that no operation has: of a method that an address has not."""

FINDINGS: Final = tuple(sorted({*LIBRARYS, *ARCHIVES}))
"""Codes of all that is found in what is read."""

READING: Final[Problems] = {
    400: (*FINDINGS, "bad-position-object", "ply-out-of-range", "no-position"),
    413: ("too-large",),
    422: ("too-slow",),
}
"""Codes of what cannot be read: those of findings, which end a reading."""

POSITIONS: Final[Problems] = {
    400: tuple(dict.fromkeys(code for game in GAMES.values() for code in game.codec.errors)),
    404: ("unknown-game",),
}
"""Codes of addresses of positions: what is wrong with a code, or with the game before it."""

CURSORS: Final = ("invalid-limit", "invalid-cursor")
"""Codes of wrong parameters of a page."""


QUERIES: Final[Problems] = {
    status: tuple(sorted(code for code in QUERY_TEXTS if STATUSES.get(code, 400) == status))
    for status in sorted({400, *STATUSES.values()})
}
"""Codes of lists that take a query of the search language."""


def merge_problems(*several: Problems) -> dict[int, tuple[str, ...]]:
    """Return all of these codes by status, each code once."""
    found: dict[int, dict[str, None]] = {}
    for problems in several:
        for status, codes in problems.items():
            found.setdefault(status, {}).update(dict.fromkeys(codes))
    return {status: tuple(codes) for status, codes in sorted(found.items())}


# --- links -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Link:
    """Where an answer leads: the id of an operation, and the parts of its address.

    A part is a pointer into the answer (`/results/0/id`), a fixed word, or `=` for the same part of the
    request's address.
    """

    operation: str
    parts: Mapping[str, str]


_OF_UPLOAD: Final = ("get_upload_entries", "get_upload_source", "delete_upload", "post_upload_move")
_OF_GAME: Final = ("get_game_positions", "get_game_series", "get_game_novelty", "get_game_library")
_OF_HOOK: Final = ("get_hook", "delete_hook", "post_hook_test", "post_hook_enable")
_OF_POSITION: Final = (
    "get_position_games", "get_position_legal", "get_position_tree", "get_position_trend",
    "get_position_picture", "get_position_board", "get_position_opening",
)  # fmt: skip
_FIRST: Final = "/results/0/id"


def _to(operations: Iterable[str], **parts: str) -> tuple[Link, ...]:
    return tuple(Link(one, parts) for one in operations)


LINKS: Final[Mapping[str, tuple[Link, ...]]] = {
    "post_uploads": _to(("get_upload", *_OF_UPLOAD), id="/uploads/0/id"),
    "get_uploads": _to(("get_upload",), id=_FIRST),
    "get_upload": _to(_OF_UPLOAD, id="/id"),
    "get_upload_entries": (
        *_to(("get_upload_entry", "get_entry_source", "get_entry_report"), id="=", seq="/results/0/seq"),
        *_to(("get_game",), id="/results/0/game_id"),
    ),
    "get_games": _to(("get_game",), id=_FIRST),
    "get_game": (
        *_to(_OF_GAME, id="/id"),
        Link("get_game_record", {"id": "/id", "format": "jkf"}),
    ),
    "get_game_library": _to(("post_game_library",), id="/game_id"),
    "get_spaces": _to(("get_space_members",), id="/results/2/id"),
    "get_game_positions": _to(("get_position",), game="shogi", code="/results/0/code"),
    "post_hooks": _to(_OF_HOOK, id="/id"),
    "get_hooks": _to(_OF_HOOK, id=_FIRST),
    "get_formations": _to(("get_formation", "get_formation_picture"), formation="/results/0/formation"),
    "get_patterns": _to(("get_game",), id=_FIRST),
    "get_players": _to(("get_player",), id=_FIRST),
    "get_events": _to(("get_event",), id=_FIRST),
    "post_position_find": _to(("get_position",), game="/game", code="/code"),
    "post_position_batch": _to(("get_position",), game="=", code="/results/0/code"),
    "get_position": (
        *_to(_OF_POSITION, game="/game", code="/code"),
        *_to(("get_position",), game="/game", code="/moves/0/code"),
    ),
    "get_position_games": _to(("get_game",), id=_FIRST),
    "get_position_legal": _to(("get_position",), game="/game", code="/moves/0/code"),
    "get_position_trend": _to(("get_position_games",), game="/game", code="/code"),
    "get_position_tree": _to(("get_position",), game="=", code="/moves/0/code"),
}
"""Links from the answers of operations, by their ids. Of a list, its first member is linked."""


# --- parts of addresses ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PathParameter:
    """A variable part of addresses: its name in the contract, its schema and its description."""

    name: str
    schema: Schema
    text: str


_NUMBER: Final[Schema] = {"type": "integer", "format": "int64", "minimum": 0, "maximum": LARGEST_ID}

PATH_PARAMETERS: Final = {
    "pk": PathParameter("id", _NUMBER, "The number of the game or upload."),
    "space": PathParameter("id", _NUMBER, "The number of the group."),
    "hook_id": PathParameter("id", _NUMBER, "The number of the webhook."),
    "player_id": PathParameter("id", _NUMBER, "The number of the player."),
    "event_id": PathParameter("id", _NUMBER, "The number of the event."),
    "seq": PathParameter("seq", _NUMBER, "The number of the entry in its upload, from 0."),
    "kind": PathParameter("game", {"type": "string", "enum": [*GAMES]}, "The kind of game."),
    "code": PathParameter(
        "code",
        {"type": "string", "minLength": 1},
        "The code of a position; `-` and `_` may stand for `+` and `/`.",
    ),
    "formation": PathParameter(
        "formation", {"type": "string", "minLength": 1}, "The name for programs of a castle or an opening."
    ),
    "name": PathParameter(
        "format", {"type": "string", "enum": [*DOWNLOADS]}, "The format, as a file extension."
    ),
}
"""Parts by what the URL configuration calls them."""
