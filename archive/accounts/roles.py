"""The rights of each role, in one table for pages, API and admin, and for Django's `has_perm`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from django.contrib.auth.backends import BaseBackend
from django.utils.translation import gettext_lazy as _

from archive.models import User

if TYPE_CHECKING:
    from django.contrib.auth.base_user import AbstractBaseUser
    from django.contrib.auth.models import AnonymousUser
    from django.utils.functional import _StrPromise

    AnyUser = User | AbstractBaseUser | AnonymousUser

Role = User.Role

UPLOAD: Final = "archive.upload_records"
READ_PRIVATE: Final = "archive.read_private"
HOOKS: Final = "archive.make_hooks"
ANALYSE: Final = "archive.analyse"
_CURATE: Final = frozenset(
    f"archive.{right}"
    for right in (
        "add_upload", "view_upload", "change_upload", "delete_upload",
        "view_entry", "change_entry",
        "view_game", "change_game", "merge_game", "hide_game", "delete_game",
        "view_player", "change_player", "view_event", "change_event",
        "view_place", "change_place",
        "view_report", "change_report",
    )
)  # fmt: skip

RIGHTS: Final[dict[str, frozenset[str]]] = {
    Role.READER: frozenset({READ_PRIVATE, HOOKS}),
    Role.CONTRIBUTOR: frozenset({READ_PRIVATE, HOOKS, UPLOAD, ANALYSE}),
    Role.CURATOR: frozenset({READ_PRIVATE, HOOKS, UPLOAD, ANALYSE}) | _CURATE,
    # Administrators are superusers, who have every right anyway.
    Role.ADMINISTRATOR: frozenset({READ_PRIVATE, HOOKS, UPLOAD, ANALYSE}) | _CURATE,
}
"""Names of Django's permissions by role; some have no model of Django's."""

SCOPES: Final[dict[str, tuple[_StrPromise, frozenset[str] | None]]] = {
    "read-private": (_("read what is not public"), frozenset({READ_PRIVATE})),
    "upload": (_("add games"), frozenset({UPLOAD})),
    "hooks": (_("make and remove webhooks"), frozenset({HOOKS})),
    "analyse": (_("have games analysed, and analyse games"), frozenset({ANALYSE})),
    "edit": (_("hide and delete"), _CURATE),
    "admin": (_("everything that the account may do"), None),
}
"""Scopes of tokens: their descriptions, and the rights to which they limit the account (None: no limit)."""


def role_of(user: AnyUser) -> Role | None:
    """Return the role of an account; None for anonymous users and inactive accounts."""
    if not isinstance(user, User) or not user.is_active:
        return None
    return Role.ADMINISTRATOR if user.is_superuser else Role(user.role)


def set_role(user: User, role: Role) -> None:
    """Set and save the role of an account, with its access to the admin."""
    user.role = role
    user.is_superuser = role == Role.ADMINISTRATOR
    user.is_staff = role in (Role.CURATOR, Role.ADMINISTRATOR)
    user.save(update_fields=["role", "is_superuser", "is_staff"])


def may_upload(user: AnyUser) -> bool:
    """Return whether an account may upload; for anonymous visitors see `intake.permissions`."""
    return _may(user, UPLOAD)


def may_see_hidden(user: AnyUser) -> bool:
    """Return whether a user sees hidden bytes, and what is being deleted."""
    return _may(user, "archive.view_upload")


def may_curate(user: AnyUser) -> bool:
    """Return whether a user may hide and delete others' uploads."""
    return _may(user, "archive.change_game")


def may_read_private(user: AnyUser) -> bool:
    """Return whether a user may read private games; a token may lack that right."""
    return _may(user, READ_PRIVATE)


def may_dispose(user: AnyUser) -> bool:
    """Return whether a user may publish, share, take back and move own games. A token needs both the right to
    read private games and to upload."""
    if not isinstance(user, User):
        return False
    return user.limited_to is None or {READ_PRIVATE, UPLOAD} <= {*user.limited_to}


def may_hook(user: AnyUser) -> bool:
    """Return whether a user may have webhooks."""
    return _may(user, HOOKS)


def may_ask_analysis(user: AnyUser) -> bool:
    """Return whether a user may have games analysed, and may analyse games for the archive."""
    return _may(user, ANALYSE)


def may_delete_own(user: AnyUser) -> bool:
    """Return whether a user may delete own uploads; a token may lack that right."""
    return isinstance(user, User) and (user.limited_to is None or "archive.delete_upload" in user.limited_to)


def is_administrator(user: AnyUser) -> bool:
    """Return whether a user is an administrator, without a token that limits it."""
    return role_of(user) == Role.ADMINISTRATOR and getattr(user, "limited_to", None) is None


def rights_of(scopes: Iterable[str]) -> frozenset[str] | None:
    """Return the rights to which a token with these scopes limits its account; None for no limit."""
    result: frozenset[str] = frozenset()
    for scope in scopes:
        _description, rights = SCOPES.get(scope, ("", frozenset()))
        if rights is None:
            return None
        result |= rights
    return result


def _may(user: AnyUser, right: str) -> bool:
    return isinstance(user, User) and user.has_perm(right)


class RoleBackend(BaseBackend):
    """Gives accounts the rights of their role, in addition to individual permissions."""

    def get_user_permissions(self, user_obj: Any, obj: Any = None) -> set[str]:
        role = role_of(user_obj)
        return set() if role is None or obj is not None else {*RIGHTS[role]}

    def has_module_perms(self, user_obj: Any, app_label: str) -> bool:
        return any(right.startswith(f"{app_label}.") for right in self.get_user_permissions(user_obj))
