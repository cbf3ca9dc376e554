"""Move lists: `1. e2 e8 2. e3h e7`. This module writes, detects and splits them; `read_alg` reads them.

The output has tags, then numbered moves with comments in braces and forks in parentheses.
"""

import re
from collections.abc import Iterator
from typing import Final

from kifu_core.cutting import cutter
from kifu_core.deadline import watched
from kifu_core.decoding import BREAKS
from kifu_core.formats import Format, Mark, Stage, Writer
from kifu_core.quoridor import endings, qf_code
from kifu_core.quoridor.formats.headers import LABEL, RESULT, START, header_of, tag_of
from kifu_core.quoridor.formats.json_record import is_json
from kifu_core.quoridor.formats.parts import endings_without_name
from kifu_core.quoridor.formats.read_alg import (
    AROUND,
    JSON_LIST,
    LIST,
    SINGLE,
    START_TAG,
    is_list_of_lines,
    load,
)
from kifu_core.quoridor.notation import FIRST_STEPS, MOVE
from kifu_core.quoridor.position import QuoridorPosition
from kifu_core.quoridor.qf_code import QfCode, QfState
from kifu_core.quoridor.record import QuoridorEntry, QuoridorMove, QuoridorRecord, from_jkf, start
from kifu_core.quoridor.replay import main_line
from kifu_core.quoridor.width import narrow

_WIDTH: Final = 100
_NO_NAME: Final = re.compile(r"""["\[\]]|^[\s{]|(?<=.{39}).+|\s$""" + f"|{BREAKS.pattern}", re.DOTALL)


def dump(record: QuoridorRecord) -> str:
    """Return the record as a move list; reading it back loses only times.

    A game won on the board ends with its result, as a game with an ending does.
    """
    state = start(record)
    tags = [f'[{_tag(name)} "{_escaped(value)}"]' for name, value in record["header"].items()]
    if state != QfState(QuoridorPosition.initial()):
        tags.append(f'[{START} "{qf_code.encode(QfCode(state, None))}"]')
    first, *entries = record["moves"] or [{}]
    words = [*_comments(first), *_line(entries, 1, state.position.turn), *_result(record)]
    return "\n".join([*tags, "", ""] if tags else []) + _folded(words)


def _tag(header: str) -> str:
    name = _NO_NAME.sub("_", tag_of(header)) or "_"
    return name + "_" if name in (START, RESULT) else name


def _escaped(value: str) -> str:
    return " ".join(value.splitlines()).replace("\\", "\\\\").replace('"', '\\"')


def written_headers(record: QuoridorRecord) -> dict[str, str]:
    """Return the headers as they are read again.

    They have the names of their tags, and texts without line breaks and blanks around them.
    """
    headers: dict[str, str] = {}
    for name, value in record["header"].items():
        tag, text = _tag(name), " ".join(value.splitlines()).strip()
        if text.strip("?. -"):
            headers[header_of(tag)] = text.replace(".", "/") if tag.lower() == "date" else text
    return headers


def _result(record: QuoridorRecord) -> Iterator[str]:
    for _, position, _, _ in main_line(record):
        if (won := position.winner()) is not None:
            yield endings.WON[won].words[0]
            return


def _line(entries: list[QuoridorEntry], ply: int, first_turn: int) -> Iterator[str]:
    """Yield the words of a line and its forks.

    `ply` is that of the first move, `first_turn` the colour that moves at ply 1. Recursive, at most
    `jkf.FORK_LEVELS` deep.
    """
    numbered = False
    for entry in watched(entries):
        if "move" in entry:
            half = ply + first_turn - 1
            if half % 2 == 0:
                yield f"{half // 2 + 1}."
            elif not numbered:
                yield f"{half // 2 + 1}..."
            yield name_of(entry["move"])
            numbered = True
        elif "special" in entry:
            yield endings.BY_SPECIAL[entry["special"]].words[0]
        for word in _comments(entry):
            yield word
            numbered = False
        for fork in entry.get("forks", ()):
            words = list(_line(fork, ply, first_turn))
            if words:
                yield "(" + words[0]
                yield from words[1:]
                yield ")"
                numbered = False
        ply += "move" in entry


