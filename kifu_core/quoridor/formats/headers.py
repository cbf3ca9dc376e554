"""Headers of records and tags of move lists: one table. Headers have the names of shogi's."""

import re
from typing import Final

from kifu_core.quoridor.notation import MOVE

TITLE: Final = "表題"
START: Final = "Start"
"""The tag of a start of its own: the qf_code of a position."""
RESULT: Final = "Result"

LABEL: Final = re.compile(
    rf"(?![ \t]*+(?:[0-9]{{1,5}}[.:]|[(\[]?[0-9]{{1,5}}[)\]][ \t]*+{MOVE}))[^\t\n]{{1,200}}\t(?=[ \t]*+\S)",
    re.IGNORECASE,
)
"""The label before a game on its line, and a tab."""

_HEADERS: Final = {
    "Event": "棋戦",
    "Site": "場所",
    "Date": "開始日時",
    "White": "先手",
    "Black": "後手",
    "Title": TITLE,
}
_TAGS: Final = {header: tag for tag, header in _HEADERS.items()}
_BY_LOWER: Final = {tag.lower(): header for tag, header in _HEADERS.items()}


def header_of(tag: str) -> str:
    """Return the header of a tag; a tag that is not in the table is its own header."""
    return _BY_LOWER.get(tag.lower(), tag)


def tag_of(header: str) -> str:
    """Return the tag of a header; a header that is not in the table is its own tag."""
    return _TAGS.get(header, header)
