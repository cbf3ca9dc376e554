"""Groups: people who share a library. Owners invite, promote and dismiss members.

Each function is one transaction.
"""

import secrets
from datetime import timedelta
from typing import Final

from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from archive.accounts.audit import note
from archive.libraries.errors import GROUP_NAME_LENGTH, LibraryError
from archive.libraries.spaces import is_used, owns
from archive.models import AccountInvitation, AuditEvent, Invitation, Membership, Share, Space, User
from archive.names.plain_text import JOINERS, plain
from archive.queries.scope import hash_of

GROUPS: Final = 50
"""Groups that one person can own."""
MEMBERS: Final = 500
INVITATION_DAYS: Final = 14
OPEN_INVITATIONS: Final = 100
"""Unused invitations of one group at a time."""


def create_group(user: User, name: str) -> Space:
    """Create a group owned by the user. Raises LibraryError."""
    name = _group_name(name)
    mine = Membership.objects.filter(user=user, owner=True, space__kind=Space.Kind.GROUP)
    if mine.count() >= GROUPS:
        raise LibraryError("too-many-groups")
    with transaction.atomic():
        group = Space.objects.create(kind=Space.Kind.GROUP, name=name)
        Membership.objects.create(space=group, user=user, owner=True)
        note(AuditEvent.MEMBERS, user, f"group {group.pk}: made")
    return group


def own_groups(user: User) -> QuerySet[Space]:
    """Return the groups that a user owns, by name."""
    mine = Space.objects.filter(kind=Space.Kind.GROUP, memberships__user=user, memberships__owner=True)
    return mine.order_by("name", "pk")


def rename(user: User, group: Space, name: str) -> None:
    """Rename a group, as an owner. Raises LibraryError."""
    _check_owner(user, group)
    Space.objects.filter(pk=group.pk).update(name=_group_name(name))
    note(AuditEvent.MEMBERS, user, f"group {group.pk}: renamed")


def _group_name(text: str) -> str:
    """Return a group's name without characters that hide or reverse text. Raises LibraryError."""
    name = " ".join(plain(text).split())
    if len(name) > GROUP_NAME_LENGTH or not name.strip(JOINERS + " "):
        raise LibraryError("group-name")
    return name


def invite(user: User, group: Space, *, owner: bool = False, people: int = 1) -> str:
    """Return the key of a new invitation, which up to `people` users can accept. Raises LibraryError."""
    _check_owner(user, group)
    now = timezone.now()
    Invitation.objects.filter(space=group, expires__lt=now).delete()
    if group.invitations.count() >= OPEN_INVITATIONS:
        raise LibraryError("too-many-invitations")
    key = secrets.token_urlsafe(24)
    until = now + timedelta(days=INVITATION_DAYS)
    Invitation.objects.create(space=group, key=hash_of(key), by=user, owner=owner, expires=until, left=people)
    whom = "an owner" if owner else "a member" if people == 1 else f"up to {people} members"
    note(AuditEvent.MEMBERS, user, f"group {group.pk}: invited {whom}")
    return key


def open_invitations(group: Space) -> int:
    """Return the number of unused invitations into a group, including those that create an account."""
    querysets = (group.invitations, _for_new_accounts(group))
    return sum(invitations.filter(expires__gte=timezone.now()).count() for invitations in querysets)


def end_invitations(user: User, group: Space) -> None:
    """End all unused invitations into a group, as an owner. Account invitations stay valid but lead into no
    group. Raises LibraryError."""
    _check_owner(user, group)
    without_group = _for_new_accounts(group).update(group=None)
    if group.invitations.all().delete()[0] or without_group:
        note(AuditEvent.MEMBERS, user, f"group {group.pk}: invitations ended")


def _for_new_accounts(group: Space) -> QuerySet[AccountInvitation]:
    """Return the unused account invitations that also lead into a group."""
    return AccountInvitation.objects.filter(group=group, used=None)


def invitation_of(key: str) -> Invitation:
    """Return the invitation of a key. Raises LibraryError if it was used or has expired."""
    valid = Invitation.objects.filter(key=hash_of(key), expires__gte=timezone.now())
    invitation = valid.select_related("space", "by").first()
    if invitation is None:
        raise LibraryError("no-invitation")
    return invitation


