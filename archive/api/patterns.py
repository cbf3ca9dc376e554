"""Parameters of searches for patterns, and their results as JSON."""

from rest_framework.request import Request

from archive.api.fields import ChoiceField, CursorField, LimitField, TextField
from archive.api.games import game_info
from archive.api.names import player_tally
from archive.api.pagination import DEFAULT_GAMES, LARGEST_PAGE, next_url, total_info
from archive.api.serializers import FacetsQuery
from archive.api.shapes import patterns as shapes
from archive.api.shapes.games import YearGames
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
    """Parameters of `GET patterns`."""

    pattern = TextField(
        max_length=LONGEST, trim_whitespace=False, help_text="The pattern that has to be on the board."
    )
    order = ChoiceField(choices=["newest", "oldest"], default="newest", help_text="The order of the games.")
    cursor = CursorField(max_length=200)
    limit = LimitField(LARGEST_PAGE, DEFAULT_GAMES)


def pattern_info(summary: PatternSummary, pattern: Pattern, request: Request) -> shapes.PatternInfo:
    """Return a page of the games with a pattern, and totals of all of them."""
    return shapes.PatternInfo(
        pattern=text_of(pattern),
        total=total_info(Total(summary.games, exact=not summary.waiting)),
        waiting=summary.waiting,
        hints=[] if summary.games else _hints(pattern),
        outcomes=shapes.PatternResults(*summary.results),
        years=[YearGames(*year) for year in summary.years],
        undated=summary.undated,
        plies=[shapes.PlySpanGames(first, first + STEP - 1, n) for first, n in summary.plies],
        moves=[
            shapes.PatternMove(
                move=move.move,
                text=lone_move_label(move.packed, move.kind, int(not move.own), "ja"),
                english=lone_move_label(move.packed, move.kind, int(not move.own), "en"),
                own=move.own,
                games=move.games,
                outcomes=shapes.PatternResults(*move.results),
            )
            for move in summary.moves
        ],
        players=[player_tally(player, tally, request) for player, tally in summary.players],
        players_of=summary.players_of,
        results=[_game_with_pattern(game, request) for game in summary.page.items],
        next_url=next_url(request, summary.page.next),
    )


def _hints(pattern: Pattern) -> list[shapes.PatternHint]:
    return [
        shapes.PatternHint(reason.why, reason.step + 1, impossible_words(reason, pattern, language()))
        for reason in impossible(pattern)
    ]


def _game_with_pattern(game: PatternGame, request: Request) -> shapes.GameWithPattern:
    return game_info(
        shapes.GameWithPattern,
        game.row,
        request,
        ply=game.ply,
        own=SHOGI.rules.sides[game.own],
        mirrored=game.mirrored,
        fork=game.fork,
        path=game.path,
        squares=[USI[square] for square in game.squares],
        move=game.move or None,
    )
