"""Visitors who follow an invitation into a group become members after signing in."""

from __future__ import annotations

from typing import Final

from django.contrib import messages
from django.http import HttpRequest
from django.utils.translation import gettext as _

from archive import libraries
from archive.libraries import LibraryError
from archive.models import AccountInvitation, Space, User

_KEY: Final = "join"


def remember(request: HttpRequest, key: str) -> None:
    """Store the key of an invitation in the session."""
    request.session[_KEY] = key


def join_group(request: HttpRequest, user: User) -> None:
    """Make a user who has just signed in a member of the group of the session's invitation."""
    key = request.session.pop(_KEY, None)
    if key is None:
        return
    try:
        _confirm(request, libraries.join(user, key))
    except LibraryError as error:
        messages.error(request, error.text)


def admit(request: HttpRequest, user: User, invitation: AccountInvitation) -> None:
    """Make a new account a member of its invitation's group, if the inviting user still owns the group."""
    group, by = invitation.group, invitation.made_by
    if group is None or by is None or not libraries.owns(by, group.pk):
        return
    try:
        libraries.admit(user, group)
        _confirm(request, group)
    except LibraryError as error:
        messages.error(request, error.text)


def _confirm(request: HttpRequest, group: Space) -> None:
    messages.success(request, _("You are a member of the group %(name)s now.") % {"name": group.name})
