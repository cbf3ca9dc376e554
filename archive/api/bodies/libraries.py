"""Bodies of requests about libraries and groups."""

from typing import Any

from rest_framework import serializers

from archive.api.fields import ChoiceField, FlagField, RawTextField, TextField, WholeNumberField
from archive.libraries import MEMBERS
from archive.models import LARGEST_ID


class LibraryBody(serializers.Serializer[Any]):
    """Fields of `POST games/{id}/library`."""

    action = ChoiceField(
        choices=["publish", "take-back", "give-back", "link", "share", "unshare"], help_text="What to do."
    )
    name = TextField(
        required=False, max_length=150, help_text="For `share`: the user name of the person to share with."
    )
    share = WholeNumberField(
        required=False, min_value=1, max_value=LARGEST_ID, help_text="For `unshare`: the number of the share."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Return the fields. Raises ValidationError if a field that the action needs is missing."""
        needed = {"share": "name", "unshare": "share"}.get(attrs["action"])
        if needed is not None and needed not in attrs:
            raise serializers.ValidationError({needed: ["this action wants it"]})
        return attrs


class MoveBody(serializers.Serializer[Any]):
    """Fields of `POST uploads/{id}/move`."""

    space = TextField(help_text="Where the games go: `public`, `mine`, `group-12`.")


class GroupBody(serializers.Serializer[Any]):
    """Fields of `POST spaces` and `POST spaces/{id}`."""

    name = RawTextField(help_text="The name of the group.")


class InvitationBody(serializers.Serializer[Any]):
    """Fields of `POST spaces/{id}/invitations`."""

    people = WholeNumberField(
        default=1, min_value=1, max_value=MEMBERS, help_text="How many people may use the link."
    )


class JoinBody(serializers.Serializer[Any]):
    """Fields of `POST spaces/join`."""

    key = RawTextField(help_text="The key of an invitation: the last part of its link.")


class MemberBody(serializers.Serializer[Any]):
    """Fields of `POST spaces/{id}/members/{member}`."""

    owner = FlagField(help_text="Whether the member is an owner.")
