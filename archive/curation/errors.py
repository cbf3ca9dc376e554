"""Reasons for which a correction is refused."""

from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

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
    "not-open": _("This correction was decided already."),
    "not-taken-down": _("This game was not taken down, or nothing of it is left."),
    "not-applied": _("This correction does not apply."),
}


class CurationError(Exception):
    """A correction is refused; `code` is a key of `TEXTS`."""

    def __init__(self, code: str, **values: Any) -> None:
        super().__init__(code)
        self.code = code
        self.values = values

    @property
    def text(self) -> str:
        """Return the reason in the active language."""
        return str(TEXTS[self.code]) % self.values
