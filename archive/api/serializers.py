"""The shapes of questions and answers; nothing is looked up or decided here."""

from typing import Any, ClassVar, Final, cast

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.reverse import reverse

from archive.api.fields import Choice, Day, File, Flag, FormationName, Raw, Text, WholeNumber, between
from archive.api.pagination import GAMES as GAMES_A_PAGE
from archive.api.pagination import LARGEST_PAGE, MOST_PLIES, NAMES, PAGE, PLIES
from archive.api.shapes.games import GameInfo
from archive.models import LARGEST_ID
from archive.names.kana_readings import LATIN, ROWS
from archive.queries.games.filters import Filter, FilterPlace, filters_of
from archive.queries.games.game_json import row_json
from archive.queries.games.keyset import ORDERS
from archive.queries.games.listing import GameRow
from archive.queries.names import directory
from archive.queries.scope import space_name
from archive.queries.search.parsing import LONGEST
from kifu_core.games import GAMES

TEXT_LIMIT: Final = 200
"""Characters of a filter's text."""

FORMATS: Final = tuple(name for game in GAMES.values() for name in game.formats.names)
"""What records are written as, of all games."""
CURSOR: Final = "Where the page begins, taken from `next_url` of an earlier page."
LIMIT: Final = "The largest number of results."
LISTS: Final = ("json", "csv", "ndjson")
"""What entries are written as."""
OTHERS: Final = "others"
"""The row of names without a known reading."""


class FacetsQuery(serializers.Serializer[Any]):
    """What `GET games/facets` takes: the filters that apply at `place`."""

    place: ClassVar[FilterPlace] = "games"

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        # Most questions name few filters: fields that nothing was given for took a fifth of an answer's time.
        given = getattr(self, "initial_data", None)
        named = (one for one in filters_of(self.place) if given is None or one.name in given)
        return super().get_fields() | {one.name: _field(one) for one in named}


def _field(one: Filter) -> serializers.Field[Any, Any, Any, Any]:
    """Return the field that takes the values of a filter."""
    label = cast(str, one.label)
    if one.value == "choice":
        return Choice(required=False, choices=list(one.choices), help_text=label)
    if one.value == "number":
        return WholeNumber(required=False, min_value=one.least, max_value=one.most, help_text=label)
    if one.value == "formation":
        return FormationName(required=False, max_length=TEXT_LIMIT, help_text=label)
    if one.value == "query":
        return Text(required=False, max_length=LONGEST, trim_whitespace=False, help_text=label)
    if one.value == "text":
        return Text(required=False, max_length=TEXT_LIMIT, help_text=label)
    return Day(required=False, help_text=label)


class GamesQuery(FacetsQuery):
    """What `GET games` takes."""

    excerpts = Flag(
        default=False, help_text="Whether to return where the words of `q` occur in comments and headers."
    )

    order = Choice(
        required=False, choices=list(ORDERS), default="newest", help_text="The order of the games."
    )
    cursor = Text(required=False, max_length=200, help_text=CURSOR)
    limit = Text(required=False, schema=between(1, LARGEST_PAGE, GAMES_A_PAGE), help_text=LIMIT)


class EventsQuery(serializers.Serializer[Any]):
    """What `GET events` takes."""

    name = Text(required=False, max_length=200, help_text="A part of the name.")
    order = Choice(
        required=False,
        choices=directory.ORDERS["event"],
        default="name",
        help_text="The order of the events.",
    )
    cursor = Text(required=False, help_text=CURSOR)
    limit = Text(required=False, schema=between(1, NAMES, NAMES), help_text=LIMIT)


class PlayersQuery(EventsQuery):
    """What `GET players` takes."""

    order = Choice(
        required=False,
        choices=directory.ORDERS["player"],
        default="reading",
        help_text="The order of the players.",
    )
    row = Choice(
        required=False,
        choices=[*ROWS, LATIN, OTHERS],
        help_text="For a list by reading: the row of kana at which it begins, such as `a`, or `others`.",
    )


class StatisticsQuery(serializers.Serializer[Any]):
    """What `GET statistics` takes."""

    game = Choice(
        required=False,
        choices=[*GAMES],
        help_text="Which kind of game; if missing, the one with the most games.",
    )


class OpeningsQuery(StatisticsQuery):
    """What `GET openings` takes."""

    cursor = Text(required=False, help_text=CURSOR)
    limit = Text(required=False, schema=between(1, LARGEST_PAGE, PAGE), help_text=LIMIT)


