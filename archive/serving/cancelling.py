"""Cancel the database queries of a request whose client has left."""

from contextlib import suppress
from threading import Lock

from django.db import Error, connections
from django.db.backends.base.base import BaseDatabaseWrapper


class QueryCancellation:
    """The database connections of the thread that works on one answer (`front_server.Cancellation`)."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._connections: list[BaseDatabaseWrapper] = []

    def begin(self) -> None:
        """Register the connections of this thread, open or not."""
        with self._lock:
            self._connections = [connections[alias] for alias in connections]

    def end(self) -> None:
        """Unregister them: the next queries of this thread belong to another answer."""
        with self._lock:
            self._connections = []

    def cancel(self) -> None:
        """Cancel the statements that run on these connections; they raise an error in their thread."""
        with self._lock:
            for connection in self._connections:
                driver = connection.connection
                if driver is None:
                    continue
                # A connection that has just been closed, or lost its server, runs nothing.
                with suppress(Error), connection.wrap_database_errors:
                    if connection.vendor == "sqlite":
                        driver.interrupt()
                    else:
                        driver.cancel_safe()
