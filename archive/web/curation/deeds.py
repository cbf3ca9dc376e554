"""What a curator did last, as far as the bench can undo it; the session has it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from archive.accounts.roles import may_curate
from archive.curation import bench
from archive.models import Correction, User

if TYPE_CHECKING:
    from django.http import HttpRequest

_DEEDS: Final = "bench"
"""The key of sessions."""
_MOST: Final = 20


def remember(request: HttpRequest, kind: str, answer: str, *key: int) -> None:
    """Remember an answer of the bench, or with an empty kind a deed of another page, of a curator."""
    if may_curate(request.user):
        request.session[_DEEDS] = [*request.session.get(_DEEDS, ()), [kind, answer, *key]][-_MOST:]


def remember_correction(request: HttpRequest, row: Correction) -> None:
    """Remember a correction that applied at once."""
    if row.state == Correction.State.APPLIED:
        remember(request, "", "correct", row.pk)


def remembered(request: HttpRequest) -> int:
    """Return how many deeds can be undone."""
    return len(request.session.get(_DEEDS, ()))


def undo_last(request: HttpRequest, user: User) -> str:
    """Undo the last deed, and forget it; return its kind. Raises CurationError, KeyError if there is none."""
    deeds = request.session.get(_DEEDS, [])
    if not deeds:
        raise KeyError(_DEEDS)
    kind, answer, *key = deeds[-1]
    request.session[_DEEDS] = deeds[:-1]
    bench.undo(kind, answer, user, *key)
    return str(kind)
