"""The shapes of questions and answers about positions."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.reverse import reverse

from archive.api.fields import Choice, Flag, Raw, Several, Text, Whole, between
from archive.api.pagination import LARGEST_PAGE, THROUGH
from archive.api.serializers import CURSOR, LIMIT, FacetsQuery, game_json
from archive.models import LARGEST_ID
from archive.queries.games.color_names import results_of
from archive.queries.positions.explorer import BATCH, CONFIDENCE, Explorer, MoveStats, Results, UnplayedMove
from archive.queries.positions.legal_moves import LegalMove
from archive.queries.positions.opening_tree import DEEPEST, MoveTree, TreeNode
from archive.queries.positions.position_games import GameThrough
from archive.queries.positions.position_query import MATCHES
from archive.queries.positions.reading_plan import Sample
from archive.queries.positions.trend import Trend
from kifu_core.errors import KifuError
from kifu_core.games import GAMES, SHOGI, GameKind
from kifu_core.shogi.oddities import Oddity
from kifu_core.shogi.pieces import CODES
from kifu_core.shogi.squares import FILES, RANKS


class TrendQuery(serializers.Serializer[Any]):
    """What `GET positions/{game}/{code}/trend` takes: which boards are meant."""

    match = Choice(
        choices=list(MATCHES),
        default="exact",
        help_text="Which boards count as the position, besides the position itself.",
    )


class MatchQuery(TrendQuery):
    """Which boards and lines are meant."""

    lines = Choice(choices=["main", "all"], default="main", help_text="`all` includes variations.")


class FilterQuery(MatchQuery, FacetsQuery):
    """Which games through a position are meant."""

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
    limit = Text(required=False, told=between(1, LARGEST_PAGE, THROUGH), help_text=LIMIT)


class PictureQuery(serializers.Serializer[Any]):
    """What `GET positions/{game}/{code}.svg` takes."""

    flip = Flag(default=False, help_text="Whether the board is turned.")


class SfenQuery(serializers.Serializer[Any]):
    """What `GET positions/shogi` takes."""

    sfen = Text(allow_blank=True, help_text="An SFEN, with or without move number.")


class WalkQuery(MatchQuery):
    """What `GET positions/{game}/{code}/tree` takes."""

    depth = Whole(default=6, min_value=1, max_value=DEEPEST, help_text="The depth in half-moves.")
    min_games = Whole(
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
    game_id = Whole(required=False, min_value=1, max_value=LARGEST_ID, help_text="A game of the archive.")
    position = serializers.DictField(required=False, help_text="A Position object.")
    ply = Whole(
        required=False,
        min_value=0,
        max_value=32767,
        help_text="The position after so many half-moves; the last one if missing.",
    )


def through_json(row: GameThrough, request: Request) -> dict[str, Any]:
    """Return the JSON of a game that reaches a position."""
    return game_json(row, request) | {
        "ply": row.ply,
        "move": row.move_name or None,
        "fork": row.fork,
        "turned": row.turned,
    }


def results_json(game: GameKind[Any], results: Results) -> dict[str, int]:
    """Return numbers of games by result."""
    numbers = (results.first, results.second, results.draw, results.unknown)
    return dict(zip(results_of(game), numbers, strict=True))


def move_json(game: GameKind[Any], move: MoveStats) -> dict[str, Any]:
    """Return the JSON of a move played from a position."""
    return {
        "move": move.name,
        "text": move.text,
        "code": move.code,
        "total": move.total,
        "results": results_json(game, move.results),
        "others": move.others,
        "share": round(move.share, 6),
        "score": None if move.score is None else round(move.score, 6),
        "interval": move.interval and [round(end, 6) for end in move.interval],
        "rating": None if move.rating is None else round(move.rating, 1),
        "rated": move.rated,
        "last_year": move.last_year,
        "reached": move.reached,
    }


def _sample_json(sample: Sample | None) -> dict[str, Any] | None:
    if sample is None:
        return None
    days = [day.isoformat() if day else None for day in (sample.since, sample.until)]
    return {"read": sample.read, "of": sample.of, "window": {"from": days[0], "to": days[1]}}


def unplayed_json(move: UnplayedMove) -> dict[str, Any]:
    """Return the JSON of a legal move that nobody played here, though games reach the position after it."""
    return {"move": move.name, "text": move.text, "code": move.code, "reached": move.reached}


def legal_json(move: LegalMove) -> dict[str, Any]:
    """Return the JSON of a legal move and of the position after it."""
    return {"move": move.name, "text": move.text, "english": move.english, **move.facts, "code": move.code}


def encodable(game: GameKind[Any], position: Any) -> str | None:
    """Return the code of a position; None if no code can hold the position."""
    try:
        return game.codec.encode(position)
    except KifuError:
        return None


def oddity_json(found: Oddity) -> dict[str, Any]:
    """Return the JSON of something odd in a position of shogi, with the members that its code needs."""
    told: dict[str, Any] = {"code": found.code, "impossible": found.impossible}
    if found.code != "too-many":
        told["side"] = SHOGI.rules.sides[found.color]
    if found.kind:
        told["piece"] = CODES[found.kind]
    if found.number:
        told["number"] = found.number
    if found.file:
        told["file"] = found.file
    if found.code == "dead":
        told |= {"file": FILES[found.square], "rank": RANKS[found.square]}
    return told


def trend_json(found: Trend) -> dict[str, Any]:
    """Return the JSON of the games by year; `whole` says that no older games were left out."""
    return {"years": [{"year": year, "games": n} for year, n in found.years], "whole": found.whole}


def counts_json(game: GameKind[Any], found: Explorer) -> dict[str, Any]:
    """Return the JSON of an answer's numbers and moves."""
    return {
        "code": found.code,
        "total": found.total,
        "results": results_json(game, found.results),
        "others": found.others,
        "moves": [move_json(game, move) for move in found.moves],
    }


