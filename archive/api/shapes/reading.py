"""What was read without being stored."""

from typing import Annotated, Any, NotRequired, TypedDict

from archive.api.shapes.common import _FORMATS, Issue, Number, RecordKind, Which
from archive.api.telling import About
from archive.queries.games.filters import PRESETS


class ConvertedRecord(TypedDict):
    """A game in another format: text, or an object where the format is JSON."""

    record: str | dict[str, Any]
    losses: Annotated[list[Issue], About("What the format cannot hold.")]
    issues: list[Issue]


class ReadRecords(TypedDict):
    """What was read."""

    game: Which
    formats: Annotated[list[str], About("The formats in which records of this game can be written.")]
    encoding: str
    format: str
    program: str
    issues: list[Issue]


class Converted(ReadRecords):
    """Records in another format."""

    to: Annotated[str, About("The format.", title="FormatName", enum=_FORMATS)]
    games: list[ConvertedRecord]


class CheckedRecord(TypedDict):
    """What a record holds, and everything that is wrong with it."""

    record_kind: RecordKind
    header: dict[str, str]
    plies: Number
    preset: Annotated[str, About("A handicap.", title="Preset", enum=[*PRESETS])]
    special: Annotated[str | None, About("JKF's name of the ending.")]
    ending: Annotated[str | None, About("The ending as the record has it.")]
    winner: Annotated[int | None, About("A colour.", minimum=0, maximum=1)]
    final_sfen: NotRequired[Annotated[str, About("For games that have SFEN.")]]
    final_code: NotRequired[Annotated[str, About("For games that have only codes.")]]
    issues: list[Issue]


class Checked(ReadRecords):
    """Records and their faults."""

    games: list[CheckedRecord]
