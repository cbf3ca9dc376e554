"""The broker of the embedded default: kombu's folder of message files, made safe for several processes.

kombu writes messages and binding tables in place, so that a reader can meet a half-written file, which kills
a worker. Here both are written under another name and renamed, which every reader sees whole or not at all.
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


def _write_whole(path: Path, text: str) -> None:
    # The name has no queue in it, so that no reader takes the file before it has its own.
    temporary = path.parent / f".{uuid.uuid4()}"
    try:
        temporary.write_text(text)
        temporary.rename(path)
    except OSError:
        # On a full disk the beginning of a message would be left for good.
        temporary.unlink(missing_ok=True)
        raise


class Channel(filesystem.Channel):
    """kombu's channel with atomic writes."""

    # The types of kombu's own two levels disagree about the parameter's name.
    def _put(self, queue: str, payload: Any, **kwargs: Any) -> None:  # type: ignore[override]
        name = f"{time.time_ns():020d}_{uuid.uuid4()}.{queue}.msg"
        _write_whole(Path(self.data_folder_out) / name, dumps(payload))

    def _queue_bind(
        self, exchange: str, routing_key: str | None, pattern: str | None, queue: str | None
    ) -> None:
        binding = filesystem.exchange_queue_t(routing_key or "", pattern or "", queue or "")
        with self._bindings():
            table = self.get_table(exchange)
            if binding not in table:
                _write_whole(self.control_folder / f"{exchange}.exchange", dumps([binding, *table]))

    @contextmanager
    def _bindings(self) -> Iterator[None]:
        self.control_folder.mkdir(parents=True, exist_ok=True)
        with (self.control_folder / ".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def basic_ack(self, delivery_tag: str, multiple: bool = False) -> None:
        """Have a message forgotten; whoever is done with one is given the next at once."""
        super().basic_ack(delivery_tag, multiple)
        cast(Transport, self.connection).look_again()


class Transport(filesystem.Transport):
    """kombu's transport as one for Celery's event loop.

    Without the loop all children of a worker's pool wait at one lock: one that is killed while it waits takes
    the lock with it, and its successor is given nothing to do.
    """

    Channel = Channel
    implements = filesystem.Transport.implements.extend(asynchronous=True)

    # What is bound, for each folder of messages: kombu remembers it for the process, and then binds nothing
    # in the folder of a second archive, whose messages are lost.
    _states: ClassVar[dict[str, virtual.BrokerState]] = {}

    def __init__(self, client: Connection, **kwargs: Any) -> None:
        super().__init__(client, **kwargs)
        options: dict[str, Any] = client.transport_options or {}
        self.state = self._states.setdefault(options.get("data_folder_out", ""), virtual.BrokerState())
        self.look_again: Callable[[], object] = _nothing

    def register_with_event_loop(self, connection: Any, loop: Any) -> None:
        """Look for messages as often as the folders are to be looked at, and after each that is done with: a
        worker is given one at a time, and most take far less than the time between two looks."""
        loop.call_repeatedly(self.polling_interval, self._take_what_is_there, connection)
        # The loop runs timers that are due after the place at which Celery has messages forgotten, and then
        # waits; what is called soon would wait with it.
        self.look_again = partial(loop.call_later, 0, self._take_what_is_there, connection)

    def _take_what_is_there(self, connection: Any) -> None:
        # A worker that is busy is given none: that is no message either.
        with suppress(TimeoutError):
            while True:
                self.drain_events(connection, timeout=0)


def _nothing() -> None:
    """Do nothing, where no loop looks for messages."""


def register() -> None:
    """Let `filesystem://` mean this transport."""
    TRANSPORT_ALIASES["filesystem"] = "archive.project.broker:Transport"
