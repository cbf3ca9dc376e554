"""The sockets of web processes: that nobody else listens there, and that connections end.

The system ends connections of visitors who take nothing of an answer: granian has no limit for that.

The last piece of an answer is out of the hands of `archive.serving.front` before it is out of the machine: it
waits in the server's and the system's buffers, and a connection with it, for as long as the other side says
that it has no room.
"""

import os
import socket
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from archive.project.startup import refuse

_OPEN: Final = Path("/proc/self/fd")

BUFFER_BYTES: Final = 128 * 1024
"""Of an answer, what the system takes at once; it would grow to megabytes for each connection."""


def check_free(host: str, port: int) -> None:
    """End this process with a sentence where it cannot listen: granian shares its address with others, and
    each would be sent some of the visitors."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            refuse(f"cannot listen on {host}:{port} ({error.strerror}); set ARCHIVE_BIND")


def end_untaken(seconds: float) -> None:
    """Have the system end connections whose visitors take nothing for so long, of all sockets that this
    process listens on; what they accept from now on is like them. Only Linux can."""
    if not _OPEN.is_dir():
        return
    for listening in _listening():
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER_BYTES)
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(seconds * 1000))


def _listening() -> Iterator[socket.socket]:
    """Yield the TCP sockets that this process listens on; each is open until the next is asked for."""
    for number in sorted(int(entry.name) for entry in _OPEN.iterdir()):
        try:
            if not stat.S_ISSOCK(os.fstat(number).st_mode):
                continue
            copy = os.dup(number)
        except OSError:  # it was closed meanwhile
            continue
        with socket.socket(fileno=copy) as found:
            inet = found.family in (socket.AF_INET, socket.AF_INET6) and found.type == socket.SOCK_STREAM
            if inet and found.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                yield found
