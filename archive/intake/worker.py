"""Works on uploads: claims them, reads their entries, stores these batch by batch."""

import logging
import secrets
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager

from django.conf import settings
from django.core.exceptions import ObjectDoesNotExist
from django.db import connection
from django.db.utils import DatabaseError

from archive import store
from archive.derive.game import DerivedEntry
from archive.http.limits.throttling import charge_games
from archive.index.availability import is_unreachable
from archive.intake.resume import ResumePoint, UploadWalk, keep_open, resume_point, small_data, walk_at
from archive.models import Entry, Upload
from archive.observing import logs, tally
from kifu_core.errors import Issue

log = logging.getLogger(__name__)

BATCH_ENTRIES = {"sqlite": 300, "postgresql": 200}[connection.vendor]
"""The entries of a transaction. Many, because a transaction has some sixty statements of its own, and on
SQLite writes most pages of a large index. On PostgreSQL it takes two locks for each game, and all writers
share 6,400."""

REREAD_ENTRIES = 50
"""The entries of a transaction for a reread upload, whose rows are compared and written one by one."""

BATCH_ROWS = 100 * BATCH_ENTRIES
BATCH_SECONDS = 0.4
"""A batch ends at whichever of these limits comes first. On SQLite it then holds the only write lock for
about as long as reading took."""

TURN_SECONDS = 1.0
"""How long a worker works on an upload before the next one has its turn."""

CAREFUL_TRIES = 3
"""After so many claims without a committed batch, entries are stored one by one to find the bad one."""

DEADLY_TRIES = 6
"""After so many claims, the next entry fails unread, because it has ended the worker three times."""


def work_off(upload_id: int) -> None:
    """Read and store an upload to its end; do nothing if it is claimed, finished or deleted.

    After an interruption, call it again: stored entries stay, and the rest is read.
    """
    token = secrets.token_hex(16)
    while work_on(upload_id, token):
        tally.write()
    tally.write()


def work_on(upload_id: int, token: str, seconds: float | None = None) -> bool:
    """Work on an upload for about `seconds` (`TURN_SECONDS`); return whether work remains.

    Returns False if another worker has it, or it is finished or deleted. If work remains, the claim is given
    back, and the caller sends a message.
    """
    upload = _claimed(upload_id, token)
    return bool(upload and work_together([upload], token, seconds))


def work_with_others(upload_id: int, token: str, seconds: float | None = None) -> list[int]:
    """Work on an upload and, if it is small, on other small ones that wait; return the ids of those with more
    work.

    Many small uploads cost far less together than one by one. If this upload was already finished with
    others, or another worker has it, the small upload that waits longest takes its turn. Otherwise a new one
    would wait for as many turns of large uploads as uploads were finished together.
    """
    upload = _claimed(upload_id, token) or _claimed(store.longest_waiting(), token)
    if upload is None:
        return []
    return work_together([upload, *store.claim_others(upload, token)], token, seconds)


def _claimed(upload_id: int | None, token: str) -> Upload | None:
    if upload_id is None or not store.claim(upload_id, token):
        return None
    return Upload.objects.filter(pk=upload_id).first()


def work_together(uploads: Sequence[Upload], token: str, seconds: float | None = None) -> list[int]:
    """Work on claimed uploads, one after the other, for about `seconds` in all; return the ids of those with
    more work.

    Their claims are given back, and the caller sends messages.
    """
    with _log_context(uploads):
        return _work_together(uploads, token, seconds)


def _log_context(uploads: Sequence[Upload]) -> AbstractContextManager[None]:
    """Add the request and the upload to log lines, if all these uploads have the same."""
    requests = {upload.request for upload in uploads}
    return logs.context(
        request=requests.pop() if len(requests) == 1 else "",
        upload=uploads[0].pk if len(uploads) == 1 else None,
    )


def _work_together(uploads: Sequence[Upload], token: str, seconds: float | None) -> list[int]:
    until = time.monotonic() + (TURN_SECONDS if seconds is None else seconds)
    left = {upload.pk: upload for upload in uploads}
    walks = OpenWalks(uploads)
    try:
        for group in batches(walks, _batch_size(uploads)):
            _count(store.store_batches(group, token))
            for upload in [left.pop(batch.upload_id) for batch in group if batch.ended]:
                walks.close(upload.pk)
                _finish(upload, token)
            if time.monotonic() >= until:
                break
    except store.ClaimLostError as lost:
        walks.close_all()
        store.uncount_try(lost.uploads)
    except store.RenumberedError as error:
        walks.close_all()
        store.reread_renumbered(error.uploads, token)
    except ObjectDoesNotExist:
        # An upload was deleted while its bytes or entries were read.
        walks.close_all()
        if store.holds(left, token):
            raise
    except OSError:
        # The disk may be full: this try does not count against the uploads.
        walks.close_all()
        store.uncount_try(left)
        raise
    except DatabaseError as error:
        walks.close_all()
        if is_unreachable(error):
            # Give the claim back without counting the try.
            store.hand_over(left, token)
        raise
    except BaseException:
        walks.close_all()
        raise
    walks.keep()
    return store.hand_over(left, token)


