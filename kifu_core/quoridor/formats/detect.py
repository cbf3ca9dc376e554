"""Which format of Quoridor a text has."""

from __future__ import annotations

import re
from itertools import islice
from typing import Final

from kifu_core.quoridor import qf_code
from kifu_core.quoridor.formats import alg, qf
from kifu_core.record import FormatName

_OURS: Final = re.compile(r'(?<!\\)"(?:game|kind)"\s{0,99}:\s{0,99}"quoridor"')
_JSON: Final = re.compile(r"""\s*+(?:\{\s*+["}]|\[\s*+[\[\]{"])""")
"""The beginning of JSON; those of tags and of comments in braces look different."""
_CODE_LINE: Final = re.compile(
    r"^(?:[^\t\n]{1,200}\t)?[ \t>|＞｜│]{0,20}([A-Za-z0-9+/\u00ad\u200b-\u200d\u2060\ufeff]{2,712}+)"
    r"={0,3}+[ \t\r]{0,20}$",
    re.MULTILINE,
)
_LINES: Final = 50
"""So many lines, words and quoted texts that could be codes are tried."""


def detect(text: str, name: str = "") -> tuple[FormatName | None, str]:
    """The format of a text and the reason in one word; None if nothing is recognised.

    `marker`: JSON that says it is ours; `quoted`: codes in a page or in JSON; `rows`: lines of moves;
    `codes`: a line that is a strictly valid code; `name`: what nothing else tells, in a file called
    `.qf`.
    """
    json = _JSON.match(text) is not None
    # The plain word first: searching shogi's JSON for an expression costs a tenth of its reading.
    if json and '"quoridor"' in text and _OURS.search(text):
        return "json", "marker"
    if _has_quoted(text):
        return "qf", "quoted"
    if json:
        return None, "nothing"
    if alg.LIST.search(text) or alg.SINGLE.fullmatch(text[:100]) or alg.START_TAG.search(text):
        return "alg", "rows"
    if _has_code(text):
        return "qf", "codes"
    if name.lower().endswith((".qf", ".qfcode")):
        return "qf", "name"
    return None, "nothing"


def _has_quoted(text: str) -> bool:
    """Whether a page or JSON holds codes; what is only called a code has to be one."""
    if "qfcode" not in text and '"code"' not in text:
        return False
    for match in islice(qf.QUOTED.finditer(text), _LINES):
        if "qfcode" in match[0] or qf.fault_of(match[1] or match[2] or "") is None:
            return True
    return False


def _has_code(text: str) -> bool:
    """Whether a line or a word of a text is a code, or the text is one that is broken into lines; strange
    characters in it are overlooked at last."""
    for number, match in enumerate(_CODE_LINE.finditer(text)):
        if number == _LINES:
            break
        code, _ = qf_code.drop_strange(match[1])
        if qf.fault_of(code) in (None, "truncated" if qf.looks_coded(code) else None):
            return True
    words = (word for _, word in islice(qf.words_in(text), _LINES))
    if any(qf.looks_coded(word) and qf.fault_of(word) is None for word in words):
        return True
    whole = text[: 2 * qf_code.LONGEST]
    if qf.fault_of(whole) is None or qf.is_mended(whole):
        return True
    return any(qf.is_mended(line) for line in whole.split("\n", _LINES)[:_LINES])
