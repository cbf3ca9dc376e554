"""The shapes of answers in JSON, as the contract tells them. Each is a component of its own.

The functions that make answers stand with the views; tests hold every answer against its shape.
"""

from datetime import date, datetime
from typing import Annotated, Any, Final, Literal, NotRequired, TypedDict, get_args

from archive.api.serializers import OTHERS
from archive.api.telling import FINDINGS, About
from archive.kana_readings import LATIN, ROWS
from archive.models import Entry, Game, Upload
from archive.queries.explorer import CONFIDENCE
from archive.queries.filters import PRESETS
from archive.queries.statistics import TIMED
from archive.queries.twins import Reason
from archive.queries.walk import Cut
from kifu_core.classes import Match
from kifu_core.errors import Severity
from kifu_core.games import GAMES
from kifu_core.shogi.evaluations import Role

_SIDES: Final = sorted({side for game in GAMES.values() for side in game.rules.sides})
_FORMATS: Final = [name for game in GAMES.values() for name in game.formats.names]

Address = Annotated[str, About(format="uri")]
Number = Annotated[int, About(minimum=0)]
Which = Annotated[str, About("Which game it is.", enum=[*GAMES])]
RecordKind = Annotated[str, About("What a record is of its game.", enum=Game.RecordKind.values)]
Side = Annotated[str, About(enum=_SIDES)]
Outcome = Annotated[str, About(enum=[*_SIDES, "draw", "unknown"])]
Next = Annotated[str | None, About("The address of the next page; null for the last.", format="uri")]
SpaceName = Annotated[
    str,
    About(
        "`public`, `mine`, `group-` and a number, or `shared`.", pattern=r"^(public|mine|shared|group-\d+)$"
    ),
]


class Problem(TypedDict):
    """What went wrong (RFC 9457). `code` is stable; `detail` is for developers and always English."""

    type: Annotated[str, About("`urn:kifu-archive:error:` and the code.")]
    title: str
    status: Annotated[int, About(minimum=400, maximum=599)]
    detail: str
    code: Annotated[str, About("Which of them an operation answers, its answers list in `x-codes`.")]
    errors: Annotated[
        list[dict[str, Any]],
        About("`field` and `detail` of each wrong parameter, or findings as `Issue` has them."),
    ]
    request_id: NotRequired[Annotated[str, About("Of a fault: what the server's log has it under.")]]


class Issue(TypedDict):
    """Something that was found in a record. `message` is in the language asked for."""

    code: Annotated[str, About("Stable.", examples=[*FINDINGS])]
    severity: Severity
    line: Annotated[int | None, About("Counts from 1.")]
    column: Annotated[int | None, About("Counts from 1.")]
    ply: Annotated[int | None, About("Counts from 0, the start.")]
    source_line: Annotated[str, About("The line, shortened.")]
    message: str


class Length(TypedDict):
    """How many a list has; more than that number where it is not `exact`."""

    number: Number
    exact: bool


# --- uploads ---------------------------------------------------------------------------------------------


class ReceivedUpload(TypedDict):
    """An upload that has come in, or had come in before (`duplicate`)."""

    id: Number
    state: Annotated[str, About(enum=Upload.State.values)]
    space: SpaceName
    url: Address
    duplicate: bool


class RefusedFile(TypedDict):
    """A file that was refused while others beside it were not."""

    name: str
    code: str
    detail: str


class ReceivedUploads(TypedDict):
    """What became of all that was sent."""

    uploads: list[ReceivedUpload]
    refused: NotRequired[list[RefusedFile]]


EntryCounts = Annotated[
    dict[str, Number],
    About("By state.", propertyNames={"enum": Entry.State.values}, required=Entry.State.values),
]


