"""Records of any kind of game as JSON texts."""

import json
import re
from typing import Final, NoReturn

from kifu_core.deadline import watched
from kifu_core.decoding import Notes
from kifu_core.errors import KifuError, ParseError

try:
    import orjson
except ImportError:
    orjson = None  # type: ignore[assignment]


_UNPRINTABLE: Final = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")
_ESCAPE: Final = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u(?:0000|[dD][89a-fA-F][0-9a-fA-F]{2}))|.)",
    re.DOTALL,
)
"""An escape in a JSON text; the group is one that stands for NUL or for half of a surrogate pair alone."""


def values(notes: Notes) -> list[object]:
    """Return the records of the JSON text that the notes are about: one, those of a list, or none.

    There are none if it is no JSON. Escapes for what no text can hold are replaced, as `decoding.clean_text`
    replaces the characters themselves.
    """
    text, places = clean_escapes(notes.source.text)
    if places:
        notes.add("bad-characters", places[0], text=str(len(places)))
    try:
        value = parse_json(text)
    except ParseError as error:
        note_error(notes, error)
        return []
    return value if isinstance(value, list) else [value]


def clean_escapes(text: str) -> tuple[str, list[int]]:
    """Return a JSON text without escapes of NUL and lone surrogates, and the places where they stood.

    Escapes of U+FFFD stand there instead, so that the text keeps its length. Linear.
    """
    if not _UNPRINTABLE.search(text):
        return text, []
    places = [match.start() for match in watched(_ESCAPE.finditer(text)) if match[1]]
    ends = [place + len(r"\ufffd") for place in places]
    kept = (text[end:place] for end, place in zip([0, *ends], [*places, len(text)], strict=True))
    return r"\ufffd".join(kept), places


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


def note_error(notes: Notes, error: KifuError) -> None:
    """Note an error as an issue; one without a line is put on the first line of the source."""
    offset = 0
    if error.line is not None:
        lines = notes.source.text.split("\n")
        offset = sum(len(line) + 1 for line in lines[: error.line - 1]) + (error.column or 1) - 1
    notes.add(error.code, offset, "error", error.ply, **error.params)


def dump_json(record: object, *, indent: int | None = None) -> str:
    """Return a record of any kind of game as JSON text.

    orjson, where it is installed (the server needs it), writes the same text five times as fast.
    """
    if orjson is not None and indent is None:
        try:
            return orjson.dumps(record).decode()
        except TypeError:  # an integer beyond 64 bits, or half a surrogate pair
            pass
    separators = (",", ":") if indent is None else None
    return json.dumps(record, ensure_ascii=False, indent=indent, separators=separators)
