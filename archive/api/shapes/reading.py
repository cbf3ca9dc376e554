"""Records that were read without being stored."""

from typing import Annotated, Any

from msgspec import UNSET

from archive.queries.games.filters import PRESETS
from archive.shapes.common import (
    About,
    FormatName,
    GameName,
    IssueInfo,
    JSONObject,
    Number,
    Omittable,
    RecordKind,
)


class ConvertedRecord(JSONObject):
    """A game in another format: text, or an object where the format is JSON."""

    record: str | dict[str, Any]
    losses: Annotated[list[IssueInfo], About("Parts that the format cannot hold.")]
    issues: list[IssueInfo]


class ReadRecords(JSONObject):
    """Records that were read."""

    game: GameName
    formats: Annotated[list[str], About("The formats in which records of this game can be written.")]
    encoding: str
    format: str
    program: str
    issues: list[IssueInfo]


class Converted(ReadRecords):
    """Records in another format."""

    to: FormatName
    games: list[ConvertedRecord]


class CheckedRecord(JSONObject, kw_only=True):
    """The contents of a record, and its errors."""

    record_kind: RecordKind
    header: dict[str, str]
    plies: Number
    preset: Annotated[str, About("A handicap.", title="Preset", enum=[*PRESETS])]
    special: Annotated[str | None, About("JKF's name of the ending.")]
    ending: Annotated[str | None, About("The ending as the record has it.")]
    winner: Annotated[int | None, About("A colour.", minimum=0, maximum=1)]
    final_sfen: Omittable[Annotated[str, About("For games that have SFEN.")]] = UNSET
    final_code: Omittable[Annotated[str, About("For games that have only codes.")]] = UNSET
    issues: list[IssueInfo]


class Checked(ReadRecords):
    """Records and their errors."""

    games: list[CheckedRecord]
