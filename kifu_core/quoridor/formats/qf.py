"""qf_codes in files, mails and pages: one code or many.

A code is on a line of its own, in the attribute `data-qfcode` of a page, or as the value of `qfcode` or
`code` in JSON. A line may have a label and a tab before its code. Mail programs break long codes: a truncated
code continues on the next lines. Characters outside the alphabet are dropped with a warning, as the free
board promises, also quotation marks of mails and the `=` that mail programs add at the ends of lines.
"""

import re
from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import Final, NamedTuple
from urllib.parse import unquote

from kifu_core.cutting import cutter
from kifu_core.deadline import check_time, watched
from kifu_core.decoding import Notes, Source
from kifu_core.errors import DecodeError
from kifu_core.formats import Format, Mark, Stage, Writer
from kifu_core.limits import most_games
from kifu_core.quoridor import qf_code
from kifu_core.quoridor.formats.finish import QuoridorDraft
from kifu_core.quoridor.formats.headers import LABEL, TITLE
from kifu_core.quoridor.formats.json_record import is_json
from kifu_core.quoridor.formats.parts import all_endings
from kifu_core.quoridor.qf_code import QfCode
from kifu_core.quoridor.record import QuoridorEntry, QuoridorRecord, start
from kifu_core.quoridor.replay import main_moves, move_objects, position_at
from kifu_core.record import ParsedGame

QUOTED: Final = re.compile(
    r"""(?:data-qfcode[ \t]{0,9}=[ \t]{0,9}|"(?:qfcode|code)"[ \t]{0,9}:[ \t]{0,9})"""
    r"""(?:"([^"\n]{0,2000})"|'([^'\n]{0,2000})')"""
)
"""A code in a page or in JSON."""

_WORD: Final = re.compile(
    r"(?<![A-Za-z0-9+/%])(?>(?:[A-Za-z0-9+/]|%2[BbFf]){8,712})(?>(?:=|%3[Dd]){0,5})(?![A-Za-z0-9+/%=_-])"
)
"""A word that may be a code, also in a URL, which escapes `+`, `/` and `=`."""
_RUN: Final = re.compile(r"[^A-Za-z0-9+/]{0,20}+[A-Za-z0-9+/]\S*+\s*+")
"""A line without blanks inside, after quotation marks of mails; characters in it may be dropped."""

_LABEL: Final = re.compile(r"[^\t\n]{1,200}\t")
_MOST_LINES: Final = 24
"""Lines of which a code is joined; the lines of mails have at least 60 characters."""
_LIKELY: Final = 8
"""Length from which even a damaged code is taken for one."""
_MOST_JOINED: Final = 50_000
"""Characters of a source that are read again while lines are joined."""


class CodeSpot(NamedTuple):
    """A part of a text that is a code or should be one: its offset, the text, the label before it.

    `prose` marks a line that is not meant as a code; `code` is the content of a valid one.
    """

    offset: int
    text: str
    label: str = ""
    prose: bool = False
    code: QfCode | None = None


def load(source: Source, notes: Notes) -> list[ParsedGame]:
    """Read the games and positions of all codes of a text, in order.

    Other text becomes an issue of the source.
    """
    games: list[ParsedGame] = []
    limit = most_games(source.text)
    for spot in _code_spots(source.text):
        check_time()
        if len(games) == limit:
            notes.add("too-many-games", spot.offset, "error", limit=limit)
            break
        if spot.prose:
            notes.add("unknown-line", spot.offset, text=spot.text.strip()[:40], expected="qf_code")
            continue
        try:
            draft = _draft(spot, Notes(source))
        except DecodeError as error:
            column = (error.column or 1) - 1
            notes.add(error.code, spot.offset + column, "error", error.ply, **error.params)
            continue
        if (game := draft.finish(len(games))) is not None:
            games.append(game)
    return games


