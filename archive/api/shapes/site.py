"""What the archive is, what it accepts, and what a visitor may read of it."""

from datetime import datetime
from typing import Annotated

from msgspec import UNSET

from archive.accounts.roles import SCOPES
from archive.api.operations import About
from archive.api.shapes.common import (
    _FORMATS,
    Address,
    IssueInfo,
    JSONObject,
    Number,
    Omittable,
    TotalInfo,
    Which,
)
from archive.models import User

Bytes = Annotated[int, About("Bytes.", minimum=0)]
Scope = Annotated[str, About("What a token is for.", title="Scope", enum=[*SCOPES])]
FormatName = Annotated[str, About("The format, as a file extension.", title="FormatName", enum=_FORMATS)]


class WriterInfo(JSONObject):
    """A format that records are written in."""

    name: FormatName
    title: Annotated[str, About("What people call it.")]
    position: Annotated[bool, About("Whether the format holds one position instead of a game.")]


class GameFormats(JSONObject):
    """The formats in which records of a game are read and written."""

    game: Which
    reads: list[str]
    writes: list[WriterInfo]


class RequestLimits(JSONObject):
    """How much one request may hold."""

    files: Annotated[int, About("Files of one request.", minimum=1)]
    request: Bytes
    file: Bytes
    text: Bytes
    convert: Annotated[int, About("Bytes that `convert` and `check` read.", minimum=0)]
    find: Annotated[int, About("Bytes that `find` reads.", minimum=0)]


class AboutInfo(JSONObject):
    """What an archive accepts and offers."""

    uploads: Annotated[bool, About("Whether the visitor may send records.")]
    limits: RequestLimits
    formats: list[GameFormats]


class AccountInfo(JSONObject):
    """Who asks, and what they may do here."""

    name: str
    role: Annotated[str, About("What the account may do.", title="Role", enum=User.Role.values)]
    token: Annotated[str | None, About("The name of the token that was sent; null without one.")]
    scopes: Annotated[list[Scope], About("What the token is for; `admin` is all that the account may do.")]
    expires: Annotated[datetime | None, About("When the token expires; null for never, and without a token.")]


class SiteTextInfo(JSONObject):
    """A page written by whoever keeps the archive: plain text, with empty lines between paragraphs."""

    page: str
    title: str
    language: str
    text: str
    changed: datetime


class SiteTexts(JSONObject):
    """The pages that have been written, each in the language asked for if there is such a version."""

    results: list[SiteTextInfo]


class SpaceInfo(JSONObject):
    """A space that the visitor may read."""

    name: Annotated[str, About("As in `scope`.", pattern=r"^(public|mine|group-\d+)$")]
    title: Annotated[str, About("What people call it.")]
    games: Annotated[int, About("Records of all kinds.", minimum=0)]
    is_default: Annotated[bool, About("Whether lists and counts without a `scope` include it.")]
    may_upload: Annotated[bool, About("Whether the visitor may send records there.")]
    id: Annotated[int | None, About("Of a group.", minimum=0)]
    members_url: Annotated[str | None, About("Of a group.", format="uri")]


class Spaces(JSONObject):
    """The spaces that the visitor may read, the public one first."""

    results: list[SpaceInfo]


class MemberInfo(JSONObject):
    """A member of a group."""

    id: Number
    name: str
    owner: bool


class Members(JSONObject):
    """The members of a group, owners first."""

    name: str
    owner: Annotated[bool, About("Whether the visitor is an owner.")]
    invitations: Annotated[int, About("Unused links that invite to the group.", minimum=0)]
    results: list[MemberInfo]


class SearchTarget(JSONObject):
    """What a text leads to: a game, a position, or a list of games."""

    kind: Annotated[str, About("What it is.", title="TargetKind", enum=["game", "position", "games"])]
    url: Address
    game_id: Omittable[Number] = UNSET
    ply: Omittable[Annotated[int, About("The ply of a game, if the text names one.", minimum=0)]] = UNSET
    game: Omittable[Which] = UNSET
    code: Omittable[str] = UNSET
    filters: Omittable[Annotated[dict[str, str], About("For a list: filters as `GET games` takes them.")]] = (
        UNSET
    )
    issues: Omittable[
        Annotated[list[IssueInfo], About("Errors in a record or moves: what was ignored for the answer.")]
    ] = UNSET


class TextMatches(JSONObject):
    """The games that have the words in a name or in their text."""

    query: Annotated[str, About("As `q` of `GET games`.")]
    words: str
    total: Annotated[TotalInfo | None, About("Null if counting them takes too long.")]


class SuggestedName(JSONObject):
    """A player or an event whose name contains what was asked for."""

    kind: Annotated[str, About("What it names.", title="NameKind", enum=["player", "event"])]
    id: Number
    name: str
    url: Address


class SimilarName(JSONObject):
    """A name spelt similarly to one that the archive does not have."""

    filter: Annotated[str, About("The filter that asks for it.", enum=["player", "black", "white"])]
    name: str


class Suggestions(JSONObject):
    """Suggestions for a list with few games or none; there are none for long lists."""

    few: Annotated[bool, About("Whether the list has few games: only then is anything suggested.")]
    names: list[SuggestedName]
    similar: list[SimilarName]
    other_filters: Annotated[list[str], About("Other filters that the words for a player could belong to.")]
    in_text: TextMatches | None
