"""The WSGI side: the environment of a request, and its answer in pieces."""

import contextvars
import sys
import time
from collections.abc import Callable, Iterator
from typing import IO, Any, Final
from urllib.parse import unquote_to_bytes

from front_server.interfaces import Cancellation, Headers, Scope, WsgiApplication

PIECE_BYTES: Final = 256 * 1024
"""A piece of an answer ends after about this many bytes."""

PIECE_SECONDS: Final = 1.0
"""A piece also ends after this time, so that others get the thread."""

_BODY_HEADERS: Final = frozenset(("CONTENT-LENGTH", "TRANSFER-ENCODING", "EXPECT"))


def environ_of(scope: Scope, body: IO[bytes], size: int) -> dict[str, Any]:
    """Return the WSGI environment of a request with a complete body of `size` bytes.

    Headers with an underscore are left out: WSGI could not distinguish them from headers with a hyphen, which
    a proxy may control.
    """
    environ: dict[str, Any] = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(scope["raw_path"]).decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "SERVER_NAME": scope["server"][0],
        "SERVER_PORT": str(scope["server"][1]),
        "REMOTE_ADDR": scope["client"][0],
        "CONTENT_LENGTH": str(size) if size else "",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.input": body,
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
    for raw, value in scope["headers"]:
        name = raw.decode("latin-1").upper()
        if name == "CONTENT-TYPE":
            environ["CONTENT_TYPE"] = value.decode("latin-1")
        elif "_" not in name and name not in _BODY_HEADERS:
            key = f"HTTP_{name.replace('-', '_')}"
            text = value.decode("latin-1")
            separator = "; " if name == "COOKIE" else ","
            environ[key] = f"{environ[key]}{separator}{text}" if key in environ else text
    return environ


class WsgiAnswer:
    """The application's answer to one request. Its methods run in threads of the pool."""

    def __init__(
        self, application: WsgiApplication, environ: dict[str, Any], cancellation: Cancellation
    ) -> None:
        self.application = application
        self.environ = environ
        self.cancellation = cancellation
        self.status = 500
        self.headers: Headers = []
        self.began = 0.0
        # All pieces see the context variables that the application sets, such as the language.
        self.context = contextvars.copy_context()
        self._chunks: Iterator[bytes] = iter(())
        self._close: Callable[[], object] | None = None

    @property
    def is_safe(self) -> bool:
        """Return whether the request changes nothing, so that it may be stopped at any time."""
        return self.environ["REQUEST_METHOD"] in ("GET", "HEAD")

    def begin(self) -> tuple[bytes, bool]:
        """Run the application; return the first piece of its answer, and whether there are more."""
        answer = self.application(self.environ, self._start)
        self._close = getattr(answer, "close", None)
        self._chunks = iter(answer)
        return self.next_piece()

    def _start(self, status: str, headers: list[tuple[str, str]], _error: object = None) -> None:
        self.status = int(status[:3])
        self.headers = [(name.lower().encode("latin-1"), text.encode("latin-1")) for name, text in headers]

    def next_piece(self) -> tuple[bytes, bool]:
        """Return the next piece, and whether there are more; close the answer after the last one."""
        data, size, until = [], 0, time.monotonic() + PIECE_SECONDS
        try:
            for chunk in self._chunks:
                data.append(chunk)
                size += len(chunk)
                if size >= PIECE_BYTES or time.monotonic() > until:
                    return b"".join(data), True
        except BaseException:
            self.close()
            raise
        self.close()
        return b"".join(data), False

    def close(self) -> None:
        """Call the answer's `close`, once."""
        close, self._close = self._close, None
        if close is not None:
            close()
