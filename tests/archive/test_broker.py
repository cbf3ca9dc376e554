"""The folder broker: messages arrive once, and nobody ever sees half of one."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest
from kombu import Connection, Consumer, Queue
from kombu.asynchronous import Hub

from archive.project import broker, queues


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


def test_who_is_done_with_a_message_is_given_the_next_before_the_folder_is_to_be_looked_at(connection):
    queue, taken, hub = connection.SimpleQueue("work"), [], Hub()
    for number in range(4):
        queue.put({"upload": number})

    def done(body, message):
        taken.append(body["upload"])
        hub.call_soon(message.ack)

    connection.transport.polling_interval = 3600
    connection.transport.register_with_event_loop(connection, hub)
    with Consumer(connection.default_channel, [queue.queue], callbacks=[done]) as consumer:
        consumer.qos(prefetch_count=1)
        hub.call_soon(connection.transport.fetch_soon)
        for _ in range(10):  # each a tenth of a second, where the loop waits for nothing else
            hub.run_once()
    assert taken == list(range(4))
    hub.close()
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
