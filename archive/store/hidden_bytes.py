"""The bytes of entries that are hidden because of their games."""

from typing import Final

from django.db.models import F, Q, QuerySet

from archive.models import Entry
from kifu_core.classes import PUBLIC

_HIDDEN = Q(game__masked__gt=0) | (~Q(game__space=PUBLIC) & ~Q(game__space=F("upload__space")))


REMOVABLE: Final = Q(hidden=False) | (Q(game__isnull=False) & ~_HIDDEN)
"""Entries that a reading removes if it lacks them: those whose bytes nothing hides."""


def hide_by_game(entries: QuerySet[Entry]) -> None:
    """Hide the bytes of those entries whose games are masked, or are in a library that is not their upload's.
    Show those of other games, unless the latest reading lacks them: the next one removes these."""
    of_games = entries.exclude(game=None)
    hidden = of_games.filter(_HIDDEN, hidden=False)
    shown = of_games.filter(hidden=True, rereads=F("upload__rereads")).exclude(_HIDDEN)
    Entry.objects.filter(pk__in=hidden.values("pk")).update(hidden=True)
    Entry.objects.filter(pk__in=shown.values("pk")).update(hidden=False)