def join(user: User, key: str) -> Space:
    """Accept an invitation: make the user a member of its group, or a member an owner. Return the group.
    Raises LibraryError."""
    with transaction.atomic():
        group = Space.objects.select_for_update().get(pk=invitation_of(key).space_id)
        invitation = invitation_of(key)
        if not admit(user, group, owner=invitation.owner):
            return group
        if invitation.left > 1:
            Invitation.objects.filter(pk=invitation.pk).update(left=invitation.left - 1)
        else:
            invitation.delete()
    return group


def admit(user: User, group: Space, *, owner: bool = False) -> bool:
    """Make the user a member, or an owner, of a group; return False if nothing changes. Raises
    LibraryError."""
    with transaction.atomic():
        group = Space.objects.select_for_update().get(pk=group.pk)
        member = group.memberships.filter(user=user).first()
        if member is not None and (member.owner or not owner):
            return False
        if member is None and group.memberships.count() >= MEMBERS:
            raise LibraryError("too-many-members")
        Membership.objects.update_or_create(space=group, user=user, defaults={"owner": owner})
        note(AuditEvent.MEMBERS, user, f"group {group.pk}: joined{' as owner' if owner else ''}")
    return True


def members(group: Space) -> QuerySet[Membership]:
    """Return the members of a group with their users, owners first, then by name."""
    return group.memberships.select_related("user").order_by("-owner", "user__username")


def is_member(user: User | AnonymousUser, group: Space) -> bool:
    """Return whether a user is a member of a group."""
    return Membership.objects.filter(space=group, user=user.pk).exists()


def dismiss(user: User, group: Space, member: int) -> None:
    """Remove a member, by account id: owners may remove anybody, members themselves. The member's games stay;
    the member's invitations and shares end, and so do links for several people, which the member may know.
    An empty group is deleted. Raises LibraryError."""
    with transaction.atomic():
        group = Space.objects.select_for_update().get(pk=group.pk, kind=Space.Kind.GROUP)
        if member != user.pk:
            _check_owner(user, group)
        others = group.memberships.exclude(user=member)
        if others.exists():
            if not others.filter(owner=True).exists():
                raise LibraryError("last-owner")
            group.memberships.filter(user=member).delete()
            group.invitations.filter(Q(by=member) | Q(left__gt=1)).delete()
            for_several = Q(left__gt=1) | Q(used_by__isnull=False)
            _for_new_accounts(group).filter(for_several).update(group=None)
            Share.objects.filter(game__space=group.pk, by=member).delete()
            note(AuditEvent.MEMBERS, user, f"group {group.pk}: account {member} went")
        elif is_used(group):
            raise LibraryError("group-has-games")
        else:
            note(AuditEvent.MEMBERS, user, f"group {group.pk}: deleted")
            group.delete()


def leave_all(user: User) -> None:
    """Remove a user who leaves the archive from all libraries, with their invitations and shares. A group
    without an owner gets its oldest member as owner; `store.end_abandoned` deletes spaces without members."""
    spaces = Space.objects.filter(memberships__user=user).order_by("pk")
    with transaction.atomic():
        for space in Space.objects.select_for_update().filter(pk__in=[*spaces.values_list("pk", flat=True)]):
            space.memberships.filter(user=user).delete()
            first = space.memberships.order_by("since", "pk").first()
            if first is not None and not space.memberships.filter(owner=True).exists():
                space.memberships.filter(pk=first.pk).update(owner=True)
                note(AuditEvent.MEMBERS, user, f"group {space.pk}: account {first.user_id} is an owner")
        Invitation.objects.filter(by=user).delete()
        Share.objects.filter(Q(user=user) | Q(by=user)).delete()


def promote(user: User, group: Space, member: int) -> None:
    """Make a member an owner, as an owner. Raises LibraryError."""
    _check_owner(user, group)
    if group.memberships.filter(user=member).update(owner=True):
        note(AuditEvent.MEMBERS, user, f"group {group.pk}: account {member} is an owner")


def demote(user: User, group: Space, member: int) -> None:
    """Make an owner an ordinary member, as an owner. Raises LibraryError for the last owner."""
    with transaction.atomic():
        group = Space.objects.select_for_update().get(pk=group.pk)
        _check_owner(user, group)
        if not group.memberships.filter(owner=True).exclude(user=member).exists():
            raise LibraryError("last-owner")
        if group.memberships.filter(user=member, owner=True).update(owner=False):
            group.invitations.filter(by=member).delete()
            note(AuditEvent.MEMBERS, user, f"group {group.pk}: account {member} is no owner any more")


def _check_owner(user: User, group: Space) -> None:
    if group.kind != Space.Kind.GROUP or not owns(user, group.pk):
        raise LibraryError("not-an-owner")
