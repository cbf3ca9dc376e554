"""The queue of analyses: requests, their games, claims of positions, and volunteers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from archive.models.analysis import Engine
from kifu_core.classes import PUBLIC

if TYPE_CHECKING:
    from typing import Any


class AnalysisRequest(models.Model):
    """Games that somebody wants to have analysed: one game, those of a search, or new ones.

    What is done is not stored here: verdicts tell (`archive.analysis.queue`).
    """

    class State(models.TextChoices):
        OPEN = "open", _("open")
        DONE = "done", _("done")
        CANCELLED = "cancelled", _("cancelled")

    class Priority(models.IntegerChoices):
        """More urgent ones have smaller numbers."""

        PERSON = 0, _("somebody waits")
        LIST = 1, _("games of a list")
        RULE = 2, _("new games")

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="analysis_requests"
    )
    """NULL for new games, and after the account has ended."""
    space = models.BigIntegerField(default=PUBLIC)
    engine = models.CharField(max_length=60)
    """Its name in the settings."""
    nodes = models.BigIntegerField()
    lines = models.SmallIntegerField(default=1)
    priority = models.SmallIntegerField(choices=Priority.choices)
    title = models.TextField()
    filters: models.JSONField[dict[str, Any] | None] = models.JSONField(null=True)
    """The search whose games are listed, by `stored_parameters`; NULL for another request."""
    after = models.BigIntegerField(null=True)
    """The last listed game of a search, or for new games the last change of the archive; NULL if all games
    are listed."""
    state = models.CharField(max_length=9, choices=State.choices, default=State.OPEN)
    made = models.DateTimeField(auto_now_add=True)
    worked = models.DateTimeField(default=timezone.now)
    """When positions of a list were last claimed: lists of one priority take turns."""
    finished = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["priority", "worked"], name="analysis_request_open", condition=Q(state="open")
            )
        ]

    def __str__(self) -> str:
        return f"{self.pk}: {self.title}"


class AnalysisGame(models.Model):
    """A game of a request. Its numbers are those of when it was last looked at."""

    class State(models.TextChoices):
        OPEN = "open", _("open")
        DONE = "done", _("done")

    request = models.ForeignKey(
        AnalysisRequest, on_delete=models.CASCADE, related_name="games", db_index=False
    )
    game = models.BigIntegerField()
    """The id of a game, which may be deleted."""
    state = models.CharField(max_length=4, choices=State.choices, default=State.OPEN)
    positions = models.SmallIntegerField(default=0)
    remaining = models.SmallIntegerField(default=0)
    """Positions without a sufficient verdict."""
    failures: models.JSONField[dict[str, int]] = models.JSONField(default=dict)
    """How often the engine failed, by ply (`archive.analysis.queue.MOST_FAILURES`)."""
    made = models.DateTimeField(auto_now_add=True)
    finished = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["request", "game"], name="analysis_game_once")]
        indexes = [
            models.Index(fields=["request", "id"], name="analysis_game_open", condition=Q(state="open"))
        ]

    def __str__(self) -> str:
        return f"game {self.game} of request {self.request_id}"


class AnalysisClaim(models.Model):
    """A position that a worker or volunteer analyses, until `until`; no other one can claim it meanwhile."""

    key = models.BigIntegerField()
    engine = models.ForeignKey(Engine, on_delete=models.PROTECT, related_name="+", db_index=False)
    game = models.ForeignKey(AnalysisGame, on_delete=models.CASCADE, related_name="claims")
    ply = models.SmallIntegerField()
    token = models.CharField(max_length=32, db_index=True)
    """That of all positions which are claimed together."""
    until = models.DateTimeField(db_index=True)
    volunteer = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, related_name="+"
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["key", "engine"], name="analysis_claim_once")]

    def __str__(self) -> str:
        return f"ply {self.ply} of {self.game_id}"


class AnalysisVolunteer(models.Model):
    """An account whose programs analyse positions for the archive."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="volunteer")
    positions = models.BigIntegerField(default=0)
    checked = models.IntegerField(default=0)
    failed = models.IntegerField(default=0)
    """Verdicts that our own engine contradicted."""
    disabled = models.DateTimeField(null=True)
    made = models.DateTimeField(auto_now_add=True)
    seen = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"account {self.user_id}"


class AnalysisCheck(models.Model):
    """A verdict of a volunteer that our own engine is to repeat."""

    volunteer = models.ForeignKey(AnalysisVolunteer, on_delete=models.CASCADE, related_name="checks")
    engine = models.CharField(max_length=60)
    game = models.BigIntegerField()
    ply = models.SmallIntegerField()
    nodes = models.BigIntegerField()
    moves: models.JSONField[list[list[Any]]] = models.JSONField()
    """Its lines, as in `Verdict`."""
    made = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"game {self.game}, ply {self.ply}"