def explorer_json(found: Explorer, request: Request) -> dict[str, Any]:
    """Return the JSON of the explorer's answer, without the members that only one kind of game has."""
    game = GAMES[found.kind]
    answer = {
        "game": found.kind,
        "match": found.match,
        "lines": found.lines,
        **counts_json(game, found),
        "confidence": CONFIDENCE,
        "sample": _sample_json(found.sample),
        "first": through_json(found.first, request) if found.first else None,
        "latest": through_json(found.latest, request) if found.latest else None,
    }
    if found.unplayed is not None:
        answer["transpositions"] = [unplayed_json(move) for move in found.unplayed]
    return answer


def walk_json(game: GameKind[Any], walk: MoveTree) -> dict[str, Any]:
    """Return the JSON of a tree of moves; `cut` says what ended it early."""
    answer = walk.root.answer
    return {
        "code": walk.root.code,
        "total": answer.total if answer else None,
        "results": results_json(game, answer.results) if answer else None,
        "confidence": CONFIDENCE,
        "nodes": walk.nodes,
        "cut": walk.cut,
        "moves": [_node_json(game, node) for node in walk.root.children],
    }


def _node_json(game: GameKind[Any], node: TreeNode) -> dict[str, Any]:
    """Return the JSON of a move in a tree; `open` says that not everything after it was looked at."""
    played = move_json(game, node.played) if node.played else {}
    return played | {
        "again": node.again,
        "open": not (node.whole or node.again),
        "moves": [_node_json(game, child) for child in node.children],
    }


def found_json(game: GameKind[Any], code: str, request: Request) -> dict[str, Any]:
    """Return the JSON that says where a position is."""
    return {"game": game.name, "code": code, "url": position_url(game, code, request)}


def position_url(game: GameKind[Any], code: str, request: Request) -> str:
    """Return the address of the position with a code."""
    return reverse("api:position", [game.name, game.codec.path_code(code)], request=request)
