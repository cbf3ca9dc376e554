"""Parameters of requests about positions, and positions as JSON."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from msgspec import UNSET, UnsetType
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.reverse import reverse

from archive.api.errors import ApiError
from archive.api.fields import (
    ChoiceField,
    CursorField,
    FlagField,
    LimitedListField,
    LimitField,
    RawTextField,
    TextField,
    WholeNumberField,
)
from archive.api.games import game_info
from archive.api.pagination import LARGEST_PAGE, THROUGH
from archive.api.serializers import FacetsQuery
from archive.api.shapes import positions as shapes
from archive.models import LARGEST_ID
from archive.queries.positions.book_values import MoveValue
from archive.queries.positions.explorer import BATCH, CONFIDENCE, Explorer, MoveStats, Results
from archive.queries.positions.opening_tree import DEEPEST, TreeNode
from archive.queries.positions.position_games import GameThrough
from archive.queries.positions.position_query import MATCHES
from kifu_core.errors import KifuError
from kifu_core.games import GAMES, SHOGI, GameKind
from kifu_core.shogi.oddities import Oddity
from kifu_core.shogi.pieces import CODES
from kifu_core.shogi.position import Position
from kifu_core.shogi.squares import FILES, RANKS


class TrendQuery(serializers.Serializer[Any]):
    """Parameters of `GET positions/{game}/{code}/trend`."""

    match = ChoiceField(
        choices=list(MATCHES),
        default="exact",
        help_text="Which boards count as the position, besides the position itself.",
    )


class MatchQuery(TrendQuery):
    """The boards and lines that count."""

    lines = ChoiceField(choices=["main", "all"], default="main", help_text="`all` includes variations.")


class FilterQuery(MatchQuery, FacetsQuery):
    """Filters of the games through a position."""

    place = "positions"


class PositionQuery(FilterQuery):
    """Parameters of `GET positions/{game}/{code}`."""

    transpositions = FlagField(
        default=False,
        help_text="Whether to list legal moves that nobody played, but after which games reach the position.",
    )


class ThroughQuery(FilterQuery):
    """Parameters of `GET positions/{game}/{code}/games`."""

    order = ChoiceField(choices=["newest", "oldest"], default="newest", help_text="The order of the games.")
    cursor = CursorField(max_length=200)
    limit = LimitField(LARGEST_PAGE, THROUGH)


class PictureQuery(serializers.Serializer[Any]):
    """Parameters of `GET positions/{game}/{code}.svg`."""

    flip = FlagField(default=False, help_text="Whether the board is turned.")


class SfenQuery(serializers.Serializer[Any]):
    """Parameters of `GET positions/shogi`."""

    sfen = TextField(allow_blank=True, help_text="An SFEN, with or without move number.")


class WalkQuery(MatchQuery):
    """Parameters of `GET positions/{game}/{code}/tree`."""

    depth = WholeNumberField(default=6, min_value=1, max_value=DEEPEST, help_text="The depth in half-moves.")
    min_games = WholeNumberField(
        default=2, min_value=1, max_value=2**31 - 1, help_text="Games that must have played a move."
    )


class BatchBody(MatchQuery):
    """Fields of `POST positions/{game}/batch`."""

    codes = LimitedListField(
        child=TextField(allow_blank=True, max_length=1000),
        min_length=1,
        max_length=BATCH,
        help_text="Codes of positions.",
    )


class FindBody(serializers.Serializer[Any]):
    """Fields of `POST positions/{game}/find`, unless the body itself is a Position object."""

    text = RawTextField(required=False, help_text="An SFEN, moves, a drawn board, a code or a record.")
    game_id = WholeNumberField(
        required=False, min_value=1, max_value=LARGEST_ID, help_text="A game of the archive."
    )
    position = serializers.DictField(required=False, help_text="A Position object.")
    ply = WholeNumberField(
        required=False,
        min_value=0,
        max_value=32767,
        help_text="The position after so many half-moves; the last one if missing.",
    )


Move = TypeVar("Move", bound=shapes.MoveInfo)
Counts = TypeVar("Counts", bound=shapes.PositionCounts)


def game_through(row: GameThrough, request: Request) -> shapes.GameThroughPosition:
    """Return a game that reaches a position."""
    return game_info(
        shapes.GameThroughPosition,
        row,
        request,
        ply=row.ply,
        move=row.move_name or None,
        fork=row.fork,
        turned=row.turned,
    )


def outcomes(game: GameKind[Any], results: Results) -> shapes.Outcomes:
    """Return numbers of games by result."""
    wins = dict(zip(game.rules.sides, (results.first, results.second), strict=True))
    return shapes.Outcomes(wins["black"], wins["white"], results.draw, results.unknown)


def move_info(kind: type[Move], game: GameKind[Any], move: MoveStats, **members: Any) -> Move:
    """Return a move played from a position as an object of `MoveInfo` or of a subclass with more members."""
    return kind(
        move=move.name,
        text=move.text,
        code=move.code,
        games=move.total,
        outcomes=outcomes(game, move.results),
        others=move.others,
        share=round(move.share, 6),
        points_share=None if move.score is None else round(move.score, 6),
        interval=None if move.interval is None else [round(end, 6) for end in move.interval],
        rating=None if move.rating is None else round(move.rating, 1),
        rated=move.rated,
        last_year=move.last_year,
        reached=move.reached,
        **members,
    )


def encodable(game: GameKind[Any], position: Any) -> str | None:
    """Return the code of a position; None if no code can hold the position."""
    try:
        return game.codec.encode(position)
    except KifuError:
        return None


def oddity_info(oddity: Oddity) -> shapes.OddityInfo:
    """Return an oddity of a position of shogi, with the members that its code has."""
    dead = oddity.code == "dead"
    file = FILES[oddity.square] if dead else oddity.file or UNSET
    return shapes.OddityInfo(
        code=oddity.code,
        impossible=oddity.impossible,
        side=UNSET if oddity.code == "too-many" else SHOGI.rules.sides[oddity.color],
        piece=CODES[oddity.kind] if oddity.kind else UNSET,
        number=oddity.number or UNSET,
        file=file,
        rank=RANKS[oddity.square] if dead else UNSET,
    )


def position_counts(kind: type[Counts], game: GameKind[Any], explorer: Explorer, /, **members: Any) -> Counts:
    """Return numbers and moves of a position as an object of `PositionCounts` or of a subclass with more
    members."""
    return kind(
        code=explorer.code,
        games=explorer.total,
        outcomes=outcomes(game, explorer.results),
        others=explorer.others,
        moves=[move_info(shapes.MoveInfo, game, move) for move in explorer.moves],
        **members,
    )


def explored(explorer: Explorer, position: Any, request: Request) -> shapes.Explored:
    """Return the explorer's answer about a position."""
    game = GAMES[explorer.kind]
    sample, unplayed = explorer.sample, explorer.unplayed
    return position_counts(
        shapes.Explored,
        game,
        explorer,
        game=explorer.kind,
        match=explorer.match,
        lines=explorer.lines,
        confidence=CONFIDENCE,
        sample=sample
        and shapes.SampleInfo(sample.read, sample.of, shapes.SampleWindow(sample.since, sample.until)),
        first=game_through(explorer.first, request) if explorer.first else None,
        latest=game_through(explorer.latest, request) if explorer.latest else None,
        transpositions=UNSET
        if unplayed is None
        else [shapes.Transposition(move.name, move.text, move.code, move.reached) for move in unplayed],
        sfen=sfen_of(game, position),
        position=game.codec.as_object(position),
        games_url=f"{position_url(game, explorer.code, request)}/games",
    )


