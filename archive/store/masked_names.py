"""Takes down the name of a player, and restores it. Initials stand in its place in all games.

The rows of the name are changed at once, so that nothing finds or shows it. Its games follow, some in the
same transaction, the others with those that wait for merges (`archive.store.people.settle_names`).
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Final

from archive.models import Player
from archive.store import apply
from archive.store.change import Change
from archive.store.plan import Existing, NotReadError, Plan

GAMES_AT_ONCE: Final = 200
"""Games that one transaction derives again, about a second of work."""

_COLUMNS: Final[dict[str, Any]] = {
    "kana": "", "latin": "", "note": "", "source": "", "titles": [], "born": "", "died": "", "set_by": {},
}  # fmt: skip
"""The columns that are emptied, with their empty values."""


def conceal(rows: Iterable[Player], initials: str) -> None:
    """Replace the names of rows by initials, and empty their facts. Both are kept in `taken_down`."""
    for row in rows:
        row.taken_down = {name: getattr(row, name) for name in ("name", "written", "key", *_COLUMNS)}
        row.name = row.written = initials
        row.key = Player.sealed(row.key)
        for name, empty in _COLUMNS.items():
            setattr(row, name, empty)
        row.save()


def reveal(rows: Iterable[Player]) -> None:
    """Give rows their names and facts back."""
    for row in rows:
        for name, value in (row.taken_down or {}).items():
            setattr(row, name, value)
        row.taken_down = None
        row.save()


def follow(change: Change, player: int, limit: int = GAMES_AT_ONCE) -> bool:
    """Derive up to `limit` games of a player again that do not have the initials or the name that they should
    have; return whether there were no more. Raises IndexDamagedError."""
    taken_down = Player.objects.filter(pk=player).exclude(taken_down=None).exists()
    change.cursor.execute(_OTHERS, [player, int(taken_down), limit + 1])
    games = sorted({pk for (pk,) in change.cursor.fetchall()})

    def decide(existing: Existing) -> Plan:
        plan = Plan(existing)
        for pk in games[:limit]:
            with suppress(NotReadError):
                plan.refresh(pk)
        return plan

    apply.plan_and_apply(change, decide)
    change.write_rows()
    change.write_counters()
    return len(games) <= limit


_OTHERS: Final = """
    SELECT DISTINCT g.id FROM archive_gameplayer p JOIN archive_game g ON g.slot = p.slot
    WHERE p.player_id = %s AND ((g.masked >> p.colour) & 1) <> %s ORDER BY g.id LIMIT %s
"""
