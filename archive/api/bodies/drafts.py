"""Bodies of requests about drafts."""

from typing import Any

from rest_framework import serializers

from archive.api.fields import RecordField, TextField, WholeNumberField
from archive.api.serializers import MOST_VERSIONS
from archive.models import LARGEST_ID


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
