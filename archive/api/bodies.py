"""Fields of the bodies of requests."""

from typing import Any, ClassVar

from rest_framework import serializers

from archive.analysis.queue import CHUNK as MOST_POSITIONS
from archive.api.fields import (
    ChoiceField,
    FlagField,
    FormFileField,
    LimitedListField,
    RawTextField,
    RecordField,
    TextField,
    WholeNumberField,
)
from archive.api.serializers import MOST_LISTED, MOST_RECONCILED, MOST_VERSIONS, TEXT_LIMIT
from archive.collections.errors import MOST_COLLECTIONS
from archive.curation.batch_edits import GROUPS as HEADER_GROUPS
from archive.curation.batch_edits import KINDS as EDIT_KINDS
from archive.curation.batch_edits import LONGEST as LONGEST_TEXT
from archive.curation.policy import ACTIONS as CORRECTION_ACTIONS
from archive.curation.steps import REASON_LENGTH
from archive.derive.name_operations import MOST_OPERATIONS as MOST_NAME_OPERATIONS
from archive.derive.operations import MOST_OPERATIONS
from archive.derive.verdicts import LARGEST_SCORE, MOST_DEPTH, MOST_LINES, MOST_MATE, MOST_NODES
from archive.libraries import MEMBERS
from archive.models import LARGEST_ID, Collection, Follow, TrainingCard
from archive.models.analysis import NAME_LENGTH
from archive.queries.games.filters import MOST_PLIES as MOST_PLIES_OF_GAME
from archive.queries.search.parsing import LONGEST
from archive.shapes.common import FORMATS
from archive.training.cards import GRADES, MOST_ACCEPTED
from archive.training.errors import LONGEST as LONGEST_LINE
from archive.training.errors import MOST_NEW
from kifu_core.games import GAMES, SHOGI


def _reason() -> TextField:
    return TextField(max_length=REASON_LENGTH, help_text="Why, and by which source.")


def _games(text: str) -> LimitedListField:
    child = WholeNumberField(min_value=1, max_value=LARGEST_ID)
    return LimitedListField(required=False, max_length=MOST_LISTED, child=child, help_text=text)


def _searched_space() -> TextField:
    text = "The space of the games, by name."
    return TextField(required=False, default="public", max_length=TEXT_LIMIT, help_text=text)


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

    add = _games("Games to add at the end, in this order.")
    search = TextField(
        required=False,
        allow_blank=True,
        max_length=LONGEST,
        help_text="Parameters of `GET games`, such as `player=羽生善治&min_plies=20`, whose games are added.",
    )
    remove = _games("Games to remove.")
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
        required=False, min_value=1, max_value=LARGEST_ID, help_text="The player, the event or the place."
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


class OwnNameBody(serializers.Serializer[Any]):
    """Fields of `POST account/names`."""

    player_id = WholeNumberField(min_value=1, max_value=LARGEST_ID, help_text="The player.")
    site = RawTextField(
        default="", help_text="The place of the games that are meant; empty for all of the player's games."
    )


class ChangedNoteBody(serializers.Serializer[Any]):
    """Fields of `POST notes/{id}`."""

    text = RawTextField(help_text="The text of the note; empty for a bookmark.")


class NoteBody(serializers.Serializer[Any]):
    """Fields of `POST notes`."""

    game = ChoiceField(choices=[*GAMES], default=SHOGI.name, help_text="The kind of game of the position.")
    code = TextField(help_text="The code of the position.")
    text = RawTextField(default="", help_text="The text of the note; empty for a bookmark.")
    space = TextField(default="mine", help_text="The library whose members read it: `mine`, `group-12`.")


def _plies() -> WholeNumberField:
    text = "The moves from the start that are added."
    return WholeNumberField(default=LONGEST_LINE, min_value=1, max_value=LONGEST_LINE, help_text=text)


class RepertoireBody(serializers.Serializer[Any]):
    """Fields of `POST account/repertoires`."""

    title = RawTextField(help_text="The title, in one line.")
    side = ChoiceField(choices=[*SHOGI.rules.sides], help_text="The side of the account's owner.")


