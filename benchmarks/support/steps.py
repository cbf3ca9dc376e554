"""The steps of an import, timed one by one."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any


class Steps:
    """Processor seconds spent in functions while it is entered; a step's own, without those inside it."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self._inside: list[float] = []
        self._undo: list[Callable[[], None]] = []

    def watch(self, title: str, home: Any, name: str) -> None:
        """Time a function of a module or class."""
        original = getattr(home, name)

        def timed(*args: Any, **options: Any) -> Any:
            self._inside.append(0.0)
            began = time.process_time()
            try:
                return original(*args, **options)
            finally:
                taken = time.process_time() - began
                self.seconds[title] += taken - self._inside.pop()
                if self._inside:
                    self._inside[-1] += taken

        setattr(home, name, timed)
        self._undo.append(lambda: setattr(home, name, original))

    def __enter__(self) -> Steps:
        from django.db.models import QuerySet

        from archive import codec, store
        from archive.derive import game, series
        from archive.index import counters
        from archive.index.engine import engine
        from archive.intake import reader, worker
        from archive.store import batches, changes, matching
        from kifu_core import games

        self.watch("read", games, "load")
        self.watch("derive: headers, digests", reader, "derive_game")
        self.watch("derive: positions, keys", game, "index_rows")
        self.watch("derive: pack", codec, "pack")
        self.watch("derive: series", series, "series_of")
        self.watch("store uploads", store, "create_upload")
        self.watch("store uploads", store, "create_uploads")
        self.watch("claims", store, "claim")
        self.watch("claims", store, "finish")
        self.watch("claims", batches, "_prolong")
        self.watch("turns, walks", worker, "work_together")
        self.watch("transaction", store, "store_batches")
        self.watch("names", changes, "names_of")
        self.watch("known games", changes, "known_games")
        self.watch("known games", matching, "alone")
        self.watch("games", changes, "insert_games")
        self.watch("rows", engine(), "insert")
        self.watch("entries", batches, "_entry_rows")
        self.watch("inserts of objects", QuerySet, "bulk_create")
        self.watch("counters", counters, "update")
        return self

    def __exit__(self, *_: object) -> None:
        for undo in self._undo:
            undo()
