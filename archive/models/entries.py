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
    """The number of its part in the walk (`archive.intake.walk`), to find its bytes again."""
    state = models.CharField(_("state"), max_length=10, choices=State.choices)
    hidden = models.BooleanField(_("hidden"), default=False, db_default=False)
    """Whether only the staff may download its bytes and its file (`archive.queries.games.taken_down`)."""
    game = models.ForeignKey(Game, on_delete=models.PROTECT, null=True, related_name="entries")
    taken_from = models.BigIntegerField(null=True)
    """The former id of its game, if that was taken down."""
    record = models.BinaryField(null=True)
    """This edition's record if it differs from the game's before corrections."""
    parsed_facts = models.JSONField(default=dict)
    """The parsed facts of this edition that its record lacks (`archive.derive.game.derive_stored`)."""
    rereads = models.IntegerField(default=0)
    """The upload's `rereads` when this row was written; a lower number has still to be reread."""
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
            # Covering, so that SQLite, which has no statistics, does not read all entries of an upload.
            models.Index(fields=["upload", "part", "hidden"], condition=Q(hidden=True), name="entry_hidden"),
            # For counts and pages by state of uploads with hundreds of thousands of entries.
            models.Index(fields=["upload", "state", "seq"], name="entry_state"),
            models.Index(fields=["taken_from"], condition=~Q(taken_from=None), name="entry_taken_from"),
        ]

    def __str__(self) -> str:
        return f"{self.upload_id}:{self.seq}"

    @property
    def jkf(self) -> Record | None:
        """Return this edition's record; None for a failed entry."""
        if self.record is not None:
            return codec.unpack(self.record)
        return codec.unpack(self.game.stored.base or self.game.stored.record) if self.game else None
