"""The limits of what the archive keeps of one game."""

from django.conf import settings

from kifu_core.limits import Limits


def game_limits() -> Limits:
    """Return the limits of a stored game, by the settings."""
    return Limits(
        settings.ARCHIVE_MAX_PLIES,
        settings.ARCHIVE_MAX_FORKS,
        settings.ARCHIVE_MAX_FORK_MOVES,
        settings.ARCHIVE_MAX_COMMENT_BYTES,
    )
