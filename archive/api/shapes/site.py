"""What the archive is, what it takes, and what of it may be read by who asks."""

from datetime import datetime
from typing import Annotated, NotRequired, TypedDict

from archive.api.shapes.common import _FORMATS, Address, Issue, Length, Number, Which
from archive.api.telling import About

Bytes = Annotated[int, About("Bytes.", minimum=0)]
FormatName = Annotated[str, About("The format, as an extension.", title="FormatName", enum=_FORMATS)]


class WriterTold(TypedDict):
    """A format that records are written in."""

    name: FormatName
    title: Annotated[str, About("What people call it.")]
    position: Annotated[bool, About("Whether it holds one position and no game.")]


class GameFormats(TypedDict):
    """What records of a game are read from and written as."""

    game: Which
    reads: list[str]
    writes: list[WriterTold]


class Limits(TypedDict):
    """How much one request may bring."""

    files: Annotated[int, About("Files of one request.", minimum=1)]
    request: Bytes
    file: Bytes
    text: Bytes
    convert: Annotated[int, About("Bytes that `convert` and `check` read.", minimum=0)]
    find: Annotated[int, About("Bytes that are read for a position or a game.", minimum=0)]


class AboutTold(TypedDict):
    """What an archive takes and gives."""

    uploads: Annotated[bool, About("Whether who asks may send records.")]
    limits: Limits
    formats: list[GameFormats]


class SiteTextTold(TypedDict):
    """A page in the words of who keeps the archive: plain text, paragraphs between empty lines."""

    page: str
    title: str
    language: str
    text: str
    changed: datetime


class SiteTexts(TypedDict):
    """The pages that have been written, each in the language asked for where it has been written in that."""

    results: list[SiteTextTold]


class SpaceTold(TypedDict):
    """A space that who asks may read."""

    name: Annotated[str, About("As `scope` has it.", pattern=r"^(public|mine|group-\d+)$")]
    title: Annotated[str, About("What people call it.")]
    games: Annotated[int, About("Records of all kinds.", minimum=0)]
    asked: Annotated[bool, About("Whether lists and counts without a `scope` are of it.")]
    sends: Annotated[bool, About("Whether who asks may send records there.")]
    id: Annotated[int | None, About("Of a group.", minimum=0)]
    members_url: Annotated[str | None, About("Of a group.", format="uri")]


class Spaces(TypedDict):
    """The spaces that who asks may read, the public one first."""

    results: list[SpaceTold]


class MemberTold(TypedDict):
    """A member of a group."""

    id: Number
    name: str
    owner: bool


class Members(TypedDict):
    """Who is in a group, owners first."""

    name: str
    owner: Annotated[bool, About("Whether who asks is an owner.")]
    invitations: Annotated[int, About("Links into it that nobody has used.", minimum=0)]
    results: list[MemberTold]


class Leading(TypedDict):
    """What a text leads to: a game, a position, or a list of games."""

    meant: Annotated[str, About("What it is.", title="MeantBy", enum=["game", "position", "games"])]
    url: Address
    game_id: NotRequired[Number]
    ply: NotRequired[Annotated[int, About("Of a game, where the text names one.", minimum=0)]]
    game: NotRequired[Which]
    code: NotRequired[str]
    filters: NotRequired[Annotated[dict[str, str], About("Of a list: as `GET games` takes them.")]]
    issues: NotRequired[
        Annotated[list[Issue], About("Errors in a record or moves: what of it the answer does not have.")]
    ]


class InTextTold(TypedDict):
    """The games that have the words in a name or in their text."""

    query: Annotated[str, About("As `q` of `GET games`.")]
    words: str
    games: Annotated[Length | None, About("Null where to count them takes too long.")]


class NameOffered(TypedDict):
    """A player or an event whose name holds what was asked for."""

    kind: Annotated[str, About("What it names.", title="NameKind", enum=["player", "event"])]
    id: Number
    name: str
    url: Address


class LikelyName(TypedDict):
    """A name that is spelt nearly like one that nobody here has."""

    filter: Annotated[str, About("The filter that asks for it.", enum=["player", "black", "white"])]
    name: str


class Offers(TypedDict):
    """What is offered to whom a list of games has little or nothing for; of long lists nothing is."""

    few: Annotated[bool, About("Whether the list has few games: only then anything is offered.")]
    names: list[NameOffered]
    likely: list[LikelyName]
    other_filters: Annotated[list[str], About("Filters that could ask for the player's words.")]
    in_text: InTextTold | None