class RenamedRepertoireBody(serializers.Serializer[Any]):
    """Fields of `POST account/repertoires/{id}`."""

    title = RawTextField(help_text="The title, in one line.")


class LinesBody(serializers.Serializer[Any]):
    """Fields of `POST account/repertoires/{id}/moves`: the source of the lines is one of `text`, `game_id`,
    `collection_id` and `moves`."""

    text = RawTextField(required=False, help_text="Records in any format, with variations.")
    game_id = WholeNumberField(
        required=False, min_value=1, max_value=LARGEST_ID, help_text="A game, with its variations."
    )
    collection_id = WholeNumberField(
        required=False, min_value=1, max_value=LARGEST_ID, help_text="A collection: its first 500 games."
    )
    moves = TextField(required=False, help_text="Moves in USI, separated by blanks.")
    code = TextField(required=False, help_text="The position before `moves`; the usual start without it.")
    plies = _plies()


class CardBody(serializers.Serializer[Any]):
    """Fields of `POST account/training/cards`."""

    kind = ChoiceField(
        choices=[TrainingCard.Kind.MISTAKE.value, TrainingCard.Kind.PROBLEM.value],
        help_text="Where the card comes from.",
    )
    code = TextField(help_text="The code of the position.")
    move = TextField(max_length=5, help_text="The move that is right, in USI.")
    accepted = LimitedListField(
        required=False,
        max_length=MOST_ACCEPTED,
        child=TextField(max_length=5),
        help_text="Further moves that are right.",
    )
    game_id = WholeNumberField(
        required=False, min_value=1, max_value=LARGEST_ID, help_text="The game that it comes from."
    )
    ply = WholeNumberField(
        required=False, min_value=0, max_value=MOST_PLIES_OF_GAME, help_text="The ply in this game."
    )


class ReviewBody(serializers.Serializer[Any]):
    """Fields of `POST account/training/cards/{id}/review`."""

    grade = ChoiceField(choices=[*GRADES], help_text="How well the account's owner knew the move.")


