"""Bodies of requests about follows, own names and notes."""

from typing import Any

from rest_framework import serializers

from archive.api.fields import ChoiceField, RawTextField, TextField, WholeNumberField
from archive.models import LARGEST_ID, Follow
from archive.queries.search.parsing import LONGEST
from kifu_core.games import GAMES, SHOGI


class FollowBody(serializers.Serializer[Any]):
    """Fields of `POST account/follows`: those of its kind."""

    kind = ChoiceField(choices=Follow.Kind.values, help_text="What is followed.")
    target_id = WholeNumberField(
        required=False, min_value=1, max_value=LARGEST_ID, help_text="The player, the event or the place."
    )
    game = ChoiceField(choices=[*GAMES], default=SHOGI.name, help_text="The kind of game of the position.")
    code = TextField(default="", allow_blank=True, help_text="The code of the position.")
    search = TextField(
        default="",
        allow_blank=True,
        max_length=LONGEST,
        help_text="Parameters of `GET games`: the search that is saved.",
    )
    title = RawTextField(default="", help_text="A title for a search or a position, in one line.")
    scope = TextField(
        default="all",
        max_length=1000,
        help_text="The spaces of a search, among those readable now: `public`, `mine`, `group-12`, `all`.",
    )


class OwnNameBody(serializers.Serializer[Any]):
    """Fields of `POST account/names`."""

    player_id = WholeNumberField(min_value=1, max_value=LARGEST_ID, help_text="The player.")
    site = RawTextField(
        default="", help_text="The place of the games that are meant; empty for all of the player's games."
    )


class ChangedNoteBody(serializers.Serializer[Any]):
    """Fields of `POST notes/{id}`."""

    text = RawTextField(help_text="The text of the note; empty for a bookmark.")


class NoteBody(serializers.Serializer[Any]):
    """Fields of `POST notes`."""

    game = ChoiceField(choices=[*GAMES], default=SHOGI.name, help_text="The kind of game of the position.")
    code = TextField(help_text="The code of the position.")
    text = RawTextField(default="", help_text="The text of the note; empty for a bookmark.")
    space = TextField(default="mine", help_text="The library whose members read it: `mine`, `group-12`.")
