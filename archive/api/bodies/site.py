"""Bodies of requests of the search box."""

from typing import Any

from rest_framework import serializers

from archive.api.fields import RawTextField


class SearchedBody(serializers.Serializer[Any]):
    """Fields of `POST find`."""

    text = RawTextField(help_text="A text written or pasted into a search box.")
