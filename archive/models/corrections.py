"""Corrections of games and of names: typed operations, their history, and the identities of the
editions of corrected games as uploaded."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from archive.models.games import Game
from kifu_core.classes import PUBLIC


class CorrectionBatch(models.Model):
    """An edit of all games of a search. `archive.curation.batches` makes one correction for each game."""

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        RUNNING = "running", _("running")
        DONE = "done", _("done")
        UNDOING = "undoing", _("being undone")
        UNDONE = "undone", _("undone")

    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    author_name = models.CharField(max_length=150)
    made = models.DateTimeField(auto_now_add=True)
    space = models.BigIntegerField(default=PUBLIC)
    filters = models.JSONField(default=dict)
    """The search (`archive.queries.games.filters.stored_parameters`)."""
    edit = models.JSONField()
    """The edit of each game (`archive.curation.batches`)."""
    reason = models.TextField()
    state = models.CharField(max_length=8, choices=State.choices, default=State.WAITING)
    games = models.JSONField(default=list)
    """The ids of the games when the batch was made."""
    done = models.IntegerField(default=0)
    """The number of its games that are finished, from the beginning of `games`."""
    claimed_until = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"batch {self.pk}"


class Correction(models.Model):
    """Typed operations on one subject by one author. `archive.store.corrections` writes the rows.

    Operations on a game are applied to the union of its editions in the order of `number`
    (`archive.derive.corrections`); those on a name are in `archive.store.people`.
    """

    class Subject(models.TextChoices):
        GAME = "game", _("game")
        PLAYER = "player", _("player")
        EVENT = "event", _("event")
        PLACE = "place", _("place")

    class State(models.TextChoices):
        PROPOSED = "proposed", _("proposed")
        APPLIED = "applied", _("applied")
        FAILED = "failed", _("failed prerequisite")
        REJECTED = "rejected", _("rejected")
        WITHDRAWN = "withdrawn", _("withdrawn")
        UNDONE = "undone", _("undone")

    subject = models.CharField(max_length=6, choices=Subject.choices)
    subject_id = models.BigIntegerField()
    """The id of the game or name. Corrections follow a game that is merged into another one."""
    entry = models.BigIntegerField(null=True)
    """An entry of the game when the correction was proposed, by which its bytes lead to the game."""
    space = models.BigIntegerField(default=PUBLIC)
    operations = models.JSONField()
    reason = models.TextField(blank=True)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    author_name = models.CharField(max_length=150, blank=True)
    made = models.DateTimeField(auto_now_add=True)
    state = models.CharField(max_length=9, choices=State.choices)
    number = models.IntegerField(null=True)
    """The place in the order of application on its subject; NULL if it was never applied."""
    failed_operation = models.SmallIntegerField(null=True)
    """For a failed correction the index of the operation whose prerequisite does not hold."""
    due = models.DateTimeField(null=True)
    """When a proposal is applied unless somebody objects; NULL if a curator has to decide."""
    batch = models.ForeignKey(
        CorrectionBatch, on_delete=models.PROTECT, null=True, related_name="corrections"
    )

    class Meta:
        indexes = [
            models.Index(fields=["subject", "subject_id", "number"], name="correction_of_subject"),
            models.Index(
                fields=["space", "id"],
                name="correction_open",
                condition=Q(state__in=["proposed", "failed"]),
            ),
            models.Index(fields=["due"], name="correction_due", condition=Q(state="proposed")),
        ]

    def __str__(self) -> str:
        return f"correction {self.pk} of {self.subject} {self.subject_id}"


class CorrectionEvent(models.Model):
    """A step in the history of a correction. Rows are never changed."""

    class Event(models.TextChoices):
        PROPOSED = "proposed", _("proposed")
        APPLIED = "applied", _("applied")
        OBJECTED = "objected", _("objected")
        REJECTED = "rejected", _("rejected")
        WITHDRAWN = "withdrawn", _("withdrawn")
        UNDONE = "undone", _("undone")
        RESTORED = "restored", _("applied again")
        FAILED = "failed", _("prerequisite failed")

    correction = models.ForeignKey(Correction, on_delete=models.PROTECT, related_name="events")
    event = models.CharField(max_length=9, choices=Event.choices)
    at = models.DateTimeField(auto_now_add=True)
    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    """NULL for a step that the archive took by itself."""
    account_name = models.CharField(max_length=150, blank=True)
    text = models.TextField(blank=True)

    def __str__(self) -> str:
        return f"correction {self.correction_id} {self.event}"


class GameIdentity(models.Model):
    """The identity of an edition of a corrected game as it was uploaded: the same file finds the game."""

    space = models.BigIntegerField()
    digest = models.BinaryField(max_length=16)
    stem = models.BinaryField(max_length=16)
    """The hash of the moves alone."""
    game = models.ForeignKey(Game, on_delete=models.PROTECT, related_name="identities")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["space", "digest"], name="game_identity_as_uploaded")]
        indexes = [models.Index(fields=["stem"], name="gameidentity_stem")]

    def __str__(self) -> str:
        return f"edition of {self.game_id}"
