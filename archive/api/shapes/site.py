"""What the archive accepts and offers, its spaces, and its search box."""

from datetime import datetime
from typing import Annotated

from msgspec import UNSET

from archive.accounts.roles import SCOPES
from archive.models import NAMED, User
from archive.shapes.common import (
    About,
    Address,
    FormatName,
    GameName,
    IssueInfo,
    JSONObject,
    Number,
    Omittable,
    TotalInfo,
)

Bytes = Annotated[int, About("Bytes.", minimum=0)]
Scope = Annotated[str, About("What a token is for.", title="Scope", enum=[*SCOPES])]


class IndexInfo(JSONObject):
    """The addresses from which the others are found."""

    version: Annotated[str, About("Of the archive's software.")]
    documentation_url: Annotated[str, About("A page on which everything can be tried.", format="uri")]
    contract_url: Annotated[str, About("OpenAPI 3.1, as JSON or YAML.", format="uri")]
    terms_url: Annotated[str, About("Terms of use, privacy and contact.", format="uri")]
    about_url: Annotated[str, About("Formats and limits.", format="uri")]
    account_url: Annotated[str, About("The account and the token of the request.", format="uri")]
    device_authorization_url: Annotated[
        str, About("Where programs ask for a token (RFC 8628).", format="uri")
    ]
    token_url: Annotated[str, About("Where programs fetch this token.", format="uri")]
    collections: Annotated[dict[str, Address], About("Lists and searches, by name.")]


class WriterInfo(JSONObject):
    """A format that records are written in."""

    name: FormatName
    title: Annotated[str, About("Its name for people.")]
    position: Annotated[bool, About("Whether the format holds one position instead of a game.")]


class GameFormats(JSONObject):
    """The formats in which records of a game are read and written."""

    game: GameName
    reads: list[str]
    writes: list[WriterInfo]


class RequestLimits(JSONObject):
    """The limits of one request."""

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
    """The account of the request, and its rights."""

    name: str
    role: Annotated[str, About("What the account may do.", title="Role", enum=User.Role.values)]
    token: Annotated[str | None, About("The name of the token that was sent; null without one.")]
    scopes: Annotated[list[Scope], About("What the token is for; `admin` is all that the account may do.")]
    expires: Annotated[datetime | None, About("When the token expires; null for never, and without a token.")]


class SiteTextInfo(JSONObject):
    """A page written by the archive's owner: plain text, with empty lines between paragraphs."""

    page: str
    title: str
    language: str
    text: str
    changed: datetime


class SiteTexts(JSONObject):
    """The pages of the archive's owner, each in the language of `Accept-Language` if it has such a
    version."""

    results: list[SiteTextInfo]


class SpaceInfo(JSONObject):
    """A space that the visitor may read."""

    name: Annotated[str, About("As in `scope`.", pattern=r"^(public|mine|group-\d+)$")]
    title: Annotated[str, About("Its name for people.")]
    games: Annotated[int, About("Records of all kinds.", minimum=0)]
    is_default: Annotated[bool, About("Whether lists and counts without a `scope` include it.")]
    may_upload: Annotated[bool, About("Whether the visitor may send records there.")]
    id: Annotated[int | None, About("Of a group.", minimum=0)]
    members_url: Annotated[str | None, About("Of a group.", format="uri")]


class Spaces(JSONObject):
    """The spaces that the visitor may read, the public one first."""

    results: list[SpaceInfo]


class InvitationInfo(JSONObject):
    """A link that invites to a group: shown once."""

    key: Annotated[str, About("For `POST spaces/join`.")]
    join_url: Annotated[str, About("The page on which people join.", format="uri")]
    people: Annotated[int, About("How many people may use it.", minimum=1)]


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
    """The target of a text: a game, a position, or a list of games."""

    kind: Annotated[str, About("The kind of target.", title="TargetKind", enum=["game", "position", "games"])]
    url: Address
    game_id: Omittable[Number] = UNSET
    ply: Omittable[Annotated[int, About("The ply of a game, if the text names one.", minimum=0)]] = UNSET
    game: Omittable[GameName] = UNSET
    code: Omittable[str] = UNSET
    filters: Omittable[Annotated[dict[str, str], About("For a list: filters as `GET games` takes them.")]] = (
        UNSET
    )
    issues: Omittable[
        Annotated[list[IssueInfo], About("Errors in a record or in moves; the part with them was ignored.")]
    ] = UNSET


class TextMatches(JSONObject):
    """The games that have the words in a name or in their text."""

    query: Annotated[str, About("As `q` of `GET games`.")]
    words: str
    total: Annotated[TotalInfo | None, About("Null if counting them takes too long.")]


class SuggestedName(JSONObject):
    """A player, an event or a place whose name contains the words."""

    kind: Annotated[str, About("The kind of name.", title="NameKind", enum=[*NAMED])]
    id: Number
    name: str
    url: Address


class SimilarName(JSONObject):
    """A name spelled like one that the archive does not have."""

    filter: Annotated[str, About("The filter for it.", enum=["player", "black", "white"])]
    name: str


class Suggestions(JSONObject):
    """Suggestions for a list with few games or none; there are none for long lists."""

    few: Annotated[bool, About("Whether the list has few games: only then is anything suggested.")]
    names: list[SuggestedName]
    similar: list[SimilarName]
    other_filters: Annotated[list[str], About("Other filters that the words for a player could belong to.")]
    in_text: TextMatches | None