class UploadTold(TypedDict):
    """What is known of an upload."""

    id: Number
    name: Annotated[str, About("Empty where it is hidden.")]
    paths: list[str]
    size: Annotated[int, About("Bytes.", minimum=0)]
    sha256: Annotated[str, About(pattern="^[0-9a-f]{64}$")]
    received: datetime
    finished: datetime | None
    state: Annotated[str, About(enum=Upload.State.values)]
    space: SpaceName
    reason: Annotated[Issue | None, About("Why it failed.")]
    hidden: Annotated[bool, About("Whether bytes of it are hidden.")]
    entries: EntryCounts
    entries_url: Address
    source_url: Address


class UploadListed(TypedDict):
    """An upload among those that one has sent."""

    id: Number
    url: Address
    name: Annotated[str, About("Empty where it is hidden.")]
    size: Annotated[int, About("Bytes.", minimum=0)]
    sha256: Annotated[str, About(pattern="^[0-9a-f]{64}$")]
    received: datetime
    finished: datetime | None
    state: Annotated[str, About(enum=Upload.State.values)]
    space: SpaceName
    reason: Annotated[Issue | None, About("Why it failed.")]
    entries: EntryCounts
    deletable: Annotated[bool, About("Whether who asks may delete it.")]


class UploadsPage(TypedDict):
    """A page of what one has sent, the newest first."""

    total: Length
    results: list[UploadListed]
    next: Next


class EntryTold(TypedDict):
    """A record of an upload, and what was found in it."""

    seq: Number
    path: Annotated[str, About("Inside a container.")]
    index: Annotated[int, About("Which game of its file, from 0.", minimum=0)]
    state: Annotated[str, About(enum=Entry.State.values)]
    game_id: Number | None
    game_url: Annotated[str | None, About(format="uri")]
    encoding: str
    format: str
    program: str
    hidden: bool
    issues: list[Issue]
    more_issues: Annotated[int, About("Issues beside those that are listed.", minimum=0)]
    source_url: Address
    report_url: Address


class EntriesPage(TypedDict):
    """A page of entries, in the order of the file."""

    results: list[EntryTold]
    next: Next


# --- without storing -------------------------------------------------------------------------------------


class ConvertedGame(TypedDict):
    """A game in another format: text, or an object where the format is JSON."""

    record: str | dict[str, Any]
    losses: Annotated[list[Issue], About("What the format cannot hold.")]
    issues: list[Issue]


class ReadRecords(TypedDict):
    """What was read."""

    game: Which
    formats: Annotated[list[str], About("What records of this game are written as.")]
    encoding: str
    format: str
    program: str
    issues: list[Issue]


class Converted(ReadRecords):
    """Records in another format."""

    to: Annotated[str, About(enum=_FORMATS)]
    games: list[ConvertedGame]


class CheckedGame(TypedDict):
    """What a record holds, and all that is wrong with it."""

    record_kind: RecordKind
    header: dict[str, str]
    plies: Number
    preset: Annotated[str, About(enum=[*PRESETS])]
    special: Annotated[str | None, About("JKF's name of the ending.")]
    ending: Annotated[str | None, About("The ending as the record has it.")]
    winner: Annotated[int | None, About("A colour.", minimum=0, maximum=1)]
    final_sfen: NotRequired[Annotated[str, About("Where its game has SFEN.")]]
    final_code: NotRequired[Annotated[str, About("Where its game has codes alone.")]]
    issues: list[Issue]


class Checked(ReadRecords):
    """Records and their faults."""

    games: list[CheckedGame]


# --- games -----------------------------------------------------------------------------------------------

Day = Annotated[
    str | None, About("With as much as is known.", pattern=r"^\d{4}(-\d{2}(-\d{2})?)?$", examples=["1709-10"])
]


class GameTold(TypedDict):
    """A game in a list."""

    id: Number
    url: Address
    game: Which
    record_kind: RecordKind
    black: str
    white: str
    event: str
    site: str
    date: Day
    end_date: Day
    handicap: Annotated[str, About("A preset's name, or `OTHER`.")]
    result: Outcome
    special: Annotated[str, About("JKF's name of the ending.")]
    plies: Number
    calendar: Annotated[str, About("Empty without a day.", enum=["gregorian", "lunisolar", ""])]
    round: str
    opening: str
    space: SpaceName


