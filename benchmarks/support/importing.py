"""Empty archives of our own, files of made-up games, and their import."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import django

from benchmarks import generate

ENGINES: Final = ("sqlite", "postgresql")
GAMES_A_FILE: Final = 20


def run_on_each_engine(name: str) -> bool:
    """Run a benchmark with this program's options on each engine; return whether any run failed.

    Each engine has a process of its own, as Django reads its settings once.
    """
    commands = [[sys.executable, "-m", name, "--engine", engine, *sys.argv[1:]] for engine in ENGINES]
    return any([subprocess.run(command).returncode for command in commands])


@contextmanager
def empty_archive(engine: str) -> Iterator[Path]:
    """An archive of its own in this process; yields its folder."""
    from tests.postgres import postgres_url

    with tempfile.TemporaryDirectory(prefix="kifu-ingest-") as name:
        os.environ |= {"DJANGO_SETTINGS_MODULE": "archive.settings", "ARCHIVE_DATA_DIR": name}
        os.environ.pop("DATABASE_URL", None)
        if engine == "sqlite":
            yield _prepared(Path(name))
            return
        with postgres_url() as url:
            os.environ |= {"DATABASE_URL": url, "SECRET_KEY": "only-for-benchmarks"}
            try:
                yield _prepared(Path(name))
            finally:
                from django.db import connections

                connections.close_all()


def _prepared(folder: Path) -> Path:
    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    return folder


def write_files(folder: Path, numbers: range) -> list[str]:
    """Files of games with these numbers, half of them CSA, the others KIF in UTF-8 and Shift_JIS."""
    from kifu_core import dump

    folder.mkdir()
    paths = []
    for start in range(numbers.start, numbers.stop, GAMES_A_FILE):
        chosen = range(start, min(start + GAMES_A_FILE, numbers.stop))
        if start // GAMES_A_FILE % 2:
            texts = [dump(generate.record(number), "kif") for number in chosen]
            encoding = "cp932" if start // GAMES_A_FILE % 4 == 1 else "utf-8"
            files = [
                (f"{number}.kif", text.encode(encoding)) for number, text in zip(chosen, texts, strict=True)
            ]
        else:
            files = [(f"{start}.csa", generate.csa_file(chosen).encode())]
        for name, data in files:
            path = folder / name
            path.write_bytes(data)
            paths.append(str(path))
    return paths


def take_in(paths: Sequence[str], workers: int) -> float:
    """Import files; the seconds it took. Raises RuntimeError where a file or a game of it was not stored."""
    from archive.intake import importing
    from archive.models import Entry

    began = time.perf_counter()
    for turn in importing.run((importing.File(path, "") for path in paths), workers):
        if turn.refusal:
            raise RuntimeError(f"{turn.path}: {turn.refusal}")
    seconds = time.perf_counter() - began
    if failed := Entry.objects.filter(state=Entry.State.FAILED).count():
        raise RuntimeError(f"{failed} games were not stored")
    return seconds
