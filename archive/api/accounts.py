"""The account of a request, and the right to change what is its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rest_framework.exceptions import NotAuthenticated, PermissionDenied

from archive.accounts.roles import may_dispose
from archive.models import User

if TYPE_CHECKING:
    from rest_framework.request import Request


def account_of(request: Request) -> User:
    """Return the account of a request. Raises NotAuthenticated."""
    if not isinstance(request.user, User):
        raise NotAuthenticated("sign in, or send a token")
    return request.user


def owner_of(request: Request) -> User:
    """Return the account of a request that changes what is its own. Raises NotAuthenticated,
    PermissionDenied."""
    user = account_of(request)
    if not may_dispose(user):
        raise PermissionDenied("this token is not both for uploads and for what is not public")
    return user
