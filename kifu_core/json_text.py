"""Records of any kind of game as JSON texts."""

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Final, NoReturn

from kifu_core.deadline import watched
from kifu_core.decoding import Notes
from kifu_core.errors import KifuError, ParseError

try:
    import orjson
except ImportError:
    orjson = None  # type: ignore[assignment]


_VALUE: Final = re.compile(r"[^\s,]")
_LINE: Final = re.compile(r"\S[^\n]*+")
_UNPRINTABLE: Final = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")
_ESCAPE: Final = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u(?:0000|[dD][89a-fA-F][0-9a-fA-F]{2}))|.)",
    re.DOTALL,
)
"""An escape in a JSON text; the group matches escapes of NUL and of lone surrogates."""


def values(notes: Notes) -> list[object]:
    """Return the records of the notes' source: one, those of a list, or none."""
    return [value for _, value in records(notes)]


def records(notes: Notes) -> list[tuple[int, object]]:
    """Return the records of the notes' source, each with the offset of its line.

    The text is one record, a list of records, or one record a line (JSON Lines); then each line that is not
    JSON becomes an issue. There are no records if the text is not JSON. Escapes of characters that no text
    can hold are replaced, as `decoding.clean_text` replaces the characters.
    """
    text, places = clean_escapes(notes.source.text)
    if places:
        notes.add("bad-characters", places[0], text=str(len(places)))
    try:
        return _records(parse_json(text), 0)
    except ParseError as error:
        if sequence := _sequence(text):
            return sequence
        if not any(_is_record(match[0]) for match in islice(_LINE.finditer(text), 2)):
            note_error(notes, error)
            return []
    return list(_records_of_lines(text, notes))


def _records(value: object, offset: int) -> list[tuple[int, object]]:
    """Return the records of a value; a string is JSON within JSON."""
    if isinstance(value, str):
        value = parse_json(value)
    return [(offset, one) for one in value] if isinstance(value, list) else [(offset, value)]


def _sequence(text: str) -> list[tuple[int, object]]:
    """Return the records of concatenated JSON texts; none if there is any other text between."""
    decoder = json.JSONDecoder(parse_constant=_refuse)
    result: list[tuple[int, object]] = []
    at = 0
    try:
        while match := _VALUE.search(text, at):
            value, at = decoder.raw_decode(text, match.start())
            if not isinstance(value, (dict, list)):
                return []
            result += _records(value, match.start())
    except (ValueError, RecursionError):
        return []
    return result


def _is_record(line: str) -> bool:
    try:
        value = parse_json(line)
    except ParseError:
        return False
    return isinstance(value, (dict, list)) and bool(value)


def _records_of_lines(text: str, notes: Notes) -> Iterator[tuple[int, object]]:
    for line in watched(_LINE.finditer(text)):
        try:
            yield from _records(parse_json(line[0]), line.start())
        except ParseError as error:
            notes.add(error.code, line.start() + (error.column or 1) - 1, "error", None, **error.params)
            if notes.more:
                return


def clean_escapes(text: str) -> tuple[str, list[int]]:
    """Return a JSON text with U+FFFD for escapes of NUL and lone surrogates, and their offsets. Linear."""
    if not _UNPRINTABLE.search(text):
        return text, []
    places = [match.start() for match in watched(_ESCAPE.finditer(text)) if match[1]]
    ends = [place + len(r"\ufffd") for place in places]
    pieces = (text[end:place] for end, place in zip([0, *ends], [*places, len(text)], strict=True))
    return r"\ufffd".join(pieces), places


def parse_json(text: str) -> object:
    """Return the value of a JSON text.

    Raises ParseError `json` with line and column, `jkf-depth` where it nests too deep.
    """
    try:
        value: object = json.loads(text, parse_constant=_refuse)
        return value
    except json.JSONDecodeError as error:
        raise ParseError("json", line=error.lineno, column=error.colno, params={"text": error.msg}) from error
    except RecursionError as error:
        raise ParseError("jkf-depth", params={"path": "$"}) from error
    except ValueError as error:  # an integer of thousands of digits, or a constant that JSON has not
        raise ParseError("json", params={"text": str(error)[:80]}) from error


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def note_error(notes: Notes, error: KifuError, offset: int = 0) -> None:
    """Add an error as an issue; an error without a line gets the offset."""
    if error.line is not None:
        lines = notes.source.text.split("\n")
        offset = sum(len(line) + 1 for line in lines[: error.line - 1]) + (error.column or 1) - 1
    notes.add(error.code, offset, "error", error.ply, **error.params)


def dump_json(record: object, *, indent: int | None = None) -> str:
    """Return a record of any game as JSON text.

    If orjson is installed (the server needs it), it writes the same text five times as fast.
    """
    if orjson is not None and indent is None:
        try:
            return orjson.dumps(record).decode()
        except TypeError:  # an integer beyond 64 bits, or half a surrogate pair
            pass
    separators = (",", ":") if indent is None else None
    return json.dumps(record, ensure_ascii=False, indent=indent, separators=separators)
