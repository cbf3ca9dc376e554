"""The broker of the embedded default: kombu's folder of message files, made safe for several processes.

kombu writes messages and binding tables in place, so a reader can meet a partial file, which ends a worker.
Here both are written to a temporary file and renamed.
"""

import fcntl
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, cast

from kombu import Connection
from kombu.transport import TRANSPORT_ALIASES, filesystem, virtual
from kombu.utils.json import dumps


def _write_atomically(path: Path, text: str) -> None:
    # The temporary name contains no queue, so no reader takes the file.
    temporary = path.parent / f".{uuid.uuid4()}"
    try:
        temporary.write_text(text)
        temporary.rename(path)
    except OSError:
        # On a full disk the partial file would stay.
        temporary.unlink(missing_ok=True)
        raise


class Channel(filesystem.Channel):
    """kombu's channel with atomic writes."""

    # kombu's base classes name the parameter differently.
    def _put(self, queue: str, payload: Any, **kwargs: Any) -> None:  # type: ignore[override]
        name = f"{time.time_ns():020d}_{uuid.uuid4()}.{queue}.msg"
        _write_atomically(Path(self.data_folder_out) / name, dumps(payload))

    def _queue_bind(
        self, exchange: str, routing_key: str | None, pattern: str | None, queue: str | None
    ) -> None:
        binding = filesystem.exchange_queue_t(routing_key or "", pattern or "", queue or "")
        with self._lock_bindings():
            table = self.get_table(exchange)
            if binding not in table:
                _write_atomically(self.control_folder / f"{exchange}.exchange", dumps([binding, *table]))

    @contextmanager
    def _lock_bindings(self) -> Iterator[None]:
        self.control_folder.mkdir(parents=True, exist_ok=True)
        with (self.control_folder / ".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def basic_ack(self, delivery_tag: str, multiple: bool = False) -> None:
        """Acknowledge a message, and fetch the next one at once."""
        super().basic_ack(delivery_tag, multiple)
        cast(Transport, self.connection).fetch_soon()


class Transport(filesystem.Transport):
    """kombu's transport for Celery's event loop.

    Without the loop, all children of a worker's pool wait for one lock: a child that is killed while it waits
    never releases it, and its successor gets no tasks.
    """

    Channel = Channel
    implements = filesystem.Transport.implements.extend(asynchronous=True)

    # Bindings by message folder: kombu caches them per process, and would bind nothing in the folder of a
    # second archive, whose messages would be lost.
    _states: ClassVar[dict[str, virtual.BrokerState]] = {}

    def __init__(self, client: Connection, **kwargs: Any) -> None:
        super().__init__(client, **kwargs)
        options: dict[str, Any] = client.transport_options or {}
        self.state = self._states.setdefault(options.get("data_folder_out", ""), virtual.BrokerState())
        self.fetch_soon: Callable[[], object] = lambda: None

    def register_with_event_loop(self, connection: Any, loop: Any) -> None:
        """Fetch messages at the polling interval, and after each acknowledgement: a worker gets one at a
        time, and most tasks take far less than the interval."""
        loop.call_repeatedly(self.polling_interval, self._fetch, connection)
        # `call_soon` would wait for the next interval: Celery acknowledges after the loop's ready callbacks.
        self.fetch_soon = partial(loop.call_later, 0, self._fetch, connection)

    def _fetch(self, connection: Any) -> None:
        # `drain_events` raises TimeoutError without messages, and for a busy worker.
        with suppress(TimeoutError):
            while True:
                self.drain_events(connection, timeout=0)


def register() -> None:
    """Register this transport for `filesystem://`."""
    TRANSPORT_ALIASES["filesystem"] = "archive.project.broker:Transport"
