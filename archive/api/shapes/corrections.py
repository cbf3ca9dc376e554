"""Corrections of games and their history."""

from datetime import datetime
from typing import Annotated, Any

from archive.curation.batch_edits import GROUPS, KINDS
from archive.derive.operations import OPERATIONS
from archive.models import Correction, CorrectionBatch, CorrectionEvent
from archive.shapes.common import About, Address, JSONObject, NextUrl, Number, SpaceName


class CorrectionEventInfo(JSONObject):
    """A step in the history of a correction."""

    event: Annotated[str, About(title="CorrectionEvent", enum=CorrectionEvent.Event.values)]
    at: datetime
    account: Annotated[str | None, About("Null for strangers, and for a step that the archive took.")]
    text: str


class CorrectionInfo(JSONObject):
    """A correction of a game, a player, an event or a place: typed operations. Those of a game apply in order
    to the union of its editions."""

    id: Number
    url: Address
    game_id: Number | None
    player_id: Number | None
    event_id: Number | None
    place_id: Number | None
    space: SpaceName
    state: Annotated[str, About(title="CorrectionState", enum=Correction.State.values)]
    number: Annotated[int | None, About("The place in the order of application; null if it never applied.")]
    operations: Annotated[
        list[dict[str, Any]],
        About(
            f"Objects with `op`, one of {', '.join(OPERATIONS)}, and the values before and after. Those of "
            "names are field, merge, spelling, split and take-down."
        ),
    ]
    failed_operation: Annotated[int | None, About("The index of the operation that cannot be applied.")]
    reason: str
    author: Annotated[str | None, About("Null for strangers.")]
    made: datetime
    due: Annotated[datetime | None, About("When it applies unless somebody objects.")]
    events: list[CorrectionEventInfo]
    may: Annotated[list[str], About("The actions that the visitor may take.")]


class Corrections(JSONObject):
    """Corrections of one game, in the order of application, then the others."""

    results: list[CorrectionInfo]


class CorrectionsPage(JSONObject):
    """A page of corrections, the latest first."""

    results: list[CorrectionInfo]
    next_url: NextUrl


class GameVersion(JSONObject):
    """A state of a game."""

    game_id: Number
    number: Annotated[int, About("The number of the last correction in it; 0 is the union of editions.")]
    record: Annotated[dict[str, Any], About("JKF.")]


class RestoredVersion(JSONObject):
    """A state of a game that was restored."""

    game_id: Number
    undone: Annotated[int, About("Corrections that were undone.")]


class RestoredGame(JSONObject):
    """A game that was taken down and restored."""

    game_id: Number
    game_url: Address


class BatchEditInfo(JSONObject):
    """An edit of each game of a batch."""

    kind: Annotated[str, About(title="BatchEditKind", enum=[*KINDS])]
    header: Annotated[str, About("A header, or one of " + ", ".join(GROUPS) + ".")]
    old: str
    new: str


class PreviewedGame(JSONObject):
    """A game with the operations that an edit means for it."""

    game_id: Number
    operations: list[dict[str, Any]]


class CorrectionBatchPreview(JSONObject):
    """What an edit of all games of a search would do."""

    games: Annotated[int, About("Games of the search.")]
    fitting: Annotated[list[PreviewedGame], About("Those of the first games that would change.")]
    others: Annotated[list[int], About("Those of the first games that would not.")]


class CorrectionBatchInfo(JSONObject):
    """An edit of all games of a search."""

    id: Number
    url: Address
    space: SpaceName
    state: Annotated[str, About(title="CorrectionBatchState", enum=CorrectionBatch.State.values)]
    filters: Annotated[dict[str, Any], About("The search: parameters of `GET games`.")]
    edit: BatchEditInfo
    reason: str
    author: str
    made: datetime
    games: Annotated[int, About("Games of the search when the batch was made.")]
    done: Annotated[int, About("Games that were examined, or examined again to undo the edit.")]
    corrected: Annotated[int, About("Games that were corrected.")]


class CorrectionBatches(JSONObject):
    """The latest batches."""

    results: list[CorrectionBatchInfo]
