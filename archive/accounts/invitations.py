"""Links that create accounts: those of administrators, and the link for the first administrator."""

from __future__ import annotations

import secrets
from datetime import timedelta
from typing import Final

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from archive.accounts.audit import note
from archive.accounts.roles import Role, set_role
from archive.accounts.tokens import digest
from archive.models import AccountInvitation, AuditEvent, Space, User

PAGE: Final = "sign-up/"
"""The path of the sign-up page, before the key. Commands use it without loading all pages."""

OWNER_DAYS: Final = 1
"""How long the link for the first administrator is valid."""


def create(
    role: Role,
    days: int,
    made_by: User | None = None,
    for_whom: str = "",
    people: int = 1,
    group: Space | None = None,
) -> tuple[AccountInvitation, str]:
    """Store an invitation for `people` users, perhaps into a group; return it with the key of its link, of
    which only the hash is stored. `made_by` is None for the invitation of the first administrator."""
    key = secrets.token_urlsafe(24)
    expires = timezone.now() + timedelta(days=days)
    invitation = AccountInvitation.objects.create(
        digest=digest(key),
        role=role,
        expires=expires,
        made_by=made_by,
        note=for_whom,
        left=people,
        group=group,
    )
    note(AuditEvent.RIGHTS, made_by, f"invitation {invitation.pk}: made, {role}")
    return invitation, key


def withdraw(pk: int, by: User) -> None:
    """Delete an unused invitation."""
    if AccountInvitation.objects.filter(pk=pk, used=None).delete()[0]:
        note(AuditEvent.RIGHTS, by, f"invitation {pk}: withdrawn")


def find(key: str) -> AccountInvitation | None:
    """Return the usable invitation with a key; None if there is none."""
    return _open().filter(digest=digest(key)).first()


def _open() -> QuerySet[AccountInvitation]:
    """Return the unused, unexpired invitations by present administrators: former ones must not get back in
    with their own links."""
    by_administrators = Q(made_by=None) | Q(made_by__is_active=True, made_by__is_superuser=True)
    return AccountInvitation.objects.filter(by_administrators, used=None, expires__gt=timezone.now())


def withdraw_all_of(user: User) -> None:
    """Delete the unused invitations of a user."""
    AccountInvitation.objects.filter(made_by=user, used=None).delete()


def use(invitation: AccountInvitation, user: User) -> bool:
    """Give a new account the role of its invitation; return False if that was used up meanwhile. Call it in
    the transaction that creates the account."""
    with transaction.atomic():
        this = _open().filter(pk=invitation.pk)
        last = this.filter(left=1).update(left=0, used=timezone.now())
        if not last and not this.filter(left__gt=1).update(left=F("left") - 1):
            return False
        invitation.used_by.add(user)
        set_role(user, Role(invitation.role))
        note(AuditEvent.RIGHTS, user, f"invitation {invitation.pk}: used, {invitation.role}")
    return True


def owner_key() -> str:
    """Return the key of a new link for the first administrator, and delete the earlier one; empty if an
    administrator exists."""
    if User.objects.filter(is_superuser=True, is_active=True).exists():
        return ""
    AccountInvitation.objects.filter(used=None, made_by=None, role=Role.ADMINISTRATOR).delete()
    _invitation, key = create(Role.ADMINISTRATOR, OWNER_DAYS)
    return key
