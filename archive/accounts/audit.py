"""The audit log: sign-ins and changes of rights, shares, games and uploads, with time and network address.

The code that makes such a change calls `note`. Signals of Django report sign-ins, those of django-allauth
passwords, mail addresses and second factors. Lines are never changed or deleted, but lose their network
addresses after `ARCHIVE_AUDIT_ADDRESS_DAYS`.
"""

from collections.abc import Iterable, Iterator, Sequence
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

from archive.models import AuditEvent, AuditLine, Entry, Game, User

_address: ContextVar[str] = ContextVar("address", default="")


@contextmanager
def visit(address: str) -> Iterator[None]:
    """Add a network address to lines that are written inside the block."""
    token = _address.set(address)
    try:
        yield
    finally:
        _address.reset(token)


def note(event: AuditEvent, user: Any, what: str = "") -> None:
    """Write a line, in the transaction of the change. `what` describes the change in English and names rows
    by id; of records it has only the players of deleted games."""
    note_all(event, user, [what])


def note_all(event: AuditEvent, user: Any, lines: Iterable[str]) -> None:
    """Write several lines about one event, as `note` does."""
    account = user if isinstance(user, User) else None
    AuditLine.objects.bulk_create(
        AuditLine(
            event=event,
            account=account.pk if account else None,
            name=account.username if account else "",
            what=what,
            address=_address.get(),
        )
        for what in lines
    )


def note_game_deleted(user: Any, pk: int, *, hidden: bool, reason: str = "") -> None:
    """Write that a game is about to be deleted, with its players and the reason."""
    why = f" ({reason})" if reason else ""
    note(AuditEvent.DELETE, user, f"game {pk}{', bytes hidden' if hidden else ''}{_players([pk])}{why}")


def note_upload_deleted(user: Any, pk: int) -> None:
    """Write that an upload is about to be deleted, with the players of its first games."""
    entries = Entry.objects.filter(upload=pk).exclude(game=None).order_by("seq")
    games = list(dict.fromkeys(entries.values_list("game", flat=True)[:_LISTED_ENTRIES]))
    note(AuditEvent.DELETE, user, f"upload {pk}{_players(games)}")


def _players(ids: Sequence[int | None]) -> str:
    games = Game.objects.select_related("player0", "player1").in_bulk([pk for pk in ids if pk])
    pairs = [f"{game.player0 or '?'} – {game.player1 or '?'}" for game in map(games.get, ids) if game]
    text = ", ".join(pairs[:_LISTED_GAMES]) + (", …" if len(pairs) > _LISTED_GAMES else "")
    return f": {text}" if text else ""


_LISTED_GAMES: Final = 3
_LISTED_ENTRIES: Final = 20
"""Entries of an upload that are searched for games."""


def forget_addresses() -> int:
    """Remove the network addresses from old lines; return the number of lines."""
    old = timezone.now() - timedelta(days=settings.ARCHIVE_AUDIT_ADDRESS_DAYS)
    return AuditLine.forgetting.filter(at__lt=old).exclude(address="").update(address="")


def listen() -> None:
    """Connect to the signals of Django and django-allauth."""
    user_logged_in.connect(_signed_in, dispatch_uid="audit")
    user_logged_out.connect(_signed_out, dispatch_uid="audit")
    user_login_failed.connect(_failed, dispatch_uid="audit")
    for signal, what in WAYS_IN:
        signal.connect(partial(_way_in, what), dispatch_uid="audit", weak=False)


WAYS_IN: Final = (
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
"""Signals of django-allauth, with the texts of their lines."""


def _way_in(what: str, user: Any, **_other: Any) -> None:
    note(AuditEvent.ACCOUNT, user, what)


def _signed_in(user: Any, **_other: Any) -> None:
    note(AuditEvent.SIGN_IN, user)


def _signed_out(user: Any, **_other: Any) -> None:
    note(AuditEvent.SIGN_OUT, user)


def _failed(credentials: dict[str, Any], **_other: Any) -> None:
    """Write the name only if an account has it: others may be passwords in the wrong field."""
    name = str(credentials.get("username") or "")
    account = None if "\0" in name else User.objects.filter(username=name).first()
    note(AuditEvent.SIGN_IN_FAILED, account or AnonymousUser())
