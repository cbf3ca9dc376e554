"""The audit log."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.utils.timezone import localtime
from django.utils.translation import gettext_lazy as _


class _Lines(models.QuerySet["AuditLine"]):
    def update(self, **_values: Any) -> int:
        raise PermissionError("lines of the audit log are never changed")

    def delete(self) -> tuple[int, dict[str, int]]:
        raise PermissionError("lines of the audit log are never deleted")


class AuditEvent(models.TextChoices):
    SIGN_IN = "sign-in", _("signed in")
    SIGN_IN_FAILED = "sign-in-failed", _("failed to sign in")
    SIGN_OUT = "sign-out", _("signed out")
    ACCOUNT = "account", _("changed the way in")
    RIGHTS = "rights", _("changed rights")
    MEMBERS = "members", _("changed members")
    SHARE = "share", _("shared")
    PUBLISH = "publish", _("published")
    TAKE_BACK = "take-back", _("took back")
    DELETE = "delete", _("deleted")
    HIDE = "hide", _("hid or showed bytes")
    LET_IN = "let-in", _("let held games in")
    CORRECT = "correct", _("corrected")
    IMPORT = "import", _("imported")
    REREAD = "reread", _("had read again")
    ANALYSE = "analyse", _("had analysed")


class AuditLine(models.Model):
    """An audit event (`archive.accounts.audit`). It names accounts by id and name and outlives them."""

    at = models.DateTimeField(_("when"), auto_now_add=True, db_index=True)
    event = models.CharField(_("what was done"), max_length=20, choices=AuditEvent.choices)
    account = models.BigIntegerField(_("account"), null=True)
    name = models.CharField(_("who"), max_length=150, blank=True)
    what = models.TextField(_("to what"), blank=True)
    address = models.CharField(_("from where"), max_length=64, blank=True)

    objects = _Lines.as_manager()
    forgetting = models.Manager["AuditLine"]()
    """For `archive.accounts.audit.forget_addresses` alone."""

    class Meta:
        default_permissions = ("view",)
        verbose_name = _("line of the audit log")
        verbose_name_plural = _("audit log")

    def __str__(self) -> str:
        return f"{localtime(self.at):%Y-%m-%d %H:%M} {self.name or '–'} · {self.get_event_display()}"

    def save(self, *args: Any, **values: Any) -> None:
        if not self._state.adding:
            raise PermissionError("lines of the audit log are never changed")
        super().save(*args, **values)

    def delete(self, *_args: Any, **_values: Any) -> tuple[int, dict[str, int]]:
        raise PermissionError("lines of the audit log are never deleted")
