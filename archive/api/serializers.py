"""Parameters of requests."""

from typing import Any, ClassVar, Final, cast

from rest_framework import serializers

from archive.api.fields import (
    ChoiceField,
    CursorField,
    DayField,
    FlagField,
    FormationNameField,
    IdsField,
    LimitField,
    TextField,
    WholeNumberField,
    number_schema,
)
from archive.api.pagination import DEFAULT_GAMES, LARGEST_PAGE, MOST_PLIES, NAMES, PAGE, PLIES
from archive.models import LARGEST_ID, Correction
from archive.names.kana_readings import LATIN, ROWS
from archive.queries.games.filters import Filter, FilterPlace, filters_of
from archive.queries.games.keyset import ALL_ORDERS
from archive.queries.names import directory
from archive.queries.search.parsing import LONGEST
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
        return with_collection(attrs)


def with_collection(attrs: dict[str, Any]) -> dict[str, Any]:
    """Return parameters. Raises ValidationError for the order of a collection without one."""
    if attrs.get("order") == "collection" and "collection" not in attrs:
        raise serializers.ValidationError({"order": ["this order is for the games of a collection"]})
    return attrs


class ChangesQuery(serializers.Serializer[Any]):
    """Parameters of `GET changes`."""

    cursor = CursorField()
    limit = LimitField(LARGEST_PAGE, PAGE)


class EventsQuery(serializers.Serializer[Any]):
    """Parameters of `GET events` and `GET places`."""

    name = TextField(required=False, max_length=200, help_text="A part of the name.")
    order = ChoiceField(
        required=False,
        choices=directory.ORDERS["event"],
        default="name",
        help_text="The order of the names.",
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
    evaluations = FlagField(
        default=False,
        help_text="Whether a record without evaluations has those of an engine's analysis as comments.",
    )


class CollectionsQuery(serializers.Serializer[Any]):
    """Parameters of `GET collections`."""

    cursor = CursorField()
    limit = LimitField(PAGE, DEFAULT_GAMES)


class CollectedQuery(serializers.Serializer[Any]):
    """Parameters of `GET collections/{id}/games`."""

    cursor = CursorField()
    limit = LimitField(LARGEST_PAGE, PAGE)


class NotesQuery(serializers.Serializer[Any]):
    """Parameters of `GET notes`."""

    game = ChoiceField(choices=[*GAMES], default=SHOGI.name, help_text="The kind of game of `code`.")
    code = TextField(required=False, help_text="The code of a position: only notes on it.")
    cursor = CursorField()
    limit = LimitField(PAGE, DEFAULT_GAMES)


DEFAULT_CARDS: Final = 20
"""Cards of an answer, unless the request has another limit."""


class RepertoireMovesQuery(serializers.Serializer[Any]):
    """Parameters of `GET account/repertoires/{id}/moves`."""

    cursor = CursorField()
    limit = LimitField(LARGEST_PAGE, PAGE)


class TrainingQuery(serializers.Serializer[Any]):
    """Parameters of `GET account/training`."""

    limit = LimitField(PAGE, DEFAULT_CARDS)


class RepertoireRecordQuery(serializers.Serializer[Any]):
    """Parameters of `GET account/repertoires/{id}/record.{format}`."""

    tree = TextField(
        required=False,
        schema=number_schema(0, 999, 0),
        help_text="The number of the position that the lines begin at, if there are several.",
    )


MOST_RECONCILED: Final = 64 * 1024
"""Characters of the queries of one request."""
MOST_RECONCILED_BY_GET: Final = 4_000
"""The same in an address, which servers limit."""


class SamePersonQuery(serializers.Serializer[Any]):
    """Parameters of `GET players/same`."""

    limit = LimitField(LARGEST_PAGE, DEFAULT_GAMES)


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
    type = TextField(
        required=False, allow_blank=True, max_length=20, help_text="`player`, `event` or `place`."
    )
    limit = serializers.IntegerField(required=False, min_value=1, max_value=100, help_text="Not used.")


class BenchQuery(serializers.Serializer[Any]):
    """Parameters of `GET bench/{kind}`."""

    before = WholeNumberField(
        required=False, min_value=0, max_value=LARGEST_ID, help_text="The `next` of the page before."
    )


class CorrectionsQuery(serializers.Serializer[Any]):
    """Parameters of `GET corrections`."""

    state = ChoiceField(
        required=False, choices=Correction.State.values, help_text="Only corrections in this state."
    )
    cursor = CursorField()
    limit = LimitField(LARGEST_PAGE, DEFAULT_GAMES)
