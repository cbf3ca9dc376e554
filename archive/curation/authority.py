"""Authority tables: names with readings, Latin spellings and dates of life, as CSV.

A table sets what nobody entered and what an earlier table set; it never replaces what a curator entered.
Each name that changes gets a correction, which can be undone.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from io import StringIO
from typing import Final

from archive import store
from archive.accounts.audit import note
from archive.curation.errors import CurationError
from archive.derive.headers import player_key
from archive.derive.name_operations import NameEditError, SetField, as_json, outranks, valid_value
from archive.models import AuditEvent, Player, User
from kifu_core.classes import PUBLIC

COLUMNS: Final = ("name", "kana", "latin", "born", "died", "source")
"""The columns of a table; all but the first may be missing."""
MOST_ROWS: Final = 200
"""Rows of a table that is sent through the API: about two seconds of work."""


def read_table(text: str) -> list[dict[str, str]]:
    """Return the rows of a table. Raises CurationError for one without names, or with other columns."""
    reader = csv.DictReader(StringIO(text.removeprefix("\ufeff")))
    try:
        rows = list(reader)
    except csv.Error as error:
        raise CurationError("no-table") from error
    if "name" not in (reader.fieldnames or ()) or {*(reader.fieldnames or ())} - {*COLUMNS}:
        raise CurationError("no-table")
    return [{name: (row.get(name) or "").strip() for name in COLUMNS} for row in rows]


def import_table(rows: Iterable[Mapping[str, str]], account: User | None, reason: str) -> Counter[str]:
    """Set the facts of a table; return the numbers of its rows by outcome: `set`, `same`, `unknown` for names
    that nobody has, `ambiguous` for names of several players, `refused` for invalid values."""
    outcomes = Counter(_import_row(row, account, reason) for row in rows)
    note(AuditEvent.IMPORT, account, f"authority table of {outcomes.total()} names")
    return outcomes


def _import_row(row: Mapping[str, str], account: User | None, reason: str) -> str:
    player = Player.objects.filter(space=PUBLIC, key=player_key(row["name"])).first()
    if player is None:
        return "unknown"
    if player.home_id is not None:
        player = Player.objects.get(pk=player.root_id)
    if player.namesakes.exists():
        return "ambiguous"
    try:
        operations = list(_operations(player, row))
        if operations:
            store.correct_name("player", player.pk, as_json([*operations]), account, reason, apply=True)
    except NameEditError:
        return "refused"
    return "set" if operations else "same"


def _operations(player: Player, row: Mapping[str, str]) -> Iterator[SetField]:
    for name in COLUMNS[1:]:
        if not row[name]:
            continue
        new, old, old_by = (
            valid_value("player", name, row[name]),
            getattr(player, name),
            player.set_by.get(name),
        )
        if new != old and outranks("authority", old_by):
            yield SetField(name, old, new, by="authority", old_by=old_by)
