"""Dumps read back: whether their files are what the manifest says, and every record can be read."""

import json
from collections.abc import Callable, Iterator
from typing import Any, Final

from archive.dumps.offered import MANIFEST, SUMS, Dump, DumpFile
from archive.dumps.packing import DAMAGED, id_of, sha256_of, unpacked
from archive.dumps.tables import UnreadableTableError, ids_of
from kifu_core.errors import KifuError
from kifu_core.games import GAMES

_TOLD: Final = 20
"""Lines of a file that are told of; where so many are wrong, the file is."""

Report = Callable[[int], None]


def check(dump: Dump, report: Report = lambda done: None) -> Iterator[str]:
    """Yield what is wrong with a dump; `report` is told how many records were read by now.

    The ids of all games are held in memory, eight bytes each.
    """
    names = {*(file.name for file in dump.files), MANIFEST, SUMS}
    present = {path.name for path in dump.folder.iterdir()}
    yield from (f"{name}: is not there" for name in sorted(names - present))
    yield from (f"{name}: the manifest does not name it" for name in sorted(present - names))
    there = [file for file in dump.files if file.name in present]
    for file in there:
        if sha256_of(dump.folder / file.name) != (file.size, file.sha256):
            yield f"{file.name}: is not what it was when the dump was made"
    if SUMS in present:
        yield from _sums(dump)
    read = _Read(report)
    for file in there:
        if file in dump.records:
            yield from read.lines(dump, file)
    if read.games != dump.games:
        yield f"{read.games} games, and the manifest says {dump.games}"
    if dump.table.name in present:
        yield from _table(dump, read.ids)


def _sums(dump: Dump) -> Iterator[str]:
    """Yield where the sums are others than those of the manifest."""
    told = [f"{file.sha256}  {file.name}" for file in dump.files]
    told.append(f"{sha256_of(dump.folder / MANIFEST)[1]}  {MANIFEST}")
    if (dump.folder / SUMS).read_text().splitlines() != told:
        yield f"{SUMS}: are not those of the files"


def _table(dump: Dump, ids: list[int]) -> Iterator[str]:
    try:
        found = [pk for some in ids_of(dump.table) for pk in some]
    except UnreadableTableError as error:
        yield f"{dump.table.name}: {error}"
        return
    if found != ids:
        yield f"{dump.table.name}: has other games than the records"


class _Read:
    """What was read of the records."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self.games = 0
        self.ids: list[int] = []

    def lines(self, dump: Dump, file: DumpFile) -> Iterator[str]:
        """Read a file of records, and yield what is wrong with it."""
        before, wrong = self.games, 0
        try:
            for number, line in enumerate(unpacked(dump.folder / file.name), start=1):
                self.games += 1
                self.report(self.games)
                for text in self._line(line):
                    wrong += 1
                    yield f"{file.name}:{number}: {text}"
                if wrong >= _TOLD:
                    yield f"{file.name}: and more"
                    return
        except DAMAGED as error:
            yield f"{file.name}: cannot be read: {error}"
        if self.games - before != file.games:
            yield f"{file.name}: {self.games - before} games, and the manifest says {file.games}"

    def _line(self, line: bytes) -> Iterator[str]:
        """Yield what is wrong with a line."""
        try:
            told: dict[str, Any] = json.loads(line)
            pk = id_of(line)
            text = json.dumps(told["record"])
            result = GAMES[told["game"]].formats.load(text, "game.json")
        except (ValueError, KeyError, TypeError, RecursionError, KifuError) as error:
            yield f"{type(error).__name__}: {error}"
            return
        if self.ids and pk <= self.ids[-1]:
            yield f"game {pk} comes after game {self.ids[-1]}"
        self.ids.append(pk)
        if len(result.games) != 1:
            yield f"the record of game {pk} cannot be read"
