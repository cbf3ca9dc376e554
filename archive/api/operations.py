"""Declarations of endpoints for the contract (`schema/openapi.yaml`), from which clients are generated.

They are plain data: `tools.contract` makes the contract from them; web processes do not use them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from rest_framework import serializers

from archive.api.problems import OF_STATUS
from archive.curation.bench import KINDS
from archive.export.record_files import DOWNLOADS
from archive.models import LARGEST_ID, NAMED
from archive.queries.search.errors import STATUSES
from archive.queries.search.errors import TEXTS as QUERY_TEXTS
from archive.shapes.common import FINDINGS
from kifu_core.games import GAMES

Schema = dict[str, Any]
"""A JSON schema (2020-12), or a part of one."""

Problems = Mapping[int, Iterable[str]]
"""Codes of problem details by status."""


@dataclass(frozen=True, slots=True)
class Example:
    """A request that the sample games can answer, and a name that describes it.

    `parts` are the variable parts of the address, named as in the URL configuration. `body` is sent as JSON;
    `accept` is the type in `Accept`, empty for the default.
    """

    name: str
    parts: Mapping[str, Any] = field(default_factory=dict)
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    status: int = 200
    accept: str = ""


@dataclass(frozen=True, slots=True)
class Operation:
    """Describes one method of an address for the contract."""

    answers: Mapping[int, Any]
    """For each status, the class of its JSON (`archive.api.shapes`), or None for an answer without a body. If
    the address offers other types, they have the same content."""
    problems: Problems = field(default_factory=dict)
    """The codes of this address by status, besides those of `EVERYWHERE`."""
    body: type[serializers.Serializer[Any]] | None = None
    """The fields of the body."""
    or_body: Iterable[Any] = ()
    """Schemas of other bodies that are accepted."""
    text: str = ""
    """One sentence about this method, needed if the view's docstring is about several methods."""
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
"""Codes of addresses of resources that can be taken down."""

OF_BODIES: Final[Problems] = {
    400: ("parse-error", "incomplete"),
    403: ("csrf",),
    408: ("body-too-slow",),
    411: ("length-required",),
    413: ("too-large", "too-many-files"),
    415: ("unsupported-media-type",),
    507: (OF_STATUS[507][0],),
}
"""Codes of methods with a body."""

OF_CHANGES: Final[Problems] = {403: ("csrf",), 507: (OF_STATUS[507][0],)}
"""Codes of methods that change something and have no body."""

ELSEWHERE: Final[Problems] = {405: (OF_STATUS[405][0],)}
"""Codes that no operation has: those of a method that the address lacks."""

READING: Final[Problems] = {
    400: (*FINDINGS, "bad-position-object", "ply-out-of-range", "no-position"),
    413: ("too-large",),
    422: ("too-slow",),
}
"""Codes of texts and files that cannot be read."""

POSITIONS: Final[Problems] = {
    400: tuple(dict.fromkeys(code for game in GAMES.values() for code in game.codec.errors)),
    404: ("unknown-game",),
}
"""Codes of addresses of positions: errors in a position's code, or in the kind of game."""

CURSORS: Final = ("invalid-limit", "invalid-cursor")
"""Codes of errors in the parameters of a page."""


QUERIES: Final[Problems] = {
    status: tuple(sorted(code for code in QUERY_TEXTS if STATUSES.get(code, 400) == status))
    for status in sorted({400, *STATUSES.values()})
}
"""Codes of lists with a query in the search language."""


def merge_problems(*several: Problems) -> dict[int, tuple[str, ...]]:
    """Return the codes of all by status, each code once."""
    merged: dict[int, dict[str, None]] = {}
    for problems in several:
        for status, codes in problems.items():
            merged.setdefault(status, {}).update(dict.fromkeys(codes))
    return {status: tuple(codes) for status, codes in sorted(merged.items())}


# --- links -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AnswerLink:
    """A link from an answer to an operation (its id), with the parts of the operation's address.

    A part is a JSON pointer into the answer (`/results/0/id`), a constant, or `=` for the same part of the
    request's address.
    """

    operation: str
    parts: Mapping[str, str]


