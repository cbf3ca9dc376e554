"""Problems of shogi, where they come from, and how accounts solve them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from archive.models.analysis import Engine
from kifu_core.classes import PUBLIC

if TYPE_CHECKING:
    from typing import Any


class Problem(models.Model):
    """A position with one best move or a forced mate, from games or from records of problems.

    `archive.derive.problems` finds them. `key` is equal for positions that are mirror images or have the
    colours exchanged (`kifu_core.shogi.tsume.problem_key`): a space has one problem of each key.
    """

    class Kind(models.TextChoices):
        MATE = "mate", _("mate")
        SWING = "swing", _("mistake to punish")
        ONLY_MOVE = "only-move", _("only move")
        NEXT_MOVE = "next-move", _("next move")

    space = models.BigIntegerField(default=PUBLIC)
    key = models.BigIntegerField()
    kind = models.CharField(max_length=9, choices=Kind.choices)
    sfen = models.TextField()
    moves = models.TextField()
    """The solution in USI, separated by blanks. Its first move is the claimed one."""
    accepted = models.TextField(blank=True)
    """Other first moves that are accepted, likewise."""
    plies = models.SmallIntegerField()
    """The length of the solution."""
    engine = models.ForeignKey(Engine, on_delete=models.PROTECT, null=True, related_name="+", db_index=False)
    """The engine that claims the move; NULL for records of problems."""
    nodes = models.BigIntegerField(default=0)
    gap = models.FloatField(default=0.0)
    """By how much the winning chances of the second-best move are lower, from 0 to 2."""
    soundness: models.JSONField[dict[str, Any] | None] = models.JSONField(null=True)
    """What the mate search says of a mate (`archive.problems.examining`); NULL before it was examined."""
    version = models.SmallIntegerField(default=0)
    """The version of `archive.derive.problems` that found it."""
    made = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["space", "key"], name="problem_once")]
        indexes = [
            models.Index(fields=["space", "plies", "id"], name="problem_of_length"),
            models.Index(
                fields=["id"],
                name="problem_unexamined",
                condition=models.Q(kind="mate", soundness__isnull=True),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"


class ProblemSource(models.Model):
    """A place in a game, or the record of a problem, that has the position of a problem."""

    pk = models.CompositePrimaryKey("problem_id", "game")
    problem = models.ForeignKey(Problem, on_delete=models.CASCADE, related_name="sources", db_index=False)
    game = models.BigIntegerField(db_index=True)
    path = models.TextField(blank=True)
    """The path of the variation (`kifu_core.lines.fork_path`); empty for the main line."""
    ply = models.SmallIntegerField()

    def __str__(self) -> str:
        return f"{self.problem_id} in {self.game}"


class ProblemTheme(models.Model):
    """A theme of a problem, by its number in `archive.derive.themes`."""

    pk = models.CompositePrimaryKey("theme", "problem_id")
    theme = models.SmallIntegerField()
    problem = models.ForeignKey(Problem, on_delete=models.CASCADE, related_name="themes")

    def __str__(self) -> str:
        return f"{self.theme} of {self.problem_id}"


class ProblemNeighbour(models.Model):
    """The key of a mate problem without one of its pieces (`kifu_core.shogi.tsume.neighbour_keys`)."""

    pk = models.CompositePrimaryKey("key", "problem_id")
    key = models.BigIntegerField()
    problem = models.ForeignKey(Problem, on_delete=models.CASCADE, related_name="+")

    def __str__(self) -> str:
        return f"{self.problem_id} without a piece"


class ProblemRating(models.Model):
    """The difficulty of a problem by Glicko-2, and how many accounts have tried and solved it."""

    problem = models.OneToOneField(
        Problem, on_delete=models.CASCADE, primary_key=True, related_name="difficulty"
    )
    rating = models.FloatField()
    deviation = models.FloatField()
    volatility = models.FloatField()
    attempts = models.IntegerField(default=0)
    solved = models.IntegerField(default=0)

    class Meta:
        indexes = [models.Index(fields=["rating"], name="problem_difficulty")]

    def __str__(self) -> str:
        return f"{self.problem_id}: {self.rating:.0f}"


class ProblemSolver(models.Model):
    """An account's strength at problems by Glicko-2, and its streak. Nobody else reads it."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="problem_solver"
    )
    rating = models.FloatField()
    deviation = models.FloatField()
    volatility = models.FloatField()
    streak = models.IntegerField(default=0)
    """Problems that were solved at the first attempt since the last one that was not."""
    best_streak = models.IntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.user_id}: {self.rating:.0f}"


class ProblemAttempt(models.Model):
    """How an account has tried a problem. Nobody else reads it."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="problem_attempts", db_index=False
    )
    problem = models.ForeignKey(Problem, on_delete=models.CASCADE, related_name="+")
    first = models.BooleanField()
    """Whether the first attempt, which counts, solved it."""
    solved = models.BooleanField()
    """Whether any attempt solved it."""
    attempts = models.IntegerField(default=1)
    rating = models.FloatField()
    """The account's rating after the first attempt."""
    begun = models.DateTimeField(auto_now_add=True)
    last = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "problem"], name="problem_attempt_once")]
        indexes = [models.Index(fields=["user", "last"], name="problem_attempt_of_user")]

    def __str__(self) -> str:
        return f"{self.problem_id} by {self.user_id}"


class ProblemScan(models.Model):
    """How far the games of the archive have been searched for problems, in one row."""

    version = models.SmallIntegerField()
    """The version of `archive.derive.problems`: a later one begins anew."""
    after = models.BigIntegerField(default=0)
    """The number of the last change (`GameChange`) whose game was searched."""

    def __str__(self) -> str:
        return f"{self.after}"
