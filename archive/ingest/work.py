"""Working off one upload: claim it, read its entries, store them batch by batch."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterable, Iterator

from django.conf import settings

from archive.ingest import store
from archive.ingest.reading import Place, Reading, keep, place_of, reading_at
from archive.ingest.ready import ReadyEntry
from archive.models import Upload
from kifu_core.errors import Issue

BATCH_ENTRIES = 100
BATCH_ROWS = 10_000
BATCH_SECONDS = 0.5
"""A batch ends at any of them: on SQLite it holds the only write lock, for about 100 ms."""

TURN_SECONDS = 1.0
"""A worker works so long on an upload, then others have their turn."""

CAREFUL_TRIES = 3
"""From so many claims without a batch committed on, entries are stored singly: one of them is to blame."""

DEADLY_TRIES = 6
"""From so many on, the next entry fails unread: it has ended the worker three times by itself."""


def work_off(upload_id: int) -> None:
    """Read and store all that an upload holds; nothing happens where it is claimed, done or gone.

    Killed anywhere, it can be run again: entries that are stored stay, the rest is read anew.
    """
    token = secrets.token_hex(16)
    while work_on(upload_id, token):
        pass


def work_on(upload_id: int, token: str, seconds: float | None = None) -> bool:
    """Work on an upload for about `seconds` (`TURN_SECONDS`); whether there is more to do.

    Nothing happens, and False is the answer, where another worker has it or it is done or gone. When there is
    more to do the claim is given back, and somebody has to be told.
    """
    if not store.claim(upload_id, token):
        return False
    upload = Upload.objects.get(pk=upload_id)
    # Nothing is expected of an upload before its first batch: then there are no entries to look at.
    place = Place() if upload.expected is None else place_of(upload_id)
    reading = reading_at(upload, place)
    try:
        ended = _store(reading, reading.entries(place, upload.tries >= DEADLY_TRIES), token, seconds)
    except store.ClaimLostError:
        reading.close()
        store.lives(upload_id)
        return False
    except BaseException:
        reading.close()
        raise
    if ended:
        reading.close()
        store.finish(upload_id, token)
        return False
    keep(reading)
    return store.hand_over(upload_id, token)


def _store(reading: Reading, entries: Iterator[ReadyEntry], token: str, seconds: float | None) -> bool:
    """Store entries batch by batch until the time is over; whether all are stored."""
    upload = reading.upload
    until = time.monotonic() + (TURN_SECONDS if seconds is None else seconds)
    size = 1 if upload.tries >= CAREFUL_TRIES else BATCH_ENTRIES
    for batch in batches(_limited(entries), size):
        store.ingest(upload.pk, token, batch, expected=batch[-1].seq + 1)
        if batch[-1].seq + 1 >= settings.ARCHIVE_MAX_ENTRIES:
            return True
        if time.monotonic() >= until:
            return False
    return True


def _limited(entries: Iterator[ReadyEntry]) -> Iterator[ReadyEntry]:
    """The entries up to ARCHIVE_MAX_ENTRIES; the last of them tells that there were more."""
    limit = settings.ARCHIVE_MAX_ENTRIES
    for entry in entries:
        if entry.seq + 1 >= limit:
            yield ReadyEntry(
                entry.seq, path=entry.path, part=entry.part,
                issues=(Issue("too-many-entries", "error", params={"limit": limit}),),
            )  # fmt: skip
            return
        yield entry


def batches(entries: Iterable[ReadyEntry], size: int | None = None) -> Iterator[list[ReadyEntry]]:
    """Entries in lists that are small enough to store in one transaction and do not take long to read."""
    limit = BATCH_ENTRIES if size is None else size
    batch: list[ReadyEntry] = []
    rows, until = 0, time.monotonic() + BATCH_SECONDS
    for entry in entries:
        batch.append(entry)
        rows += len(entry.game.rows) if entry.game else 0
        if len(batch) >= limit or rows >= BATCH_ROWS or time.monotonic() >= until:
            yield batch
            batch, rows, until = [], 0, time.monotonic() + BATCH_SECONDS
    if batch:
        yield batch
