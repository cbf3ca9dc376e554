"""What Prometheus is told: requests as they were counted, and what the database tells of the rest.

docs/operations.md has a table of all of it. Names stay as they are once they were told.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, Protocol

from django.db import Error, connection
from django.utils import timezone
from prometheus_client import Metric
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily
from prometheus_client.exposition import choose_encoder

from archive.index.engine import engine
from archive.observing import measures, replicas, tally
from archive.observing.folder import shared_folder
from archive.observing.requests import REGISTRY
from archive.observing.shared import gathered
from archive.project.disk import disk_spaces
from kifu_core import __version__

SECONDS: Final = 3.0
"""How long the database is given for all of it; more than that is 503 (`front_server`)."""


class _Collected(Protocol):
    def collect(self) -> Iterable[Metric]: ...


class _Found:
    """Metrics that are there, in the form in which the library's encoders take them."""

    def __init__(self, found: Iterable[Metric]) -> None:
        self.found = found

    def collect(self) -> Iterable[Metric]:
        return self.found


def exposition(accept: str) -> tuple[bytes, str]:
    """Return all metrics and their content type, in the format that `Accept` asks for."""
    encode, content_type = choose_encoder(accept)
    found: _Collected = _Found([*_of_requests(), *_of_database()])
    content: bytes = encode(found)
    return content, content_type


def _of_requests() -> Iterable[Metric]:
    folder = shared_folder()
    return REGISTRY.collect() if folder is None else gathered(folder)


def _of_database() -> list[Metric]:
    """Return what the database tells; that it does not answer is told, too."""
    try:
        uploads = measures.uploads_by_state()  # which has a limit of its own
        with engine().time_limit(SECONDS):
            found = [*_measured(uploads)]
    except (Error, TimeoutError):
        found = []
    up = GaugeMetricFamily("kifu_database_up", "Whether the database answers.", float(bool(found)))
    return [up, *_of_disks(), *found]


def _of_disks() -> Iterator[Metric]:
    for name, text in (("free", "Bytes that are free"), ("total", "All bytes")):
        told = GaugeMetricFamily(f"kifu_disk_{name}_bytes", f"{text} where a folder is.", labels=["folder"])
        for folder, space in disk_spaces().items():
            told.add_metric([folder], getattr(space, name))
        yield told


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
        told = GaugeMetricFamily(
            "kifu_replica_lag_seconds", "How far a replica is behind.", labels=["replica"]
        )
        for name, seconds in lags.items():
            told.add_metric([name], seconds)
        yield told


def _of_uploads(counted: Mapping[str, int] | None) -> Iterator[Metric]:
    if counted is not None:
        uploads = GaugeMetricFamily(
            "kifu_uploads", "Uploads by state, counted now and then.", labels=["state"]
        )
        for state, n in counted.items():
            uploads.add_metric([state], n)
        yield uploads
    queue = measures.queue()
    yield GaugeMetricFamily("kifu_queue_uploads", "Uploads that wait or are worked on.", queue.waiting)
    yield GaugeMetricFamily(
        "kifu_queue_age_seconds", "Since when the oldest of them waits, 0 for none.", queue.age
    )


def _of_tallies() -> Iterator[Metric]:
    entries = CounterMetricFamily("kifu_entries", "Entries that were read, by outcome.", labels=["outcome"])
    tasks = CounterMetricFamily("kifu_tasks", "Tasks that ended, by outcome.", labels=["task", "outcome"])
    seconds = CounterMetricFamily("kifu_task_seconds", "Seconds that they took.", labels=["task", "outcome"])
    for counted, n, took in tally.sums():
        if counted.what == tally.ENTRIES:
            entries.add_metric([counted.outcome], n)
        elif counted.what == tally.TASKS:
            tasks.add_metric([counted.label, counted.outcome], n)
            seconds.add_metric([counted.label, counted.outcome], took)
    yield from (entries, tasks, seconds)


def _of_processes() -> Iterator[Metric]:
    processes = measures.heard()
    heard = GaugeMetricFamily("kifu_processes", "Processes heard of within 60 s, by role.", labels=["role"])
    for role, n in measures.heard_lately(processes).items():
        heard.add_metric([role], n)
    yield heard
    if worked := [one.worked for one in processes if one.worked]:
        age = (timezone.now() - max(worked)).total_seconds()
        yield GaugeMetricFamily("kifu_last_task_seconds", "Since when no worker has ended a task.", age)


def _of_index() -> Iterator[Metric]:
    yield GaugeMetricFamily(
        "kifu_index_rows", "Rows of the position index, estimated.", measures.index_rows()
    )
    if segments := measures.segments():
        room = sum(one.room for one in segments)
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
