"""Accounts, API tokens, and invitations to create accounts."""

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
    """Django's manager, whose superusers also have the role ADMINISTRATOR."""

    def create_superuser(
        self, username: str, email: str | None = None, password: str | None = None, **more: Any
    ) -> User:
        check_script(User.normalize_username(username))
        return super().create_superuser(username, email, password, **{"role": User.Role.ADMINISTRATOR} | more)


class User(AbstractUser):
    """An account, in the table of Django's own user model."""

    class Role(models.TextChoices):
        READER = "reader", _("reader")
        CONTRIBUTOR = "contributor", _("contributor")
        CURATOR = "curator", _("curator")
        ADMINISTRATOR = "administrator", _("administrator")

    id = models.AutoField(primary_key=True)
    role = models.CharField(
        _("role"), max_length=13, choices=Role.choices, default=Role.CONTRIBUTOR, db_default=Role.CONTRIBUTOR
    )
    """The rights of the account (`archive.accounts.roles.set_role`, which also sets `is_staff` and
    `is_superuser`)."""
    new_cards = models.PositiveSmallIntegerField(default=20, db_default=20, editable=False)
    """New cards of one day (`archive.training`)."""

    objects: ClassVar[UserManager] = UserManager()

    limited_to: Collection[str] | None = None
    """The rights to which the request's token limits the account; None without a token."""

    class Meta(AbstractUser.Meta):
        db_table = "auth_user"

    def has_perm(self, perm: str, obj: Any = None) -> bool:
        """Return whether the account has a right, within those of its token."""
        return (self.limited_to is None or perm in self.limited_to) and super().has_perm(perm, obj)


class Token(models.Model):
    """An API key of an account. It is shown once; only its SHA-256 is stored."""

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


class DeviceGrant(models.Model):
    """A token that a program without a browser asks for (`archive.accounts.devices`)."""

    class State(models.TextChoices):
        WAITING = "waiting"
        ALLOWED = "allowed"
        DENIED = "denied"

    digest = models.CharField(max_length=64, unique=True)
    """The SHA-256 of the device code."""
    user_code = models.CharField(max_length=8, unique=True)
    client = models.CharField(max_length=80)
    """The name of the program, in its own words."""
    scopes = models.JSONField()
    expires = models.DateTimeField(db_index=True)
    interval = models.SmallIntegerField()
    """Seconds between two requests of the program."""
    polled = models.DateTimeField(null=True)
    """The time of the last request of the program."""
    state = models.CharField(max_length=7, choices=State.choices, default=State.WAITING)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, related_name="+")
    """Who has decided."""
    days = models.SmallIntegerField(null=True)
    """For how many days the token is valid; NULL for no limit."""

    def __str__(self) -> str:
        return f"{self.client} {self.state}"


class AccountInvitation(models.Model):
    """A link that creates accounts. Only the SHA-256 of its key is stored."""

    digest = models.CharField(max_length=64, unique=True)
    role = models.CharField(max_length=13, choices=User.Role.choices)
    note = models.CharField(max_length=80, blank=True)
    """The person for whom it was made, in its maker's words."""
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="invitations_made"
    )
    """NULL for the link of the first administrator."""
    made = models.DateTimeField(auto_now_add=True)
    expires = models.DateTimeField()
    left = models.SmallIntegerField(default=1, db_default=1)
    """The number of people who may still use it."""
    group = models.ForeignKey("archive.Space", on_delete=models.SET_NULL, null=True, related_name="+")
    """A group that its users join."""
    used = models.DateTimeField(null=True)
    """When it was used for the last time that is allowed."""
    used_by = models.ManyToManyField(settings.AUTH_USER_MODEL, related_name="invitations_used")

    def __str__(self) -> str:
        return f"{self.role} {self.note}".strip()

    @property
    def is_void(self) -> bool:
        """Return whether its maker is no administrator any more."""
        by = self.made_by
        return by is not None and not (by.is_active and by.is_superuser)
