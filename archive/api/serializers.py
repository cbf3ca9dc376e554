"""Parameters and bodies of requests."""

from typing import Any, ClassVar, Final, cast

from rest_framework import serializers

from archive.api.fields import (
    ChoiceField,
    CursorField,
    DayField,
    FlagField,
    FormationNameField,
    FormFileField,
    IdsField,
    LimitedListField,
    LimitField,
    RawTextField,
    RecordField,
    TextField,
    WholeNumberField,
    number_schema,
)
from archive.api.pagination import DEFAULT_GAMES, LARGEST_PAGE, MOST_PLIES, NAMES, PAGE, PLIES
from archive.collections.errors import MOST_COLLECTIONS
from archive.curation.batch_edits import GROUPS as HEADER_GROUPS
from archive.curation.batch_edits import KINDS as EDIT_KINDS
from archive.curation.batch_edits import LONGEST as LONGEST_TEXT
from archive.curation.corrections import ACTIONS as CORRECTION_ACTIONS
from archive.curation.corrections import REASON_LENGTH
from archive.derive.name_operations import MOST_OPERATIONS as MOST_NAME_OPERATIONS
from archive.derive.operations import MOST_OPERATIONS
from archive.libraries import MEMBERS
from archive.models import LARGEST_ID, Collection, Correction, Follow
from archive.names.kana_readings import LATIN, ROWS
from archive.queries.games.filters import MOST_PLIES as MOST_PLIES_OF_GAME
from archive.queries.games.filters import Filter, FilterPlace, filters_of
from archive.queries.games.keyset import ALL_ORDERS
from archive.queries.names import directory
from archive.queries.search.parsing import LONGEST
from archive.shapes.common import FORMATS
from kifu_core.games import GAMES, SHOGI

MOST_VERSIONS: Final = 2**31 - 2
TEXT_LIMIT: Final = 200
"""Characters of a filter's text."""

LISTS: Final = ("json", "csv", "ndjson")
"""Formats of lists of entries."""
MOST_LISTED: Final = 10_000
"""Games that one request names."""
OTHERS: Final = "others"
"""The row of names without a known reading."""


class FacetsQuery(serializers.Serializer[Any]):
    """Parameters of `GET games/facets`: the filters that apply at `place`."""

    place: ClassVar[FilterPlace] = "games"

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        # Most requests have few filters: fields of the others would take a fifth of the time of a response.
        data = getattr(self, "initial_data", None)
        filters = (filter_ for filter_ in filters_of(self.place) if data is None or filter_.name in data)
        return super().get_fields() | {filter_.name: _field(filter_) for filter_ in filters}


def _field(filter_: Filter) -> serializers.Field[Any, Any, Any, Any]:
    label = cast(str, filter_.label)
    if filter_.value == "choice":
        return ChoiceField(required=False, choices=list(filter_.choices), help_text=label)
    if filter_.value == "number":
        return WholeNumberField(
            required=False, min_value=filter_.least, max_value=filter_.most, help_text=label
        )
    if filter_.value == "formation":
        return FormationNameField(required=False, max_length=TEXT_LIMIT, help_text=label)
    if filter_.value == "ids":
        return IdsField(required=False, help_text=label)
    if filter_.value == "query":
        return TextField(required=False, max_length=LONGEST, trim_whitespace=False, help_text=label)
    if filter_.value == "text":
        return TextField(required=False, max_length=TEXT_LIMIT, help_text=label)
    return DayField(required=False, help_text=label)


