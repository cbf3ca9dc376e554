"""Check a game against all rules: every move of the main line, and repetition.

Reading plays the written moves and reports those that no board allows; this module checks the finished
record. It changes nothing: real records end in fouls, and some continue after them.
"""

from dataclasses import replace
from typing import Final

from kifu_core.deadline import watched
from kifu_core.errors import Issue
from kifu_core.jkf import Record
from kifu_core.record import ParsedGame
from kifu_core.shogi import entering_king, rules
from kifu_core.shogi.moves import DROP, target
from kifu_core.shogi.pieces import BLACK, FU, OU, WHITE
from kifu_core.shogi.position import Position
from kifu_core.shogi.repetition import FOURFOLD, PositionKey, checking_sides, position_key
from kifu_core.shogi.replay import packed_move
from kifu_core.shogi.replay import start as start_of

_KINGS: Final = (OU, -OU)


def legality(record: Record) -> tuple[Issue, ...]:
    """Return the violations in the main line of a normalized record, in order.

    `no-piece`, `wrong-side`, `unreachable`, `nifu`, `dead-drop`, `self-check`, `uchifuzume` and the other
    codes of `rules.violation` are errors at the ply of the foul; the param `winner` is the colour that wins
    by it. The first of them decides the game, unless it was overlooked. An unplayable move ends the check.

    `fourfold` is an info at the ply that repeats a position, with hands and side to move, for the fourth
    time: a draw. If one side gave check with all its moves since the first time, it is the error
    `perpetual-check`, and the other side is its `winner`. Only the first such ply is reported.

    `bad-declaration` is a warning about the ending KACHI where the rule of 27 points does not allow it, with
    the declarer's `pieces` and `points`.

    Linear in the number of plies, about 4 us each.
    """
    return tuple(_LegalityCheck(record).run())


def findings(game: ParsedGame) -> tuple[Issue, ...]:
    """Return the issues of reading a game, then those of `legality` that reading has not reported.

    Reported fouls get their `winner`, also a move of the wrong side that reading refused.
    """
    fouls = {(issue.code, issue.ply): issue for issue in legality(game.record)}
    completed = [_with_winner(issue, game, fouls.pop((issue.code, issue.ply), None)) for issue in game.issues]
    place = game.place
    return (*completed, *(fouls.values() if place is None else map(place, watched(fouls.values()))))


def _with_winner(issue: Issue, game: ParsedGame, foul: Issue | None) -> Issue:
    """Complete a finding of the reading by the winner that the rules name."""
    if foul is not None:
        return replace(issue, params={**issue.params, **foul.params})
    if issue.code != "wrong-side" or issue.ply != 1 + sum("move" in entry for entry in game.record["moves"]):
        return issue
    winner = start_of(game.record).turn ^ (issue.ply & 1)
    return replace(issue, params={**issue.params, "winner": winner})


class _LegalityCheck:
    """The check of one game: the position, the moves so far, the plies of each position."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.position = start_of(record)
        self.kings = [_only_king(self.position.board, color) for color in (BLACK, WHITE)]
        self.moves: list[int] = []
        self.plies_by_key: dict[PositionKey, list[int]] = {}
        self.repeated = False

    def run(self) -> list[Issue]:
        issues: list[Issue] = []
        self._count()
        for entry in watched(self.record["moves"]):
            if "move" not in entry:
                if entry.get("special") == "KACHI":
                    issues += self._declaration()
                continue
            code = self._play(packed_move(entry["move"]))
            if code:
                winner = {"winner": self.position.turn}
                issues.append(Issue(code, "error", ply=len(self.moves), params=winner))
            if code in rules.UNPLAYABLE:
                break
            if not self.repeated and (times := self._count()) is not None:
                self.repeated = True
                issues.append(self._repetition(times))
        return issues

    def _play(self, move: int) -> str | None:
        """Play a move and return its fault; an unplayable move only passes the turn."""
        position = self.position
        code, mover = rules.fault(position, move), position.turn
        self.moves.append(move)
        if code in rules.UNPLAYABLE:
            position.turn ^= 1
            return code
        self._follow(move, position.do_move(move), mover)
        if code:
            return code
        if self._in_check(mover):
            return "self-check"
        return "uchifuzume" if move >> 8 == DROP + FU and _is_pawn_mate(position, move) else None

    def _follow(self, move: int, captured: int, mover: int) -> None:
        if captured in _KINGS:
            self.kings[mover ^ 1] = _only_king(self.position.board, mover ^ 1)
        if self.position.board[move >> 1 & 127] in _KINGS:
            self.kings[mover] = _only_king(self.position.board, mover)

    def _in_check(self, color: int) -> bool:
        king = self.kings[color]
        if king is None:
            return rules.in_check(self.position, color)
        return king >= 0 and rules.is_attacked(self.position.board, king, color ^ 1)

    def _count(self) -> list[int] | None:
        """Count the position; return its plies if it has now occurred `FOURFOLD` times, else None."""
        plies = self.plies_by_key.setdefault(position_key(self.position), [])
        plies.append(len(self.moves))
        return plies if len(plies) == FOURFOLD else None

    def _declaration(self) -> list[Issue]:
        claim = entering_king.claim(self.position, entering_king.missing_points(start_of(self.record)))
        if claim.result(27) is not None:
            return []
        params = {"pieces": claim.pieces, "points": claim.points}
        return [Issue("bad-declaration", "warning", ply=len(self.moves), params=params)]

    def _repetition(self, plies: list[int]) -> Issue:
        checkers = self._checking_sides(plies[0], plies[-1])
        if len(checkers) != 1:
            return Issue("fourfold", "info", ply=plies[-1])
        return Issue("perpetual-check", "error", ply=plies[-1], params={"winner": checkers[0] ^ 1})

    def _checking_sides(self, first: int, last: int) -> list[int]:
        """Return the sides that gave check with every move after ply `first` up to `last`."""
        position = start_of(self.record)
        for move in self.moves[:first]:
            position.do_move(move)
        return checking_sides(position, self.moves[first:last])


def _only_king(board: list[int], color: int) -> int | None:
    """Return the square of a side's only king, -1 for none, None for several."""
    king = -OU if color else OU
    count = board.count(king)
    return board.index(king) if count == 1 else None if count else -1


def _is_pawn_mate(position: Position, move: int) -> bool:
    to, king = target(move), OU if position.turn == BLACK else -OU
    ahead = to - 9 if position.turn == WHITE else to + 9
    in_front = 0 <= ahead < 81 and position.board[ahead] == king
    return in_front and not rules.legal_moves(position)
