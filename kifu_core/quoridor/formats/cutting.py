"""Where large files may be cut: before lines with which a game begins whatever stands before them."""

from __future__ import annotations

import re
from typing import Final

from kifu_core.quoridor.formats import alg, qf
from kifu_core.quoridor.notation import MOVE

_LABEL: Final = re.compile(r"(?![ \t]*+[0-9]{1,5}[.:])[^\t\n]{1,200}\t(?=[ \t]*+\S)")
_NUMBER_ONE: Final = re.compile(rf"[ \t]*+1[ \t]?(?:[.:]|[ \t](?=[ \t]*+{MOVE}))", re.IGNORECASE)
_MOVES: Final = re.compile(rf"[ \t]*+{MOVE}(?:[ \t,]++{MOVE}(?![\w-])){{2}}", re.IGNORECASE)


def begins_game(file_format: str, line: str, before: str, piece: str) -> bool:
    """Whether a new game begins with a line of a file in `qf` or `alg`.

    `before` is the last line with text before it, `piece` what is cut off: nothing may be open there.
    """
    if file_format == "qf":
        label = _LABEL.match(line)
        return qf.fault_of(line[label.end() if label else 0 :]) is None
    if before.lstrip().startswith("["):
        return False
    opens = line.lstrip().startswith("[") or _LABEL.match(line) or _NUMBER_ONE.match(line)
    if not opens and not (_MOVES.match(line) and alg.is_list_of_lines(line, before)):
        return False
    return piece.count("{") == piece.count("}") and piece.count("(") == piece.count(")")
