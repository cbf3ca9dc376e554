"""What each role may do, in one table: pages, API and admin ask here, or Django's `has_perm`, which does."""

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

    Somebody = User | AbstractBaseUser | AnonymousUser

Role = User.Role

UPLOAD: Final = "archive.upload_records"
READ_PRIVATE: Final = "archive.read_private"
HOOKS: Final = "archive.make_hooks"
_CURATE: Final = frozenset(
    f"archive.{right}"
    for right in (
        "add_upload", "view_upload", "change_upload", "delete_upload",
        "view_entry", "change_entry",
        "view_game", "change_game", "merge_game", "hide_game", "delete_game",
        "view_player", "change_player", "view_event", "change_event",
        "view_report", "change_report",
    )
)  # fmt: skip

RIGHTS: Final[dict[str, frozenset[str]]] = {
    Role.READER: frozenset({READ_PRIVATE, HOOKS}),
    Role.CONTRIBUTOR: frozenset({READ_PRIVATE, HOOKS, UPLOAD}),
    Role.CURATOR: frozenset({READ_PRIVATE, HOOKS, UPLOAD}) | _CURATE,
    # And every right that there is, as Django's superusers have.
    Role.ADMINISTRATOR: frozenset({READ_PRIVATE, HOOKS, UPLOAD}) | _CURATE,
}
"""By role, as names of Django's permissions; some of them are of ours alone."""

SCOPES: Final[dict[str, tuple[_StrPromise, frozenset[str] | None]]] = {
    "read-private": (_("read what is not public"), frozenset({READ_PRIVATE})),
    "upload": (_("add games"), frozenset({UPLOAD})),
    "hooks": (_("make and remove webhooks"), frozenset({HOOKS})),
    "edit": (_("hide and delete"), _CURATE),
    "admin": (_("everything that the account may do"), None),
}
"""What a token may be for: its words, and the rights that it leaves to its owner (None is all of them).

Nobody gets more by a token than their role has.
"""


def role_of(user: Somebody) -> Role | None:
    """Return the role of an account; None for a stranger and for an account that is switched off."""
    if not isinstance(user, User) or not user.is_active:
        return None
    return Role.ADMINISTRATOR if user.is_superuser else Role(user.role)


def set_role(user: User, role: Role) -> None:
    """Give an account a role, and with it the way into the admin or none. Saves it."""
    user.role = role
    user.is_superuser = role == Role.ADMINISTRATOR
    user.is_staff = role in (Role.CURATOR, Role.ADMINISTRATOR)
    user.save(update_fields=["role", "is_superuser", "is_staff"])


def may_upload(user: Somebody) -> bool:
    """Return whether somebody may send records; what strangers may is a setting."""
    return _may(user, UPLOAD)


def may_curate(user: Somebody) -> bool:
    """Return whether somebody may hide and delete what others have sent."""
    return _may(user, "archive.change_game")


def may_read_private(user: Somebody) -> bool:
    """Return whether somebody may read what is theirs and not public, which a token may leave out."""
    return _may(user, READ_PRIVATE)


def may_dispose(user: Somebody) -> bool:
    """Return whether somebody may publish, share, take back and move what is theirs. A token has to be both
    for what is not public and for uploads."""
    if not isinstance(user, User):
        return False
    return user.limited_to is None or {READ_PRIVATE, UPLOAD} <= {*user.limited_to}


def may_hook(user: Somebody) -> bool:
    """Return whether somebody may have new games told to an address."""
    return _may(user, HOOKS)


def may_delete_own(user: Somebody) -> bool:
    """Return whether somebody may delete what they have sent themselves, which a token may leave out."""
    return isinstance(user, User) and (user.limited_to is None or "archive.delete_upload" in user.limited_to)


def is_administrator(user: Somebody) -> bool:
    """Return whether somebody may do everything here: accounts, roles, invitations."""
    return role_of(user) == Role.ADMINISTRATOR and getattr(user, "limited_to", None) is None


def rights_of(scopes: Iterable[str]) -> frozenset[str] | None:
    """Return the rights that a token of these scopes leaves to its owner; None where it leaves all."""
    found: frozenset[str] = frozenset()
    for scope in scopes:
        _words, rights = SCOPES.get(scope, ("", frozenset()))
        if rights is None:
            return None
        found |= rights
    return found


def _may(user: Somebody, right: str) -> bool:
    return isinstance(user, User) and user.has_perm(right)


class RoleBackend(BaseBackend):
    """Gives accounts the rights of their role, beside those that they were given one by one."""

    def get_user_permissions(self, user_obj: Any, obj: Any = None) -> set[str]:
        role = role_of(user_obj)
        return set() if role is None or obj is not None else {*RIGHTS[role]}

    def has_module_perms(self, user_obj: Any, app_label: str) -> bool:
        """Return whether somebody has a right in one of Django's apps, as the admin asks."""
        return any(right.startswith(f"{app_label}.") for right in self.get_user_permissions(user_obj))
