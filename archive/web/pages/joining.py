"""Strangers who follow an invitation into a group become members when they have signed in."""

from __future__ import annotations

from typing import Final

from django.contrib import messages
from django.http import HttpRequest
from django.utils.translation import gettext as _

from archive import libraries
from archive.libraries import LibraryError
from archive.models import AccountInvitation, Space, User

_KEY: Final = "join"


def keep(request: HttpRequest, key: str) -> None:
    """Note the key of the invitation that a stranger takes."""
    request.session[_KEY] = key


def join_now(request: HttpRequest, user: User) -> None:
    """Make somebody who has just signed in a member of the group whose invitation they took before."""
    key = request.session.pop(_KEY, None)
    if key is None:
        return
    try:
        _say(request, libraries.join(user, key))
    except LibraryError as error:
        messages.error(request, error.text)


def admit(request: HttpRequest, user: User, invitation: AccountInvitation) -> None:
    """Make somebody with a new account a member of the group that the invitation leads into, if who made it
    still owns that."""
    group, by = invitation.group, invitation.made_by
    if group is None or by is None or not libraries.owns(by, group.pk):
        return
    try:
        libraries.admit(user, group)
        _say(request, group)
    except LibraryError as error:
        messages.error(request, error.text)


def _say(request: HttpRequest, group: Space) -> None:
    messages.success(request, _("You are a member of the group %(name)s now.") % {"name": group.name})
