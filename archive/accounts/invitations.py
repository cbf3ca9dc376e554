"""Links with which people make accounts: of an administrator, and the one for the first of them."""

from __future__ import annotations

import secrets
from datetime import timedelta
from typing import Final

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from archive.accounts.audit import AuditEvent, note
from archive.accounts.roles import Role, set_role
from archive.accounts.tokens import digest
from archive.models import AccountInvitation, Space, User

PAGE: Final = "sign-up/"
"""Where the page of an invitation is; its key follows. Commands name it without loading all pages."""

OWNER_DAYS: Final = 1
"""How long the link is good with which somebody becomes the owner."""


def make(
    role: Role,
    days: int,
    made_by: User | None = None,
    for_whom: str = "",
    people: int = 1,
    group: Space | None = None,
) -> tuple[AccountInvitation, str]:
    """Store a new invitation for so many people, also into a group; return it, and the key of its link, which
    nobody can be told again."""
    key = secrets.token_urlsafe(24)
    expires = timezone.now() + timedelta(days=days)
    made = AccountInvitation.objects.create(
        digest=digest(key),
        role=role,
        expires=expires,
        made_by=made_by,
        note=for_whom,
        left=people,
        group=group,
    )
    # The server itself makes the first one.
    note(AuditEvent.RIGHTS, made_by, f"invitation {made.pk}: made, {role}")
    return made, key


def withdraw(pk: int, by: User) -> None:
    """End an invitation that nobody has used."""
    if AccountInvitation.objects.filter(pk=pk, used=None).delete()[0]:
        note(AuditEvent.RIGHTS, by, f"invitation {pk}: withdrawn")


def find(key: str) -> AccountInvitation | None:
    """Return the invitation of a key; None for a wrong, used or expired one, and for one of somebody
    who is no administrator any more."""
    return _open().filter(digest=digest(key)).first()


def _open() -> QuerySet[AccountInvitation]:
    """Return the invitations that can be used: who may invite nobody any more left no way back in."""
    by_who_may = Q(made_by=None) | Q(made_by__is_active=True, made_by__is_superuser=True)
    return AccountInvitation.objects.filter(by_who_may, used=None, expires__gt=timezone.now())


def end_those_of(user: User) -> None:
    """Delete the invitations that somebody made and nobody has used."""
    AccountInvitation.objects.filter(made_by=user, used=None).delete()


def use(invitation: AccountInvitation, user: User) -> bool:
    """Give a new account the role that it was invited to. Return False where somebody else was faster.

    Call it in the transaction that makes the account.
    """
    with transaction.atomic():
        this = _open().filter(pk=invitation.pk)
        last = this.filter(left=1).update(left=0, used=timezone.now(), used_by=user)
        if not last and not this.filter(left__gt=1).update(left=F("left") - 1, used_by=user):
            return False
        set_role(user, Role(invitation.role))
        note(AuditEvent.RIGHTS, user, f"invitation {invitation.pk}: used, {invitation.role}")
    return True


def for_the_owner() -> str:
    """Return the key of a new link with which the first administrator makes an account, and end the one of
    before; empty where there is an administrator."""
    if User.objects.filter(is_superuser=True, is_active=True).exists():
        return ""
    AccountInvitation.objects.filter(used=None, made_by=None, role=Role.ADMINISTRATOR).delete()
    _invitation, key = make(Role.ADMINISTRATOR, OWNER_DAYS)
    return key
