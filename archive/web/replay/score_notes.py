"""What stands beside a move in the list: its score in short with signs for marks and opinions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from django.utils.translation import gettext_lazy

if TYPE_CHECKING:
    from django.utils.functional import Promise

SURPRISING, HARD = "surprising", "hard"
OPINIONS: Final[Mapping[str, tuple[str | Promise, Promise]]] = {
    SURPRISING: ("!?", gettext_lazy("surprising for the neural network")),
    HARD: (gettext_lazy("hard"), gettext_lazy("hard position for the neural network")),
}
"""The sign and the words of each opinion of a network."""


class ScoreNote(NamedTuple):
    """A score with the sign of a mark, and the network's opinions (`OPINIONS`)."""

    text: str = ""
    opinions: tuple[str, ...] = ()

    @property
    def signs(self) -> str:
        """Return the score and all signs as text."""
        return " ".join(filter(None, (self.text, *(str(OPINIONS[one][0]) for one in self.opinions))))
