"""Checks that the files of a dump match its manifest, and that every record can be read."""

import json
from collections.abc import Callable, Iterator
from typing import Any, Final

from archive.dumps.offered import MANIFEST, SUMS, TABLE, Dump, DumpFile
from archive.dumps.packing import DAMAGED, id_of, sum_of_path, unpacked
from archive.dumps.tables import UnreadableTableError, ids_of
from kifu_core.errors import KifuError
from kifu_core.games import GAMES

_MOST_REPORTED: Final = 20
"""The number of errors after which the rest of a file is skipped."""

Report = Callable[[int], None]


def check(dump: Dump, report: Report = lambda records: None) -> Iterator[str]:
    """Yield the errors in a dump.

    Calls `report` with the number of records checked so far. Keeps the ids of all games in memory.
    """
    listed = {*(file.name for file in dump.files), MANIFEST, SUMS}
    present = {path.name for path in dump.folder.iterdir()}
    yield from (f"{name}: is missing" for name in sorted(listed - present))
    yield from (f"{name}: is not in the manifest" for name in sorted(present - listed))
    files = [file for file in dump.files if file.name in present]
    for file in files:
        if sum_of_path(dump.folder / file.name) != (file.size, file.sha256):
            yield f"{file.name}: does not have the size and the SHA-256 of the manifest"
    if SUMS in present:
        yield from _check_sums(dump)
    records = _Records(report)
    for file in files:
        if file in dump.records:
            yield from records.check(dump, file)
    if not records.complete:
        return
    if records.count != dump.games:
        yield f"has {records.count} games, but {dump.games} in the manifest"
    if all(table.name in present for table in dump.tables):
        yield from _check_tables(dump, records.ids)


def _check_sums(dump: Dump) -> Iterator[str]:
    lines = [f"{file.sha256}  {file.name}" for file in dump.files]
    lines.append(f"{sum_of_path(dump.folder / MANIFEST)[1]}  {MANIFEST}")
    if (dump.folder / SUMS).read_text().splitlines() != lines:
        yield f"{SUMS}: does not have the SHA-256 of the files"


def _check_tables(dump: Dump, ids: list[int]) -> Iterator[str]:
    try:
        if [pk for batch in ids_of(dump.tables) for pk in batch] != ids:
            yield f"{TABLE}: does not have the same games as the records"
    except UnreadableTableError as error:
        yield f"{TABLE}: {error}"


class _Records:
    def __init__(self, report: Report) -> None:
        self.report = report
        self.count = 0
        self.complete = True
        self.ids: list[int] = []

    def check(self, dump: Dump, file: DumpFile) -> Iterator[str]:
        """Yield the errors in a file of records."""
        before, errors = self.count, 0
        try:
            for number, line in enumerate(unpacked(dump.folder / file.name), start=1):
                self.count += 1
                self.report(self.count)
                for error_text in self._check_line(line):
                    errors += 1
                    yield f"{file.name}:{number}: {error_text}"
                if errors >= _MOST_REPORTED:
                    yield f"{file.name}: the rest of the file was not checked"
                    self.complete = False
                    return
        except DAMAGED as error:
            yield f"{file.name}: cannot be read: {error}"
        if self.count - before != file.games:
            yield f"{file.name}: has {self.count - before} games, but {file.games} in the manifest"

    def _check_line(self, line: bytes) -> Iterator[str]:
        try:
            game: dict[str, Any] = json.loads(line)
            pk = id_of(line)
            result = GAMES[game["game"]].formats.load(json.dumps(game["record"]), "game.json")
        except (ValueError, KeyError, TypeError, RecursionError, KifuError) as error:
            yield f"{type(error).__name__}: {error}"
            return
        if self.ids and pk <= self.ids[-1]:
            yield f"game {pk} comes after game {self.ids[-1]}"
        self.ids.append(pk)
        if len(result.games) != 1:
            yield f"the record of game {pk} cannot be read"
