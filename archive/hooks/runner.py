"""The thread that numbers changes and sends new games to hooks, in the scheduler's process."""

from __future__ import annotations

import logging
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final

from django.conf import settings
from django.db import Error, connection

from archive import store
from archive.hooks.arrivals import delete_old_arrivals, number_arrivals
from archive.hooks.delivering import deliver, due_hooks
from archive.models import Hook

SECONDS: Final = 2.0
"""Time between two turns."""
IDLE_SECONDS: Final = 15.0
"""The same while there are no hooks."""
SENDERS: Final = 4
"""Hooks that are served at the same time."""
TURNS_OF_DELETION: Final = 200
"""Turns between two deletions of old arrivals."""

log = logging.getLogger(__name__)


class Runner:
    """Numbers changes and arrivals, and serves hooks with a few threads, one hook of an account at a time.

    Several runners on one archive share the work by claims.
    """

    def __init__(self) -> None:
        self.stopped = threading.Event()
        self.senders = ThreadPoolExecutor(max_workers=SENDERS, thread_name_prefix="hooks")
        self.working: dict[int, Future[None]] = {}
        """By account."""
        self.worked: dict[int, int] = {}
        """The last turn in which each due hook was served."""
        self.turns = 0

    def run(self) -> None:
        """Take turns until stopped. Errors are logged, and the work is tried again."""
        wait = 0.0
        while not self.stopped.wait(wait):
            wait = self.turn()

    def turn(self) -> float:
        """Take one turn; return the seconds until the next."""
        try:
            if self.turns % TURNS_OF_DELETION == 0:
                delete_old_arrivals()
            self.turns += 1
            full = store.number_changes() == store.CHANGES_AT_ONCE
            seconds = IDLE_SECONDS
            if settings.ARCHIVE_HOOKS_PER_ACCOUNT and Hook.objects.filter(disabled="").exists():
                full |= number_arrivals() == store.CHANGES_AT_ONCE
                self._submit(due_hooks())
                seconds = SECONDS
            return 0.0 if full else seconds
        except (Error, OSError):
            log.exception("hooks wait for the database")
            connection.close()
            return IDLE_SECONDS

    def _submit(self, due: dict[int, int]) -> None:
        """Serve the hook of each account that has waited longest."""
        self.working = {account: future for account, future in self.working.items() if not future.done()}
        self.worked = {pk: self.worked.get(pk, 0) for pk in due}
        for pk in sorted(due, key=self.worked.__getitem__):
            if due[pk] not in self.working:
                self.worked[pk] = self.turns
                self.working[due[pk]] = self.senders.submit(_deliver, pk)


def _deliver(pk: int) -> None:
    try:
        deliver(pk)
    except Exception:
        # The executor would swallow the error. The hook is tried again when its claim has expired.
        log.exception("hook %d failed", pk)
    finally:
        connection.close()


def start() -> None:
    """Start a runner in a thread of this process."""
    threading.Thread(target=Runner().run, name="hooks", daemon=True).start()
