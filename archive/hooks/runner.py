"""What looks for new games and sends them, beside the scheduler: never in the way of visitors or uploads."""

from __future__ import annotations

import logging
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final

from django.conf import settings
from django.db import Error, connection

from archive.hooks.arrivals import AT_ONCE, forget_arrivals, number_arrivals
from archive.hooks.delivering import deliver, due_hooks
from archive.models import Hook

SECONDS: Final = 2.0
"""How often it looks."""
IDLE_SECONDS: Final = 15.0
"""How often it looks whether there are hooks by now."""
SENDERS: Final = 4
"""Hooks that are worked on at a time."""
FORGOTTEN_EVERY: Final = 200
"""Turns between two looks for what can be forgotten."""

log = logging.getLogger(__name__)


class Runner:
    """Numbers arrivals, and has hooks worked on by a few threads, one of an account at a time. Of several on
    one archive each does what the others have not claimed."""

    def __init__(self) -> None:
        self.stopped = threading.Event()
        self.senders = ThreadPoolExecutor(max_workers=SENDERS, thread_name_prefix="hooks")
        self.working: dict[int, Future[None]] = {}
        """By account."""
        self.worked: dict[int, int] = {}
        """In which turn each of the hooks that are due was worked on."""
        self.turns = 0

    def run(self) -> None:
        """Look again and again until it is stopped. What goes wrong is logged, and tried again."""
        wait = 0.0
        while not self.stopped.wait(wait):
            wait = self.turn()

    def turn(self) -> float:
        """Look once; return for how many seconds there is nothing to look for."""
        try:
            if self.turns % FORGOTTEN_EVERY == 0:
                forget_arrivals()
            self.turns += 1
            if not Hook.objects.filter(disabled="").exists():
                return IDLE_SECONDS
            full = number_arrivals() == AT_ONCE
            self._share_out(due_hooks())
            return 0.0 if full else SECONDS
        except (Error, OSError):
            log.exception("hooks wait for the database")
            connection.close()
            return IDLE_SECONDS

    def _share_out(self, due: dict[int, int]) -> None:
        """Have that hook of each account worked on that has waited for longest."""
        self.working = {account: one for account, one in self.working.items() if not one.done()}
        self.worked = {pk: self.worked.get(pk, 0) for pk in due}
        for pk in sorted(due, key=self.worked.__getitem__):
            if due[pk] not in self.working:
                self.worked[pk] = self.turns
                self.working[due[pk]] = self.senders.submit(_deliver, pk)


def _deliver(pk: int) -> None:
    try:
        deliver(pk)
    except Exception:
        # One hook's fault is not to end the thread without a word: it is tried again when its claim is over.
        log.exception("hook %d failed", pk)
    finally:
        connection.close()


def start() -> None:
    """Begin to look in a thread of this process, where this archive has hooks."""
    if settings.ARCHIVE_HOOKS_PER_ACCOUNT:
        threading.Thread(target=Runner().run, name="hooks", daemon=True).start()