class GamesQuery(FacetsQuery):
    """Parameters of `GET games`."""

    excerpts = FlagField(
        default=False, help_text="Whether to return where the words of `q` occur in comments and headers."
    )

    order = ChoiceField(
        required=False, choices=list(ALL_ORDERS), default="newest", help_text="The order of the games."
    )
    cursor = CursorField(max_length=200)
    limit = LimitField(LARGEST_PAGE, DEFAULT_GAMES)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Return the parameters. Raises ValidationError for the order of a collection without one."""
        if attrs["order"] == "collection" and "collection" not in attrs:
            raise serializers.ValidationError({"order": ["this order is for the games of a collection"]})
        return attrs


class ChangesQuery(serializers.Serializer[Any]):
    """Parameters of `GET changes`."""

    cursor = CursorField()
    limit = LimitField(LARGEST_PAGE, PAGE)


class EventsQuery(serializers.Serializer[Any]):
    """Parameters of `GET events`."""

    name = TextField(required=False, max_length=200, help_text="A part of the name.")
    order = ChoiceField(
        required=False,
        choices=directory.ORDERS["event"],
        default="name",
        help_text="The order of the events.",
    )
    cursor = CursorField()
    limit = LimitField(NAMES, NAMES)


class PlayersQuery(EventsQuery):
    """Parameters of `GET players`."""

    order = ChoiceField(
        required=False,
        choices=directory.ORDERS["player"],
        default="reading",
        help_text="The order of the players.",
    )
    row = ChoiceField(
        required=False,
        choices=[*ROWS, LATIN, OTHERS],
        help_text="For a list by reading: the row of kana at which it begins, such as `a`, or `others`.",
    )


class StatisticsQuery(serializers.Serializer[Any]):
    """Parameters of `GET statistics`."""

    game = ChoiceField(
        required=False,
        choices=[*GAMES],
        help_text="Which kind of game; if missing, the one with the most games.",
    )


class OpeningsQuery(StatisticsQuery):
    """Parameters of `GET openings`."""

    cursor = CursorField()
    limit = LimitField(LARGEST_PAGE, PAGE)


class UploadsQuery(serializers.Serializer[Any]):
    """Parameters of `GET uploads`."""

    cursor = CursorField()
    limit = LimitField(PAGE, PAGE)


class EntriesQuery(serializers.Serializer[Any]):
    """Parameters of `GET uploads/{id}/entries`."""

    format = TextField(
        required=False,
        schema={"enum": [*LISTS]},
        help_text="`json` for a page, the others for the whole list as a file; `Accept` can ask for it, too.",
    )
    cursor = CursorField()
    limit = LimitField(LARGEST_PAGE, PAGE)


class PageQuery(serializers.Serializer[Any]):
    """Parameters of the lists of one game."""

    cursor = CursorField()
    limit = LimitField(MOST_PLIES, PLIES)


class RecordQuery(serializers.Serializer[Any]):
    """Parameters of `GET games/{id}/record.{format}`."""

    ply = TextField(
        required=False,
        schema=number_schema(0, 999_999),
        help_text="For formats of one position: the ply; the last one if missing.",
    )


class RecordBody(serializers.Serializer[Any]):
    """Fields of `POST check`: a file, or a text, which may have a file name.

    `needed` are required fields for whose absence the view has an error code of its own.
    """

    needed: ClassVar[tuple[str, ...]] = ()

    file = FormFileField(required=False, help_text="A file of records.")
    text = RawTextField(required=False, help_text="A record, instead of a file.")
    name = RawTextField(required=False, help_text="A file name for the text.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Return the fields. Raises ValidationError if there are both a file and a text: one would be
        ignored.
        """
        if "file" in attrs and attrs.get("text"):
            raise serializers.ValidationError({"text": ["send either files or a text"]})
        return attrs


class UploadBody(RecordBody):
    """Fields of `POST uploads`: files, or a text, and the space that their games go to."""

    file = FormFileField(required=False, several=True, help_text="Files, each an upload.")
    space = TextField(
        required=False, allow_blank=True, help_text="Where games go: `public`, `mine`, `group-12`."
    )


class NewDraftBody(serializers.Serializer[Any]):
    """Fields of `POST drafts`."""

    record = RecordField(help_text="A record of shogi as JKF.")
    game_id = WholeNumberField(
        required=False, min_value=1, max_value=LARGEST_ID, help_text="The game that it was made from."
    )


class DraftBody(serializers.Serializer[Any]):
    """Fields of `PUT drafts/{id}`."""

    record = RecordField(help_text="A record of shogi as JKF.")
    version = WholeNumberField(
        min_value=1, max_value=MOST_VERSIONS, help_text="The version of the draft that is replaced."
    )


class SavedDraftBody(serializers.Serializer[Any]):
    """Fields of `POST drafts/{id}/save`."""

    space = TextField(default="mine", help_text="Where the game goes: `public`, `mine`, `group-12`.")


class SearchedBody(serializers.Serializer[Any]):
    """Fields of `POST find`."""

    text = RawTextField(help_text="A text written or pasted into a search box.")


