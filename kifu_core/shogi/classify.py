"""Classify records: only games count in results, the other kinds are indexed and can be found.

position  no moves, and either no ending or the signs of a problem.
problem   a puzzle. Its headers say so (詰方, 完全性, 受賞, 手合割：詰将棋, ...); or it starts from a board
          and has fewer than two kings there, or ends in 詰み or 不詰, or has no ending and is a single move
          (次の一手), or has neither ending nor players and every move up to mate is a check (files of mate
          problems in SFEN, which draw both kings).
tree      variations of an opening: no players, and variations at five or more plies; also the lines of an
          opening collection, a file of several lines of at most sixty plies from a named start, all without
          an ending (USI) or with the %TORYO that ends the lines of Bonanza's books (CSA).
game      everything else.

Other formats of the same record may lack the deciding parts: USI has no names of players, so a mate problem
with players' names becomes one without; a tree in CSA has lost its variations.
"""

from dataclasses import replace
from typing import Final

from kifu_core.deadline import watched
from kifu_core.jkf import Record
from kifu_core.lines import NO_MOVE
from kifu_core.record import TREE_FORKS, Ending, ParsedGame, RecordKind, has_players
from kifu_core.shogi import rules
from kifu_core.shogi.pieces import OU
from kifu_core.shogi.position import Position
from kifu_core.shogi.replay import main_line

_PROBLEM_HEADERS: Final = frozenset(["詰方", "玉方", "完全性", "受賞", "作品名", "作品番号", "詰手数"])
_OPENING_PLIES: Final = 60


def record_kind(record: Record, position: Position, ending: Ending | None, forks: int) -> RecordKind:
    """Return the kind of a record that starts from `position`.

    `forks` is the number of plies of the main line with alternatives. Linear in the number of moves, constant
    for records from a named start.
    """
    has_move = any("move" in entry for entry in record["moves"])
    if ending is None and not has_move:
        return "position"
    if _has_problem_headers(record["header"]) or (
        "data" in record.get("initial", {}) and _is_problem(record, position, ending)
    ):
        return "problem" if has_move else "position"
    if forks >= TREE_FORKS and not has_players(record["header"]):
        return "tree"
    return "game"


def _has_problem_headers(header: dict[str, str]) -> bool:
    if not _PROBLEM_HEADERS.isdisjoint(header) or "詰将棋" in header.get("手合割", ""):
        return True
    return header.get("先手") == "詰方" or header.get("後手") == "玉方"


def _is_problem(record: Record, position: Position, ending: Ending | None) -> bool:
    if position.board.count(OU) + position.board.count(-OU) < 2:
        return True
    if ending is not None:
        return ending.special in ("TSUMI", "FUZUMI")
    moves = sum("move" in entry for entry in record["moves"])
    return moves == 1 or (not has_players(record["header"]) and _mates_by_checks(record))


def mates(record: Record) -> bool:
    """Return whether the main line ends in mate, by its word or on the board."""
    if any(entry.get("special") == "TSUMI" for entry in record["moves"]):
        return True
    for _ply, position, move, _entry in main_line(record):
        if move == NO_MOVE:
            return rules.in_check(position, position.turn) and not rules.legal_moves(position)
    return False


def _mates_by_checks(record: Record) -> bool:
    for ply, position, move, _ in main_line(record):
        if ply % 2 and not rules.in_check(position, position.turn):
            return False
        if move == NO_MOVE:
            return ply % 2 == 1 and not rules.legal_moves(position)
    return False


def with_openings(games: list[ParsedGame], *, resigned: bool = False) -> list[ParsedGame]:
    """Return the games of a file of one line each, as trees if all are lines of an opening collection.

    With `resigned` such a line may end in a resignation, which only marks its end.
    """
    lines = [
        game for game in games if game.record_kind == "game" and "data" not in game.record.get("initial", {})
    ]
    endings = (None, "TORYO") if resigned else (None,)
    if len(lines) < 2 or not all(_is_opening(game, endings) for game in lines):
        return games
    numbers = {game.index for game in lines}
    return [replace(game, record_kind="tree") if game.index in numbers else game for game in watched(games)]


def _is_opening(game: ParsedGame, endings: tuple[str | None, ...]) -> bool:
    special = game.ending.special or game.ending.word if game.ending else None
    return special in endings and sum("move" in entry for entry in game.record["moves"]) <= _OPENING_PLIES