_OF_UPLOAD: Final = ("get_upload_entries", "get_upload_source", "delete_upload", "post_upload_move")
_OF_GAME: Final = (
    "get_game_positions", "get_game_series", "get_game_novelty", "get_game_library", "get_game_verdicts",
    "get_game_analyses", "get_game_mistakes", "get_game_corrections", "post_game_corrections",
    "post_game_take_down", "post_game_restore", "post_game_analyse", "get_game_departures",
)  # fmt: skip
_OF_DRAFT: Final = ("get_draft", "put_draft", "delete_draft", "post_draft_save")
_OF_COLLECTION: Final = (
    "post_collection", "delete_collection", "get_collection_games", "post_collection_games",
    "post_collection_parts", "post_collection_search", "delete_collection_search",
    "get_collection_standings",
)  # fmt: skip
_OF_ANALYSIS: Final = ("get_analysis", "delete_analysis")
_OF_REPERTOIRE: Final = (
    "get_repertoire", "post_repertoire", "delete_repertoire", "get_repertoire_moves", "post_repertoire_moves",
)  # fmt: skip
_OF_CARD: Final = ("get_card", "delete_card", "post_card_review")
_OF_HOOK: Final = ("get_hook", "delete_hook", "post_hook_test", "post_hook_enable")
_OF_POSITION: Final = (
    "get_position_games", "get_position_legal", "get_position_tree", "get_position_trend",
    "get_position_chronicle", "get_position_picture", "get_position_board", "get_position_opening",
    "get_position_verdicts",
)  # fmt: skip
_FIRST: Final = "/results/0/id"


def _to(operations: Iterable[str], **parts: str) -> tuple[AnswerLink, ...]:
    return tuple(AnswerLink(one, parts) for one in operations)


LINKS: Final[Mapping[str, tuple[AnswerLink, ...]]] = {
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
        AnswerLink("get_game_record", {"id": "/id", "format": "jkf"}),
    ),
    "get_problems": _to(("get_problem", "post_problem_attempts"), id=_FIRST),
    "get_game_corrections": (
        *_to(("get_game_version", "post_game_version"), id="=", number="/results/0/number"),
        *_to(("get_correction", "post_correction"), id=_FIRST),
    ),
    "post_game_corrections": _to(("get_correction",), id="/id"),
    "get_batches": _to(("get_batch", "post_batch"), id=_FIRST),
    "post_batches": _to(("get_batch",), id="/id"),
    "post_game_analyse": _to(_OF_ANALYSIS, id="/id"),
    "post_analyses": _to(_OF_ANALYSIS, id="/id"),
    "get_analyses": _to(("get_analysis",), id=_FIRST),
    "post_analysis_acquire": _to(("post_analysis_submit", "post_analysis_abort"), claim="/id"),
    "get_corrections": _to(("get_correction",), id=_FIRST),
    "get_game_library": _to(("post_game_library",), id="/game_id"),
    "get_collections": _to(("get_collection", "get_collection_games"), id=_FIRST),
    "post_collections": _to(_OF_COLLECTION, id="/id"),
    "post_collection_parts": _to(("get_collection", "post_collection"), id="/id"),
    "get_collection": _to(_OF_COLLECTION, id="/id"),
    "get_collection_games": (
        *_to(("post_collected_game", "delete_collected_game"), id="=", game_id=_FIRST),
        *_to(("get_game",), id=_FIRST),
    ),
    "get_spaces": _to(("get_space_members",), id="/results/2/id"),
    "post_spaces": _to(("get_space_members", "post_space", "post_space_invitations"), id="/id"),
    "post_space_invitations": _to(("delete_space_invitations",), id="="),
    "get_space_members": _to(("post_space_member", "delete_space_member"), id="=", member="/results/0/id"),
    "get_game_positions": _to(("get_position",), game="shogi", code="/results/0/code"),
    "post_drafts": _to(_OF_DRAFT, id="/id"),
    "get_drafts": _to(_OF_DRAFT, id=_FIRST),
    "post_draft_save": _to(("get_upload", "get_upload_entries"), id="/upload_id"),
    "post_follows": _to(("get_follow", "delete_follow", "post_follow_seen"), id="/id"),
    "get_follows": _to(("get_follow", "post_follow_seen"), id=_FIRST),
    "post_own_names": _to(("get_own_name", "delete_own_name"), id="/id"),
    "get_own_names": _to(("get_own_name",), id=_FIRST),
    "post_repertoires": (
        *_to(_OF_REPERTOIRE, id="/id"),
        AnswerLink("get_repertoire_record", {"id": "/id", "format": "jkf"}),
    ),
    "get_repertoires": _to(_OF_REPERTOIRE, id=_FIRST),
    "get_repertoire_moves": _to(
        ("get_repertoire_move", "delete_repertoire_move"), id="=", move="/results/0/id"
    ),
    "get_training": _to(_OF_CARD, id=_FIRST),
    "post_cards": _to(_OF_CARD, id="/id"),
    "post_notes": _to(("get_note", "post_note", "delete_note"), id="/id"),
    "get_notes": _to(("get_note",), id=_FIRST),
    "post_hooks": _to(_OF_HOOK, id="/id"),
    "get_hooks": _to(_OF_HOOK, id=_FIRST),
    "get_formations": _to(("get_formation", "get_formation_picture"), formation="/results/0/formation"),
    "get_patterns": _to(("get_game",), id=_FIRST),
    "get_players": _to(
        (
            "get_player",
            "get_player_innovations",
            "get_player_corrections",
            "post_player_corrections",
            "post_player_take_down",
            "post_player_restore",
        ),
        id=_FIRST,
    ),
    "get_places": _to(("get_place", "get_place_corrections", "post_place_corrections"), id=_FIRST),
    "get_events": _to(("get_event", "get_event_corrections", "post_event_corrections"), id=_FIRST),
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
"""Links from the answers of operations, by the ids of these. Of a list, the first member is linked."""


