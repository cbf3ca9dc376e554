"""Texts as they come out of web pages, mails and JSON, made plain.

A reader takes a text as it is. Where it cannot read some of it, or nothing at all, `plain` gives the same
text without what copying has put around and between its characters; see `reading.reread`.
"""

import html
import json
import re
from collections.abc import Callable
from typing import Final

_ESCAPE: Final = re.compile(r'(?:\\r)?\\n\n?|\\(?:[rt"/\\]|u[0-9a-fA-F]{4})')
_BREAK: Final = re.compile(r"<br[^\S\n]{0,9}/?>\n?", re.IGNORECASE)
_TAG: Final = re.compile(r"</?[a-z][a-z0-9]{0,9}(?:[^\S\n][^<>\n]{0,200})?>", re.IGNORECASE)
_PAGE: Final = re.compile("</?(?:p|pre|div|li|td|span|code|body|font)(?: [^<>\n]{0,200})?>", re.IGNORECASE)
_FENCE: Final = re.compile(
    r"^[^\S\n]*(?:```\w{0,9}|\[/?(?:code|quote|pre|kifu?)\])[^\S\n]*$", re.MULTILINE | re.IGNORECASE
)
_ENTITY: Final = re.compile(r"&(?:[a-z]{2,6}|#[0-9]{2,6}|#x[0-9a-f]{2,5});", re.IGNORECASE)
_SPACED: Final = re.compile(r"&(?:nbsp|#160|#12288|#x3000);|&#[0-9]{4,5};")
_LINE_END: Final = re.compile("\n?[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_UNSEEN: Final = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff]+")
"""Soft hyphens, zero-width characters, marks of direction, joiners, variation selectors."""

_BLANK: Final = re.compile("[^\\S \n\u3000]")
_QUOTED: Final = re.compile(r"^[^\S\n]*[>＞»](?:[^\S\n]?[>＞»]){0,9} ?", re.MULTILINE)
_QUOTED_BOARD: Final = re.compile(r"^[^\S\n]*[>＞] ?[|｜][^\n]{18,40}[|｜]", re.MULTILINE)
_LINE: Final = re.compile(r"^[^\S\n]*\S", re.MULTILINE)
_INDENT: Final = re.compile(r"^[^\S\n]+(?=\S)", re.MULTILINE)

_MOVE: Final = r"(?:同|[1-9１-９][1-9１-９一二三四五六七八九])[^\S\n]?[成歩香桂銀金角飛玉王と杏圭全馬龍竜]"
_PLAYS: Final = re.compile(rf"{_MOVE}|[-+][0-9]{{4}}[A-Z]{{2}}|手合割|[先後]手[：:]")
_BEGINNING: Final = re.compile(
    rf"""[^\S\n]+(?=
    [^\s：:]{{2,10}}[：:] | 手数-- | [▲△☗☖] | [0-9]{{1,4}}[^\S\n]+(?:{_MOVE}|投了|中断|千日手|詰み|持将棋)
    | まで[0-9]{{1,4}}手 | [-+][0-9]{{4}}[A-Z]{{2}} | %[A-Z] | N[-+] | P[1-9IP+-] | V[23] | \$[A-Z_]+:
    | [-+](?:[^\S\n]|\Z) | T[0-9] )""",
    re.VERBOSE,
)
"""Blanks in a text of a single line behind which a line of a record begins."""


def plain(text: str) -> str:
    """Return a text without quotation signs, escapes, markup, invisible characters and strange blanks.

    Line ends that it lacks are put where lines begin. Linear; a plain text is returned as it is.
    """
    for rule in _RULES:
        text = rule(text)
    return text


def _unescaped(text: str) -> str:
    r"""Return a text that was copied from JSON or from a program: `\n` stands for its line ends."""
    if text.count("\\n") < max(1, text.rstrip().count("\n")):
        return text
    stripped = text.strip()
    if stripped[:1] == stripped[-1:] == '"':
        text = stripped[1:-1]
    return _ESCAPE.sub(_character, text)


def _character(match: re.Match[str]) -> str:
    escape = match[0].rstrip("\n")
    value: str = "\n" if escape.endswith("n") else json.loads(f'"{escape}"')
    return value if value != "\r" else ""


def _without_markup(text: str) -> str:
    """Return a text without tags and entities, if its lines or blanks were written by these."""
    text = _FENCE.sub("", text)
    if not (_BREAK.search(text) or _SPACED.search(text) or _PAGE.search(text)):
        return text
    text = _TAG.sub("", _BREAK.sub("\n", text))
    return _ENTITY.sub(lambda match: html.unescape(match[0]), text)


def _unquoted(text: str) -> str:
    """Return a text without quotation marks, signs of quotation before its lines, and indentation."""
    stripped = text.strip()
    if len(stripped) > 1 and stripped[0] + stripped[-1] in ('""', "''", "“”", "「」"):
        text = stripped[1:-1] + "\n"
    lines = len(_LINE.findall(text))
    if 2 * len(_QUOTED.findall(text)) > lines or _QUOTED_BOARD.search(text):
        text = _QUOTED.sub("", text)
    return _INDENT.sub("", text) if lines and len(_INDENT.findall(text)) == lines else text


def _unfolded(text: str) -> str:
    """Return a text of a single line as lines."""
    if "\n" in text.strip("\n") or not _PLAYS.search(text):
        return text
    return _BEGINNING.sub("\n", text)


_RULES: Final[tuple[Callable[[str], str], ...]] = (
    _unescaped,
    _without_markup,
    lambda text: _LINE_END.sub("\n", text),
    lambda text: _UNSEEN.sub("", text),
    lambda text: _BLANK.sub(" ", text),
    _unquoted,
    _unfolded,
)
