"""Bodies of requests of records: uploads, checks, conversions."""

from typing import Any, ClassVar

from rest_framework import serializers

from archive.api.fields import FormFileField, RawTextField, TextField
from archive.shapes.common import FORMATS


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


class ConvertBody(RecordBody):
    """Fields of `POST convert`."""

    needed = ("to",)

    to = TextField(
        required=False, allow_blank=True, schema={"enum": [*FORMATS]}, help_text="The format to write."
    )
