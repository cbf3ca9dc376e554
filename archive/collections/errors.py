"""Reasons for which a change of a collection is refused."""

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from archive.project.refused import RefusedError

TITLE_LENGTH: Final = 200
TEXT_LENGTH: Final = 20_000
"""Characters of a description, and of a note."""
MOST_COLLECTIONS: Final = 1_000
"""Collections of one library, and parts of one collection."""
MOST_GAMES: Final = 100_000
"""Games of one collection, without those of its parts."""

TEXTS: Final[dict[str, str | Promise]] = {
    "collection-title": _("A title has 1 to %(title)s characters."),
    "collection-text": _("A description or a note has at most %(text)s characters."),
    "too-many-collections": _("A library has at most %(collections)s collections."),
    "too-many-collected": _("A collection has at most %(games)s games."),
    "not-an-editor": _("Only members of its library can change a collection."),
    "not-an-owner": _("Only owners of its library can share, publish and delete a collection."),
    "no-publishing": _("Your account cannot publish."),
    "part-of-part": _("A part of a collection has no parts of its own."),
    "of-the-whole": _("A part is shared and published together with the whole collection."),
    "unknown-game": _("There is no game %(game)s that you can read."),
    "not-collected": _("Game %(game)s is not in this collection."),
    "no-collection": _("This collection was deleted."),
    "no-search": _("This collection is not kept up to date from a search."),
}


class CollectionError(RefusedError):
    """A change of a collection is refused."""

    TEXTS = TEXTS
    VALUES: ClassVar[Mapping[str, Any]] = {
        "title": TITLE_LENGTH, "text": TEXT_LENGTH, "collections": MOST_COLLECTIONS, "games": MOST_GAMES,
    }  # fmt: skip
