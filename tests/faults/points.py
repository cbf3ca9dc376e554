"""The moments at which a worker is killed: before or after a call of each step of its work."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import QuerySet

from archive import store
from archive.index import counters
from archive.index.engine import engine
from archive.intake import reader
from archive.store import apply, batches, change, deletion
from kifu_core import games


@dataclass(frozen=True)
class Step:
    """A function of the work by its home and name, and among how many of its calls a moment is chosen."""

    title: str
    home: Any
    name: str
    calls: int


def steps() -> list[Step]:
    """The steps of an import in their order."""
    return [
        Step("claim", store, "claim", 1),
        Step("read", games, "load", 20),
        Step("derive", reader, "derive_game", 60),
        Step("names", change, "get_or_create_names", 2),
        Step("games", apply, "insert_games", 2),
        Step("rows", engine(), "insert", 2),
        Step("entries", QuerySet, "bulk_create", 2),
        Step("counters", counters, "update", 2),
        Step("progress", batches, "_prolong", 2),
        Step("commit", BaseDatabaseWrapper, "_commit", 4),
        Step("promote", counters, "promote", 3),
        Step("hand over", store, "hand_over", 1),
    ]


def removal_steps() -> list[Step]:
    """The steps of a deletion in their order."""
    return [
        Step("claim", deletion.Deletion, "claim", 1),
        Step("choose", deletion, "_shared_games", 3),
        Step("lock", deletion._Removal, "__init__", 4),
        Step("index", engine(), "delete_places", 3),
        Step("games", apply, "drop_games", 3),
        Step("make anew", apply, "rewrite_games", 2),
        Step("counters", counters, "update", 4),
        Step("commit", BaseDatabaseWrapper, "_commit", 8),
        Step("marks", QuerySet, "bulk_create", 4),
        Step("forget", deletion, "_delete_row", 1),
    ]


AFTER_PROGRESS = "hand over"
"""The step that comes when something was stored."""


@dataclass(frozen=True)
class Moment:
    """Before or after a certain call of a step."""

    step: Step
    call: int
    after: bool

    @classmethod
    def chosen(cls, step: Step, dice: Random) -> Moment:
        return cls(step, dice.randint(1, step.calls), dice.random() < 0.5)

    def __str__(self) -> str:
        return f"{'after' if self.after else 'before'} {self.step.title} {self.call}"

    def arm(self) -> None:
        """Let this process kill itself then."""
        original: Callable[..., Any] = getattr(self.step.home, self.step.name)
        calls = 0

        def deadly(*args: Any, **options: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls == self.call and not self.after:
                os.kill(os.getpid(), signal.SIGKILL)
            result = original(*args, **options)
            if calls == self.call:
                os.kill(os.getpid(), signal.SIGKILL)
            return result

        setattr(self.step.home, self.step.name, deadly)
