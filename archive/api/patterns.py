"""The shapes of questions and answers about patterns."""

from rest_framework.request import Request

from archive.api.fields import Choice, Text, between
from archive.api.pagination import GAMES, LARGEST_PAGE, address_with, total_info
from archive.api.serializers import CURSOR, LIMIT, FacetsQuery, game_info
from archive.api.shapes.common import extend
from archive.api.shapes.games import YearGames
from archive.api.shapes.patterns import (
    GameWithPattern,
    PatternHint,
    PatternInfo,
    PatternMove,
    PatternResults,
    PlySpanGames,
)
from archive.api.views.names import player_tally
from archive.derive.issues import language
from archive.queries.games.totals import Total
from archive.queries.patterns.summary import STEP, PatternGame, PatternSummary
from kifu_core.games import SHOGI
from kifu_core.shogi.notation import lone_move_label
from kifu_core.shogi.patterns import Pattern, impossible, text_of
from kifu_core.shogi.patterns.text import LONGEST
from kifu_core.shogi.patterns.words import impossible_words
from kifu_core.shogi.squares import USI


class PatternQuery(FacetsQuery):
    """What `GET patterns` takes."""

    pattern = Text(
        max_length=LONGEST, trim_whitespace=False, help_text="The pattern that has to be on the board."
    )
    order = Choice(choices=["newest", "oldest"], default="newest", help_text="The order of the games.")
    cursor = Text(required=False, max_length=200, help_text=CURSOR)
    limit = Text(required=False, schema=between(1, LARGEST_PAGE, GAMES), help_text=LIMIT)


def pattern_info(found: PatternSummary, pattern: Pattern, request: Request) -> PatternInfo:
    """Return the games with a pattern, and what they have in common."""
    return PatternInfo(
        pattern=text_of(pattern),
        total=total_info(Total(found.games, exact=not found.waiting)),
        waiting=found.waiting,
        hints=[] if found.games else _hints(pattern),
        outcomes=PatternResults(**found.results._asdict()),
        years=[YearGames(*one) for one in found.years],
        undated=found.undated,
        plies=[PlySpanGames(first, first + STEP - 1, n) for first, n in found.plies],
        moves=[
            PatternMove(
                move=one.move,
                text=lone_move_label(one.packed, one.kind, int(not one.own), "ja"),
                english=lone_move_label(one.packed, one.kind, int(not one.own), "en"),
                own=one.own,
                games=one.games,
                outcomes=PatternResults(**one.results._asdict()),
            )
            for one in found.moves
        ],
        players=[player_tally(player, tally, request) for player, tally in found.players],
        players_of=found.players_of,
        results=[_game(one, request) for one in found.page.items],
        next_url=address_with(request, found.page.next),
    )


def _hints(pattern: Pattern) -> list[PatternHint]:
    """Return why no game can have a pattern."""
    return [
        PatternHint(one.why, one.step + 1, impossible_words(one, pattern, language()))
        for one in impossible(pattern)
    ]


def _game(one: PatternGame, request: Request) -> GameWithPattern:
    return extend(
        GameWithPattern,
        game_info(one.row, request),
        ply=one.ply,
        own=SHOGI.rules.sides[one.own],
        mirrored=one.mirrored,
        fork=one.fork,
        path=one.path,
        squares=[USI[square] for square in one.squares],
        move=one.move or None,
    )
