"""The limits of a stored game."""

from django.conf import settings

from kifu_core.limits import Limits


def game_limits() -> Limits:
    """Return the limits of the settings."""
    return Limits(
        settings.ARCHIVE_MAX_PLIES,
        settings.ARCHIVE_MAX_FORKS,
        settings.ARCHIVE_MAX_FORK_MOVES,
        settings.ARCHIVE_MAX_COMMENT_BYTES,
    )
