"""What happens to the lines of any record: blanks, line ends, quoting, pages, encodings."""

from __future__ import annotations

import base64
import html
import json
import quopri
import re
from typing import Final
from urllib.parse import quote

from tests.kifu_core.mutations.kinds import (
    ALL,
    KAKINOKI,
    REFUSED,
    REPORTED,
    SAME_GAME,
    SAME_MOVES,
    Change,
    each_line,
    kind,
    put,
    table,
)  # fmt: skip

BLANKS: Final = {
    "no-break": "\u00a0", "narrow no-break": "\u202f", "figure": "\u2007", "thin": "\u2009", "en": "\u2002",
    "em": "\u2003", "hair": "\u200a", "mathematical": "\u205f", "ogham": "\u1680", "full-width": "　",
    "tab": "\t",
}  # fmt: skip
INVISIBLE: Final = {
    "zero-width blank": "\u200b", "zero-width non-joiner": "\u200c", "zero-width joiner": "\u200d",
    "word joiner": "\u2060", "byte order mark": "\ufeff", "soft hyphen": "\u00ad",
    "left-to-right mark": "\u200e", "embedding": "\u202a", "isolate": "\u2068",
    "variation selector": "\ufe0f",
}  # fmt: skip
LINE_ENDS: Final = {
    "CR": "\r", "CR LF": "\r\n", "CR CR LF": "\r\r\n", "LF CR": "\n\r", "next line": "\x85",
    "line separator": "\u2028", "paragraph separator": "\u2029", "vertical tab": "\v", "form feed": "\f",
}  # fmt: skip
QUOTED: Final = ("> ", ">", ">> ", "> > ", "＞", "＞ ", "    ", "\t\t")
MARKED: Final = ("| ", "｜", ": ", "- ", "・", "* ", "// ", "≫ ", "■")


def in_play(old: str, new: str) -> Change:
    """Replace something on the lines of moves and of boards."""
    line = r"^(?: *[0-9]+ [^\n]|[▲△]|[-+%][0-9A-Z]| *\|)[^\n]*"
    return put(line, lambda match: re.sub(old, new, match[0]))


def in_usi(old: str, new: str) -> Change:
    """Replace something on the lines of USI."""
    return put(r"^(?:position|sfen)[^\n]*", lambda match: match[0].replace(old, new))


for name, char in BLANKS.items():
    kind("kif ki2 bod", f"{name} blanks within lines of moves and boards")(in_play(" ", char))
    kind("usi", f"{name} blanks between words")(in_usi(" ", char))
    kind(ALL, f"{name} blanks at line ends")(put(r"(?<=[^\s'*])$", char))
    kind(ALL, f"{name} blanks at line starts")(put(r"^(?=\S)", char))
for name, char in INVISIBLE.items():
    kind(ALL, f"a {name} at line ends")(put(r"(?<=\S)$", char))
    kind(ALL, f"a {name} at line starts")(put(r"^(?=\S)", char))
    kind("kif ki2 csa bod", f"a {name} before pieces")(in_play("(?=[歩香桂銀金角飛玉と]|[A-Z]{2}$)", char))
for name, end in LINE_ENDS.items():
    kind(ALL, f"lines that end with {name}")(put("\n", end))
for mark in QUOTED:
    kind(ALL, f"lines quoted by {mark!r}")(each_line(mark + "{line}"))
for mark in MARKED:
    kind(ALL, f"lines quoted by {mark!r}", REPORTED)(each_line(mark + "{line}"))

table(
    ALL,
    SAME_GAME,
    {
        "a blank line behind each line": put("\n", "\n\n"),
        "blank lines before": lambda text: "\n\n　\n" + text,
        "blank lines behind": lambda text: text + "\n \n\n",
        "no line end behind the last line": lambda text: text.rstrip("\n"),
        "Ctrl-Z behind the text": lambda text: text + "\x1a",
        "in quotation marks": lambda text: f'"{text.rstrip()}"\n',
        "as a string of JSON": json.dumps,
        "as a string of JSON that is not ASCII": lambda text: json.dumps(text, ensure_ascii=False),
        r"\n for line ends": put("\n", r"\\n"),
        r"\r\n for line ends": put("\n", r"\\r\\n"),
        r"\n before line ends": put("\n", "\\\\n\n"),
        "<br> for line ends": put("\n", "<br>"),
        "<br /> for line ends": put("\n", "<br />"),
        "<br> before line ends": put("\n", "<br>\n"),
        "each line in <p>": put("^(.+)$", r"<p>\1</p>"),
        "each line in <div>": put("^(.+)$", r"<div>\1</div>"),
        "in <pre>": lambda text: f"<pre>\n{html.escape(text)}</pre>\n",
        "a page of HTML": lambda text: (
            f"<html><head><title>x</title></head><body>\n<pre>\n{html.escape(text)}</pre>\n</body></html>\n"
        ),
        "&nbsp; for blanks": put(" ", "&nbsp;"),
        "entities for characters": lambda text: text.encode("ascii", "xmlcharrefreplace").decode(),
        "in a fence of Markdown": lambda text: f"```\n{text}```\n",
        "in [code]": lambda text: f"[code]\n{text}[/code]\n",
    },
)
table(
    ALL,
    REPORTED,
    {
        "line numbers of an editor": each_line("{number:6d}\t{line}"),
        "file names and line numbers of a search": each_line("a.kif:{number}:{line}"),
        "blanks for line ends": put("\n", " "),
        "nothing for line ends": put("\n", ""),
        "as an object of JSON": lambda text: json.dumps({"kif": text}),
        "in UTF-32": lambda text: text.encode("utf-32"),
    },
)


def in_address(text: str) -> str:
    return "https://example.org/?kif=" + quote(text)


kind(ALL, "base64", REFUSED)(lambda text: base64.encodebytes(text.encode()).decode())
kind("kif ki2 csa bod", "percent-encoding", REFUSED)(in_address)
kind("usi", "an address that holds a position and moves", REPORTED)(in_address)


@kind(KAKINOKI, "quoted-printable", REFUSED)
def quoted_printable(text: str) -> str:
    return quopri.encodestring(text.encode()).decode()


@kind(KAKINOKI, "blanks for line ends where there are no comments and variations", SAME_MOVES)
def on_one_line(text: str) -> str | None:
    return None if re.search(r"^[*&#]|^変化", text, re.MULTILINE) else text.replace("\n", " ")


for codec in ("utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp932", "euc_jp", "iso2022_jp", "gb18030"):

    @kind(ALL, f"in {codec}")
    def encoded(text: str, codec: str = codec) -> bytes | None:
        try:
            return None if text.isascii() and "utf" not in codec else text.encode(codec)
        except UnicodeEncodeError:
            return None


@kind(KAKINOKI, "in UTF-8 that was taken for Latin-1 and saved again")
def misread(text: str) -> str:
    return text.encode().decode("latin-1")