class UploadsQuery(serializers.Serializer[Any]):
    """What `GET uploads` takes."""

    cursor = Text(required=False, help_text=CURSOR)
    limit = Text(required=False, schema=between(1, PAGE, PAGE), help_text=LIMIT)


class EntriesQuery(serializers.Serializer[Any]):
    """What `GET uploads/{id}/entries` takes."""

    format = Text(
        required=False,
        schema={"enum": [*LISTS]},
        help_text="`json` for a page, the others for the whole list as a file; `Accept` can ask for it, too.",
    )
    cursor = Text(required=False, help_text=CURSOR)
    limit = Text(required=False, schema=between(1, LARGEST_PAGE, PAGE), help_text=LIMIT)


class PageQuery(serializers.Serializer[Any]):
    """What the lists of one game take."""

    cursor = Text(required=False, help_text=CURSOR)
    limit = Text(required=False, schema=between(1, MOST_PLIES, PLIES), help_text=LIMIT)


class RecordQuery(serializers.Serializer[Any]):
    """What `GET games/{id}/record.{format}` takes."""

    ply = Text(
        required=False,
        schema=between(0, 999_999),
        help_text="For formats of one position: the ply; the last one if missing.",
    )


class RecordBody(serializers.Serializer[Any]):
    """What `POST check` takes: a file, or a text, which may have a file name.

    `needed` are fields that have error codes of their own if they are missing.
    """

    needed: ClassVar[tuple[str, ...]] = ()

    file = File(required=False, help_text="A file of records.")
    text = Raw(required=False, help_text="A record, instead of a file.")
    name = Raw(required=False, help_text="A file name for the text.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Return the fields. Raises ValidationError if there are both a file and a text: one would be
        ignored.
        """
        if "file" in attrs and attrs.get("text"):
            raise serializers.ValidationError({"text": ["send either files or a text"]})
        return attrs


class UploadBody(RecordBody):
    """What `POST uploads` takes: files, or a text, and the space that their games go to."""

    file = File(required=False, several=True, help_text="Files, each an upload.")
    space = Text(required=False, allow_blank=True, help_text="Where games go: `public`, `mine`, `group-12`.")


class SearchedBody(serializers.Serializer[Any]):
    """What `POST find` takes."""

    text = Raw(help_text="What somebody wrote or pasted into a search box.")


class LibraryBody(serializers.Serializer[Any]):
    """What `POST games/{id}/library` takes."""

    action = Choice(
        choices=["publish", "take-back", "give-back", "link", "share", "unshare"], help_text="What to do."
    )
    name = Text(
        required=False, max_length=150, help_text="For `share`: the user name of the person to share with."
    )
    share = WholeNumber(
        required=False, min_value=1, max_value=LARGEST_ID, help_text="For `unshare`: the number of the share."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Return the fields. Raises ValidationError if a field that the action needs is missing."""
        needed = {"share": "name", "unshare": "share"}.get(attrs["action"])
        if needed is not None and needed not in attrs:
            raise serializers.ValidationError({needed: ["this action wants it"]})
        return attrs


class MoveBody(serializers.Serializer[Any]):
    """What `POST uploads/{id}/move` takes."""

    space = Text(help_text="Where the games go: `public`, `mine`, `group-12`.")


class HookBody(serializers.Serializer[Any]):
    """What `POST hooks` takes."""

    target_url = Text(max_length=500, help_text="Where deliveries are sent: `https://` and a public host.")
    query = Text(
        required=False,
        allow_blank=True,
        default="",
        max_length=LONGEST,
        help_text="A query that selects the games; all games if empty.",
    )
    scope = Text(
        required=False,
        allow_blank=True,
        default="public",
        max_length=1000,
        help_text="The spaces of the games, among those readable now: `public`, `mine`, `group-12`, `all`.",
    )


class ConvertBody(RecordBody):
    """What `POST convert` takes."""

    needed = ("to",)

    to = Text(required=False, allow_blank=True, schema={"enum": [*FORMATS]}, help_text="The format to write.")


def game_info(row: GameRow, request: Request) -> GameInfo:
    """Return a game in a list."""
    url = reverse("api:game", [row.id], request=request)
    return GameInfo(**row_json(row, url, space_name(request, row.space)))
