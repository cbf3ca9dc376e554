"""Bodies of requests about edits of all games of a search."""

from typing import Any

from rest_framework import serializers

from archive.api.bodies.common import reason_field, searched_space_field
from archive.api.fields import ChoiceField, TextField
from archive.api.serializers import TEXT_LIMIT
from archive.curation.batch_edits import GROUPS as HEADER_GROUPS
from archive.curation.batch_edits import KINDS as EDIT_KINDS
from archive.curation.batch_edits import LONGEST as LONGEST_TEXT
from archive.queries.search.parsing import LONGEST


class BatchEditBody(serializers.Serializer[Any]):
    """Fields of an edit of all games of a search."""

    kind = ChoiceField(choices=list(EDIT_KINDS), help_text="What to do with each game.")
    header = TextField(
        required=False,
        allow_blank=True,
        max_length=TEXT_LIMIT,
        help_text=f"The header: a name, or one of {', '.join(HEADER_GROUPS)}.",
    )
    old = TextField(required=False, allow_blank=True, max_length=LONGEST_TEXT, help_text="The text before.")
    new = TextField(required=False, allow_blank=True, max_length=LONGEST_TEXT, help_text="The text after.")


class BatchPreviewBody(serializers.Serializer[Any]):
    """Fields of `POST corrections/batches/preview`."""

    search = TextField(
        allow_blank=True, max_length=LONGEST, help_text="Parameters of `GET games`: `player=...&from=1990`."
    )
    edit = BatchEditBody(help_text="The edit of each game.")
    space = searched_space_field()


class BatchBody(BatchPreviewBody):
    """Fields of `POST corrections/batches`."""

    reason = reason_field()


class BatchActionBody(serializers.Serializer[Any]):
    """Fields of `POST corrections/batches/{id}`."""

    action = ChoiceField(choices=["undo"], help_text="What to do.")
