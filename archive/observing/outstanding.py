"""What an update has left to be done: games and uploads that are as an earlier version has made them."""

from __future__ import annotations

from typing import Final

from archive.columns.building import lag
from archive.derive import formations
from archive.index.engine import engine
from archive.index.schema import INDEX_VERSION
from archive.models import Game, Upload
from archive.models.uploads import READING

INDEX: Final = "index"
READINGS: Final = "reading"
FORMATIONS: Final = "formations"
COLUMNS: Final = "columns"

COUNTING_SECONDS: Final = 2.0
"""What counting may take; what takes longer is not told."""

WAITS_SECONDS: Final = 600.0
"""Games that come are in no column for seconds; so long nothing of usual work takes."""


def outstanding() -> dict[str, int]:
    """Return how much is left, by kind in the order in which it is done: games, uploads of `reading`."""
    found: dict[str, int] = {}
    try:
        with engine().time_limit(COUNTING_SECONDS):
            found[INDEX] = Game.objects.exclude(index_version=INDEX_VERSION).count()
            found[READINGS] = Upload.objects.filter(state=Upload.State.DONE).exclude(reader=READING).count()
            found[FORMATIONS] = Game.objects.exclude(formations_version=formations.VERSION).count()
            waiting = lag()
            found[COLUMNS] = waiting.games if waiting.seconds > WAITS_SECONDS else 0
    except TimeoutError:
        pass
    return {name: n for name, n in found.items() if n}


def as_text(found: dict[str, int]) -> str:
    """Return outstanding work as a sentence for the console."""
    things = ", ".join(
        f"{name} of {n} {'uploads' if name == READINGS else 'games'}" for name, n in found.items()
    )
    return f"Left to be done after an update: {things}. `manage.py catch_up` does it while the archive runs."
