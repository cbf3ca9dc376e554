"""Checks of dumps: whether the files match the manifest, and whether every record can be read."""

import json
from collections.abc import Callable, Iterator
from typing import Any, Final

from archive.dumps.offered import MANIFEST, SUMS, Dump, DumpFile
from archive.dumps.packing import DAMAGED, id_of, sum_of_path, unpacked
from archive.dumps.tables import UnreadableTableError, ids_of
from kifu_core.errors import KifuError
from kifu_core.games import GAMES

_MOST_REPORTED: Final = 20
"""Errors of a file that are reported before the rest of it is skipped."""

Report = Callable[[int], None]


def check(dump: Dump, report: Report = lambda records: None) -> Iterator[str]:
    """Yield the errors in a dump; `report` is called with the number of records read so far.

    The ids of all games are held in memory, eight bytes each.
    """
    listed = {*(file.name for file in dump.files), MANIFEST, SUMS}
    present = {path.name for path in dump.folder.iterdir()}
    yield from (f"{name}: is not there" for name in sorted(listed - present))
    yield from (f"{name}: the manifest does not name it" for name in sorted(present - listed))
    files = [file for file in dump.files if file.name in present]
    for file in files:
        if sum_of_path(dump.folder / file.name) != (file.size, file.sha256):
            yield f"{file.name}: is not what it was when the dump was made"
    if SUMS in present:
        yield from _check_sums(dump)
    records = _Records(report)
    for file in files:
        if file in dump.records:
            yield from records.check(dump, file)
    if records.count != dump.games:
        yield f"{records.count} games, and the manifest says {dump.games}"
    if dump.table.name in present:
        yield from _check_table(dump, records.ids)


def _check_sums(dump: Dump) -> Iterator[str]:
    lines = [f"{file.sha256}  {file.name}" for file in dump.files]
    lines.append(f"{sum_of_path(dump.folder / MANIFEST)[1]}  {MANIFEST}")
    if (dump.folder / SUMS).read_text().splitlines() != lines:
        yield f"{SUMS}: are not those of the files"


def _check_table(dump: Dump, ids: list[int]) -> Iterator[str]:
    try:
        if [pk for batch in ids_of(dump.table) for pk in batch] != ids:
            yield f"{dump.table.name}: has other games than the records"
    except UnreadableTableError as error:
        yield f"{dump.table.name}: {error}"


class _Records:
    def __init__(self, report: Report) -> None:
        self.report = report
        self.count = 0
        self.ids: list[int] = []

    def check(self, dump: Dump, file: DumpFile) -> Iterator[str]:
        """Read a file of records, and yield the errors in it."""
        before, errors = self.count, 0
        try:
            for number, line in enumerate(unpacked(dump.folder / file.name), start=1):
                self.count += 1
                self.report(self.count)
                for text in self._check_line(line):
                    errors += 1
                    yield f"{file.name}:{number}: {text}"
                if errors >= _MOST_REPORTED:
                    yield f"{file.name}: and more"
                    return
        except DAMAGED as error:
            yield f"{file.name}: cannot be read: {error}"
        if self.count - before != file.games:
            yield f"{file.name}: {self.count - before} games, and the manifest says {file.games}"

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
