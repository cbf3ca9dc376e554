"""A check that no other process listens on the web server's address."""

import socket

from archive.project.startup import refuse


def check_free(host: str, port: int) -> None:
    """End this process with an error if it cannot listen. Granian would share the address with another
    process, and each would get some of the requests."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            refuse(f"cannot listen on {host}:{port} ({error.strerror}); set ARCHIVE_BIND")
