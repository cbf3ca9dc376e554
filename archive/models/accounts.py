# Meta classes hold plain lists, as Django reads them.
"""Who has an account here, what their programs show instead of a password, and who is invited."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any, ClassVar

from django.conf import settings
from django.contrib.auth import models as auth
from django.contrib.auth.models import AbstractUser
from django.db import models
from django.utils.translation import gettext_lazy as _

from archive.names.name_scripts import check_script

if TYPE_CHECKING:
    _UserManager = auth.UserManager["User"]
else:
    _UserManager = auth.UserManager


class UserManager(_UserManager):
    """Makes accounts; who may do everything has the role that says so."""

    def create_superuser(
        self, username: str, email: str | None = None, password: str | None = None, **more: Any
    ) -> User:
        check_script(User.normalize_username(username))
        return super().create_superuser(username, email, password, **{"role": User.Role.ADMINISTRATOR} | more)


class User(AbstractUser):
    """Somebody with an account, in the table that archives had before there was a model of our own."""

    class Role(models.TextChoices):
        READER = "reader", _("reader")
        CONTRIBUTOR = "contributor", _("contributor")
        CURATOR = "curator", _("curator")
        ADMINISTRATOR = "administrator", _("administrator")

    id = models.AutoField(primary_key=True)
    role = models.CharField(
        _("role"), max_length=13, choices=Role.choices, default=Role.CONTRIBUTOR, db_default=Role.CONTRIBUTOR
    )
    """What somebody may do (`archive.accounts.roles`), which also keeps `is_staff` and `is_superuser`."""

    objects: ClassVar[UserManager] = UserManager()

    limited_to: Collection[str] | None = None
    """The rights that are left to who acts through a token; None for who has signed in."""

    class Meta(AbstractUser.Meta):
        db_table = "auth_user"

    def has_perm(self, perm: str, obj: Any = None) -> bool:
        """Return whether somebody has a right, and not only without the token that they use."""
        return (self.limited_to is None or perm in self.limited_to) and super().has_perm(perm, obj)


class Token(models.Model):
    """A key with which a program acts for somebody. It is shown once; what is kept is its SHA-256."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=80)
    digest = models.CharField(max_length=64, unique=True)
    scopes = models.JSONField()
    """Names of `archive.accounts.roles.SCOPES`."""
    created = models.DateTimeField(auto_now_add=True)
    expires = models.DateTimeField(null=True)
    last_used = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.name


class AccountInvitation(models.Model):
    """A link with which people make accounts. What is kept of it is its SHA-256."""

    digest = models.CharField(max_length=64, unique=True)
    role = models.CharField(max_length=13, choices=User.Role.choices)
    note = models.CharField(max_length=80, blank=True)
    """For whom it was made, as its maker calls them."""
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="invitations_made"
    )
    """NULL is who starts the archive."""
    made = models.DateTimeField(auto_now_add=True)
    expires = models.DateTimeField()
    left = models.SmallIntegerField(default=1, db_default=1)
    """How many people may still use it."""
    group = models.ForeignKey("archive.Space", on_delete=models.SET_NULL, null=True, related_name="+")
    """The group that they become members of."""
    used = models.DateTimeField(null=True)
    """When the last of them used it."""
    used_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="invitations_used"
    )

    def __str__(self) -> str:
        return f"{self.role} {self.note}".strip()

    @property
    def is_void(self) -> bool:
        """Return whether who made it may invite nobody any more."""
        by = self.made_by
        return by is not None and not (by.is_active and by.is_superuser)
