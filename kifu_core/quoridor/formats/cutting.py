"""Where large files may be cut: before lines with which a game begins whatever stands before them."""

from __future__ import annotations

import re
from typing import Final

from kifu_core.quoridor.formats import alg, qf
from kifu_core.quoridor.notation import MOVE

_LABEL: Final = re.compile(r"(?![ \t]*+[0-9]{1,5}[.:])[^\t\n]{1,200}\t(?=[ \t]*+\S)")
_NUMBER_ONE: Final = re.compile(rf"[ \t]*+1[ \t]?(?:[.:]|[ \t](?=[ \t]*+{MOVE}))", re.IGNORECASE)
_MOVES: Final = re.compile(rf"[ \t]*+{MOVE}(?:[ \t,]++{MOVE}(?![\w-])){{2}}", re.IGNORECASE)


def begins_game(file_format: str, line: str, before: str, depth: int) -> bool:
    """Whether a new game begins with a line of a file in `qf` or `alg`.

    `before` is the last line with text before it, `depth` how many braces and parentheses are open there:
    then only tags are believed to stand outside of comments and forks.
    """
    if file_format == "qf":
        label = _LABEL.match(line)
        return qf.fault_of(line[label.end() if label else 0 :]) is None
    if before.lstrip().startswith("["):
        return False
    if depth or line.lstrip().startswith("["):
        return line.lstrip().startswith("[")
    if _LABEL.match(line) or _NUMBER_ONE.match(line):
        return True
    return _MOVES.match(line) is not None and alg.is_list_of_lines(line, before)
