"""Visitors who accept an invitation into a group and then sign in are asked once more: somebody else may have
signed in."""

from __future__ import annotations

from typing import Final

from django.contrib import messages
from django.http import HttpRequest
from django.utils.translation import gettext as _

from archive import libraries
from archive.libraries import LibraryError
from archive.models import AccountInvitation, User

_KEY: Final = "join"


def remember(request: HttpRequest, key: str) -> None:
    """Store the key of an invitation in the session."""
    request.session[_KEY] = key


def take(request: HttpRequest) -> str:
    """Remove the key of an invitation from the session and return it; empty if there is none."""
    return str(request.session.pop(_KEY, ""))


def admit(request: HttpRequest, user: User, invitation: AccountInvitation) -> None:
    """Make a new account a member of its invitation's group, if the inviting user still owns the group."""
    group, by = invitation.group, invitation.made_by
    if group is None or by is None or not libraries.owns(by, group.pk):
        return
    try:
        libraries.admit(user, group)
        messages.success(request, _("You are a member of the group %(name)s now.") % {"name": group.name})
    except LibraryError as error:
        messages.error(request, error.text)
