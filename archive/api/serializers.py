"""The shapes of what is asked and answered; nothing is looked up or decided here."""

from typing import Any, ClassVar, Final, cast

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.reverse import reverse

from archive.api.fields import Choice, Day, File, Flag, FormationName, Raw, Text, Whole, between
from archive.api.pagination import GAMES as GAMES_A_PAGE
from archive.api.pagination import LARGEST_PAGE, MOST_PLIES, NAMES, PAGE, PLIES
from archive.kana_readings import LATIN, ROWS
from archive.models import LARGEST_ID
from archive.queries import directory
from archive.queries.filters import Filter, FilterPlace, filters_of
from archive.queries.games import GameRow
from archive.queries.keyset import ORDERS
from archive.queries.scope import space_name
from archive.queries.search.grammar import LONGEST
from archive.queries.told import row_json
from kifu_core.games import GAMES

TEXT_LIMIT: Final = 200
"""Characters of a filter's text."""

FORMATS: Final = tuple(name for game in GAMES.values() for name in game.formats.names)
"""What records are written as, of all games."""
CURSOR: Final = "Where the page begins: an earlier page has it in `next`."
LIMIT: Final = "How much is told at most."
LISTS: Final = ("json", "csv", "ndjson")
"""What entries are written as."""
OTHERS: Final = "others"
"""What the names whose reading is not known are called as a row."""


class FacetsQuery(serializers.Serializer[Any]):
    """What `GET games/facets` takes: the filters, which `place` says where games are filtered."""

    place: ClassVar[FilterPlace] = "games"

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return super().get_fields() | {one.name: _field(one) for one in filters_of(self.place)}


def _field(one: Filter) -> serializers.Field[Any, Any, Any, Any]:
    """Return the field that takes a filter's values."""
    told = cast(str, one.label)
    if one.value == "choice":
        return Choice(required=False, choices=list(one.choices), help_text=told)
    if one.value == "number":
        return Whole(required=False, min_value=one.least, max_value=one.most, help_text=told)
    if one.value == "formation":
        return FormationName(required=False, max_length=TEXT_LIMIT, help_text=told)
    if one.value == "query":
        return Text(required=False, max_length=LONGEST, trim_whitespace=False, help_text=told)
    if one.value == "text":
        return Text(required=False, max_length=TEXT_LIMIT, help_text=told)
    return Day(required=False, help_text=told)


class GamesQuery(FacetsQuery):
    """What `GET games` takes."""

    excerpts = Flag(
        default=False, help_text="Whether to tell where the words of `q` stand in comments and headers."
    )

    order = Choice(
        required=False, choices=list(ORDERS), default="newest", help_text="In which order games come."
    )
    cursor = Text(required=False, max_length=200, help_text=CURSOR)
    limit = Text(required=False, told=between(1, LARGEST_PAGE, GAMES_A_PAGE), help_text=LIMIT)


class EventsQuery(serializers.Serializer[Any]):
    """What `GET events` takes."""

    name = Text(required=False, max_length=200, help_text="A part of the name.")
    order = Choice(
        required=False,
        choices=directory.ORDERS["event"],
        default="name",
        help_text="In which order events come.",
    )
    cursor = Text(required=False, help_text=CURSOR)
    limit = Text(required=False, told=between(1, NAMES, NAMES), help_text=LIMIT)


class PlayersQuery(EventsQuery):
    """What `GET players` takes."""

    order = Choice(
        required=False,
        choices=directory.ORDERS["player"],
        default="reading",
        help_text="In which order players come.",
    )
    row = Choice(
        required=False,
        choices=[*ROWS, LATIN, OTHERS],
        help_text="Of a list by reading: the row of the kana with which it begins, `a` or `others`.",
    )


class StatisticsQuery(serializers.Serializer[Any]):
    """What `GET statistics` takes."""

    game = Choice(required=False, choices=[*GAMES], help_text="Which game; the one with the most games.")


class OpeningsQuery(StatisticsQuery):
    """What `GET openings` takes."""

    cursor = Text(required=False, help_text=CURSOR)
    limit = Text(required=False, told=between(1, LARGEST_PAGE, PAGE), help_text=LIMIT)


