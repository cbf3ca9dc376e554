"""The shapes of questions and answers about positions."""

from collections.abc import Iterable
from typing import Any

from msgspec import UNSET
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.reverse import reverse

from archive.api.fields import Choice, Flag, Raw, Several, Text, WholeNumber, between
from archive.api.pagination import LARGEST_PAGE, THROUGH
from archive.api.serializers import CURSOR, LIMIT, FacetsQuery, game_info
from archive.api.shapes.common import extend
from archive.api.shapes.positions import (
    Explored,
    GameThroughPosition,
    MoveInfo,
    OddityInfo,
    Outcomes,
    PositionCounts,
    SampleInfo,
    SampleWindow,
    Transposition,
    TreeMove,
)
from archive.models import LARGEST_ID
from archive.queries.games.color_names import results_of
from archive.queries.positions.explorer import BATCH, CONFIDENCE, Explorer, MoveStats, Results
from archive.queries.positions.opening_tree import DEEPEST, TreeNode
from archive.queries.positions.position_games import GameThrough
from archive.queries.positions.position_query import MATCHES
from kifu_core.errors import KifuError
from kifu_core.games import GAMES, SHOGI, GameKind
from kifu_core.shogi.oddities import Oddity
from kifu_core.shogi.pieces import CODES
from kifu_core.shogi.squares import FILES, RANKS


class TrendQuery(serializers.Serializer[Any]):
    """What `GET positions/{game}/{code}/trend` takes."""

    match = Choice(
        choices=list(MATCHES),
        default="exact",
        help_text="Which boards count as the position, besides the position itself.",
    )


class MatchQuery(TrendQuery):
    """The boards and lines that count."""

    lines = Choice(choices=["main", "all"], default="main", help_text="`all` includes variations.")


class FilterQuery(MatchQuery, FacetsQuery):
    """Filters of the games through a position."""

    place = "positions"


class PositionQuery(FilterQuery):
    """What `GET positions/{game}/{code}` takes."""

    transpositions = Flag(
        default=False,
        help_text="Whether to list legal moves that nobody played, but after which games reach the position.",
    )


class ThroughQuery(FilterQuery):
    """What `GET positions/{game}/{code}/games` takes."""

    order = Choice(choices=["newest", "oldest"], default="newest", help_text="The order of the games.")
    cursor = Text(required=False, max_length=200, help_text=CURSOR)
    limit = Text(required=False, schema=between(1, LARGEST_PAGE, THROUGH), help_text=LIMIT)


class PictureQuery(serializers.Serializer[Any]):
    """What `GET positions/{game}/{code}.svg` takes."""

    flip = Flag(default=False, help_text="Whether the board is turned.")


class SfenQuery(serializers.Serializer[Any]):
    """What `GET positions/shogi` takes."""

    sfen = Text(allow_blank=True, help_text="An SFEN, with or without move number.")


class WalkQuery(MatchQuery):
    """What `GET positions/{game}/{code}/tree` takes."""

    depth = WholeNumber(default=6, min_value=1, max_value=DEEPEST, help_text="The depth in half-moves.")
    min_games = WholeNumber(
        default=2, min_value=1, max_value=2**31 - 1, help_text="Games that must have played a move."
    )


class BatchBody(MatchQuery):
    """What `POST positions/{game}/batch` takes."""

    codes = Several(
        child=Text(allow_blank=True, max_length=1000),
        min_length=1,
        max_length=BATCH,
        help_text="Codes of positions.",
    )


class FindBody(serializers.Serializer[Any]):
    """What `POST positions/{game}/find` takes, unless the body itself is a Position object."""

    text = Raw(required=False, help_text="An SFEN, moves, a drawn board, a code or a record.")
    game_id = WholeNumber(
        required=False, min_value=1, max_value=LARGEST_ID, help_text="A game of the archive."
    )
    position = serializers.DictField(required=False, help_text="A Position object.")
    ply = WholeNumber(
        required=False,
        min_value=0,
        max_value=32767,
        help_text="The position after so many half-moves; the last one if missing.",
    )


def game_through(row: GameThrough, request: Request) -> GameThroughPosition:
    """Return a game that reaches a position."""
    return extend(
        GameThroughPosition,
        game_info(row, request),
        ply=row.ply,
        move=row.move_name or None,
        fork=row.fork,
        turned=row.turned,
    )


def outcomes(game: GameKind[Any], results: Results) -> Outcomes:
    """Return numbers of games by result."""
    numbers = (results.first, results.second, results.draw, results.unknown)
    return Outcomes(**dict(zip(results_of(game), numbers, strict=True)))


def move_info(game: GameKind[Any], move: MoveStats) -> MoveInfo:
    """Return a move played from a position."""
    return MoveInfo(
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
    )


def encodable(game: GameKind[Any], position: Any) -> str | None:
    """Return the code of a position; None if no code can hold the position."""
    try:
        return game.codec.encode(position)
    except KifuError:
        return None


def oddity_info(oddity: Oddity) -> OddityInfo:
    """Return something odd in a position of shogi, with the members that its code needs."""
    dead = oddity.code == "dead"
    file = FILES[oddity.square] if dead else oddity.file or UNSET
    return OddityInfo(
        code=oddity.code,
        impossible=oddity.impossible,
        side=UNSET if oddity.code == "too-many" else SHOGI.rules.sides[oddity.color],
        piece=CODES[oddity.kind] if oddity.kind else UNSET,
        number=oddity.number or UNSET,
        file=file,
        rank=RANKS[oddity.square] if dead else UNSET,
    )


def position_counts(game: GameKind[Any], found: Explorer) -> PositionCounts:
    """Return a position's numbers and moves."""
    return PositionCounts(
        code=found.code,
        games=found.total,
        outcomes=outcomes(game, found.results),
        others=found.others,
        moves=[move_info(game, move) for move in found.moves],
    )


def explored(found: Explorer, position: Any, request: Request) -> Explored:
    """Return the explorer's answer."""
    game = GAMES[found.kind]
    sample, unplayed = found.sample, found.unplayed
    return extend(
        Explored,
        position_counts(game, found),
        game=found.kind,
        match=found.match,
        lines=found.lines,
        confidence=CONFIDENCE,
        sample=sample and SampleInfo(sample.read, sample.of, SampleWindow(sample.since, sample.until)),
        first=game_through(found.first, request) if found.first else None,
        latest=game_through(found.latest, request) if found.latest else None,
        transpositions=UNSET
        if unplayed is None
        else [Transposition(one.name, one.text, one.code, one.reached) for one in unplayed],
        **game.text.notations(position, 0),
        position=game.codec.as_object(position),
        games_url=f"{position_url(game, found.code, request)}/games",
    )


def tree_moves(game: GameKind[Any], nodes: Iterable[TreeNode]) -> list[TreeMove]:
    """Return the moves of a tree; `open` says that the walk did not reach all that follows."""
    return [
        extend(
            TreeMove,
            move_info(game, node.played),
            again=node.again,
            open=not (node.whole or node.again),
            moves=tree_moves(game, node.children),
        )
        for node in nodes
        if node.played
    ]


def position_url(game: GameKind[Any], code: str, request: Request) -> str:
    """Return the address of the position with a code."""
    return reverse("api:position", [game.name, game.codec.path_code(code)], request=request)
