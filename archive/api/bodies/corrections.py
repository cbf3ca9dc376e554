"""Bodies of requests about corrections and take-downs."""

from typing import Any

from rest_framework import serializers

from archive.api.bodies.common import reason_field
from archive.api.fields import ChoiceField, FlagField, TextField
from archive.curation.policy import ACTIONS as CORRECTION_ACTIONS
from archive.curation.steps import REASON_LENGTH
from archive.derive.name_operations import MOST_OPERATIONS as MOST_NAME_OPERATIONS
from archive.derive.operations import MOST_OPERATIONS


class CorrectionBody(serializers.Serializer[Any]):
    """Fields of `POST games/{id}/corrections`."""

    operations = serializers.ListField(
        child=serializers.DictField(),
        required=False,
        max_length=MOST_OPERATIONS,
        help_text="The operations, with the values before and after.",
    )
    record = serializers.JSONField(
        required=False,
        help_text="In place of `operations`: the edited record, JKF as an object or as text.",
    )
    reason = reason_field()

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Return the fields. Raises ValidationError unless there is one of `operations` and `record`."""
        if ("operations" in attrs) == ("record" in attrs):
            raise serializers.ValidationError({"operations": ["either operations or a record"]})
        return attrs


class NameCorrectionBody(serializers.Serializer[Any]):
    """Fields of `POST players/{id}/corrections` and of the same of events and places."""

    operations = serializers.ListField(
        child=serializers.DictField(),
        max_length=MOST_NAME_OPERATIONS,
        help_text="The operations, with the values before and after.",
    )
    reason = reason_field()


class CorrectionActionBody(serializers.Serializer[Any]):
    """Fields of `POST corrections/{id}`."""

    action = ChoiceField(choices=list(CORRECTION_ACTIONS), help_text="What to do.")
    reason = TextField(
        required=False,
        allow_blank=True,
        default="",
        max_length=REASON_LENGTH,
        help_text="Why; needed to object.",
    )


class TakeDownBody(serializers.Serializer[Any]):
    """Fields of `POST games/{id}/take-down`."""

    reason = TextField(max_length=REASON_LENGTH, help_text="Why; for the audit log.")
    hide = FlagField(default=False, help_text="Whether to hide the bytes of its files, too.")


class TakeDownNameBody(serializers.Serializer[Any]):
    """Fields of `POST players/{id}/take-down`."""

    reason = TextField(max_length=REASON_LENGTH, help_text="Why; for curators and the audit log.")
    initials = TextField(
        max_length=20,
        default="",
        allow_blank=True,
        help_text="Shown in place of the name. Derived from it if empty.",
    )
