"""The pages of every kind of game, by its name."""

from typing import Final

from archive.web.game_pages import GamePages
from archive.web.quoridor.pages import QUORIDOR
from archive.web.shogi.pages import SHOGI

PAGES: Final[dict[str, GamePages]] = {"shogi": SHOGI, "quoridor": QUORIDOR}
