"""Rows of the bench that a curator finds fine as they are, or puts off. They do not come back by themselves:
one that is fine comes back if its game or its name changes, one that is put off after `LATER`."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce, Now
from django.utils import timezone

from archive.models import BenchMark, Entry, Game, Player, User

LATER: Final = timedelta(days=7)


def mark(user: User, kind: str, subject: int, other: int = 0, *, text: str = "", later: bool = False) -> None:
    """Mark a row as fine, or put it off. An earlier mark of the row is replaced."""
    now = timezone.now()
    values = {
        "text": text,
        "made": now,
        "until": now + LATER if later else None,
        "account": user,
        "account_name": user.username,
    }
    BenchMark.objects.update_or_create(kind=kind, subject=subject, other=other, defaults=values)


def unmark(kind: str, subject: int, other: int = 0) -> None:
    """Take a mark away; nothing happens if there is none."""
    BenchMark.objects.filter(kind=kind, subject=subject, other=other).delete()


def marked_pairs(kind: str) -> set[tuple[int, int]]:
    """Return the pairs that have a mark."""
    return set(_active_marks(kind).values_list("subject", "other"))


def unmarked_games(rows: QuerySet[Game], kind: str) -> QuerySet[Game]:
    """Return the games without a mark that was made since they last changed."""
    return _without(rows, kind, made__gte=Coalesce(OuterRef("changed"), F("made")))


def unmarked_names(rows: QuerySet[Player], kind: str) -> QuerySet[Player]:
    """Return the players without a mark of their present name."""
    return _without(rows, kind, text=OuterRef("name"))


def unmarked_entries(rows: QuerySet[Entry], kind: str) -> QuerySet[Entry]:
    """Return the entries without a mark. The bytes of an entry never change."""
    return _without(rows, kind)


def _without(rows: QuerySet[Any], kind: str, **conditions: Any) -> QuerySet[Any]:
    marks = _active_marks(kind).filter(subject=OuterRef("pk"), **conditions)
    return rows.filter(~Exists(marks))


def _active_marks(kind: str) -> QuerySet[BenchMark]:
    return BenchMark.objects.filter(Q(until=None) | Q(until__gt=Now()), kind=kind)