class UploadsQuery(serializers.Serializer[Any]):
    """What `GET uploads` takes."""

    cursor = Text(required=False, help_text=CURSOR)
    limit = Text(required=False, told=between(1, PAGE, PAGE), help_text=LIMIT)


class EntriesQuery(serializers.Serializer[Any]):
    """What `GET uploads/{id}/entries` takes."""

    format = Text(
        required=False, told={"enum": [*LISTS]}, help_text="A page, or a list to keep; `Accept` says it, too."
    )
    cursor = Text(required=False, help_text=CURSOR)
    limit = Text(required=False, told=between(1, LARGEST_PAGE, PAGE), help_text=LIMIT)


class PageQuery(serializers.Serializer[Any]):
    """What lists of one game take."""

    cursor = Text(required=False, help_text=CURSOR)
    limit = Text(required=False, told=between(1, MOST_PLIES, PLIES), help_text=LIMIT)


class RecordQuery(serializers.Serializer[Any]):
    """What `GET games/{id}/record.{format}` takes."""

    ply = Text(
        required=False, told=between(0, 999_999), help_text="Of formats of one position: which; the last."
    )


class RecordBody(serializers.Serializer[Any]):
    """What `POST check` takes: a file, or a text, which may have the name of a file.

    `needed` are fields that are asked for with codes of their own.
    """

    needed: ClassVar[tuple[str, ...]] = ()

    file = File(required=False, help_text="A file of records.")
    text = Raw(required=False, help_text="A record, in place of a file.")
    name = Raw(required=False, help_text="What the file of the text would be called.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Return the fields. Raises ValidationError where one of file and text would be passed over."""
        if "file" in attrs and attrs.get("text"):
            raise serializers.ValidationError({"text": ["send either files or a text"]})
        return attrs


class UploadBody(RecordBody):
    """What `POST uploads` takes: files, or a text, and the space that their games go to."""

    file = File(required=False, several=True, help_text="Files, each an upload.")
    space = Text(required=False, allow_blank=True, help_text="Where games go: `public`, `mine`, `group-12`.")


class SearchedBody(serializers.Serializer[Any]):
    """What `POST find` takes."""

    text = Raw(help_text="What somebody has written or pasted into a search box.")


class LibraryBody(serializers.Serializer[Any]):
    """What `POST games/{id}/library` takes."""

    action = Choice(
        choices=["publish", "take-back", "give-back", "link", "share", "unshare"], help_text="What to do."
    )
    name = Text(required=False, max_length=150, help_text="Of `share`: the user name of whom to share with.")
    share = Whole(
        required=False, min_value=1, max_value=LARGEST_ID, help_text="Of `unshare`: the number of the share."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Return the fields. Raises ValidationError where the action wants one that is not there."""
        wanted = {"share": "name", "unshare": "share"}.get(attrs["action"])
        if wanted is not None and wanted not in attrs:
            raise serializers.ValidationError({wanted: ["this action wants it"]})
        return attrs


class MoveBody(serializers.Serializer[Any]):
    """What `POST uploads/{id}/move` takes."""

    space = Text(help_text="Where the games go: `public`, `mine`, `group-12`.")


class HookBody(serializers.Serializer[Any]):
    """What `POST hooks` takes."""

    address = Text(max_length=500, help_text="Where deliveries are sent: `https://` and a public host.")
    query = Text(
        required=False, allow_blank=True, default="", max_length=LONGEST, help_text="Of which games; of all."
    )
    scope = Text(
        required=False,
        allow_blank=True,
        default="public",
        max_length=1000,
        help_text="Of which spaces, of those that may be read now: `public`, `mine`, `group-12`, `all`.",
    )


class ConvertBody(RecordBody):
    """What `POST convert` takes."""

    needed = ("to",)

    to = Text(
        required=False, allow_blank=True, told={"enum": [*FORMATS]}, help_text="The format that is wanted."
    )


def game_json(row: GameRow, request: Request) -> dict[str, Any]:
    """Return the JSON of a game in a list."""
    return row_json(row, reverse("api:game", [row.id], request=request), space_name(request, row.space))