def _batch_size(uploads: Sequence[Upload]) -> int:
    """Return the number of entries in a transaction: 1 after failed tries."""
    if any(upload.tries >= CAREFUL_TRIES for upload in uploads):
        return 1
    again = any(upload.rereads for upload in uploads)
    return min(BATCH_ENTRIES, REREAD_ENTRIES) if again else BATCH_ENTRIES


def _finish(upload: Upload, token: str) -> None:
    """Log that an upload is finished, and end its rereading or charge for its games."""
    with _log_context([upload]):
        log.info("upload %d is worked off", upload.pk)
    if upload.rereads:
        store.finish(upload.pk, token)
    else:
        _charge(upload)


def _count(counts: store.StoredCounts) -> None:
    """Count entries by outcome, for the metrics."""
    for outcome in ("stored", "duplicate", "failed", "held"):
        if n := getattr(counts, outcome):
            tally.add(tally.ENTRIES, "", outcome, n)


def _charge(upload: Upload) -> None:
    """Charge the sender of an upload for its games after the first reading."""
    if upload.games_counter:
        stored = Entry.objects.filter(upload=upload, state=Entry.State.STORED)
        charge_games(upload.games_counter, stored.count())


class OpenWalks:
    """The walks through some uploads, opened one after the other."""

    def __init__(self, uploads: Sequence[Upload]) -> None:
        self.uploads = uploads
        self.open: dict[int, UploadWalk] = {}

    def __iter__(self) -> Iterator[tuple[int, Iterator[DerivedEntry]]]:
        """Yield the id of each upload with its missing entries."""
        data = small_data(self.uploads)
        for upload in self.uploads:
            # Before its first batch an upload has no entries.
            point = ResumePoint() if upload.expected is None else resume_point(upload.pk)
            walk = walk_at(upload, point, data.pop(upload.pk, None))
            self.open[upload.pk] = walk
            entries = walk.entries(point, upload.tries >= DEADLY_TRIES)
            yield upload.pk, _limited(_with_log_context(upload, entries))

    def close(self, upload_id: int) -> None:
        """Close the walk of a finished upload."""
        self.open.pop(upload_id).close()

    def close_all(self) -> None:
        """Release the files and memory of all walks."""
        while self.open:
            self.open.popitem()[1].close()

    def keep(self) -> None:
        """Keep the open walk for the next turn."""
        while self.open:
            keep_open(self.open.popitem()[1])


def _with_log_context(upload: Upload, entries: Iterator[DerivedEntry]) -> Iterator[DerivedEntry]:
    """Yield the entries of an upload; log lines name it while an entry is read."""
    while True:
        with _log_context([upload]):
            entry = next(entries, None)
        if entry is None:
            return
        yield entry


def _limited(entries: Iterator[DerivedEntry]) -> Iterator[DerivedEntry]:
    """Yield at most ARCHIVE_MAX_ENTRIES entries, and after them one that reports the limit."""
    limit = settings.ARCHIVE_MAX_ENTRIES
    for entry in entries:
        if entry.seq >= limit:
            yield DerivedEntry(
                entry.seq, path=entry.path, part=entry.part, index=entry.index,
                issues=(Issue("too-many-entries", "error", params={"limit": limit}),),
            )  # fmt: skip
            return
        yield entry


def batches(
    walks: Iterable[tuple[int, Iterable[DerivedEntry]]], size: int | None = None
) -> Iterator[list[store.ReadBatch]]:
    """Yield the entries of uploads in groups of limited size and reading time, one for each transaction."""
    limit = BATCH_ENTRIES if size is None else size
    group: list[store.ReadBatch] = []
    count, rows, until = 0, 0, time.monotonic() + BATCH_SECONDS

    def full() -> bool:
        return count >= limit or rows >= BATCH_ROWS or time.monotonic() >= until

    for upload_id, entries in walks:
        read: list[DerivedEntry] = []
        for entry in entries:
            read.append(entry)
            count += 1
            rows += len(entry.game.rows) if entry.game else 0
            # The first entry is usually the last one too, so read on to see; but not in careful mode, where
            # everything before a deadly entry must be stored first.
            if full() and (len(read) > 1 or limit == 1):
                yield [*group, store.ReadBatch(upload_id, read)]
                group, read = [], []
                count, rows, until = 0, 0, time.monotonic() + BATCH_SECONDS
        group.append(store.ReadBatch(upload_id, read, ended=True))
        if full():
            yield group
            group = []
            count, rows, until = 0, 0, time.monotonic() + BATCH_SECONDS
    if group:
        yield group