class TrainingBody(serializers.Serializer[Any]):
    """Fields of `POST account/training`."""

    new_cards = WholeNumberField(min_value=0, max_value=MOST_NEW, help_text="The most new cards of one day.")


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
    reason = _reason()

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Return the fields. Raises ValidationError unless there is one of `operations` and `record`."""
        if ("operations" in attrs) == ("record" in attrs):
            raise serializers.ValidationError({"operations": ["either operations or a record"]})
        return attrs


class SamePersonBody(serializers.Serializer[Any]):
    """Fields of `POST players/same`."""

    one = serializers.IntegerField(min_value=1, max_value=LARGEST_ID, help_text="The player to merge.")
    other = serializers.IntegerField(min_value=1, max_value=LARGEST_ID, help_text="The player to merge into.")
    same = serializers.BooleanField(help_text="Whether they are the same person.")
    reason = _reason()


class BenchAnswerBody(serializers.Serializer[Any]):
    """Fields of `POST bench/{kind}`."""

    key = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=LARGEST_ID),
        min_length=1,
        max_length=2,
        help_text="The numbers of the row.",
    )
    answer = TextField(max_length=20, help_text="One of the answers of the row.")
    undo = FlagField(default=False, help_text="Whether to undo this answer.")


class AuthorityBody(serializers.Serializer[Any]):
    """Fields of `POST players/authority`."""

    table = TextField(
        max_length=MOST_RECONCILED,
        help_text="CSV with the column `name` and any of `kana`, `latin`, `born`, `died`, `source`.",
    )
    reason = TextField(max_length=REASON_LENGTH, help_text="The title of the table.")


class NameCorrectionBody(serializers.Serializer[Any]):
    """Fields of `POST players/{id}/corrections` and of the same of events and places."""

    operations = serializers.ListField(
        child=serializers.DictField(),
        max_length=MOST_NAME_OPERATIONS,
        help_text="The operations, with the values before and after.",
    )
    reason = _reason()


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
    space = _searched_space()


class BatchBody(BatchPreviewBody):
    """Fields of `POST corrections/batches`."""

    reason = _reason()


class BatchActionBody(serializers.Serializer[Any]):
    """Fields of `POST corrections/batches/{id}`."""

    action = ChoiceField(choices=["undo"], help_text="What to do.")


class TakeDownBody(serializers.Serializer[Any]):
    """Fields of `POST games/{id}/take-down`."""

    reason = TextField(max_length=REASON_LENGTH, help_text="Why; for the audit log.")
    hide = FlagField(default=False, help_text="Whether to hide the bytes of its files, too.")


class TakeDownNameBody(serializers.Serializer[Any]):
    """Fields of `POST players/{id}/take-down`."""

    reason = TextField(max_length=REASON_LENGTH, help_text="Why; for curators and the audit log.")
    initials = TextField(
        max_length=20,
        default="",
        allow_blank=True,
        help_text="Shown in place of the name. Derived from it if empty.",
    )


class WantedAnalysisBody(serializers.Serializer[Any]):
    """Fields of `POST games/{id}/analyse`."""

    engine = TextField(
        required=False,
        allow_blank=True,
        default="",
        max_length=60,
        help_text="An engine, by name.",
    )
    nodes = WholeNumberField(
        required=False, min_value=1, max_value=MOST_NODES, help_text="Nodes of a position."
    )
    lines = WholeNumberField(
        required=False, min_value=1, max_value=MOST_LINES, help_text="Lines of play of a position."
    )


class AnalysisBody(WantedAnalysisBody):
    """Fields of `POST analyses`."""

    search = TextField(
        allow_blank=True,
        max_length=LONGEST,
        help_text="Parameters of `GET games`: `player=...&from=1990`, `collection=12`.",
    )
    space = _searched_space()


class WorkBody(serializers.Serializer[Any]):
    """Fields of `POST analysis/acquire`."""

    engine = TextField(
        required=False, allow_blank=True, default="", max_length=60, help_text="The engine that one has."
    )


class VerdictLineBody(serializers.Serializer[Any]):
    """A line of play of an engine."""

    cp = WholeNumberField(
        required=False,
        min_value=-LARGEST_SCORE,
        max_value=LARGEST_SCORE,
        help_text="Its score, from the side to move.",
    )
    mate = WholeNumberField(
        required=False,
        min_value=-MOST_MATE,
        max_value=MOST_MATE,
        help_text="Plies until the side to move mates, or below 0 is mated; instead of `cp`.",
    )
    moves = TextField(max_length=TEXT_LIMIT, help_text="Its moves in USI: `7g7f 3c3d`.")


class _VerdictBody(serializers.Serializer[Any]):
    nodes = WholeNumberField(min_value=0, max_value=MOST_NODES, help_text="Nodes that were searched.")
    depth = WholeNumberField(required=False, min_value=0, max_value=MOST_DEPTH, help_text="Its depth.")
    lines = serializers.ListField(
        child=VerdictLineBody(),
        min_length=1,
        max_length=MOST_LINES,
        help_text="Lines, the best first.",
    )


class MadeVerdictBody(_VerdictBody):
    """An engine's verdict on a position of a claim."""

    ply = WholeNumberField(min_value=0, max_value=MOST_PLIES_OF_GAME, help_text="The position.")


class OwnVerdictBody(_VerdictBody):
    """Fields of `POST account/verdicts`."""

    position = TextField(max_length=1000, help_text="The code of a position of shogi, or an SFEN.")
    engine = TextField(max_length=NAME_LENGTH, help_text="The name of the engine.")
    version = TextField(required=False, default="", allow_blank=True, max_length=NAME_LENGTH)


class MadeAnalysisBody(serializers.Serializer[Any]):
    """Fields of `POST analysis/{claim}`."""

    verdicts = serializers.ListField(
        child=MadeVerdictBody(),
        max_length=MOST_POSITIONS,
        help_text="Verdicts on some or all positions.",
    )
    more = FlagField(required=False, default=True, help_text="Whether to answer with the next work.")