def name_of(move: QuoridorMove) -> str:
    """Return a move of a record as it is written."""
    return move["wall"] if "wall" in move else move["to"]


def _comments(entry: QuoridorEntry) -> Iterator[str]:
    """Yield the comments of an entry: in braces, or on lines of their own after `;`.

    Comments that hold a closing brace, begin with a quotation mark or are blank need lines. Tabs become
    blanks: text before a tab at the beginning of a line is the label of a list. Empty comments are
    left out: a text that begins with empty braces, or with a brace and a quotation mark, is JSON.
    """
    comments = (text.replace("\t", " ").strip(AROUND) for text in entry.get("comments", ()))
    for comment in filter(None, comments):
        if "}" not in comment and comment.lstrip()[:1] not in ("", '"'):
            yield "{" + comment + "}"
        else:
            yield from (f";{line}\n" for line in comment.splitlines())


def _folded(words: list[str]) -> str:
    lines = [""]
    for word in watched(words):
        if lines[-1] and len(lines[-1]) + len(word) >= _WIDTH:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word.rstrip("\n")
        if word.endswith("\n"):
            lines.append("")
    return "\n".join(lines).rstrip("\n") + "\n"


def _is_list(text: str, name: str) -> bool:
    if is_json(text):
        return JSON_LIST.match(text) is not None
    text = narrow(text)
    return bool(LIST.search(text) or SINGLE.fullmatch(text[:100]) or START_TAG.search(text))


_STEP_FIRST: Final = re.compile(
    rf"(?:\s*+\[[^\n]{{0,400}}+\n){{0,40}}\s*+(?:1[ \t]?[.:)]|[(\[]1[)\]])?[ \t]*+"
    rf"(?a:p(?:{'|'.join(FIRST_STEPS)}))(?![\w-])",
    re.IGNORECASE,
)


def begins_with_step(text: str) -> bool:
    """Return whether the first move of a list is a step of White's pawn from its start, with P before it."""
    return _STEP_FIRST.match(text) is not None


_NUMBER_ONE: Final = re.compile(
    rf"[ \t]*+(?:1[ \t]?[.:]|(?:1[ \t]|1[ \t]?\)|[(\[]1[)\]])(?=[ \t]*+{MOVE}))", re.IGNORECASE
)
_TAG_LINE: Final = re.compile(r'\s*+\[[ \t]*+[^\s"\[\]][^"\[\]]{0,39}[ \t]"')
"""The beginning of a tag, which is no number in brackets and no list in JSON."""
_MOVES: Final = re.compile(rf"[ \t]*+{MOVE}(?:[ \t,]++{MOVE}(?![\w-])){{2}}", re.IGNORECASE)


def _begins_game(line: bytes, before: bytes, depth: int) -> bool:
    """Return whether a line begins a game; inside comments and forks only tags do."""
    text, last = (narrow(one.decode("utf-8", "replace")).rstrip("\r\n") for one in (line, before))
    if _TAG_LINE.match(last):
        return False
    if depth or _TAG_LINE.match(text):
        return _TAG_LINE.match(text) is not None
    if LABEL.match(text) or _NUMBER_ONE.match(text):
        return True
    return _MOVES.match(text) is not None and is_list_of_lines(text, last)


_FILE: Final = Writer(
    "alg",
    dump,
    title="List of moves",
    title_ja="指し手の一覧",
    copied=True,
    lost=["headers", "times", "ending"],
    kept_headers=lambda record: dict.fromkeys(record["header"], "") | written_headers(from_jkf(record)),
    lost_endings=endings_without_name,
)
FORMAT: Final = Format("alg", load, [Mark(Stage.ROW, _is_list)], [_FILE], cutter(_begins_game))
