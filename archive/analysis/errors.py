"""Reasons for which a request for an analysis, or the work of a volunteer, is refused."""

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from archive.project.refused import RefusedError

OPEN_REQUESTS: Final = 20
"""Open requests of one account."""
OWN_VERDICTS: Final = 20_000
"""Verdicts that an account stores in its library."""

TEXTS: Final[dict[str, str | Promise]] = {
    "no-engine": _("This archive has no such engine."),
    "no-analysis-right": _("Your account cannot have games analysed here."),
    "too-many-nodes": _("This engine searches at most %(nodes)s nodes of a position."),
    "too-many-lines": _("This engine has at most %(lines)s lines of a position."),
    "not-analysable": _("Only games of shogi with a readable record are analysed."),
    "too-many-analyses": _("An account has at most %(requests)s open requests for analyses."),
    "analysis-quota": _("An account may have %(games)s games analysed in 24 hours."),
    "no-analysis": _("This request is not open."),
    "volunteer-disabled": _("Verdicts of this account were wrong: it cannot help any more."),
    "claim-lost": _("This work was given to others, or is done."),
    "too-many-verdicts": _("An account has at most %(verdicts)s verdicts of its own."),
    "bad-analysis": _("Ply %(ply)s: %(why)s."),
}


class AnalysisError(RefusedError):
    """A request for an analysis, or the work of a volunteer, is refused."""

    TEXTS = TEXTS
    VALUES: ClassVar[Mapping[str, Any]] = {"requests": OPEN_REQUESTS, "verdicts": OWN_VERDICTS}
