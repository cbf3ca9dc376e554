# Meta classes hold plain lists, as Django reads them.
# ruff: noqa: RUF012
"""Records of uploads, one row each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from archive.models import codec
from archive.models.games import Game
from archive.models.uploads import Upload

if TYPE_CHECKING:
    from kifu_core.jkf import Record


class Entry(models.Model):
    """One record of an upload, in the deterministic walk through its files and containers.

    Every entry has a row: nothing is skipped in silence.
    """

    class State(models.TextChoices):
        STORED = "stored", _("added")
        DUPLICATE = "duplicate", _("already here")
        FAILED = "failed", _("failed")
        DELETED = "deleted", _("game deleted")
        HELD = "held", _("held for the staff")

    upload = models.ForeignKey(
        Upload,
        on_delete=models.PROTECT,
        related_name="entries",
        db_index=False,
        verbose_name=pgettext_lazy("list", "upload"),
    )
    seq = models.IntegerField()
    path = models.TextField(_("file"), blank=True)
    """Path inside a container; empty for the upload itself."""
    index = models.IntegerField(default=0)
    """Place in a file of several games, from 0."""
    part = models.IntegerField(default=0)
    """Which part of the walk (`archive.intake.walk.entries`) it is from: where its bytes are found again."""
    state = models.CharField(_("state"), max_length=10, choices=State.choices)
    hidden = models.BooleanField(_("hidden"), default=False, db_default=False)
    """Whether only the staff gets its bytes and its file (`archive.queries.games.taken_down`)."""
    game = models.ForeignKey(Game, on_delete=models.PROTECT, null=True, related_name="entries")
    record = models.BinaryField(null=True)
    """This edition's own record where it differs from the game's."""
    parsed_facts = models.JSONField(default=dict)
    """What this edition says beside its record (`archive.derive.game.derive_stored`)."""
    rereads = models.IntegerField(default=0)
    """The upload's reading that this row is of; an older one is still to be read again."""
    issues = models.JSONField(default=list)
    """`[{"code", "severity", "line", "column", "ply", "params", "source_line"}]`."""
    beyond_jkf = models.JSONField(default=dict)
    """Headers as written, bookmarks, unread text."""
    encoding = models.CharField(max_length=20, blank=True)
    format = models.CharField(max_length=20, blank=True)
    program = models.TextField(blank=True)

    class Meta:
        verbose_name = pgettext_lazy("of an upload", "record")
        verbose_name_plural = pgettext_lazy("of an upload", "records")
        constraints = [models.UniqueConstraint(fields=["upload", "seq"], name="entry_of_upload")]
        indexes = [
            # With the column of its condition, so that SQLite, which has no statistics, finds there all that
            # it asks for and does not read the entries of an upload instead.
            models.Index(fields=["upload", "part", "hidden"], condition=Q(hidden=True), name="entry_hidden"),
            # For counts and pages by state: an upload has up to hundreds of thousands, perhaps of one.
            models.Index(fields=["upload", "state", "seq"], name="entry_state"),
        ]

    def __str__(self) -> str:
        return f"{self.upload_id}:{self.seq}"

    @property
    def jkf(self) -> Record | None:
        """Return this edition's record, parsed; None where nothing could be read."""
        if self.record is not None:
            return codec.unpack(self.record)
        return self.game.jkf if self.game else None
