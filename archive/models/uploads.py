# Meta classes hold plain lists, as Django reads them.
# ruff: noqa: RUF012
"""What was sent: bytes as received, by whom, and how far the work on them is."""

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
"""Largest piece in which an upload's bytes are stored."""

READING: Final = 1
"""Version of the readers; a higher one makes all uploads outdated (`reread_uploads --outdated`)."""


class Upload(models.Model):
    """Bytes as received, and how far the work on them is. The bytes never change."""

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
    """Where its games go, and who reads it."""
    payer = models.CharField(max_length=64, blank=True, db_default="")
    """The counter that its games are charged to (`archive.http.limits.throttling.payer`)."""
    moving_to = models.BigIntegerField(null=True)
    """The space that its games are being moved to, one by one."""
    source = models.CharField(max_length=20)
    """Which door it came through: web, api, admin, command, samples."""
    request = models.CharField(max_length=64, blank=True, default="", db_default="")
    """The id of the request that brought it, for the log of who works on it; empty where there was none."""
    received = models.DateTimeField(pgettext_lazy("when", "received"), auto_now_add=True)
    state = models.CharField(_("state"), max_length=10, choices=State.choices, default=State.RECEIVED)
    expected = models.IntegerField(null=True)
    """Entries the walk has found so far; what is done is counted from the entries themselves."""
    reason = models.JSONField(null=True)
    """Why it failed as a whole: `{"code", "params"}`."""
    claimed_by = models.CharField(max_length=64, null=True)  # noqa: DJ001 - NULL is "nobody"
    claimed_until = models.DateTimeField(null=True)
    tries = models.IntegerField(default=0)
    """Claims since the last committed batch."""
    paths = models.JSONField(null=True)
    """The paths within imports under which it came, where they say more than its name."""
    rereads = models.IntegerField(default=0)
    """How often it was decided to read all of it again."""
    reader = models.SmallIntegerField(default=READING, db_default=0)
    """The reading (`READING`) with which all of it was read, or will be."""
    finished = models.DateTimeField(pgettext_lazy("when", "finished"), null=True)

    class Meta:
        verbose_name = pgettext_lazy("list", "upload")
        verbose_name_plural = pgettext_lazy("list", "uploads")
        constraints = [
            models.UniqueConstraint(fields=["uploader", "space", "sha256"], name="upload_of_user"),
            # NULLs are distinct to the constraint above on both engines.
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
        """Yield the bytes as received, in pieces; one short query each, so no cursor stays open."""
        pieces = UploadChunk.objects.filter(upload=self).order_by("n")
        for n in range(-(-self.size // PIECE_BYTES)):
            yield bytes(pieces.values_list("bytes", flat=True).get(n=n))


class Sender(models.Model):
    """A session in which an upload of nobody's was sent, by a key that only it knows.

    The key is empty for whoever sent it again and keeps no session: an archivist's command, a program.
    """

    upload = models.ForeignKey(Upload, on_delete=models.CASCADE, related_name="senders", db_index=False)
    key = models.CharField(max_length=32, blank=True)
    first = models.BooleanField()
    """Whether it made the upload, and did not send again what was here."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["upload", "key"], name="sender_of_upload")]
        indexes = [models.Index(fields=["key", "upload"], name="sender_uploads")]

    def __str__(self) -> str:
        return f"sender of {self.upload_id}"


class UploadChunk(models.Model):
    """Piece `n` (from 0) of an upload: `PIECE_BYTES` long, the last one shorter."""

    pk = models.CompositePrimaryKey("upload_id", "n")
    # No constraint of the database either: the pieces can lie on other servers (`archive.models.games`).
    upload = models.ForeignKey(
        Upload, on_delete=models.PROTECT, related_name="chunks", db_index=False, db_constraint=False
    )
    n = models.IntegerField()
    bytes = models.BinaryField()

    def __str__(self) -> str:
        return f"{self.upload_id}:{self.n}"


class GoneUpload(models.Model):
    """An upload that was deleted: its addresses answer 410. Inserted when its games are out of all lists;
    so the last of these rows tells whether what was counted before still holds."""

    upload_id = models.BigIntegerField(unique=True)
    space = models.BigIntegerField(default=PUBLIC, db_default=PUBLIC)

    def __str__(self) -> str:
        return str(self.upload_id)
