"""Databases for benchmarks: made for one run, with the settings of a server that must not lose anything."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.postgres import postgres_url

DURABLE: Final = {
    "listen_addresses": "",
    "max_connections": "60",
    "shared_buffers": "4GB",
    "effective_cache_size": "12GB",
    "work_mem": "64MB",
    "max_wal_size": "8GB",
    "checkpoint_timeout": "15min",
    "random_page_cost": "1.1",
    "jit": "off",
    "fsync": "on",
    "synchronous_commit": "on",
    "full_page_writes": "on",
    "autovacuum": "on",
}
"""docs/scaling.md gives the same to operators."""


@contextmanager
def database(engine: str, keep: Path | None = None) -> Iterator[Path]:
    """An archive on `postgresql` or `sqlite`, Django being set up for it; the folder of its data.

    It is empty and gone afterwards; the one in `keep` stays, and the next run finds it again.
    TEST_DATABASE_URL is not used: what is measured there would depend on settings that nobody sees.
    """
    os.environ.pop("TEST_DATABASE_URL", None)
    os.environ.update(DJANGO_SETTINGS_MODULE="archive.settings", SECRET_KEY="only-for-benchmarks")
    with nullcontext(keep) if keep else TemporaryDirectory(prefix="kifu-bench-") as name:
        folder = Path(name).resolve() / engine
        folder.mkdir(parents=True, exist_ok=True)
        os.environ["ARCHIVE_DATA_DIR"] = str(folder)
        os.environ.pop("DATABASE_URL", None)
        if engine == "sqlite":
            _prepare()
            yield folder
            return
        with postgres_url(keep and folder / "server", **DURABLE) as url:
            os.environ["DATABASE_URL"] = url
            _prepare()
            try:
                yield folder
            finally:
                from django.db import connections

                connections.close_all()


def _prepare() -> None:
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
