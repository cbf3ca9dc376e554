"""Uploads: their bytes, senders and state."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from kifu_core.classes import PUBLIC

PIECE_BYTES: Final = 1024 * 1024
"""The size of the pieces in which an upload's bytes are stored."""

READING: Final = 1
"""Version of the readers; a higher one makes all uploads outdated (`reread_uploads --outdated`)."""


class Upload(models.Model):
    """The bytes of a file as received, which never change, and the state of the work on them."""

    class State(models.TextChoices):
        RECEIVED = "received", _("received")
        PROCESSING = "processing", _("in progress")
        DONE = "done", _("done")
        FAILED = "failed", _("failed")
        WAITING = "waiting", _("waits for a curator")
        DELETING = "deleting", _("being deleted")

    sha256 = models.CharField("SHA-256", max_length=64)
    name = models.TextField(pgettext_lazy("of a file", "name"), blank=True)
    size = models.BigIntegerField()
    uploader = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="uploads",
        verbose_name=_("sent by"),
    )
    space = models.BigIntegerField(default=PUBLIC, db_default=PUBLIC)
    """The space of its games and of its readers."""
    games_counter = models.CharField(max_length=64, blank=True, db_default="")
    """The key of the counter to which its games are added (`archive.http.limits.throttling`)."""
    moving_to = models.BigIntegerField(null=True)
    """The space to which its games are being moved, one by one."""
    source = models.CharField(max_length=20)
    """web, api, admin, command, watch or samples."""
    request = models.CharField(max_length=64, blank=True, default="", db_default="")
    """The id of the request that created it, for the workers' log lines; empty if there is none."""
    received = models.DateTimeField(pgettext_lazy("when", "received"), auto_now_add=True)
    state = models.CharField(_("state"), max_length=10, choices=State.choices, default=State.RECEIVED)
    expected = models.IntegerField(null=True)
    """The number of entries that the walk has reached; NULL before the first batch."""
    reason = models.JSONField(null=True)
    """Why the upload failed: `{"code", "params"}`."""
    claimed_by = models.CharField(max_length=64, null=True)  # noqa: DJ001 - NULL is "nobody"
    claimed_until = models.DateTimeField(null=True)
    tries = models.IntegerField(default=0)
    """Claims since the last committed batch."""
    paths = models.JSONField(null=True)
    """Its paths in imports, if they differ from its name."""
    rereads = models.IntegerField(default=0)
    """The number of rereads that were started."""
    reader = models.SmallIntegerField(default=READING, db_default=0)
    """The version of the readers (`READING`) that reads or has read all of it."""
    finished = models.DateTimeField(pgettext_lazy("when", "finished"), null=True)

    class Meta:
        verbose_name = pgettext_lazy("list", "upload")
        verbose_name_plural = pgettext_lazy("list", "uploads")
        constraints = [
            models.UniqueConstraint(fields=["uploader", "space", "sha256"], name="upload_of_user"),
            # In the constraint above, NULLs are distinct on both engines.
            models.UniqueConstraint(
                fields=["sha256"], condition=Q(uploader__isnull=True), name="upload_of_nobody"
            ),
        ]
        indexes = [
            models.Index(
                fields=["received"],
                condition=Q(state__in=["received", "processing"]),
                name="upload_unfinished",
            ),
            models.Index(fields=["id"], condition=Q(state="deleting"), name="upload_deleting"),
        ]

    def __str__(self) -> str:
        return f"{self.name or self.sha256[:12]} ({self.pk})"

    def stream(self) -> Iterator[bytes]:
        """Yield the bytes in pieces, with a query for each, so that no cursor stays open."""
        pieces = UploadChunk.objects.filter(upload=self).order_by("n")
        for n in range(-(-self.size // PIECE_BYTES)):
            yield bytes(pieces.values_list("bytes", flat=True).get(n=n))


class Sender(models.Model):
    """The session that sent an upload without an account, by its secret key. The key is empty for repeated
    uploads without a session, by a command or an API client."""

    upload = models.ForeignKey(Upload, on_delete=models.CASCADE, related_name="senders", db_index=False)
    key = models.CharField(max_length=32, blank=True)
    first = models.BooleanField()
    """Whether this session created the upload."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["upload", "key"], name="sender_of_upload")]
        indexes = [models.Index(fields=["key", "upload"], name="sender_uploads")]

    def __str__(self) -> str:
        return f"sender of {self.upload_id}"


class UploadChunk(models.Model):
    """Piece `n` (from 0) of an upload: `PIECE_BYTES` long, the last one shorter."""

    pk = models.CompositePrimaryKey("upload_id", "n")
    # Without a database constraint, because the table may be distributed (`archive.models.games`).
    upload = models.ForeignKey(
        Upload, on_delete=models.PROTECT, related_name="chunks", db_index=False, db_constraint=False
    )
    n = models.IntegerField()
    bytes = models.BinaryField()

    def __str__(self) -> str:
        return f"{self.upload_id}:{self.n}"


class GoneUpload(models.Model):
    """A deleted upload, whose URLs answer 410. Inserted when its games have left all lists, so the newest row
    shows whether cached counts are still valid."""

    upload_id = models.BigIntegerField(unique=True)
    space = models.BigIntegerField(default=PUBLIC, db_default=PUBLIC)

    def __str__(self) -> str:
        return str(self.upload_id)
