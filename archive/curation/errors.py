"""Reasons for which a correction is refused."""

from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from archive.project.refused import RefusedError

TEXTS: Final[dict[str, str | Promise]] = {
    "no-right": _("You cannot correct this."),
    "no-curator": _("Only curators, and owners in their libraries, decide about corrections."),
    "reason-missing": _("Give a reason of at most %(most)s characters."),
    "unreadable-record": _("This is no record that can be read."),
    "unplayable": _("These moves cannot all be played."),
    "nothing-changed": _("Nothing was changed."),
    "malformed": _("Operation %(index)s is malformed."),
    "no-address": _("Operation %(index)s has no address of a move."),
    "unknown-player": _("There is no such player."),
    "too-large": _("The record would become too large."),
    "changed-since": _("The record has changed since. Look at it again."),
    "no-node": _("The record has changed since: there is no such move."),
    "no-variation": _("The record has changed since: there is no such variation."),
    "same-game": _("This would make the game equal to game %(other)s."),
    "too-many-proposals": _("Too many of your proposals are waiting."),
    "not-open": _("This was decided already."),
    "not-taken-down": _("This was not taken down, or nothing of it is left."),
    "name-taken-down": _("This name was taken down. Restore it first."),
    "batch-edit": _("This edit is incomplete: choose a header, and fill in the texts."),
    "no-games": _("No game matches the search."),
    "too-many-games": _("One edit changes at most %(most)s games. Narrow the search down."),
    "too-many-batches": _("Too many of your edits are running. Wait until they are finished."),
    "batch-unfinished": _("This edit is not finished, or was undone already."),
    "not-applied": _("This correction does not apply."),
    "unknown-field": _("Operation %(index)s names no field that can be corrected."),
    "invalid-value": _("Operation %(index)s has a value that is not possible."),
    "form-invalid-value": _("One of the values is not possible, or is too long."),
    "several-names": _("Several have this name: add the number, one of %(names)s."),
    "invalid-day": _("A day is written as 1970, 1970-09 or 1970-09-27."),
    "no-kana": _("A reading is written in kana."),
    "no-latin": _("This is not in Latin letters."),
    "no-table": _("This is no table of at most 200 rows with a column “name” and known other columns."),
    "fact-changed": _("This has changed since. Look at it again."),
    "merged-already": _("This name is merged with another one already."),
    "merged-with-itself": _("A name cannot be merged with itself."),
    "not-merged": _("These names are not merged any more."),
    "unknown-target": _("There is no such name here."),
    "too-many-merged": _("Too many names would be merged."),
    "has-name": _("This name is one of its names already."),
    "other-has-name": _("Another one has this name: merge them."),
    "other-game": _("Operation %(index)s names a side of a game that is not this player's."),
    "in-a-circle": _("A series cannot be a part of itself."),
}


class CurationError(RefusedError):
    """A correction is refused."""

    TEXTS = TEXTS
