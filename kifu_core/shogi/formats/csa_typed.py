"""Standardize CSA statements that people have typed or copied."""

import re
import unicodedata
from typing import Final

from kifu_core.shogi.specials import BY_CSA

_DASHES: Final = str.maketrans("−‐‑–—―─ー", "--------")
_MOVE: Final = re.compile(
    r"(?:[0-9]{1,4}(?:[.:)] ?| (?=[-+])))?([-+]?) ?([0-9]{4}) ?([A-Za-z]{2})(?![A-Za-z0-9])"
)
_TIME: Final = re.compile(r"[ ,]{0,3}[Tt] ?([0-9]{1,9}(?:\.[0-9]{1,9})?)")
_ENDING: Final = re.compile(r"% ?([-+_A-Za-z]{1,40})[ ,]*(?:[Tt] ?([0-9]{1,9}))?")
_PLAYER: Final = re.compile(r"[Nn] ?([-+])")
_LONGEST: Final = 500
"""Characters of a line that may be a statement."""


def canonical(text: str, sign: str) -> str:
    """Return a statement in the spelling of the standard; a move without a sign gets `sign`.

    Other lines are returned in half-width characters, long ones unchanged.
    """
    if len(text) >= _LONGEST:
        return text
    text = unicodedata.normalize("NFKC", text).translate(_DASHES).strip()
    if match := _MOVE.match(text):
        return (match[1] or sign) + match[2] + match[3].upper() + _TIME.sub(r",T\1", text[match.end() :])
    if (match := _ENDING.match(text)) and (match.end() == len(text) or match[1].upper() in BY_CSA):
        words = text[match.end() :].strip()
        return f"%{match[1].upper()}" + (f",T{match[2]}" if match[2] else "") + (words and f"\n'{words}")
    if match := _TIME.fullmatch(text):
        return f"T{match[1]}"
    if match := _PLAYER.match(text):
        return f"N{match[1]}{text[match.end() :]}"
    return text
