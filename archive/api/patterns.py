"""The shapes of questions and answers about patterns."""

from typing import Any

from rest_framework.request import Request

from archive.api.fields import Choice, Text, between
from archive.api.pagination import GAMES, LARGEST_PAGE, address_with, length_json
from archive.api.serializers import CURSOR, LIMIT, FacetsQuery, game_json
from archive.api.views.names import player_json
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
    limit = Text(required=False, told=between(1, LARGEST_PAGE, GAMES), help_text=LIMIT)


def pattern_json(found: PatternSummary, pattern: Pattern, request: Request) -> dict[str, Any]:
    """Return the JSON of what is known of a pattern."""
    return {
        "pattern": text_of(pattern),
        "total": length_json(Total(found.games, exact=not found.waiting)),
        "waiting": found.waiting,
        "hints": [] if found.games else _hints(pattern),
        "outcomes": found.results._asdict(),
        "years": [{"year": year, "games": n} for year, n in found.years],
        "undated": found.undated,
        "plies": [{"first": first, "last": first + STEP - 1, "games": n} for first, n in found.plies],
        "moves": [
            {
                "move": one.move,
                "text": lone_move_label(one.packed, one.kind, int(not one.own), "ja"),
                "english": lone_move_label(one.packed, one.kind, int(not one.own), "en"),
                "own": one.own,
                "games": one.games,
                "outcomes": one.results._asdict(),
            }
            for one in found.moves
        ],
        "players": [player_json(player, tally, request) for player, tally in found.players],
        "players_of": found.players_of,
        "results": [_game_json(one, request) for one in found.page.items],
        "next": address_with(request, found.page.next),
    }


def _hints(pattern: Pattern) -> list[dict[str, Any]]:
    """Return the JSON of why no game can have a pattern."""
    return [
        {"code": one.why, "step": one.step + 1, "message": impossible_words(one, pattern, language())}
        for one in impossible(pattern)
    ]


def _game_json(one: PatternGame, request: Request) -> dict[str, Any]:
    return game_json(one.row, request) | {
        "ply": one.ply,
        "own": SHOGI.rules.sides[one.own],
        "mirrored": one.mirrored,
        "fork": one.fork,
        "path": one.path,
        "squares": [USI[square] for square in one.squares],
        "move": one.move or None,
    }
