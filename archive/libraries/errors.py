"""Reasons for which an action on a library, a group or a game is refused."""

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from archive.project.refused import RefusedError

GROUP_NAME_LENGTH: Final = 100
"""Characters of a group's name."""

TEXTS: Final[dict[str, str | Promise]] = {
    "group-name": _("A group's name has 1 to %(most)s characters."),
    "too-many-groups": _("You cannot create more groups."),
    "too-many-members": _("The group cannot have more members."),
    "too-many-invitations": _("There are too many open invitations into this group."),
    "not-an-owner": _("Only owners of the group can do this."),
    "last-owner": _("Make somebody else an owner first: a group with members needs one."),
    "group-has-games": _("There are still games in this library: publish or delete them first."),
    "no-invitation": _("This invitation was used or has expired. Ask for another one."),
    "nobody": _("There is no user of this name."),
    "too-many-shares": _("The game cannot be shared with more people."),
    "not-yours": _("You can share and move only what is yours."),
    "others-sent-it": _("Others added this game, too: an owner of the group can share it."),
    "taken-down": _("This game was taken down where it would go."),
    "unknown-space": _("You cannot add games there."),
    "still-working": _("The upload is still being read or moved: try again when that is done."),
}


class LibraryError(RefusedError):
    """An action on a library, a group or a game is refused."""

    TEXTS = TEXTS
    VALUES: ClassVar[Mapping[str, Any]] = {"most": GROUP_NAME_LENGTH}
