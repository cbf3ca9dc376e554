"""Further names of players and events."""

from archive.models import Event, Player
from archive.store.people import correct_name


def add_spelling(row: Player | Event, name: str) -> int:
    """Add a further name to a player or event; return its id."""
    kind = "player" if isinstance(row, Player) else "event"
    made = correct_name(kind, row.pk, [{"op": "spelling", "name": name}], None, apply=True)
    return int(made.operations[0]["row"])