# --- parts of addresses ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PathParameter:
    """A variable part of addresses, as the contract describes it."""

    name: str
    schema: Schema
    text: str


_NUMBER: Final[Schema] = {"type": "integer", "format": "int64", "minimum": 0, "maximum": LARGEST_ID}

PATH_PARAMETERS: Final = {
    "pk": PathParameter("id", _NUMBER, "The number of the game or upload."),
    "space": PathParameter("id", _NUMBER, "The number of the group."),
    "analysis_id": PathParameter("id", _NUMBER, "The number of the request."),
    "claim": PathParameter(
        "claim", {"type": "string", "pattern": "^[0-9a-f]{32}$"}, "The claim of a volunteer's work."
    ),
    "batch_id": PathParameter("id", _NUMBER, "The number of the batch."),
    "correction_id": PathParameter("id", _NUMBER, "The number of the correction."),
    "number": PathParameter("number", _NUMBER, "The number of the last correction; 0 for none."),
    "collection": PathParameter("id", _NUMBER, "The number of the collection."),
    "game_id": PathParameter("game_id", _NUMBER, "The number of the game."),
    "member": PathParameter("member", _NUMBER, "The number of the member's account."),
    "hook_id": PathParameter("id", _NUMBER, "The number of the webhook."),
    "draft_id": PathParameter("id", _NUMBER, "The number of the draft."),
    "own_name_id": PathParameter("id", _NUMBER, "The number of the name."),
    "follow_id": PathParameter("id", _NUMBER, "The number of the follow."),
    "problem_id": PathParameter("id", _NUMBER, "The number of the problem."),
    "note_id": PathParameter("id", _NUMBER, "The number of the note."),
    "repertoire_id": PathParameter("id", _NUMBER, "The number of the repertoire."),
    "move_id": PathParameter("move", _NUMBER, "The number of the move."),
    "card_id": PathParameter("id", _NUMBER, "The number of the card."),
    "player_id": PathParameter("id", _NUMBER, "The number of the player."),
    "bench": PathParameter("bench", {"type": "string", "enum": [*KINDS]}, "The kind of open questions."),
    "event_id": PathParameter("id", _NUMBER, "The number of the event."),
    "place_id": PathParameter("id", _NUMBER, "The number of the place."),
    "names": PathParameter(
        "names", {"type": "string", "enum": [f"{kind}s" for kind in NAMED]}, "What is matched."
    ),
    "what": PathParameter("what", {"type": "string", "enum": ["entity", "property"]}, "What is completed."),
    "row": PathParameter("row", _NUMBER, "The number of the player, event or place."),
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
"""Variable parts of addresses by their names in the URL configuration."""
