"""Fields that bodies of several subjects have."""

from archive.api.fields import TextField
from archive.api.serializers import TEXT_LIMIT
from archive.curation.steps import REASON_LENGTH


def reason_field() -> TextField:
    """Return the field of the reason for a correction."""
    return TextField(max_length=REASON_LENGTH, help_text="Why, and by which source.")


def searched_space_field() -> TextField:
    """Return the field of the space whose games are searched."""
    text = "The space of the games, by name."
    return TextField(required=False, default="public", max_length=TEXT_LIMIT, help_text=text)
