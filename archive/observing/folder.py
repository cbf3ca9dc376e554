"""The folder in which the web processes of one server count together.

prometheus-client looks once, when it is imported, whether there is one. So nothing of it is imported here:
who makes the folder may fork the processes that count.
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
"""Where prometheus-client looks when it is imported: set before that, by who starts the processes."""

_PREFIX: Final = "kifu-metrics-"
_OWNER: Final = "owner"


@contextmanager
def folder_of_server(parent: Path) -> Iterator[None]:
    """Give the processes that are started inside a folder to count in, and take it away at the end.

    Those of servers that were killed are taken away, too: nobody holds the lock of their owner any more.
    """
    for left in parent.glob(f"{_PREFIX}*"):
        if (owner := _locked(left / _OWNER)) is not None:
            shutil.rmtree(left, ignore_errors=True)
            owner.close()
    with tempfile.TemporaryDirectory(prefix=_PREFIX, dir=parent, ignore_cleanup_errors=True) as name:
        (Path(name) / _OWNER).touch()
        owner = _locked(Path(name) / _OWNER)
        os.environ[VARIABLE] = name
        try:
            yield
        finally:
            del os.environ[VARIABLE]
            if owner is not None:
                owner.close()


def _locked(path: Path) -> IO[bytes] | None:
    """Return the open file with its lock; None where somebody has that, or there is no such file."""
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
    """Return the folder in which this process counts with others; None where it counts alone."""
    name = os.environ.get(VARIABLE)
    return Path(name) if name else None