class GamesPage(TypedDict):
    """A page of games. It can be short, or even empty, and still have a `next`."""

    results: list[GameTold]
    next: Next


class Total(TypedDict):
    """How many games; at least so many where that is not `exact`."""

    games: Number
    exact: bool


class Counted(TypedDict):
    """What was counted: all games, or those among the `newest` of the list."""

    games: Number
    newest: Number | None


class NamedGames(TypedDict):
    """A name and its number of games."""

    name: str
    games: Number


class YearGames(TypedDict):
    """A year and its number of games."""

    year: int
    games: Number


class ResultGames(TypedDict):
    """A result and its number of games."""

    result: Outcome
    games: Number


class HandicapGames(TypedDict):
    """A handicap and its number of games."""

    handicap: str
    games: Number


class EndingGames(TypedDict):
    """An ending and its number of games."""

    special: str
    games: Number


class OpeningGames(TypedDict):
    """An opening and its number of games."""

    opening: str
    games: Number


class KindGames(TypedDict):
    """A kind of game and its number of games."""

    game: Which
    games: Number


class RecordKindGames(TypedDict):
    """A kind of record and its number of games."""

    record_kind: RecordKind
    games: Number


class UploadGames(TypedDict):
    """An upload and its number of games."""

    upload: Address
    name: str
    games: Number


class Facets(TypedDict):
    """What games are made of: the most frequent values."""

    total: Total
    counted: Counted
    players: list[NamedGames]
    events: list[NamedGames]
    years: list[YearGames]
    results: list[ResultGames]
    handicaps: list[HandicapGames]
    endings: list[EndingGames]
    openings: list[OpeningGames]
    games: list[KindGames]
    record_kinds: list[RecordKindGames]
    uploads: list[UploadGames]


class Twin(TypedDict):
    """A game that may be the same."""

    id: Number
    reason: Reason
    url: Address


class Source(TypedDict):
    """An entry that the game came in."""

    upload: Address
    seq: Number
    state: Annotated[str, About(enum=Entry.State.values)]
    format: str
    encoding: str
    program: str


class GameDetail(GameTold):
    """All that is known of a game."""

    header_data: Annotated[dict[str, Any], About("What else its headers tell; members are there by need.")]
    record: Annotated[dict[str, str], About("Addresses of its downloads, by format.")]
    positions: Address
    series: Address
    twins: list[Twin]
    sources: Annotated[list[Source], About(maxItems=100)]
    more_sources: Annotated[int, About("Sources beside those that are listed.", minimum=0)]


class PositionOfGame(TypedDict):
    """A position of a game's main line."""

    ply: Number
    code: str
    sfen: NotRequired[Annotated[str, About("Of shogi.")]]


class PositionsPage(TypedDict):
    """A page of positions of a game."""

    results: list[PositionOfGame]
    next: Next


class Mate(TypedDict):
    """A mate that an engine has found."""

    winner: Side
    plies: int | None


class Score(TypedDict):
    """What a chart shows of a ply. `score` is in hundredths of a pawn from Black's side."""

    ply: Number
    score: int | None
    mate: Mate | None


class Evaluation(Score):
    """What an engine wrote of the position after a ply."""

    source: str
    role: Role
    depth: NotRequired[int]
    nodes: NotRequired[int]
    time: NotRequired[Annotated[float, About("Seconds.")]]
    candidate: NotRequired[int]
    engine: NotRequired[str]
    pv: NotRequired[Annotated[str, About("The line as written.")]]
    usi: NotRequired[Annotated[list[str], About("As much of the line as can be played.")]]


class Tick(TypedDict):
    """A move's time, in seconds."""

    ply: Number
    side: Side
    used: float
    total: float
    remaining: float | None
    periods: int | None
    ending: bool


class Series(TypedDict):
    """What engines wrote and clocks showed: a page of each list."""

    scores: list[Score]
    evaluations: list[Evaluation]
    clock: list[Tick]
    next: Next


# --- players and events ----------------------------------------------------------------------------------


