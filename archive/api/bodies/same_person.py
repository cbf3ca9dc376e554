"""Bodies of requests about names of the same person."""

from typing import Any

from rest_framework import serializers

from archive.api.bodies.common import reason_field
from archive.api.fields import TextField
from archive.api.serializers import MOST_RECONCILED
from archive.curation.steps import REASON_LENGTH
from archive.models import LARGEST_ID


class SamePersonBody(serializers.Serializer[Any]):
    """Fields of `POST players/same`."""

    one = serializers.IntegerField(min_value=1, max_value=LARGEST_ID, help_text="The player to merge.")
    other = serializers.IntegerField(min_value=1, max_value=LARGEST_ID, help_text="The player to merge into.")
    same = serializers.BooleanField(help_text="Whether they are the same person.")
    reason = reason_field()


class AuthorityBody(serializers.Serializer[Any]):
    """Fields of `POST players/authority`."""

    table = TextField(
        max_length=MOST_RECONCILED,
        help_text="CSV with the column `name` and any of `kana`, `latin`, `born`, `died`, `source`.",
    )
    reason = TextField(max_length=REASON_LENGTH, help_text="The title of the table.")
