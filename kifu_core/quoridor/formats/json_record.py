"""Our own JSON: a record as `schema/quoridor-record.schema.json` has it, or a list of such records."""

from __future__ import annotations

from kifu_core.deadline import watched
from kifu_core.decoding import Notes, Source
from kifu_core.errors import KifuError
from kifu_core.json_text import dump_json, note_error, values
from kifu_core.quoridor.formats.finish import Draft
from kifu_core.quoridor.record import Record, check, start
from kifu_core.record import ParsedGame


def load(source: Source, notes: Notes) -> list[ParsedGame]:
    """The games of a JSON text. What cannot be used goes to `notes`."""
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


def _draft(value: object, notes: Notes) -> Draft:
    raw = check(value)
    first, *entries = raw["moves"] or [{}]
    if "move" in first:
        entries.insert(0, first)
        first = {}
    return Draft(notes, raw["header"], start(raw), first.get("comments", []), entries)


def dump(record: Record, *, indent: int | None = None) -> str:
    """The record as JSON text; `indent` as json.dumps understands it."""
    return dump_json(record, indent=indent)