class NameListed(TypedDict):
    """A player or an event in a list."""

    id: Number
    url: Address
    name: str
    games: Number
    exact: Annotated[bool, About("Whether there are no more games than that.")]


class PlayerListed(NameListed):
    """A player in a list."""

    row: Annotated[str | None, About("Where the name stands by reading.", enum=[*ROWS, LATIN, OTHERS])]


class EventsPage(TypedDict):
    """A page of events. `cut` tells that the list ends where others have fewer games."""

    total: Length
    results: list[NameListed]
    cut: bool
    next: Next


class PlayersPage(TypedDict):
    """A page of players. `cut` tells that the list ends where others have fewer games."""

    total: Length
    results: list[PlayerListed]
    cut: bool
    next: Next


class Fared(TypedDict):
    """Games by how they ended for one side."""

    games: Number
    won: Number
    lost: Number
    drawn: Number
    unknown: Number


class SideFared(Fared):
    """How a side of a kind of game fared."""

    game: Which
    side: Side


class PlayerFared(Fared):
    """How the games with a player ended: for that player of an event, for the other one of an opponent."""

    id: Number
    url: Address
    name: str


class NameTold(TypedDict):
    """What the games of a player or of an event add up to."""

    id: Number
    url: Address
    name: str
    names: Annotated[list[str], About("Other names that records have.")]
    counted: Counted
    sides: list[SideFared]
    years: Annotated[list[YearGames], About("From the first to the last, also those without games.")]
    openings: list[OpeningGames]
    games_url: Address


class PlayerTold(NameTold):
    """What the games of a player add up to; the most frequent opponents and openings."""

    opponents: list[PlayerFared]


class EventTold(NameTold):
    """What the games of an event add up to; the most frequent players and openings."""

    players: list[PlayerFared]


# --- statistics ------------------------------------------------------------------------------------------


class LengthGames(TypedDict):
    """So many games have from `first` to `last` moves."""

    first: Number
    last: Number
    games: Number


class DurationGames(TypedDict):
    """In so many games both sides used from `first` seconds on, and less than `below`."""

    first: Number
    below: Annotated[int | None, About("Null for the longest.", minimum=0)]
    games: Number


class Holdings(TypedDict):
    """What there is of all games: records, and their positions in the index."""

    records: Number
    positions: Number
    record_kinds: list[RecordKindGames]


class StatisticsTold(TypedDict):
    """What the games of a kind add up to; problems, trees and positions are no games."""

    game: Which
    games: Number
    undated: Annotated[int, About("Games without a day.", minimum=0)]
    years: Annotated[list[YearGames], About("From the first to the last, also those without games.")]
    results: list[ResultGames]
    lengths: list[LengthGames]
    durations: Annotated[list[DurationGames], About(f"Of the newest {TIMED} games with times.")]
    endings: Annotated[list[EndingGames], About("The most frequent.")]
    openings: Annotated[list[OpeningGames], About("The most frequent; `GET openings` has more.")]
    by_game: Annotated[list[KindGames], About("Games of each kind.")]
    holdings: Holdings
    start_url: Annotated[str, About("The usual start, and what was played from it.", format="uri")]


class OpeningListed(OpeningGames):
    """An opening as records name it."""

    games_url: Address


class OpeningsPage(TypedDict):
    """A page of the openings of a kind of game, the most frequent first."""

    game: Which
    total: Length
    results: list[OpeningListed]
    next: Next


# --- positions -------------------------------------------------------------------------------------------

MatchName = Annotated[str, About("Which boards count as the position.", enum=[*get_args(Match)])]
LinesName = Literal["main", "all"]
POSITIONS: Final = tuple(game.codec.schema for game in GAMES.values())
"""Schemas of positions, of all games."""

Position = Annotated[Any, About(anyOf=[*POSITIONS])]


class Results(TypedDict):
    """Games by result."""

    black: Number
    white: Number
    draw: Number
    unknown: Number


