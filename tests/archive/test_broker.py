"""The folder broker: messages arrive once, and nobody ever sees half of one."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest
from kombu import Connection, Queue

from archive import broker, queues


@pytest.fixture
def connection(tmp_path):
    broker.register()
    options = queues.folders(tmp_path)
    with Connection("filesystem://", transport_options=options) as connection:
        yield connection


def queue_folder(connection: Connection) -> Path:
    return Path(connection.transport_options["data_folder_out"])


def test_filesystem_means_our_transport(connection):
    assert isinstance(connection.transport, broker.Transport)


def test_messages_arrive_in_order_and_once(connection):
    queue = connection.SimpleQueue("work")
    for number in range(20):
        queue.put({"upload": number})
    received = [queue.get(block=False).payload["upload"] for _ in range(20)]
    assert received == list(range(20))
    with pytest.raises(queue.Empty):
        queue.get(block=False)
    queue.close()


def test_two_archives_of_one_process_bind_their_queues_each(tmp_path):
    broker.register()
    for name in ("first", "second"):
        with Connection("filesystem://", transport_options=queues.folders(tmp_path / name)) as connection:
            queue = connection.SimpleQueue("shared")
            queue.put({"of": name})
            assert queue.get(block=False).payload == {"of": name}
            queue.close()


def test_a_watcher_of_the_folder_sees_only_whole_messages(connection):
    queue = connection.SimpleQueue("work")
    folder, stop, broken = queue_folder(connection), threading.Event(), []

    def watch() -> None:
        while not stop.is_set():
            for path in folder.glob("*.msg"):
                try:
                    json.loads(path.read_text())
                except ValueError:
                    broken.append(path.name)

    watcher = threading.Thread(target=watch)
    watcher.start()
    for _ in range(300):
        queue.put({"text": "x" * 20_000})
    stop.set()
    watcher.join()
    queue.close()
    assert broken == []
    assert len(list(folder.glob("*.msg"))) == 300


def test_bindings_of_many_channels_are_all_kept(connection):
    def bind(name: str) -> None:
        with Connection("filesystem://", transport_options=connection.transport_options) as own:
            Queue(name, exchange=own.SimpleQueue("seed").queue.exchange, routing_key=name)(own).declare()

    threads = [threading.Thread(target=bind, args=(f"q{n}",)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    bound = {row.queue for row in connection.channel().get_table("seed")}
    assert {f"q{n}" for n in range(8)} <= bound
