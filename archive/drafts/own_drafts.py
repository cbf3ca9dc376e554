"""Drafts of an account: list, create, replace, remove."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from archive.derive.headers import EVENTS, PLAYERS
from archive.drafts.errors import DraftError
from archive.drafts.saving import is_saved
from archive.models import Draft, User, codec
from archive.models.drafts import TITLE_LENGTH
from kifu_core.errors import KifuError
from kifu_core.shogi.check_jkf import check

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from kifu_core.jkf import Record

MOST: Final = 200
"""Drafts of one account."""


def own_drafts(user: User) -> QuerySet[Draft]:
    """Return the drafts of an account without their records, the last changed first."""
    return Draft.objects.filter(user=user).defer("record").order_by("-changed", "-pk")


def create_draft(user: User, record: Record, game: int | None = None) -> Draft:
    """Store a new draft; `game` is the id of the game that it was made from. If the account has `MOST`
    drafts, it takes the place of the oldest one that is saved as it is. Raises DraftError."""
    with transaction.atomic():
        User.objects.select_for_update().get(pk=user.pk)
        if Draft.objects.filter(user=user).count() >= MOST:
            _remove_saved(user)
        return Draft.objects.create(user=user, title=title_of(record), record=codec.pack(record), game=game)


def _remove_saved(user: User) -> None:
    saved = Draft.objects.filter(user=user).exclude(upload=None).order_by("changed", "pk")
    unneeded = next(filter(is_saved, saved.iterator()), None)
    if unneeded is None:
        raise DraftError("too-many-drafts")
    unneeded.delete()


def replace_draft(user: User, pk: int, record: Record, version: int) -> bool:
    """Replace the record of a draft whose present version is `version`; its version is then one higher.

    Return whether the account has such a draft. Raises DraftError if the draft has another version.
    """
    own = Draft.objects.filter(pk=pk, user=user)
    replaced = own.filter(version=version).update(
        title=title_of(record), record=codec.pack(record), version=version + 1, changed=timezone.now()
    )
    if not replaced and own.exists():
        raise DraftError("draft-changed")
    return bool(replaced)


def remove_draft(user: User, pk: int) -> bool:
    """Remove a draft; return whether the account had it."""
    return bool(Draft.objects.filter(pk=pk, user=user).delete()[0])


def read_record(value: Any) -> Record:
    """Return a JSON value as a record that can be stored as a draft: it has the shape of one, and is not too
    large. Raises KifuError."""
    record = check(value)
    limit = settings.ARCHIVE_MAX_CONVERT_BYTES
    if len(codec.to_json(record)) > limit:
        raise KifuError("too-large", params={"limit": limit})
    return record


def title_of(record: Record) -> str:
    """Return the title of a draft: its players, and its event."""
    header = record["header"]
    names = [_first(header, keys) for keys in PLAYERS]
    title = " – ".join(name or "?" for name in names) if any(names) else ""
    parts = [part for part in (title, _first(header, EVENTS)) if part]
    return " · ".join(parts)[:TITLE_LENGTH].replace("\0", "")


def _first(header: dict[str, str], names: tuple[str, ...]) -> str:
    return next((" ".join(header[name].split()) for name in names if header.get(name, "").strip()), "")
