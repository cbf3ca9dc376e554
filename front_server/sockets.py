"""End connections whose clients take no data.

The last piece of an answer leaves the front server before it leaves the machine: it waits in buffers of the
ASGI server and of the system, and its connection stays open as long as the client reports a full window.
Granian has no limit for that; the system has one.
"""

import os
import socket
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_OPEN_FILES: Final = Path("/proc/self/fd")

BUFFER_BYTES: Final = 128 * 1024
"""The send buffer of a connection; the system would let it grow to megabytes."""


def limit_untaken(seconds: float) -> None:
    """Have the system end connections whose client takes no data for `seconds`. This sets options of all TCP
    sockets on which this process listens; new connections inherit them. Works on Linux only."""
    if not _OPEN_FILES.is_dir():
        return
    for listening in _listening_sockets():
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER_BYTES)
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(seconds * 1000))


def _listening_sockets() -> Iterator[socket.socket]:
    """Yield the TCP sockets on which this process listens; each is closed when the next one is taken."""
    for number in sorted(int(entry.name) for entry in _OPEN_FILES.iterdir()):
        try:
            if not stat.S_ISSOCK(os.fstat(number).st_mode):
                continue
            copy = os.dup(number)
        except OSError:  # another thread closed it
            continue
        with socket.socket(fileno=copy) as candidate:
            is_inet = candidate.family in (socket.AF_INET, socket.AF_INET6)
            is_tcp = is_inet and candidate.type == socket.SOCK_STREAM
            if is_tcp and candidate.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                yield candidate
