"""Engines, and their verdicts on positions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from archive.models.games import Game
from kifu_core.classes import PUBLIC

if TYPE_CHECKING:
    from typing import Any

NAME_LENGTH = 200


class Engine(models.Model):
    """The identity of an engine: verdicts of one engine can be compared with each other only.

    `digest` is the hash of the other columns (`archive.store.verdicts`). Engines of records belong to the
    space of these, all others to the public space.
    """

    class Source(models.TextChoices):
        ENGINE = "engine", _("engine")
        NETWORK = "network", _("neural network")
        RECORD = "record", _("comments of records")

    kind = models.CharField(max_length=16)
    """The kind of game."""
    source = models.CharField(max_length=8, choices=Source.choices)
    space = models.BigIntegerField(default=PUBLIC)
    name = models.CharField(max_length=NAME_LENGTH)
    version = models.CharField(max_length=NAME_LENGTH, blank=True)
    network = models.CharField(max_length=NAME_LENGTH, blank=True)
    """The name or the hash of its network."""
    options: models.JSONField[dict[str, Any]] = models.JSONField(default=dict)
    """Options that change its verdicts."""
    digest = models.BinaryField(max_length=16, unique=True)
    scale = models.FloatField(null=True)
    """The scale of its winning chances that fits results of games (`archive.derive.chances`)."""
    log_loss = models.FloatField(null=True)
    """The mean log loss of the results of games that were held back from the fit."""
    fitted_positions = models.IntegerField(default=0)
    fitted_games = models.IntegerField(default=0)
    calibration: models.JSONField[list[list[float]]] = models.JSONField(default=list)
    """How its chances agree with results (`archive.derive.calibration.Band`), the least chances first."""
    marked_until = models.BigIntegerField(null=True)
    """The last game whose moves are marked by that scale; NULL if all are."""

    def __str__(self) -> str:
        return " ".join(filter(None, (self.name, self.version)))


class Verdict(models.Model):
    """The verdict of an engine on a position: its best `lines` lines of play.

    `key` is the key of the position in a space, as in the index: a verdict is shared by all games of the
    space that reach the position. `archive.store.verdicts` says which verdict replaces another one.
    """

    pk = models.CompositePrimaryKey("key", "engine_id", "lines", "game")
    key = models.BigIntegerField()
    engine = models.ForeignKey(Engine, on_delete=models.PROTECT, related_name="+", db_index=False)
    lines = models.SmallIntegerField()
    game = models.BigIntegerField(default=0)
    """The game whose comments hold it; 0 for a verdict of an analysis."""
    space = models.BigIntegerField(default=PUBLIC)
    nodes = models.BigIntegerField(default=0)
    """Nodes of the search, 0 if unknown."""
    depth = models.SmallIntegerField(default=0)
    """Depth of the search, 0 if unknown."""
    history = models.BooleanField(default=False)
    """Whether the engine received the moves that led to the position."""
    moves: models.JSONField[list[list[Any]]] = models.JSONField()
    """Each line as the list of `archive.derive.verdicts.Line.as_json`, the best first."""
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )
    """The account of the volunteer that made it; NULL for our own workers and for records."""
    made = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [
            models.Index(fields=["by"], name="verdict_of_volunteer", condition=models.Q(by__isnull=False)),
            models.Index(fields=["game"], name="verdict_of_game", condition=models.Q(game__gt=0)),
            models.Index(fields=["space"], name="verdict_of_space", condition=models.Q(space__gt=0)),
        ]

    def __str__(self) -> str:
        return f"{self.engine_id} on {self.key}"


class GameAnalysis(models.Model):
    """An engine's analysis of the main line of a game, derived from its verdicts
    (`archive.derive.game_analysis`)."""

    pk = models.CompositePrimaryKey("game_id", "engine_id")
    game = models.ForeignKey(Game, on_delete=models.PROTECT, related_name="+", db_index=False)
    engine = models.ForeignKey(Engine, on_delete=models.PROTECT, related_name="+", db_index=False)
    space = models.BigIntegerField(default=PUBLIC)
    """The space of the game."""
    content = models.BinaryField()
    accuracy0 = models.FloatField(null=True)
    """The accuracies of colours 0 and 1, from 0 to 100."""
    accuracy1 = models.FloatField(null=True)
    made = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["engine", "game"], name="analysis_of_engine")]

    def __str__(self) -> str:
        return f"{self.engine_id} on game {self.game_id}"
