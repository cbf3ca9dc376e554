"""Shapes that are parts of many others, and what went wrong."""

from typing import Annotated, Any, Final, TypeAlias, TypeVar

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import asdict

from archive.api.operations import FINDINGS, About
from archive.models import Entry, Game, Upload
from kifu_core.errors import Severity
from kifu_core.games import GAMES

_SIDES: Final = sorted({side for game in GAMES.values() for side in game.rules.sides})
_FORMATS: Final = [name for game in GAMES.values() for name in game.formats.names]

Value = TypeVar("Value")
Omittable: TypeAlias = Value | UnsetType
"""The type of a member that some answers do not have; its default is UNSET."""


class JSONObject(Struct):
    """An answer, or an object in one: what is encoded, and what makes the schema in the contract."""


Extended = TypeVar("Extended", bound=JSONObject)


def extend(kind: type[Extended], base: JSONObject, **members: Any) -> Extended:
    """Return an object with all members of another one, and more."""
    return kind(**asdict(base), **members)


Address = Annotated[str, About(format="uri")]
Number = Annotated[int, About(minimum=0)]
Which = Annotated[str, About("The kind of game.", title="GameName", enum=[*GAMES])]
RecordKind = Annotated[str, About("The kind of record.", title="RecordKind", enum=Game.RecordKind.values)]
Side = Annotated[str, About("The game's name for a side.", title="Side", enum=_SIDES)]
Outcome = Annotated[
    str, About("The side that won, or neither.", title="Outcome", enum=[*_SIDES, "draw", "unknown"])
]
UploadState = Annotated[
    str, About("How far reading it has come.", title="UploadState", enum=Upload.State.values)
]
EntryState = Annotated[str, About("What became of an entry.", title="EntryState", enum=Entry.State.values)]
NextUrl = Annotated[str | None, About("The address of the next page; null for the last.", format="uri")]
Searching = Annotated[
    bool,
    About("Whether the page is short, or even empty, because its time was over: `next_url` searches on."),
]
SpaceName = Annotated[
    str,
    About(
        "`public`, `mine`, `group-` and a number, or `shared`.", pattern=r"^(public|mine|shared|group-\d+)$"
    ),
]


class Problem(JSONObject):
    """What went wrong (RFC 9457). `code` is stable; `detail` is for developers and always English."""

    type: Annotated[str, About("`urn:kifu-archive:error:` and the code.")]
    title: str
    status: Annotated[int, About(minimum=400, maximum=599)]
    detail: str
    code: Annotated[
        str, About("The answers of each operation list the codes that they may have in `x-codes`.")
    ]
    errors: Annotated[
        list[dict[str, Any]],
        About("`field` and `detail` of each wrong parameter, or findings as `IssueInfo` has them."),
    ]
    request_id: Omittable[
        Annotated[str, About("For a fault of the server: the id of the request in its log.")]
    ] = UNSET


class IssueInfo(JSONObject):
    """Something that was found in a record. `message` is in the language asked for."""

    code: Annotated[str, About("Stable.", examples=[*FINDINGS])]
    severity: Severity
    line: Annotated[int | None, About("Counts from 1.")]
    column: Annotated[int | None, About("Counts from 1.")]
    ply: Annotated[int | None, About("Counts from 0, the start.")]
    source_line: Annotated[str, About("The line, shortened.")]
    message: str


class TotalInfo(JSONObject):
    """How many there are of something; if not `exact`, at least that many."""

    count: Number
    exact: bool
