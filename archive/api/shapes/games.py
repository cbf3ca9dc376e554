"""Games, lists of them, and details of one."""

from typing import Annotated, Any, Literal

from msgspec import UNSET

from archive.queries.games.game_json import GameInfo
from archive.queries.games.twins import Reason
from archive.shapes.common import (
    About,
    Address,
    EntryState,
    GameName,
    JSONObject,
    NextUrl,
    Number,
    Omittable,
    Outcome,
    RecordKind,
    Searching,
    Side,
    TotalInfo,
)
from kifu_core.game import Role


class ExcerptInfo(JSONObject):
    """An occurrence of a word of a query: in the comment at `ply` of the line `path`, or in the header
    `name`."""

    before: str
    word: Annotated[str, About("As spelled there.")]
    after: str
    ply: Annotated[int | None, About("Null for a header.", minimum=0)]
    path: Annotated[str, About("The variation, as in `fork` of pages; empty for the main line.")]
    name: Annotated[str, About("The name of the header; empty for a comment.")]


class ListedGame(GameInfo):
    """A game in a list of results."""

    excerpt: Omittable[Annotated[ExcerptInfo | None, About("Only with `excerpts=1`.")]] = UNSET


class GamesPage(JSONObject):
    """A page of games."""

    results: list[ListedGame]
    next_url: NextUrl
    searching: Searching


class CountedGames(JSONObject):
    """The games that were counted: all of the list, or only the `newest`."""

    games: Number
    newest: Number | None


class ChangedGameInfo(JSONObject):
    """A game that is new, has changed or is gone since the cursor."""

    id: Number
    change: Annotated[
        str,
        About(
            "As it is now. A game that has changed since it arrived is `changed`, even if it is new since "
            "the cursor. A game that is no longer public is `gone`, too.",
            title="GameChange",
            enum=["added", "changed", "gone"],
        ),
    ]
    merged_into: Annotated[int | None, About("The game that a gone one is an edition of now.", minimum=0)]


class ChangesPage(JSONObject):
    """Changes in the order in which they became visible."""

    results: list[ChangedGameInfo]
    next_url: Annotated[str, About("The address of later changes, there always.", format="uri")]
    complete: Annotated[bool, About("Whether there are no later changes yet.")]


class NamedGames(JSONObject):
    """A name and its number of games."""

    name: str
    games: Number


class YearGames(JSONObject):
    """A year and its number of games."""

    year: int
    games: Number


class ResultGames(JSONObject):
    """A result and its number of games."""

    result: Outcome
    games: Number


class HandicapGames(JSONObject):
    """A handicap and its number of games."""

    handicap: str
    games: Number


class EndingGames(JSONObject):
    """An ending and its number of games."""

    special: str
    games: Number


class OpeningGames(JSONObject):
    """An opening and its number of games."""

    opening: str
    games: Number


class FormationGames(JSONObject):
    """A castle or an opening that a side has, by its name for programs, and its number of games."""

    formation: str
    games: Number


class KindGames(JSONObject):
    """A kind of game and its number of games."""

    game: GameName
    games: Number


class RecordKindGames(JSONObject):
    """A kind of record and its number of games."""

    record_kind: RecordKind
    games: Number


class UploadGames(JSONObject):
    """An upload and its number of games."""

    upload_url: Address
    name: str
    games: Number


class FacetsInfo(JSONObject):
    """The most frequent values of the games' properties."""

    total: TotalInfo
    counted: CountedGames
    players: list[NamedGames]
    events: list[NamedGames]
    places: list[NamedGames]
    years: list[YearGames]
    results: list[ResultGames]
    handicaps: list[HandicapGames]
    endings: list[EndingGames]
    openings: list[OpeningGames]
    formations: list[FormationGames]
    games: list[KindGames]
    record_kinds: list[RecordKindGames]
    uploads: list[UploadGames]


class TwinInfo(JSONObject):
    """Another game that may be the same one."""

    game_id: Number
    game_url: Address
    reason: Reason


class SourceInfo(JSONObject):
    """An entry of an upload from which the game was read."""

    upload_url: Address
    entry_url: Address
    seq: Number
    state: EntryState
    format: str
    encoding: str
    program: str


FormationFamily = Annotated[Literal["castle", "opening"], About("Which of the two it is.")]
FormationName = Annotated[str, About("Its name for programs.", examples=["anaguma"])]


class FormationNames(JSONObject):
    """The names of a castle or an opening."""

    formation: FormationName
    family: FormationFamily
    japanese: str
    reading: Annotated[str, About("In hiragana.")]
    english: str


class FormationInGame(FormationNames):
    """A castle or an opening that a side of a game has, from `ply` on."""

    side: Side
    ply: Number


class GameDetail(GameInfo):
    """A game with everything that its records say besides moves."""

    header_data: Annotated[dict[str, Any], About("Other headers; members that do not apply are left out.")]
    record_urls: Annotated[dict[str, str], About("Addresses of its downloads, by format.")]
    positions_url: Address
    series_url: Address
    formations: Annotated[
        list[FormationInGame], About("Castles and openings, in the order in which they arise.")
    ]
    twins: list[TwinInfo]
    sources: Annotated[list[SourceInfo], About(maxItems=100)]
    more_sources: Annotated[int, About("The number of further sources.", minimum=0)]


class PositionOfGame(JSONObject):
    """A position of a game's main line."""

    ply: Number
    code: str
    sfen: Omittable[Annotated[str, About("Of shogi.")]] = UNSET


class PositionsPage(JSONObject):
    """A page of positions of a game."""

    results: list[PositionOfGame]
    next_url: NextUrl


class MateInfo(JSONObject):
    """A mate that an engine has found."""

    winner: Side
    plies: int | None


class ScoreInfo(JSONObject):
    """The value of a chart at a ply. `score` is in hundredths of a pawn, from Black's side."""

    ply: Number
    score: int | None
    mate: MateInfo | None


class EvaluationInfo(ScoreInfo):
    """An engine's evaluation of the position after a ply."""

    source: str
    role: Role
    depth: Omittable[int] = UNSET
    nodes: Omittable[int] = UNSET
    time: Omittable[Annotated[float, About("Seconds.")]] = UNSET
    candidate: Omittable[int] = UNSET
    engine: Omittable[str] = UNSET
    pv: Omittable[Annotated[str, About("The line as written.")]] = UNSET
    usi: Omittable[Annotated[list[str], About("As much of the line as can be played.")]] = UNSET


class ClockInfo(JSONObject):
    """The time of a move, in seconds."""

    ply: Number
    side: Side
    used: float
    elapsed: Annotated[float, About("The time that the side has used so far.")]
    remaining: float | None
    periods: int | None
    ending: bool


class NoveltyInfo(JSONObject):
    """The ply at which a game left the games before it."""

    novelty: Annotated[
        int | None, About("The first ply whose position no earlier game had; null if unknown.")
    ]


class SeriesPage(JSONObject):
    """Engines' evaluations and clock times: a page of each list."""

    scores: list[ScoreInfo]
    evaluations: list[EvaluationInfo]
    clock: list[ClockInfo]
    next_url: NextUrl
