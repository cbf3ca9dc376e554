"""Quoridor records as tests read them."""

from __future__ import annotations

from kifu_core.quoridor import formats
from kifu_core.record import ParsedGame, ParseResult

SEED = "QuBAQEk6yVqpfcBgTio6WQr0JiSJKLLMYLb1vyYmBmRk"
GAME = "e2 e8 e3 e7 e4 e6 d3h e6h"


def one(text: str, name: str | None = None) -> ParsedGame:
    result = formats.load(text, name)
    assert len(result.games) == 1, result
    return result.games[0]


def moves_of(game: ParsedGame) -> str:
    """The main line as today's notation."""
    found = [entry["move"] for entry in game.record["moves"] if "move" in entry]
    return " ".join(str(move.get("wall") or move.get("to")) for move in found)


def codes(result: ParseResult | ParsedGame) -> list[str]:
    return [issue.code for issue in result.issues]
