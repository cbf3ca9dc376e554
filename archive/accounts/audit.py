"""The log of deeds: who came in, was given rights, shared, published, imported, deleted, when and where.

Whoever does such a thing says so here (`note`). Only Django tells of who signs in, and only django-allauth of
passwords, addresses and second factors, by signals. Lines are never changed and never deleted; the addresses
from which things were done are forgotten after `ARCHIVE_AUDIT_ADDRESS_DAYS`.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import timedelta
from functools import partial
from typing import Any, Final

from allauth.account import signals as accounts
from allauth.mfa import signals as mfa
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.utils import timezone

from archive.models import AuditLine, Entry, Game, User

Deed = AuditLine.Deed

_address: ContextVar[str] = ContextVar("address", default="")


@contextmanager
def visit(address: str) -> Iterator[None]:
    """Let lines that are written inside tell this address."""
    token = _address.set(address)
    try:
        yield
    finally:
        _address.reset(token)


def note(deed: AuditLine.Deed, user: Any, what: str = "") -> None:
    """Write a line, in the transaction in which the deed is done. `what` says in words of programs what was
    done to which row; nothing of what stands in records, except whose games were deleted."""
    known = user if isinstance(user, User) else None
    AuditLine.objects.create(
        deed=deed,
        account=known.pk if known else None,
        name=known.username if known else "",
        what=what,
        address=_address.get(),
    )


def note_game_deleted(user: Any, pk: int, *, hidden: bool) -> None:
    """Write that a game is deleted, with its players, before it is."""
    note(Deed.DELETE, user, f"game {pk}{', bytes hidden' if hidden else ''}{_players([pk])}")


def note_upload_deleted(user: Any, pk: int) -> None:
    """Write that an upload is deleted, with the players of its first games, before it is."""
    entries = Entry.objects.filter(upload=pk).exclude(game=None).order_by("seq")
    found = list(dict.fromkeys(entries.values_list("game", flat=True)[:_NAMED_ENTRIES]))
    note(Deed.DELETE, user, f"upload {pk}{_players(found)}")


def _players(games: Sequence[int | None]) -> str:
    """Return the players of the first of some games."""
    found = Game.objects.select_related("player0", "player1").in_bulk([pk for pk in games if pk])
    named = [f"{one.player0 or '?'} – {one.player1 or '?'}" for one in map(found.get, games) if one]
    told = ", ".join(named[:_NAMED]) + (", …" if len(named) > _NAMED else "")
    return f": {told}" if told else ""


_NAMED: Final = 3
"""Games of an upload whose players are named."""
_NAMED_ENTRIES: Final = 20
"""Entries of an upload in which these games are looked for."""


def forget_addresses() -> int:
    """Take the addresses from old lines; return from how many."""
    old = timezone.now() - timedelta(days=settings.ARCHIVE_AUDIT_ADDRESS_DAYS)
    return AuditLine.forgetting.filter(at__lt=old).exclude(address="").update(address="")


def listen() -> None:
    """Have Django tell who signs in and out, and who fails to, and django-allauth who changes by what."""
    user_logged_in.connect(_signed_in, dispatch_uid="audit")
    user_logged_out.connect(_signed_out, dispatch_uid="audit")
    user_login_failed.connect(_failed, dispatch_uid="audit")
    for signal, what in _WAYS_IN:
        signal.connect(partial(_way_in, what), dispatch_uid="audit", weak=False)


_WAYS_IN: Final = (
    (accounts.user_signed_up, "made"),
    (accounts.password_set, "password set"),
    (accounts.password_changed, "password changed"),
    (accounts.password_reset, "password reset"),
    (accounts.email_added, "address added"),
    (accounts.email_changed, "main address changed"),
    (accounts.email_removed, "address removed"),
    (mfa.authenticator_added, "second factor added"),
    (mfa.authenticator_removed, "second factor removed"),
    (mfa.authenticator_reset, "recovery codes made anew"),
)


def _way_in(what: str, user: Any, **_other: Any) -> None:
    note(Deed.ACCOUNT, user, what)


def _signed_in(user: Any, **_other: Any) -> None:
    note(Deed.SIGN_IN, user)


def _signed_out(user: Any, **_other: Any) -> None:
    note(Deed.SIGN_OUT, user)


def _failed(credentials: dict[str, Any], **_other: Any) -> None:
    """Note whose account it was. What is no account's name may be a password in the wrong field."""
    name = str(credentials.get("username") or "")
    known = None if "\0" in name else User.objects.filter(username=name).first()
    note(Deed.SIGN_IN_FAILED, known or AnonymousUser())
