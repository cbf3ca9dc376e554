"""Cancels the database queries of a request whose client has disconnected."""

from contextlib import suppress
from threading import Lock

from django.db import Error, connections
from django.db.backends.base.base import BaseDatabaseWrapper


class QueryCancellation:
    """Cancels the database queries of the thread that handles a request (`front_server.Cancellation`)."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._connections: list[BaseDatabaseWrapper] = []

    def begin(self) -> None:
        """Register the connections of this thread, including those that are not open yet."""
        with self._lock:
            self._connections = [connections[alias] for alias in connections]

    def end(self) -> None:
        """Unregister the connections: the next queries of this thread are for another request."""
        with self._lock:
            self._connections = []

    def cancel(self) -> None:
        """Cancel the statements that run on the connections. Each raises a database error in its thread."""
        with self._lock:
            for connection in self._connections:
                driver = connection.connection
                if driver is None:
                    continue
                # The connection may just have been closed, or have lost its server: then it runs nothing.
                with suppress(Error), connection.wrap_database_errors:
                    if connection.vendor == "sqlite":
                        driver.interrupt()
                    else:
                        driver.cancel_safe()
