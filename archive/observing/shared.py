"""What the web processes of one server have counted in their folder (`archive.observing.folder`).

prometheus-client keeps a file for each process, also when it has ended: its counts belong to the sums. Web
processes are replaced while the site is served, so the files of those that have ended become one.
"""

import fcntl
import os
from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from prometheus_client import Metric
from prometheus_client.mmap_dict import MmapedDict
from prometheus_client.multiprocess import MultiProcessCollector

_GATHERING: Final = "gathering"
_ENDED: Final = 0
"""In the place of a process's number: all that have ended."""


def gathered(folder: Path) -> Iterable[Metric]:
    """Return what all processes of the folder have counted."""
    with (folder / _GATHERING).open("ab") as lock:
        # Two that gather at once would add those that have ended twice.
        fcntl.flock(lock, fcntl.LOCK_EX)
        for kind in ("counter", "histogram"):
            _put_together(folder, kind)
        files = sorted(str(path) for path in folder.glob("*.db"))
        found: Iterable[Metric] = MultiProcessCollector.merge(files)
        return found


def _put_together(folder: Path, kind: str) -> None:
    """Make one file of those of processes that have ended."""
    ended = [path for path in folder.glob(f"{kind}_*.db") if not _lives(int(path.stem.rpartition("_")[2]))]
    together = folder / f"{kind}_{_ENDED}.db"
    if not set(ended) - {together}:
        return
    sums: defaultdict[str, float] = defaultdict(float)
    for path in ended:
        for key, value, _time, _place in MmapedDict.read_all_values_from_file(str(path)):
            sums[key] += value
    new = folder / f"{kind}.new"
    new.unlink(missing_ok=True)
    written = MmapedDict(str(new))
    for key, value in sums.items():
        written.write_value(key, value, 0.0)
    written.close()
    new.rename(together)
    for path in set(ended) - {together}:
        path.unlink()


def _lives(number: int) -> bool:
    if number == _ENDED:
        return False
    with suppress(ProcessLookupError):
        os.kill(number, 0)
        return True
    return False