def _code_spots(text: str) -> Iterator[CodeSpot]:
    quoted = [
        CodeSpot(match.start(match.lastindex or 1), unquote(match[match.lastindex or 1]))
        for match in QUOTED.finditer(text)
    ]
    if quoted:
        yield from quoted
        return
    lines = _lines(text)
    at, left = 0, _MOST_JOINED
    while at < len(lines):
        spots, taken, joined = _code_of(lines, at, left)
        yield from spots
        at, left = at + taken, left - joined


def _lines(text: str) -> list[CodeSpot]:
    lines, offset = [], 0
    for line in watched(text.split("\n")):
        if line and not line.isspace():
            lines.append(CodeSpot(offset, line))
        offset += len(line) + 1
    return lines


def _code_of(lines: list[CodeSpot], at: int, most: int) -> tuple[list[CodeSpot], int, int]:
    """Return the codes that begin in a line, the number of their lines, and of the characters read again.

    At `most` such characters, no further line is joined.
    """
    offset, text = lines[at][:2]
    label = _LABEL.match(text)
    if label is not None:
        offset, text = offset + label.end(), text[label.end() :]
    title = label[0].strip() if label else ""
    joined, reread, run = text, 0, _RUN.fullmatch(text) is not None
    read = _read(joined, dropping=run)
    for count in range(1, _MOST_LINES + 1):
        if isinstance(read, QfCode):
            code = read if qf_code.drop_strange(joined)[1] == 0 else None
            return [CodeSpot(offset, joined, title, code=code)], count, reread
        following = lines[at + count].text if at + count < len(lines) else ""
        goes_on = _RUN.fullmatch(following) is not None
        if read != "truncated" or not following or reread >= most:
            break
        if isinstance(_read(following, dropping=goes_on), QfCode):
            break
        joined, run = joined + following, run and goes_on
        reread += len(joined)
        read = _read(joined, dropping=run)
    valid = [CodeSpot(offset + at, word, title) for at, word in words_in(text) if fault_of(word) is None]
    prose = not any(map(looks_coded, text.split())) and not is_mended(text)
    return valid or [CodeSpot(offset, text, title, prose)], 1, reread


def words_in(text: str) -> Iterator[tuple[int, str]]:
    """Yield the words of a text that may be codes, with their offsets."""
    return ((match.start(), unquote(match[0])) for match in _WORD.finditer(text))


def looks_coded(word: str) -> bool:
    """Return whether a word mixes lower case with capitals or digits after its first letter, unlike prose."""
    odd = sum(not character.islower() for character in word[1:])
    return len(word) >= _LIKELY and word.isascii() and 1 < odd < len(word) - 1


def is_mended(text: str) -> bool:
    """Return whether a text is a code once characters outside the alphabet are dropped."""
    code, _ = qf_code.drop_strange(text)
    return looks_coded(code) and fault_of(code) is None


def fault_of(text: str) -> str | None:
    """Return the code of a qf_code's error, None for a valid one."""
    read = _read(text)
    return None if isinstance(read, QfCode) else read


def _read(text: str, *, dropping: bool = False) -> QfCode | str:
    """Return the code, or the code of the error; `dropping` ignores characters outside the alphabet."""
    try:
        return qf_code.decode(text)
    except DecodeError as error:
        if not dropping or error.code != "bad-char":
            return error.code
    code, _ = qf_code.drop_strange(text)
    return _read(code) if looks_coded(code) else "bad-char"


def _draft(spot: CodeSpot, notes: Notes) -> QuoridorDraft:
    try:
        code = spot.code or qf_code.decode(spot.text)
    except DecodeError as error:
        text, dropped = qf_code.drop_strange(spot.text)
        if error.code != "bad-char" or fault_of(text) is not None:
            raise
        code = qf_code.decode(text)
        notes.add("dropped-characters", spot.offset, count=dropped)
    code = qf_code.normalized(code)
    # Replaying finds again what decoding has noted of moves and paths.
    for issue in code.issues:
        if issue.code not in qf_code.TOLERATED:
            notes.add(issue.code, spot.offset, "warning", issue.ply, **issue.params)
    state = code.start()
    entries: list[QuoridorEntry] = [{"move": move} for move in move_objects(state.position, code.moves or ())]
    header = {TITLE: spot.label} if spot.label else {}
    line = notes.source.place(spot.offset)[0]
    return QuoridorDraft(
        notes, header, state, entries=entries, offsets=partial(_offsets, spot, entries), first_line=line
    )


