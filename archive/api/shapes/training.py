"""Repertoires of an account, and its cards."""

from datetime import datetime
from typing import Annotated

from archive.models import TrainingCard
from archive.shapes.common import About, Address, JSONObject, NextUrl, Number, Side

CardKind = Annotated[
    str, About("Where the card comes from.", title="CardKind", enum=TrainingCard.Kind.values)
]
CardState = Annotated[
    str,
    About(
        "The state of FSRS; `new` before the first review.",
        title="CardState",
        enum=["new", *(state.name.lower() for state in TrainingCard.State)],
    ),
]
Move = Annotated[str, About("A move in USI.")]


class RepertoireInfo(JSONObject):
    """A repertoire: moves that the account wants to play with one side, and the replies to them."""

    id: Number
    url: Address
    page_url: Annotated[str, About("Its page.", format="uri")]
    moves_url: Address
    title: str
    side: Side
    own_moves: Annotated[int, About("Moves of the side.", minimum=0)]
    all_moves: Annotated[int, About("Moves of both sides.", minimum=0)]
    made: datetime


class Repertoires(JSONObject):
    """The repertoires of an account."""

    results: Annotated[list[RepertoireInfo], About("The first made first.")]


class RepertoireMoveInfo(JSONObject):
    """A move of a repertoire."""

    id: Number
    code: Annotated[str, About("The code of the position before it.")]
    position_url: Address
    move: Move
    own: Annotated[bool, About("Whether the side of the repertoire moves.")]


class RepertoireMovesPage(JSONObject):
    """Moves of a repertoire."""

    results: Annotated[list[RepertoireMoveInfo], About("The latest first.")]
    next_url: NextUrl


class AddedMoves(JSONObject):
    """What was added to a repertoire."""

    moves: Annotated[int, About("New moves of both sides.", minimum=0)]
    cards: Annotated[int, About("New cards.", minimum=0)]


class RemovedMoves(JSONObject):
    """What was removed from a repertoire."""

    moves: Annotated[int, About("The move, and those that only it leads to.", minimum=0)]


class CardInfo(JSONObject):
    """A card: a move that is learned in a position."""

    id: Number
    url: Address
    kind: CardKind
    code: Annotated[str, About("The code of the position.")]
    position_url: Address
    answers: Annotated[list[Move], About("The moves that are right, the card's own first.")]
    other_moves: Annotated[list[Move], About("Other moves of the account's repertoires in this position.")]
    lead: Annotated[str | None, About("The opponent's move to the position in a repertoire, in USI.")]
    game_id: Annotated[int | None, About("The game that the card comes from.")]
    ply: Annotated[int | None, About("The ply of the position in this game.")]
    suspended: Annotated[bool, About("Whether no repertoire has the move any more.")]
    state: CardState
    due: Annotated[datetime | None, About("When it is due; null for a new card.")]
    stability: Annotated[float | None, About("Days until the probability of recall is 90 %.")]
    difficulty: Annotated[float | None, About("From 1 to 10.")]
    last_review: datetime | None
    reviews: Number
    lapses: Annotated[int, About("Reviews with `again` of a card that was learned.", minimum=0)]


class TrainingInfo(JSONObject):
    """The cards of an account that come next, and the numbers of all."""

    due: Number
    new: Annotated[int, About("New cards of today.", minimum=0)]
    learned: Number
    total: Annotated[int, About("All cards that are not suspended.", minimum=0)]
    new_cards: Annotated[int, About("The most new cards of one day.", minimum=0)]
    next_due: Annotated[datetime | None, About("When the next card is due; null if all are new.")]
    results: Annotated[
        list[CardInfo], About("Cards that are due, the longest due first; then new ones of today.")
    ]


class DepartureInfo(JSONObject):
    """The last position of a game that a repertoire goes on from, where the game goes on differently."""

    repertoire_id: Number
    ply: Annotated[int, About("The number of moves before it.", minimum=0)]
    code: Annotated[str, About("The code of the position.")]
    position_url: Address
    own: Annotated[bool, About("Whether the account's owner left the repertoire.")]
    move: Annotated[str, About("The move of the game, in USI.")]
    expected: Annotated[list[Move], About("The moves of the repertoire.")]


class Departures(JSONObject):
    """Where an own game leaves the account's repertoires."""

    results: list[DepartureInfo]