def tree_moves(
    game: GameKind[Any], nodes: Iterable[TreeNode], values: Mapping[str, MoveValue]
) -> list[shapes.TreeMove]:
    """Return the moves of a tree with their values by the codes after them; a move is `open` if moves after
    it are not in the tree."""
    return [
        move_info(
            shapes.TreeMove,
            game,
            node.played,
            again=node.again,
            open=not (node.complete or node.again),
            score=values[node.code].raw if node.code in values else None,
            backed_score=values[node.code].backed if node.code in values else None,
            moves=tree_moves(game, node.children, values),
        )
        for node in nodes
        if node.played
    ]


def kind_named(name: str) -> GameKind[Any]:
    """Return the kind of game with a name. Raises ApiError."""
    if name not in GAMES:
        raise ApiError("unknown-game", f"there are positions of {', '.join(GAMES)}, not of {name!r}", 404)
    return GAMES[name]


def shogi_position(text: str) -> Position:
    """Return the position of an SFEN, or of a code as addresses have it. Raises KifuError, also where no code
    can hold it."""
    if " " not in text.strip():
        return SHOGI.codec.decode(SHOGI.codec.code_of_path(text))
    position = Position.from_sfen(text)
    SHOGI.codec.encode(position)
    return position


def sfen_of(game: GameKind[Any], position: Any, ply: int = 0) -> str | UnsetType:
    """Return the SFEN of a position; UNSET in games that have none."""
    return game.text.notations(position, ply).get("sfen", UNSET)


def position_url(game: GameKind[Any], code: str, request: Request) -> str:
    """Return the address of the position with a code."""
    return reverse("api:position", [game.name, game.codec.path_code(code)], request=request)