def _offsets(spot: CodeSpot, entries: list[QuoridorEntry]) -> dict[int, int]:
    return {id(entry): spot.offset for entry in entries}


def code_of(record: QuoridorRecord) -> QfCode:
    """Return the start and the main line of a record as a code in its normal form."""
    moves = main_moves(record)
    state = start(record)
    return qf_code.normalized(QfCode(state, tuple(moves)))


def dump(record: QuoridorRecord, *, ply: int | None = None) -> str:
    """Return the main line as one code; with `ply`, the snapshot of a position.

    A record without moves is a snapshot of its start. Raises KifuError `too-many-plies`, `turn-range`,
    `no-such-ply`.
    """
    if ply is None and main_moves(record):
        return qf_code.encode(code_of(record)) + "\n"
    return qf_code.encode(QfCode(position_at(record, ply)[1], None)) + "\n"


_CODE_LINE: Final = re.compile(
    r"^(?:[^\t\n]{1,200}\t)?[ \t>|＞｜│]{0,20}([A-Za-z0-9+/\u00ad\u200b-\u200d\u2060\ufeff]{2,712}+)"
    r"={0,3}+[ \t\r]{0,20}$",
    re.MULTILINE,
)
_LINES: Final = 50
"""Lines, words and quoted texts that are tried as codes."""


def _has_quoted(text: str, name: str) -> bool:
    """Return whether a page or JSON holds codes; the value of a plain `"code"` has to be valid."""
    if "qfcode" not in text and '"code"' not in text:
        return False
    for match in islice(QUOTED.finditer(text), _LINES):
        if "qfcode" in match[0] or fault_of(match[1] or match[2] or "") is None:
            return True
    return False


def _has_code(text: str, name: str) -> bool:
    """Return whether a line, a word or the whole text, broken into lines, is a code.

    The last attempt ignores characters outside the alphabet.
    """
    if is_json(text):
        return False
    for number, match in enumerate(_CODE_LINE.finditer(text)):
        if number == _LINES:
            break
        code, _ = qf_code.drop_strange(match[1])
        if fault_of(code) in (None, "truncated" if looks_coded(code) else None):
            return True
    words = (word for _, word in islice(words_in(text), _LINES))
    if any(looks_coded(word) and fault_of(word) is None for word in words):
        return True
    beginning = text[: 2 * qf_code.LONGEST]
    if fault_of(beginning) is None or is_mended(beginning):
        return True
    return any(is_mended(line) for line in beginning.split("\n", _LINES)[:_LINES])


def _begins_game(line: bytes, before: bytes, depth: int) -> bool:
    text = line.decode("utf-8", "replace").rstrip("\r\n")
    label = LABEL.match(text)
    return fault_of(text[label.end() if label else 0 :]) is None


def _is_called(text: str, name: str) -> bool:
    return name.lower().endswith((".qf", ".qfcode")) and not is_json(text)


_FILE: Final = Writer(
    "qf",
    dump,
    title="qf_code",
    options=["ply"],
    copied=True,
    lost=["headers", "times", "comments", "forks", "ending"],
    lost_endings=all_endings,
)
_MARKS: Final = [
    Mark(Stage.JSON, _has_quoted, "quoted"),
    Mark(Stage.LINE, _has_code, "codes"),
    Mark(Stage.NAME, _is_called, "name"),
]
FORMAT: Final = Format("qf", load, _MARKS, [_FILE], cutter(_begins_game))
