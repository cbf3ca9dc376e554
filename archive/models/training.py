"""Repertoires of accounts, and the cards with which they are learned (`archive.training`)."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

TITLE_LENGTH = 100
"""Characters of the title of a repertoire."""


class Repertoire(models.Model):
    """Moves that an account wants to play with one side, and the replies to them. Nobody else reads it."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="repertoires")
    title = models.CharField(max_length=TITLE_LENGTH)
    color = models.PositiveSmallIntegerField()
    """The side of the account's owner."""
    made = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.title} ({self.pk})"


class RepertoireMove(models.Model):
    """A move of a repertoire. Lines are walks over these rows, so that lines that meet are one from there
    on."""

    repertoire = models.ForeignKey(Repertoire, on_delete=models.CASCADE, related_name="moves", db_index=False)
    key = models.BigIntegerField()
    """Of the class of the position before the move (`archive.training.moves`)."""
    own = models.BooleanField()
    """Whether the side of the repertoire moves."""
    move = models.SmallIntegerField()
    """Packed, as on the board of the class."""
    after = models.BigIntegerField()
    """The key of the position after the move."""
    code = models.TextField()
    """The position before the move, as it was when the move was added."""

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["repertoire", "key", "own", "move"], name="repertoire_move_once")
        ]
        indexes = [models.Index(fields=["repertoire", "after"], name="repertoire_move_to")]

    def __str__(self) -> str:
        return f"{self.move} at {self.code}"


class TrainingCard(models.Model):
    """A move that an account learns, with the state of FSRS. Nobody else reads it."""

    class Kind(models.TextChoices):
        MOVE = "move", _("repertoire")
        MISTAKE = "mistake", _("mistake")
        PROBLEM = "problem", _("problem")

    class State(models.IntegerChoices):
        """States of FSRS."""

        LEARNING = 1
        REVIEW = 2
        RELEARNING = 3

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="training_cards", db_index=False
    )
    kind = models.CharField(max_length=8, choices=Kind.choices)
    key = models.BigIntegerField()
    """Of the class of the position."""
    move = models.SmallIntegerField()
    """Packed, as on the board of the class."""
    code = models.TextField()
    """The position as it is shown."""
    accepted = models.TextField(blank=True, default="")
    """Further moves that are right, as the position's game writes them, separated by blanks."""
    game = models.BigIntegerField(null=True)
    """The id of the game that it comes from."""
    ply = models.PositiveIntegerField(null=True)
    """The ply of the position in this game."""
    suspended = models.BooleanField(default=False)
    """Whether no repertoire has the move any more."""
    due = models.DateTimeField(null=True)
    """None for a new card."""
    introduced = models.DateTimeField(null=True)
    """The time of the first review."""
    state = models.PositiveSmallIntegerField(choices=State.choices, default=State.LEARNING)
    step = models.PositiveSmallIntegerField(null=True, default=0)
    stability = models.FloatField(null=True)
    """Days until the probability of recall is 90 %."""
    difficulty = models.FloatField(null=True)
    """From 1 to 10."""
    last_review = models.DateTimeField(null=True)
    reviews = models.PositiveIntegerField(default=0)
    lapses = models.PositiveIntegerField(default=0)
    """Reviews with the grade Again of a card that was learned."""

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "kind", "key", "move"], name="training_card_once")
        ]
        indexes = [
            # With all that is counted, so that no row is read for that.
            models.Index(
                fields=["user", "due", "id", "state"], condition=Q(suspended=False), name="training_card_due"
            ),
            models.Index(fields=["user", "introduced"], name="training_card_introduced"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk} of {self.user_id}"
