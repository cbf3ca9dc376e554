"""Clean text that was copied from web pages, mails or JSON.

A reader takes a text as it is. If it cannot read all of it, `plain` returns the same text without the
wrapping that copying has added; see `reading.reread`.
"""

import html
import json
import re
from collections.abc import Callable
from typing import Final

_ESCAPE: Final = re.compile(r'(?:\\r)?\\n\n?|\\(?:[rt"/\\]|u[0-9a-fA-F]{4})')
_BREAK: Final = re.compile(r"<br[^\S\n]{0,9}/?>\n?", re.IGNORECASE)
_TAG: Final = re.compile(r"</?[a-z][a-z0-9]{0,9}(?:[^\S\n][^<>\n]{0,200})?>", re.IGNORECASE)
_BLOCK: Final = re.compile("</(?:p|div|li|tr|h[1-6])[^\\S\n]{0,9}>\n?", re.IGNORECASE)
_CELL: Final = re.compile("</t[dh][^\\S\n]{0,9}>", re.IGNORECASE)
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
_QUOTATION: Final = ('""', "“”", "「」")
_PAIRS: Final = frozenset([*_QUOTATION, "''", "``"])
_OPENING: Final = tuple(pair[0] for pair in _QUOTATION)
_HALF: Final = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_WIDE_MOVE: Final = re.compile(
    "^(?:[＋－][０-９]{4}[Ａ-Ｚ]{2}|ｐｏｓｉｔｉｏｎ|ｓｔａｒｔｐｏｓ|ｓｆｅｎ)", re.MULTILINE
)
_QUOTED: Final = re.compile(r"^[^\S\n]*[>＞»](?:[^\S\n]?[>＞»]){0,9} ?", re.MULTILINE)
_CLOSED: Final = re.compile(r"[|｜][^\S\n]*$", re.MULTILINE)
_BARRED: Final = re.compile(r"^[^\S\n]*[|｜] ?", re.MULTILINE)
_QUOTED_BOARD: Final = re.compile(r"^[^\S\n]*[>＞] ?[|｜][^\n]{18,40}[|｜]", re.MULTILINE)
_LINE: Final = re.compile(r"^[^\S\n]*\S", re.MULTILINE)
_INDENT: Final = re.compile(r"^[^\S\n]+(?=\S)", re.MULTILINE)

_COMMAND: Final = re.compile(
    r"^[^\n{]{0,40}?\b(position(?:[\s:_,]|%20){1,3}(?:startpos|sfen)|startpos[\s:_,]{1,3}moves)"
    r"(?=[\s:_,]|%20)[^\n]*",
    re.MULTILINE | re.IGNORECASE,
)
"""A command of USI in a line of a log, perhaps with other signs for blanks."""

_SEPARATOR: Final = re.compile(r"(?:[^\S\n]|[:_,]|%20)+")
_WORD: Final = re.compile(r"\b(?:position|startpos|sfen|moves)\b", re.IGNORECASE)

_MOVE: Final = r"(?:同|[1-9１-９][1-9１-９一二三四五六七八九])[^\S\n]?[成歩香桂銀金角飛玉王と杏圭全馬龍竜]"
_PLAYS: Final = re.compile(rf"{_MOVE}|[-+][0-9]{{4}}[A-Z]{{2}}|手合割|[先後]手[：:]")
_BEGINNING: Final = re.compile(
    rf"""[^\S\n]+(?=
    [^\s：:]{{2,10}}[：:] | 手数-- | [▲△☗☖*] | [0-9]{{1,4}}[^\S\n]+(?:{_MOVE}|投了|中断|千日手|詰み|持将棋)
    | まで[0-9]{{1,4}}手 | [|+-][-|v・ ] | 変化
    | [-+][0-9]{{4}}[A-Z]{{2}} | %[A-Z] | N[-+] | P[1-9IP+-] | V[23] | \$[A-Z_]+:
    | [-+](?:[^\S\n]|\Z) | T[0-9] )""",
    re.VERBOSE,
)
"""Blanks in a text without line ends before a likely beginning of a line."""


def is_wrapped(text: str) -> bool:
    """Return whether quotation marks, markup or entities wrap a whole text and are no part of its words."""
    if text[:1] in _OPENING and text[0] + text.rstrip()[-1] in _QUOTATION:
        return True
    if "<" in text and len(_BREAK.findall(text)) >= max(1, text.rstrip().count("\n")):
        return True
    if "&" not in text:
        return False
    return text.count("&nbsp;") > text.count(" ") or (text.isascii() and _SPACED.search(text) is not None)


def is_folded(text: str) -> bool:
    """Return whether a text is a record without line ends."""
    return "\n" not in text.strip("\n") and _PLAYS.search(text) is not None


def plain(text: str) -> str:
    """Return a text without quotation signs, escapes, markup, invisible characters and strange blanks.

    Linear; a plain text is returned as it is.
    """
    for rule in _RULES:
        text = rule(text)
    return text


def _unescaped(text: str) -> str:
    r"""Undo the escapes of JSON and of string literals, if line ends are written as `\n`."""
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
    """Remove tags and entities, if they stand for line ends or blanks."""
    text = _FENCE.sub("", text)
    if not (_BREAK.search(text) or _SPACED.search(text) or _PAGE.search(text)):
        return text
    text = _TAG.sub("", _CELL.sub(" ", _BLOCK.sub("\n", _BREAK.sub("\n", text))))
    return _ENTITY.sub(lambda match: html.unescape(match[0]), text)


def _unquoted(text: str) -> str:
    """Remove quotation marks, quotation signs before lines, and common indentation."""
    stripped = text.strip()
    if len(stripped) > 1 and stripped[0] + stripped[-1] in _PAIRS:
        text = stripped[1:-1] + "\n"
    lines = len(_LINE.findall(text))
    if 2 * len(_QUOTED.findall(text)) > lines or _QUOTED_BOARD.search(text):
        text = _QUOTED.sub("", text)
    elif lines > 2 and len(_BARRED.findall(text)) == lines and len(_CLOSED.findall(text)) < lines:
        text = _BARRED.sub("", text)
    return _INDENT.sub("", text) if lines and len(_INDENT.findall(text)) == lines else text


def _command(match: re.Match[str]) -> str:
    command = _SEPARATOR.sub(" ", match[0][match.start(1) - match.start() :])
    return _WORD.sub(lambda word: word[0].lower(), command).rstrip(" .;")


def unfolded(text: str) -> str:
    """Return a record without line ends with line ends at the likely beginnings of lines."""
    return _BEGINNING.sub("\n", text) if is_folded(text) else text


def _halved(text: str) -> str:
    """Convert the full-width letters of a CSA or USI record to ASCII."""
    return text.translate(_HALF) if _WIDE_MOVE.search(text) else text


_RULES: Final[tuple[Callable[[str], str], ...]] = (
    _halved,
    _unescaped,
    _without_markup,
    lambda text: _LINE_END.sub("\n", text),
    lambda text: _UNSEEN.sub("", text),
    lambda text: _BLANK.sub(" ", text),
    _unquoted,
    lambda text: _COMMAND.sub(_command, text),
)
