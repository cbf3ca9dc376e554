"""Reasons for which a repertoire or a card is refused."""

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from archive.models.training import TITLE_LENGTH
from archive.project.refused import RefusedError

MOST_REPERTOIRES: Final = 50
"""Repertoires of one account."""
MOST_MOVES: Final = 40_000
"""Moves of all repertoires of one account, with those of the opponents."""
MOST_CARDS: Final = 20_000
"""Cards of one account."""
MOST_NEW: Final = 1_000
"""New cards of one day."""
LONGEST: Final = 200
"""Plies of a line that is added."""

TEXTS: Final[dict[str, str | Promise]] = {
    "too-many-repertoires": _("An account has at most %(repertoires)s repertoires."),
    "repertoire-title": _("A repertoire needs a title, of at most %(title)s characters."),
    "too-many-moves": _("The repertoires of an account have at most %(moves)s moves."),
    "too-many-cards": _("An account has at most %(cards)s cards."),
    "nothing-to-add": _("There are no moves to add."),
    "wrong-card": _("A card needs a legal move in a valid position."),
}


class TrainingError(RefusedError):
    """A repertoire or a card is refused."""

    TEXTS = TEXTS
    VALUES: ClassVar[Mapping[str, Any]] = {
        "repertoires": MOST_REPERTOIRES,
        "title": TITLE_LENGTH,
        "moves": MOST_MOVES,
        "cards": MOST_CARDS,
    }
