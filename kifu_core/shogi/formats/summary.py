"""The results of servers and sites in fields of their own.

The last line of shogi-server's records (http://shogi-server.osdn.jp) is `'summary:toryo:A win:B lose`.
shogi-extend has headers in the games of 将棋ウォーズ: `$X_FINAL:切断`, `$X_WINNER:▲`. Both have the result of
records without an ending too.
"""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from kifu_core.shogi.move_resolution import EndingStep
from kifu_core.shogi.specials import BY_WORD, find, read_result, side_of, special_of

_SUMMARY: Final = re.compile(r"summary:([^:]{1,40}):(.*) (win|lose|draw):(.*) (win|lose|draw)[ \t]*")

_WORDS: Final = {
    "toryo": "TORYO",
    "time up": "TIME_UP",
    "kachi": "KACHI",
    "sennichite": "SENNICHITE",
    "oute_sennichite": "OUTE_SENNICHITE",
    "outesennichite": "OUTE_SENNICHITE",
    "illegal move": "ILLEGAL_MOVE",
    "max_moves": "MAX_MOVES",
    "jishogi": "JISHOGI",
    "chudan": "CHUDAN",
}
"""The server's reasons to CSA's endings. Other reasons are kept: `abnormal` (the loser was disconnected;
`%TORYO` for either side to move), `illegal kachi` (`%KACHI` without the points), `uchifuzume`,
`oute_kaihimore` (a check was not met) and `outori` (a king was taken).

The record itself only has `%TORYO` and `%KACHI`; an illegal move stands in a comment alone.
"""


_SPECIALS: Final = {"MAX_MOVES": "HIKIWAKE", "abnormal": None}
"""JKF's names beyond the table: too many moves are a draw."""


class ServerSummary(NamedTuple):
    """A result: `word` is the ending, `winner` the winning colour or None."""

    word: str
    winner: int | None


def read_summary(text: str, black: str, white: str) -> ServerSummary | None:
    """Return the summary in a comment, None for any other comment.

    The players are in any order; if their names are equal, Black is the first.

    >>> read_summary("summary:time up:A win:B lose", "B", "A")
    ServerSummary(word='TIME_UP', winner=1)
    >>> read_summary("summary:max_moves:A draw:B draw", "A", "B")
    ServerSummary(word='MAX_MOVES', winner=None)
    """
    match = _SUMMARY.fullmatch(text)
    if match is None:
        return None
    reason, first, result, second, other = match.groups()
    turned = first != second and (first.strip(), second.strip()) == (white.strip(), black.strip())
    if {result, other} != {"win", "lose"}:
        return ServerSummary(_WORDS.get(reason, reason), None)
    return ServerSummary(_WORDS.get(reason, reason), int((result == "lose") != turned))


def read_headers(header: Mapping[str, str]) -> ServerSummary | None:
    """Return the result in shogi-extend's headers, None for headers of any other origin.

    A repetition with a winner is one by perpetual check.

    >>> read_headers({"X_FINAL": "切断", "X_WINNER": "▲"}), read_headers({"X_FINAL": "入玉", "X_WINNER": "△"})
    (ServerSummary(word='接続切れ', winner=0), ServerSummary(word='入玉勝ち', winner=1))
    """
    if not ("X_FINAL" in header or "X_WINNER" in header):
        return None
    text, side = header.get("X_FINAL", "").strip(), side_of(header.get("X_WINNER", ""))
    kind = find(text) or read_result(f"{text}により先手の勝ち")[0] if text else None
    if kind is None and side is None:
        return None
    if kind is BY_WORD["千日手"] and side is not None:
        kind = BY_WORD["王手千日手"]
    return ServerSummary(kind.word if kind else text, side)


def ending_step(summary: ServerSummary) -> EndingStep:
    """Return the ending of a record that has only the summary."""
    kind = find(summary.word)
    if summary.word in _SPECIALS:
        return EndingStep(summary.word, _SPECIALS[summary.word], summary.winner)
    perpetual = kind is not None and kind.special is None
    return EndingStep(summary.word, special_of(kind, summary.winner), summary.winner if perpetual else None)
