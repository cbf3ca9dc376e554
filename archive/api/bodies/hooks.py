"""Bodies of requests about webhooks."""

from typing import Any

from rest_framework import serializers

from archive.api.fields import TextField
from archive.queries.search.parsing import LONGEST


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