class LibraryBody(serializers.Serializer[Any]):
    """Fields of `POST games/{id}/library`."""

    action = ChoiceField(
        choices=["publish", "take-back", "give-back", "link", "share", "unshare"], help_text="What to do."
    )
    name = TextField(
        required=False, max_length=150, help_text="For `share`: the user name of the person to share with."
    )
    share = WholeNumberField(
        required=False, min_value=1, max_value=LARGEST_ID, help_text="For `unshare`: the number of the share."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Return the fields. Raises ValidationError if a field that the action needs is missing."""
        needed = {"share": "name", "unshare": "share"}.get(attrs["action"])
        if needed is not None and needed not in attrs:
            raise serializers.ValidationError({needed: ["this action wants it"]})
        return attrs


class GroupBody(serializers.Serializer[Any]):
    """Fields of `POST spaces` and `POST spaces/{id}`."""

    name = RawTextField(help_text="The name of the group.")


class InvitationBody(serializers.Serializer[Any]):
    """Fields of `POST spaces/{id}/invitations`."""

    people = WholeNumberField(
        default=1, min_value=1, max_value=MEMBERS, help_text="How many people may use the link."
    )


class JoinBody(serializers.Serializer[Any]):
    """Fields of `POST spaces/join`."""

    key = RawTextField(help_text="The key of an invitation: the last part of its link.")


class MemberBody(serializers.Serializer[Any]):
    """Fields of `POST spaces/{id}/members/{member}`."""

    owner = FlagField(help_text="Whether the member is an owner.")


class MoveBody(serializers.Serializer[Any]):
    """Fields of `POST uploads/{id}/move`."""

    space = TextField(help_text="Where the games go: `public`, `mine`, `group-12`.")


class CollectionsQuery(serializers.Serializer[Any]):
    """Parameters of `GET collections`."""

    cursor = CursorField()
    limit = LimitField(PAGE, DEFAULT_GAMES)


class CollectedQuery(serializers.Serializer[Any]):
    """Parameters of `GET collections/{id}/games`."""

    cursor = CursorField()
    limit = LimitField(LARGEST_PAGE, PAGE)


class PartBody(serializers.Serializer[Any]):
    """Fields of `POST collections/{id}/parts`."""

    title = RawTextField(help_text="The title, in one line.")
    description = RawTextField(default="", help_text="What it is about.")


class CollectionBody(PartBody):
    """Fields of `POST collections`."""

    space = TextField(default="mine", help_text="The library that has the collection: `mine`, `group-12`.")


class CollectionChangeBody(serializers.Serializer[Any]):
    """Fields of `POST collections/{id}`: those that change."""

    title = RawTextField(required=False, help_text="The title, in one line.")
    description = RawTextField(required=False, help_text="What it is about.")
    visibility = ChoiceField(
        required=False, choices=Collection.Visibility.values, help_text="Who may read it and its parts."
    )
    place = WholeNumberField(
        required=False, min_value=1, max_value=MOST_COLLECTIONS, help_text="For a part: its place, from 1."
    )


class CollectedBody(serializers.Serializer[Any]):
    """Fields of `POST collections/{id}/games`: one of them."""

    add = LimitedListField(
        required=False,
        max_length=MOST_LISTED,
        child=WholeNumberField(min_value=1, max_value=LARGEST_ID),
        help_text="Games to add at the end, in this order.",
    )
    search = TextField(
        required=False,
        allow_blank=True,
        max_length=LONGEST,
        help_text="Parameters of `GET games`, such as `player=羽生善治&min_plies=20`, whose games are added.",
    )
    remove = LimitedListField(
        required=False,
        max_length=MOST_LISTED,
        child=WholeNumberField(min_value=1, max_value=LARGEST_ID),
        help_text="Games to remove.",
    )
    order = ChoiceField(
        required=False,
        choices=["oldest", "newest", "added"],
        help_text="Sort all games: by day, or by arrival.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Return the fields. Raises ValidationError unless there is exactly one."""
        if len(attrs) != 1:
            raise serializers.ValidationError({"add": ["send one of add, search, remove, order"]})
        return attrs


class CollectionSearchBody(serializers.Serializer[Any]):
    """Fields of `POST collections/{id}/search`."""

    search = TextField(
        required=False,
        allow_blank=True,
        max_length=LONGEST,
        help_text="Parameters of `GET games`; without them, the search that the collection has is repeated.",
    )


class CollectedGameBody(serializers.Serializer[Any]):
    """Fields of `POST collections/{id}/games/{game_id}`: those that change."""

    note = RawTextField(required=False, help_text="A note on the game.")
    ply = WholeNumberField(
        required=False, min_value=0, max_value=MOST_PLIES_OF_GAME, help_text="The ply that is shown first."
    )
    after = WholeNumberField(
        required=False,
        min_value=0,
        max_value=LARGEST_ID,
        help_text="The game behind which it moves; 0 for the first place.",
    )


class FollowBody(serializers.Serializer[Any]):
    """Fields of `POST account/follows`: those of its kind."""

    kind = ChoiceField(choices=Follow.Kind.values, help_text="What is followed.")
    target_id = WholeNumberField(
        required=False, min_value=1, max_value=LARGEST_ID, help_text="The player or the event."
    )
    game = ChoiceField(choices=[*GAMES], default=SHOGI.name, help_text="The kind of game of the position.")
    code = TextField(default="", allow_blank=True, help_text="The code of the position.")
    search = TextField(
        default="",
        allow_blank=True,
        max_length=LONGEST,
        help_text="Parameters of `GET games`: the search that is saved.",
    )
    title = RawTextField(default="", help_text="A title for a search or a position, in one line.")
    scope = TextField(
        default="all",
        max_length=1000,
        help_text="The spaces of a search, among those readable now: `public`, `mine`, `group-12`, `all`.",
    )


class NotesQuery(serializers.Serializer[Any]):
    """Parameters of `GET notes`."""

    game = ChoiceField(choices=[*GAMES], default=SHOGI.name, help_text="The kind of game of `code`.")
    code = TextField(required=False, help_text="The code of a position: only notes on it.")
    cursor = CursorField()
    limit = LimitField(PAGE, DEFAULT_GAMES)


class ChangedNoteBody(serializers.Serializer[Any]):
    """Fields of `POST notes/{id}`."""

    text = RawTextField(help_text="The text of the note; empty for a bookmark.")


class NoteBody(serializers.Serializer[Any]):
    """Fields of `POST notes`."""

    game = ChoiceField(choices=[*GAMES], default=SHOGI.name, help_text="The kind of game of the position.")
    code = TextField(help_text="The code of the position.")
    text = RawTextField(default="", help_text="The text of the note; empty for a bookmark.")
    space = TextField(default="mine", help_text="The library whose members read it: `mine`, `group-12`.")


class HookBody(serializers.Serializer[Any]):
    """Fields of `POST hooks`."""

    target_url = TextField(
        max_length=500, help_text="Where deliveries are sent: `https://` and a public host."
    )
    query = TextField(
        required=False,
        allow_blank=True,
        default="",
        max_length=LONGEST,
        help_text="A query that selects the games; all games if empty.",
    )
    scope = TextField(
        required=False,
        allow_blank=True,
        default="public",
        max_length=1000,
        help_text="The spaces of the games, among those readable now: `public`, `mine`, `group-12`, `all`.",
    )


class ConvertBody(RecordBody):
    """Fields of `POST convert`."""

    needed = ("to",)

    to = TextField(
        required=False, allow_blank=True, schema={"enum": [*FORMATS]}, help_text="The format to write."
    )


class CorrectionBody(serializers.Serializer[Any]):
    """Fields of `POST games/{id}/corrections`."""

    operations = serializers.ListField(
        child=serializers.DictField(),
        required=False,
        max_length=MOST_OPERATIONS,
        help_text="The operations, with the values before and after.",
    )
    record = serializers.JSONField(
        required=False,
        help_text="In place of `operations`: the edited record, JKF as an object or as text.",
    )
    reason = TextField(max_length=REASON_LENGTH, help_text="Why, and by which source.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Return the fields. Raises ValidationError unless there is one of `operations` and `record`."""
        if ("operations" in attrs) == ("record" in attrs):
            raise serializers.ValidationError({"operations": ["either operations or a record"]})
        return attrs


MOST_RECONCILED: Final = 64 * 1024
"""Characters of the queries of one request."""
MOST_RECONCILED_BY_GET: Final = 4_000
"""The same in an address, which servers limit."""


class SamePersonQuery(serializers.Serializer[Any]):
    """Parameters of `GET players/same`."""

    limit = LimitField(LARGEST_PAGE, DEFAULT_GAMES)


class SamePersonBody(serializers.Serializer[Any]):
    """Fields of `POST players/same`."""

    one = serializers.IntegerField(min_value=1, max_value=LARGEST_ID, help_text="The player to merge.")
    other = serializers.IntegerField(min_value=1, max_value=LARGEST_ID, help_text="The player to merge into.")
    same = serializers.BooleanField(help_text="Whether they are the same person.")
    reason = TextField(max_length=REASON_LENGTH, help_text="Why, and by which source.")


class AuthorityBody(serializers.Serializer[Any]):
    """Fields of `POST players/authority`."""

    table = TextField(
        max_length=MOST_RECONCILED,
        help_text="CSV with the column `name` and any of `kana`, `latin`, `born`, `died`, `source`.",
    )
    reason = TextField(max_length=REASON_LENGTH, help_text="The title of the table.")


class ReconcileFields(serializers.Serializer[Any]):
    """Fields of `POST reconcile/{names}`."""

    queries = TextField(
        required=False, max_length=MOST_RECONCILED, help_text="JSON: queries by names of the client's choice."
    )
    extend = TextField(
        required=False, max_length=MOST_RECONCILED, help_text="JSON: `ids` and `properties` with their `id`."
    )


class ReconcileQuery(ReconcileFields):
    """Parameters of `GET reconcile/{names}`."""

    queries = TextField(
        required=False,
        max_length=MOST_RECONCILED_BY_GET,
        help_text="JSON: queries by names of the client's choice.",
    )
    extend = TextField(
        required=False,
        max_length=MOST_RECONCILED_BY_GET,
        help_text="JSON: `ids` and `properties` with their `id`.",
    )


class SuggestQuery(serializers.Serializer[Any]):
    """Parameters of suggestions of the reconciliation service."""

    prefix = TextField(
        required=False, allow_blank=True, default="", max_length=200, help_text="The text to complete."
    )
    cursor = TextField(
        required=False, allow_blank=True, max_length=20, help_text="Not used: a list has no second page."
    )
    type = TextField(required=False, allow_blank=True, max_length=20, help_text="`player` or `event`.")
    limit = serializers.IntegerField(required=False, min_value=1, max_value=100, help_text="Not used.")


class NameCorrectionBody(serializers.Serializer[Any]):
    """Fields of `POST players/{id}/corrections` and of the same of events."""

    operations = serializers.ListField(
        child=serializers.DictField(),
        max_length=MOST_NAME_OPERATIONS,
        help_text="The operations, with the values before and after.",
    )
    reason = TextField(max_length=REASON_LENGTH, help_text="Why, and by which source.")


class CorrectionActionBody(serializers.Serializer[Any]):
    """Fields of `POST corrections/{id}`."""

    action = ChoiceField(choices=list(CORRECTION_ACTIONS), help_text="What to do.")
    reason = TextField(
        required=False,
        allow_blank=True,
        default="",
        max_length=REASON_LENGTH,
        help_text="Why; needed to object.",
    )


class BatchEditBody(serializers.Serializer[Any]):
    """Fields of an edit of all games of a search."""

    kind = ChoiceField(choices=list(EDIT_KINDS), help_text="What to do with each game.")
    header = TextField(
        required=False,
        allow_blank=True,
        max_length=TEXT_LIMIT,
        help_text=f"The header: a name, or one of {', '.join(HEADER_GROUPS)}.",
    )
    old = TextField(required=False, allow_blank=True, max_length=LONGEST_TEXT, help_text="The text before.")
    new = TextField(required=False, allow_blank=True, max_length=LONGEST_TEXT, help_text="The text after.")


class BatchPreviewBody(serializers.Serializer[Any]):
    """Fields of `POST corrections/batches/preview`."""

    search = TextField(
        allow_blank=True, max_length=LONGEST, help_text="Parameters of `GET games`: `player=...&from=1990`."
    )
    edit = BatchEditBody(help_text="The edit of each game.")
    space = TextField(
        required=False, default="public", max_length=TEXT_LIMIT, help_text="The space of the games, by name."
    )


class BatchBody(BatchPreviewBody):
    """Fields of `POST corrections/batches`."""

    reason = TextField(max_length=REASON_LENGTH, help_text="Why, and by which source.")


class BatchActionBody(serializers.Serializer[Any]):
    """Fields of `POST corrections/batches/{id}`."""

    action = ChoiceField(choices=["undo"], help_text="What to do.")


class CorrectionsQuery(serializers.Serializer[Any]):
    """Parameters of `GET corrections`."""

    state = ChoiceField(
        required=False, choices=Correction.State.values, help_text="Only corrections in this state."
    )
    cursor = CursorField()
    limit = LimitField(LARGEST_PAGE, DEFAULT_GAMES)


class TakeDownBody(serializers.Serializer[Any]):
    """Fields of `POST games/{id}/take-down`."""

    reason = TextField(max_length=REASON_LENGTH, help_text="Why; for the audit log.")
    hide = FlagField(default=False, help_text="Whether to hide the bytes of its files, too.")
