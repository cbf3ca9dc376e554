"""The merged metrics of one server's web processes, from their folder (`archive.observing.folder`).

prometheus-client has a file for each process, also after its end, because its counts belong to the sums. Web
processes are replaced while the site is served, so the files of ended ones are merged into one.
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

_LOCK: Final = "gathering"
_ENDED: Final = 0
"""The process id in the name of the file for ended processes."""


def merged_metrics(folder: Path) -> Iterable[Metric]:
    """Return the metrics of all processes of a folder."""
    with (folder / _LOCK).open("ab") as lock:
        # Two processes at once would add the counts of ended ones twice.
        fcntl.flock(lock, fcntl.LOCK_EX)
        for kind in ("counter", "histogram"):
            _merge_ended(folder, kind)
        metrics: Iterable[Metric] = MultiProcessCollector.merge(sorted(map(str, folder.glob("*.db"))))
        return metrics


def _merge_ended(folder: Path, kind: str) -> None:
    ended = [path for path in folder.glob(f"{kind}_*.db") if not _lives(int(path.stem.rpartition("_")[2]))]
    merged = folder / f"{kind}_{_ENDED}.db"
    if not set(ended) - {merged}:
        return
    sums: defaultdict[str, float] = defaultdict(float)
    for path in ended:
        for key, value, _time, _place in MmapedDict.read_all_values_from_file(str(path)):
            sums[key] += value
    new = folder / f"{kind}.new"
    new.unlink(missing_ok=True)
    file = MmapedDict(str(new))
    for key, value in sums.items():
        file.write_value(key, value, 0.0)
    file.close()
    new.rename(merged)
    for path in set(ended) - {merged}:
        path.unlink()


def _lives(pid: int) -> bool:
    if pid == _ENDED:
        return False
    with suppress(ProcessLookupError):
        os.kill(pid, 0)
        return True
    return False
