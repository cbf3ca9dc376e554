"""Games that people enter or edit, before they are saved to a library."""

from __future__ import annotations

from django.conf import settings
from django.db import models

TITLE_LENGTH = 200
"""Characters of a draft's title."""


class Draft(models.Model):
    """A record that an account is working on (`archive.drafts`). Nobody else reads it."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="drafts")
    title = models.CharField(max_length=TITLE_LENGTH, blank=True)
    """Taken from the headers of the record."""
    record = models.BinaryField()
    """Packed by `archive.models.codec`. It has the shape of a record, but is not normalized."""
    game = models.BigIntegerField(null=True)
    """The id of the game that it was made from."""
    upload = models.BigIntegerField(null=True)
    """The id of the upload as which it was saved last."""
    version = models.IntegerField(default=1)
    """How often the record was sent. A browser that has an earlier version cannot replace a later one."""
    changed = models.DateTimeField(auto_now=True)

    class Meta:
        indexes = [models.Index(fields=["user", "-changed"], name="draft_of_user")]

    def __str__(self) -> str:
        return f"{self.title} ({self.pk})"
