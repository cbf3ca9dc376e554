"""Bodies of requests about collections."""

from typing import Any

from rest_framework import serializers

from archive.api.fields import ChoiceField, LimitedListField, RawTextField, TextField, WholeNumberField
from archive.api.serializers import MOST_LISTED
from archive.collections.errors import MOST_COLLECTIONS
from archive.models import LARGEST_ID, Collection
from archive.queries.games.filters import MOST_PLIES as MOST_PLIES_OF_GAME
from archive.queries.search.parsing import LONGEST


def _games(text: str) -> LimitedListField:
    child = WholeNumberField(min_value=1, max_value=LARGEST_ID)
    return LimitedListField(required=False, max_length=MOST_LISTED, child=child, help_text=text)


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
