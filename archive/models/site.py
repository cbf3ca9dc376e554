"""Texts of the site's owner, and reports of visitors."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class SiteText(models.Model):
    """A page of the owner in one language, as plain text with empty lines between paragraphs."""

    class Page(models.TextChoices):
        TERMS = "terms", _("Terms of use")
        PRIVACY = "privacy", _("Privacy")
        CONTACT = "contact", _("Contact")

    page = models.CharField(_("page"), max_length=10, choices=Page.choices)
    language = models.CharField(_("language"), max_length=2, choices=settings.LANGUAGES)
    text = models.TextField(_("text"), max_length=100_000)
    changed = models.DateTimeField(_("changed"), auto_now=True)

    class Meta:
        verbose_name = _("page of the archive's owner")
        verbose_name_plural = _("pages of the archive's owner")
        constraints = [models.UniqueConstraint(fields=["page", "language"], name="site_text_of_language")]

    def __str__(self) -> str:
        return f"{self.get_page_display()} ({self.get_language_display()})"


class Report(models.Model):
    """A complaint about a game or a public collection, until the staff settles it."""

    class Reason(models.TextChoices):
        WRONG = "wrong", _("The record or its names are wrong")
        PERSONAL = "personal", _("It names a person who does not want it")
        RIGHTS = "rights", _("It must not be published")
        ABUSE = "abuse", _("It is offensive, or not a game")
        OTHER = "other", _("Something else")

    game = models.BigIntegerField(_("game"), null=True)
    """The game's id when it was reported; it may be deleted or an alias now."""
    collection = models.BigIntegerField(_("collection"), null=True)
    """The collection's id, if no game was reported; it may be deleted now."""
    reason = models.CharField(_("reason"), max_length=10, choices=Reason.choices)
    text = models.TextField(_("what they write"), blank=True)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        related_name="+",
        verbose_name=_("reported by"),
    )
    made = models.DateTimeField(_("reported"), auto_now_add=True)
    settled = models.DateTimeField(_("settled"), null=True)
    settled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        related_name="+",
        verbose_name=_("settled by"),
    )

    class Meta:
        verbose_name = _("report of a visitor")
        verbose_name_plural = _("reports of visitors")
        indexes = [models.Index(fields=["game"], condition=Q(settled=None), name="report_open")]

    def __str__(self) -> str:
        thing = f"collection {self.collection}" if self.game is None else f"{self.game}"
        return f"{thing}: {self.get_reason_display()}"
