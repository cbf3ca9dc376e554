"""JKF itself: JSON text, normalized or minimal, to games and back."""

import json
import re
from typing import Final

from kifu_core.deadline import watched
from kifu_core.decoding import Notes, Source
from kifu_core.errors import IllegalMoveError, ParseError
from kifu_core.formats import Format, Mark, Stage, Writer
from kifu_core.json_text import dump_json, note_error, records
from kifu_core.record import Ending, ParsedGame
from kifu_core.shogi import specials
from kifu_core.shogi.check_jkf import check
from kifu_core.shogi.classify import record_kind
from kifu_core.shogi.formats.endings import JkfEndings
from kifu_core.shogi.normalize import complete_record
from kifu_core.shogi.start import start_position


def load(source: Source, notes: Notes) -> list[ParsedGame]:
    """Return the games of a JKF text: a record, a list of records, or one a line.

    Unusable values become issues in `notes`.
    """
    games: list[ParsedGame] = []
    for offset, one in watched(records(notes)):
        try:
            games.append(_game(one, Notes(source), len(games), offset))
        except (ParseError, IllegalMoveError) as error:
            note_error(notes, error, offset)
    return games


def _game(value: object, notes: Notes, index: int, offset: int) -> ParsedGame:
    raw = check(value)
    replayed, record = complete_record(raw, limits=notes.source.limits)
    record["moves"] = record["moves"] or [{}]
    drawn = "data" in record.get("initial", {})
    if replayed.cuts and not replayed.entries and not drawn:
        cause = next(finding for finding in replayed.findings if finding.severity == "error")
        raise IllegalMoveError(cause.code, ply=cause.ply, params=cause.params)
    for finding in replayed.findings:
        notes.add(finding.code, None, finding.severity, finding.ply, **finding.params)
    notes.more += replayed.more
    position = start_position(record.get("initial"))
    unread = [json.dumps(line.source_entries[index:], ensure_ascii=False) for line, index in replayed.cuts]
    unread += replayed.left_out
    ending: Ending | None = None
    if replayed.ending is not None:
        step, ply, turn = replayed.ending
        ending = specials.ending(step.word, step.special, ply, turn, problem=drawn)
    return ParsedGame(
        record=record,
        record_kind=record_kind(record, position, ending, sum("forks" in entry for entry in record["moves"])),
        ending=ending,
        issues=notes.all(),
        unread="\n".join(unread),
        index=index,
        first_line=notes.source.place(offset)[0] if offset else 1,
    )


_FILE: Final = Writer(
    "jkf",
    dump_json,
    is_json=True,
    options=["indent"],
    lost=["fractions", "ending"],
    lost_endings=JkfEndings().lost,
)
_BEGINS: Final = re.compile(r"\s*+(?:\{\s*+(?:[A-Za-z_\"'}]|\Z)|\[\s*+(?:[\[\]{\"'0-9-]|\Z)|\"\{\\\")")
"""An object, a list, or JSON in a string of JSON; a text that begins with `[Event` has tags."""

_MARK: Final = Mark(Stage.JSON, lambda text, name: _BEGINS.match(text) is not None, "json")
FORMAT: Final = Format("jkf", load, [_MARK], [_FILE])
