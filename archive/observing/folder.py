"""The folder in which the web processes of one server share their metrics.

prometheus-client reads its environment variable when it is imported, so this module must not import it: the
process that creates the folder may fork the processes that count.
"""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

VARIABLE: Final = "PROMETHEUS_MULTIPROC_DIR"
"""The variable that prometheus-client reads when it is imported."""

_PREFIX: Final = "kifu-metrics-"
_OWNER: Final = "owner"


@contextmanager
def metrics_folder(parent: Path) -> Iterator[None]:
    """Create a folder for the metrics of processes that are started inside, and delete it at the end.

    Also deletes the folders of killed servers, whose locks nobody holds any more.
    """
    for folder in parent.glob(f"{_PREFIX}*"):
        if (owner := _lock(folder / _OWNER)) is not None:
            shutil.rmtree(folder, ignore_errors=True)
            owner.close()
    with tempfile.TemporaryDirectory(prefix=_PREFIX, dir=parent, ignore_cleanup_errors=True) as name:
        (Path(name) / _OWNER).touch()
        owner = _lock(Path(name) / _OWNER)
        os.environ[VARIABLE] = name
        try:
            yield
        finally:
            del os.environ[VARIABLE]
            if owner is not None:
                owner.close()


def _lock(path: Path) -> IO[bytes] | None:
    """Open and lock a file; return None if it does not exist or another process has the lock."""
    try:
        file = path.open("rb")
    except OSError:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        return None
    return file


def shared_folder() -> Path | None:
    """Return the folder of this process's metrics; None if it shares them with no other process."""
    name = os.environ.get(VARIABLE)
    return Path(name) if name else None
