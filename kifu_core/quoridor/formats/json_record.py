"""Our own JSON: a record as `schema/quoridor-record.schema.json` has it, or a list of such records."""

import re
from typing import Final

from kifu_core.deadline import watched
from kifu_core.decoding import Notes, Source
from kifu_core.errors import KifuError
from kifu_core.formats import Format, Mark, Stage, Writer
from kifu_core.json_text import dump_json, note_error, values
from kifu_core.quoridor.formats.finish import QuoridorDraft
from kifu_core.quoridor.formats.parts import endings_without_name
from kifu_core.quoridor.record import check, start
from kifu_core.record import ParsedGame


def load(source: Source, notes: Notes) -> list[ParsedGame]:
    """Read the games of a JSON text. Unusable values become issues in `notes`."""
    games: list[ParsedGame] = []
    for one in watched(values(notes)):
        try:
            draft = _draft(one, Notes(source))
        except KifuError as error:
            note_error(notes, error)
            continue
        game = draft.finish(len(games))
        if game is None:
            draft.give_up(notes)
        else:
            games.append(game)
    return games


def _draft(value: object, notes: Notes) -> QuoridorDraft:
    raw = check(value)
    first, *entries = raw["moves"] or [{}]
    if "move" in first:
        entries.insert(0, first)
        first = {}
    return QuoridorDraft(notes, raw["header"], start(raw), first.get("comments", []), entries)


_OURS: Final = re.compile(r'(?<!\\)"(?:game|kind)"\s{0,99}:\s{0,99}"quoridor"')
_JSON: Final = re.compile(r"""\s*+(?:\{\s*+["}]|\[\s*+[\[\]{"])""")
"""The beginning of JSON; tags and comments in braces begin differently."""


def is_json(text: str) -> bool:
    """Return whether a text begins as JSON does."""
    return _JSON.match(text) is not None


def _is_ours(text: str, name: str) -> bool:
    # The plain word first: searching shogi's JSON for an expression costs a tenth of its reading.
    return is_json(text) and '"quoridor"' in text and _OURS.search(text) is not None


_FILE: Final = Writer(
    "json", dump_json, is_json=True, options=["indent"], lost=["ending"], lost_endings=endings_without_name
)
FORMAT: Final = Format("json", load, [Mark(Stage.WHOLE, _is_ours, "marker")], [_FILE])