class MoveTold(TypedDict):
    """A move that was played from a position. All that is null was not looked up."""

    move: Annotated[str, About("In its game's own notation.")]
    text: Annotated[str, About("As people write it.")]
    code: Annotated[str, About("The position after it.")]
    total: Annotated[int, About("Games that played it.", minimum=0)]
    results: Results
    others: Number
    share: Annotated[float, About("Of the games that reach the position.", minimum=0, maximum=1)]
    score: Annotated[float | None, About("What the side to move made of it.", minimum=0, maximum=1)]
    interval: Annotated[list[float] | None, About("Wilson's.", minItems=2, maxItems=2)]
    rating: float | None
    rated: Number | None
    last_year: int | None
    reached: Annotated[int | None, About("Games that reach what it leads to.", minimum=0)]


class Unplayed(TypedDict):
    """A legal move that nobody played from here, though games reach what it leads to."""

    move: str
    text: str
    code: str
    reached: Number


class GameThrough(GameTold):
    """A game that reaches a position."""

    ply: Number
    move: str | None
    fork: Annotated[bool, About("Whether it does so in a variation.")]
    turned: Annotated[bool, About("Whether it has the colours of the board exchanged.")]


Window = TypedDict("Window", {"from": date | None, "to": date | None})
Window.__doc__ = "The days of the games that were read."


class Sample(TypedDict):
    """Which games an answer is of, where it would take too long to read all."""

    read: Number
    of: Number
    window: Window


class PositionCounts(TypedDict):
    """The numbers of a position."""

    code: str
    total: Number
    results: Results
    others: Annotated[int, About("Problems, opening trees and positions.", minimum=0)]
    moves: list[MoveTold]


class Explored(PositionCounts):
    """The explorer's answer."""

    game: Which
    match: MatchName
    lines: LinesName
    confidence: Annotated[float, About(const=CONFIDENCE)]
    sample: Sample | None
    first: GameThrough | None
    latest: GameThrough | None
    transpositions: NotRequired[list[Unplayed]]
    sfen: NotRequired[Annotated[str, About("Of shogi.")]]
    position: Position
    games_url: Address


class GamesThroughPage(TypedDict):
    """A page of games through a position. It can be short, or even empty, and still have a `next`."""

    results: list[GameThrough]
    next: Next


class LegalMove(TypedDict):
    """A legal move."""

    move: str
    text: str
    code: str
    piece: NotRequired[Annotated[str, About("Of shogi, by CSA's name.")]]
    captured: NotRequired[Annotated[str | None, About("Of shogi, by CSA's name.")]]
    promotes: NotRequired[Annotated[bool, About("Of shogi.")]]


class LegalMoves(TypedDict):
    """All legal moves of a position."""

    game: Which
    code: str
    moves: list[LegalMove]


class TreeMove(MoveTold):
    """A move of a tree, and those after it."""

    again: Annotated[bool, About("Whether the position goes on elsewhere in the tree.")]
    open: Annotated[bool, About("Whether not all that follows was looked at.")]
    moves: "list[TreeMove]"


class Tree(TypedDict):
    """The moves played from a position, and from those after it. `cut` says what ended it early."""

    game: Which
    match: MatchName
    lines: LinesName
    depth: int
    min_games: int
    code: str
    total: Number | None
    results: Results | None
    confidence: Annotated[float, About(const=CONFIDENCE)]
    nodes: Number
    cut: Cut | None
    moves: list[TreeMove]


class InvalidCode(TypedDict):
    """What is wrong with a code."""

    code: str
    detail: str


class InvalidPosition(TypedDict):
    """What stands in a batch in place of a position whose code is not valid."""

    code: str
    error: InvalidCode


class Batch(TypedDict):
    """The numbers of several positions, in the order asked."""

    game: Which
    match: MatchName
    lines: LinesName
    results: list[PositionCounts | InvalidPosition]


class FoundPosition(TypedDict):
    """The position that is meant."""

    game: Which
    code: str
    sfen: NotRequired[Annotated[str, About("Of shogi.")]]
    url: Address
