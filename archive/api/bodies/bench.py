"""Bodies of requests of the bench."""

from typing import Any

from rest_framework import serializers

from archive.api.fields import FlagField, TextField
from archive.models import LARGEST_ID


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
