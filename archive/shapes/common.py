"""Types that many answers share."""

from typing import Annotated, Any, Final, TypeAlias, TypeVar

from msgspec import Struct, UnsetType

from archive.derive.issues import TEXTS as ARCHIVE_TEXTS
from archive.models import Entry, Game, Upload
from kifu_core.errors import Severity
from kifu_core.games import GAMES
from kifu_core.messages import TEXTS as RECORD_TEXTS

FINDINGS: Final = tuple(sorted({*RECORD_TEXTS, *ARCHIVE_TEXTS}))
"""Codes of findings in records and containers."""

FORMATS: Final = tuple(name for game in GAMES.values() for name in game.formats.names)
"""Formats in which records are written, of all games."""

_SIDES: Final = sorted({side for game in GAMES.values() for side in game.rules.sides})

Value = TypeVar("Value")
Omittable: TypeAlias = Value | UnsetType
"""The type of a member that some answers do not have; its default is UNSET."""


class About:
    """Describes a member of an answer for the contract: a text, and keywords of JSON schema.

    It annotates the member: `Annotated[int, About("plies", minimum=0)]`.
    """

    def __init__(self, text: str = "", **keywords: Any) -> None:
        self.schema: dict[str, Any] = {"description": text, **keywords} if text else keywords


class JSONObject(Struct):
    """An answer, or an object in one. It is what is encoded, and its schema is in the contract."""


Address = Annotated[str, About(format="uri")]
Number = Annotated[int, About(minimum=0)]
GameName = Annotated[str, About("The kind of game.", title="GameName", enum=[*GAMES])]
FormatName = Annotated[str, About("The format, as a file extension.", title="FormatName", enum=[*FORMATS])]
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


class IssueInfo(JSONObject):
    """A finding about a record. `message` is in the language of `Accept-Language`."""

    code: Annotated[str, About("Stable.", examples=[*FINDINGS])]
    severity: Severity
    line: Annotated[int | None, About("Counts from 1.")]
    column: Annotated[int | None, About("Counts from 1.")]
    ply: Annotated[int | None, About("Counts from 0, the start.")]
    source_line: Annotated[str, About("The line, shortened.")]
    message: str


class TotalInfo(JSONObject):
    """A number of things; if not `exact`, there are at least that many."""

    count: Number
    exact: bool
