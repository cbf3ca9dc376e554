"""Detect the format of a text, and the program that wrote it."""

import re
from typing import Final

from kifu_core.formats import Detector

detect: Final = Detector()
"""The detector of shogi's formats; `kifu_core.shogi.formats` adds their marks."""

_PROGRAM: Final = re.compile(r"[#'] *(?:-{2,}+|(?:Generated|Created) by )([^\n]+)")
_FILE_KIND: Final = re.compile(r" *(?:CSA形式|KIF形式)?棋譜ファイル$")

_ABOUT_FILE: Final = re.compile(
    r" *(?:-{2,}|(?:Generated|Created) by |ファイル名：|(?:KIF|CSA) |[^\n]*棋譜ファイル)"
)


def is_about_file(remark: str) -> bool:
    """Return whether a remark names only a file, its encoding or the program that wrote it."""
    return _ABOUT_FILE.match(remark) is not None


def program(text: str) -> str:
    """Return the software that wrote a text, by its first lines; an empty text if they do not name it."""
    for line in text[:800].split("\n", 6)[:6]:
        if line[:1] in ("#", "'") and (match := _PROGRAM.match(line)):
            name = _FILE_KIND.sub("", match[1].strip(" -"))
            if name:
                return name[:80]
    return "81Dojo" if "場所：81Dojo" in text[:2000] else ""
