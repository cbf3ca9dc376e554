"""Bodies of requests about repertoires and cards."""

from typing import Any

from rest_framework import serializers

from archive.api.fields import ChoiceField, LimitedListField, RawTextField, TextField, WholeNumberField
from archive.models import LARGEST_ID, TrainingCard
from archive.queries.games.filters import MOST_PLIES as MOST_PLIES_OF_GAME
from archive.training.cards import GRADES, MOST_ACCEPTED
from archive.training.errors import LONGEST as LONGEST_LINE
from archive.training.errors import MOST_NEW
from kifu_core.games import SHOGI


class RepertoireBody(serializers.Serializer[Any]):
    """Fields of `POST account/repertoires`."""

    title = RawTextField(help_text="The title, in one line.")
    side = ChoiceField(choices=[*SHOGI.rules.sides], help_text="The side of the account's owner.")


class RenamedRepertoireBody(serializers.Serializer[Any]):
    """Fields of `POST account/repertoires/{id}`."""

    title = RawTextField(help_text="The title, in one line.")


class LinesBody(serializers.Serializer[Any]):
    """Fields of `POST account/repertoires/{id}/moves`: the source of the lines is one of `text`, `game_id`,
    `collection_id` and `moves`."""

    text = RawTextField(required=False, help_text="Records in any format, with variations.")
    game_id = WholeNumberField(
        required=False, min_value=1, max_value=LARGEST_ID, help_text="A game, with its variations."
    )
    collection_id = WholeNumberField(
        required=False, min_value=1, max_value=LARGEST_ID, help_text="A collection: its first 500 games."
    )
    moves = TextField(required=False, help_text="Moves in USI, separated by blanks.")
    code = TextField(required=False, help_text="The position before `moves`; the usual start without it.")
    plies = WholeNumberField(
        default=LONGEST_LINE,
        min_value=1,
        max_value=LONGEST_LINE,
        help_text="The moves from the start that are added.",
    )


class CardBody(serializers.Serializer[Any]):
    """Fields of `POST account/training/cards`."""

    kind = ChoiceField(
        choices=[TrainingCard.Kind.MISTAKE.value, TrainingCard.Kind.PROBLEM.value],
        help_text="Where the card comes from.",
    )
    code = TextField(help_text="The code of the position.")
    move = TextField(max_length=5, help_text="The move that is right, in USI.")
    accepted = LimitedListField(
        required=False,
        max_length=MOST_ACCEPTED,
        child=TextField(max_length=5),
        help_text="Further moves that are right.",
    )
    game_id = WholeNumberField(
        required=False, min_value=1, max_value=LARGEST_ID, help_text="The game that it comes from."
    )
    ply = WholeNumberField(
        required=False, min_value=0, max_value=MOST_PLIES_OF_GAME, help_text="The ply in this game."
    )


class ReviewBody(serializers.Serializer[Any]):
    """Fields of `POST account/training/cards/{id}/review`."""

    grade = ChoiceField(choices=[*GRADES], help_text="How well the account's owner knew the move.")


class TrainingBody(serializers.Serializer[Any]):
    """Fields of `POST account/training`."""

    new_cards = WholeNumberField(min_value=0, max_value=MOST_NEW, help_text="The most new cards of one day.")
