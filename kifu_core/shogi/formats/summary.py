"""The last line of shogi-server's records: `'summary:toryo:A win:B lose`.

http://shogi-server.osdn.jp - it tells the result of a game also where the record has no ending.
"""

import re
from typing import Final, NamedTuple

from kifu_core.shogi.move_resolution import Special
from kifu_core.shogi.specials import find, special_of

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
"""The server's reasons to CSA's endings. The others stay as they are: `abnormal` (the loser was disconnected;
`%TORYO` whoever is to move), `illegal kachi` (`%KACHI`, but the points were not there), `uchifuzume`,
`oute_kaihimore` (a check was not met) and `outori` (a king was taken).

Only `%TORYO` and `%KACHI` are written into the record besides; an illegal move stands in a comment alone.
"""


_SPECIALS: Final = {"MAX_MOVES": "HIKIWAKE", "abnormal": None}
"""JKF's names where the table has none: too many moves are a draw like others."""


class Summary(NamedTuple):
    """`word` is how the game ended, `winner` the winning colour or None."""

    word: str
    winner: int | None


def read_summary(text: str, black: str, white: str) -> Summary | None:
    """Return the summary in a comment, None for any other comment.

    The players stand in any order; if their names do not tell them apart, Black is the first.

    >>> read_summary("summary:time up:A win:B lose", "B", "A")
    Summary(word='TIME_UP', winner=1)
    >>> read_summary("summary:max_moves:A draw:B draw", "A", "B")
    Summary(word='MAX_MOVES', winner=None)
    """
    match = _SUMMARY.fullmatch(text)
    if match is None:
        return None
    reason, first, result, second, other = match.groups()
    turned = first != second and (first.strip(), second.strip()) == (white.strip(), black.strip())
    if {result, other} != {"win", "lose"}:
        return Summary(_WORDS.get(reason, reason), None)
    return Summary(_WORDS.get(reason, reason), int((result == "lose") != turned))


def ending_step(found: Summary) -> Special:
    """Return the ending of a record that has none but the summary."""
    kind = find(found.word)
    if found.word in _SPECIALS:
        return Special(found.word, _SPECIALS[found.word], found.winner)
    perpetual = kind is not None and kind.special is None
    return Special(found.word, special_of(kind, found.winner), found.winner if perpetual else None)
