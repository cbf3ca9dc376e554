"""Reasons for which a solution of a problem is refused."""

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from archive.project.refused import RefusedError

MOST_MOVES: Final = 200
"""Moves of an attempted solution, replies included."""

TEXTS: Final[dict[str, str | Promise]] = {
    "too-many-moves": _("A solution has at most %(moves)s moves."),
    "problem-move": _("Move %(ply)s cannot be played here."),
    "problem-reply": _("The reply %(ply)s is not the one that was played."),
}


class ProblemError(RefusedError):
    """An attempt at a problem is refused."""

    TEXTS = TEXTS
    VALUES: ClassVar[Mapping[str, Any]] = {"moves": MOST_MOVES}
