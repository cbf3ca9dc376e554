"""Metrics for Prometheus: requests as counted by the web processes, and measurements from the database.

docs/operations.md has a table of all metrics. Their names do not change.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from django.db import Error, connection
from django.utils import timezone
from prometheus_client import Metric
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily
from prometheus_client.exposition import choose_encoder

from archive.index.engine import engine
from archive.observing import measures, replicas, tally
from archive.observing.folder import shared_folder
from archive.observing.requests import REGISTRY
from archive.observing.shared import merged_metrics
from archive.project.disk import disk_spaces
from kifu_core import __version__

SECONDS: Final = 3.0
"""The time limit for all queries."""


class _Registry:
    def __init__(self, metrics: Iterable[Metric]) -> None:
        self.metrics = metrics

    def collect(self) -> Iterable[Metric]:
        return self.metrics


def exposition(accept: str) -> tuple[bytes, str]:
    """Return all metrics and their content type, in the format of an `Accept` header."""
    encode, content_type = choose_encoder(accept)
    content: bytes = encode(_Registry([*_of_requests(), *_of_database()]))
    return content, content_type


def _of_requests() -> Iterable[Metric]:
    folder = shared_folder()
    return REGISTRY.collect() if folder is None else merged_metrics(folder)


def _of_database() -> list[Metric]:
    """Return measurements from the database, and whether it answers."""
    try:
        uploads = measures.uploads_by_state()  # which has a time limit of its own
        with engine().time_limit(SECONDS):
            measured = [*_measured(uploads)]
    except (Error, TimeoutError):
        measured = []
    up = GaugeMetricFamily("kifu_database_up", "Whether the database answers.", float(bool(measured)))
    return [up, *_of_disks(), *measured]


def _gauge(name: str, text: str, label: str, values: Mapping[str, float]) -> GaugeMetricFamily:
    gauge = GaugeMetricFamily(name, text, labels=[label])
    for value, number in values.items():
        gauge.add_metric([value], number)
    return gauge


def _of_disks() -> Iterator[Metric]:
    spaces = disk_spaces()
    for name, text in (("free", "Bytes that are free"), ("total", "All bytes")):
        bytes_by_folder = {folder: getattr(space, name) for folder, space in spaces.items()}
        yield _gauge(f"kifu_disk_{name}_bytes", f"{text} where a folder is.", "folder", bytes_by_folder)


def _measured(uploads: Mapping[str, int] | None) -> Iterator[Metric]:
    info = InfoMetricFamily("kifu_archive", "The version and the engine of the database.")
    info.add_metric([], {"version": __version__, "engine": connection.vendor})
    yield info
    yield from _of_uploads(uploads)
    yield from _of_tallies()
    yield from _of_processes()
    yield from _of_index()
    yield from _of_columns()
    if lags := replicas.lags():
        yield _gauge("kifu_replica_lag_seconds", "How far a replica is behind.", "replica", lags)


def _of_uploads(by_state: Mapping[str, int] | None) -> Iterator[Metric]:
    if by_state is not None:
        yield _gauge("kifu_uploads", "Uploads by state, counted now and then.", "state", by_state)
    queue = measures.queue()
    yield GaugeMetricFamily("kifu_queue_uploads", "Uploads that wait or are worked on.", queue.waiting)
    yield GaugeMetricFamily(
        "kifu_queue_age_seconds", "Since when the oldest of them waits, 0 for none.", queue.age
    )


def _of_tallies() -> Iterator[Metric]:
    entries = CounterMetricFamily("kifu_entries", "Entries that were read, by outcome.", labels=["outcome"])
    tasks = CounterMetricFamily("kifu_tasks", "Tasks that ended, by outcome.", labels=["task", "outcome"])
    seconds = CounterMetricFamily("kifu_task_seconds", "Seconds that they took.", labels=["task", "outcome"])
    for key, n, took in tally.sums():
        if key.what == tally.ENTRIES:
            entries.add_metric([key.outcome], n)
        elif key.what == tally.TASKS:
            tasks.add_metric([key.label, key.outcome], n)
            seconds.add_metric([key.label, key.outcome], took)
    yield from (entries, tasks, seconds)


def _of_processes() -> Iterator[Metric]:
    processes = measures.processes()
    running = measures.running_by_role(processes)
    yield _gauge("kifu_processes", "Processes heard of within 60 s, by role.", "role", running)
    if worked := [process.worked for process in processes if process.worked]:
        age = (timezone.now() - max(worked)).total_seconds()
        yield GaugeMetricFamily("kifu_last_task_seconds", "Since when no worker has ended a task.", age)


def _of_index() -> Iterator[Metric]:
    yield GaugeMetricFamily(
        "kifu_index_rows", "Rows of the position index, estimated.", measures.index_rows()
    )
    if segments := measures.segments():
        room = sum(segment.room for segment in segments)
        yield GaugeMetricFamily(
            "kifu_segment_room_games", "Games that attached segments have room for.", room
        )


def _of_columns() -> Iterator[Metric]:
    lag = measures.column_lag()
    for name, text, number in (
        ("waiting_games", "Games that are in no file of columns yet.", lag.games),
        ("age_seconds", "Since when the first of them waits, 0 for none.", lag.seconds),
        ("gone_games", "Games in files of columns that are gone since.", lag.gone),
        ("missing_files", "Files of columns in use that this machine does not have.", lag.missing),
    ):
        yield GaugeMetricFamily(f"kifu_columns_{name}", text, number)
