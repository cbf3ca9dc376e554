"""Reasons for which a follow or a note is refused."""

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from archive.models.following import TITLE_LENGTH
from archive.project.refused import RefusedError

SITE_LENGTH: Final = 200
"""Characters of a place."""
MOST_FOLLOWS: Final = 100
"""Follows of one account."""
MOST_NOTES: Final = 5_000
"""Notes of one account."""
MOST_OWN_NAMES: Final = 50
"""Names under which the owner of an account plays."""
TEXT_LENGTH: Final = 5_000
"""Characters of a note."""

TEXTS: Final[dict[str, str | Promise]] = {
    "too-many-follows": _("An account follows at most %(follows)s searches, names and positions."),
    "follow-title": _("A title has at most %(title)s characters."),
    "too-many-notes": _("An account has at most %(notes)s notes on positions."),
    "note-text": _("A note has at most %(text)s characters."),
    "too-many-own-names": _("An account has at most %(names)s names of its owner."),
    "own-site": _("A place has at most %(site)s characters."),
    "not-a-member": _("Only members of a library can write notes there."),
}


class FollowError(RefusedError):
    """A follow or a note is refused."""

    TEXTS = TEXTS
    VALUES: ClassVar[Mapping[str, Any]] = {
        "follows": MOST_FOLLOWS,
        "title": TITLE_LENGTH,
        "notes": MOST_NOTES,
        "text": TEXT_LENGTH,
        "names": MOST_OWN_NAMES,
        "site": SITE_LENGTH,
    }
