"""Takes in files with little memory: `python -m tests.archive.under_limit MIB FOLDER`.

Each file of the folder is worked off, and what its entries were read from asked for, by a process that may
take so many MiB more than it has. It prints a line of JSON: the file's name, and of each entry its error
(none for one that is read) and the status of the answer; or a word for them where the process failed.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import django

MIB = 1024 * 1024
LOOKED_AT = 3
"""Entries at the beginning and at the end of an upload that are asked for."""


def main(mib: int, folder: Path) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "archive.project.settings")
    django.setup()
    from django.core.management import call_command
    from django.db import connections

    call_command("migrate", verbosity=0)
    ask(0, 0)  # what that loads is loaded once, and not by each process
    connections.close_all()
    for path in sorted(folder.iterdir()):
        print(json.dumps([path.name, in_a_fork(partial(taken_in, path), mib)]), flush=True)


def in_a_fork(work: Callable[[], object], mib: int) -> object:
    """What a function gives under a limit, in a process of its own; a word where that died."""
    read, write = os.pipe()
    pid = os.fork()
    if not pid:
        os.close(read)
        try:
            limit_memory(mib)
            told = json.dumps(work())
        except BaseException as error:
            told = json.dumps(repr(error)[:200])
        os.write(write, told.encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as answer:
        text = answer.read()
    os.waitpid(pid, 0)
    return json.loads(text) if text else "died"


def limit_memory(mib: int) -> None:
    """Let this process have so many MiB beyond what it has by now."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + mib * MIB
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def taken_in(path: Path) -> list[tuple[str | None, int]]:
    """The entries of a file: what is wrong with each, and how its bytes are answered."""
    from archive import store
    from archive.intake import worker
    from archive.models import Entry

    upload, _ = store.create_upload(path.name, [path.read_bytes()], source="command")
    worker.work_off(upload.pk)
    entries = list(Entry.objects.filter(upload=upload).order_by("seq"))
    looked_at = entries if len(entries) < 2 * LOOKED_AT else entries[:LOOKED_AT] + entries[-LOOKED_AT:]
    return [(error_of(entry), status_of(entry)) for entry in looked_at]


def error_of(entry: object) -> str | None:
    errors = [issue["code"] for issue in entry.issues if issue["severity"] == "error"]
    return errors[0] if errors else None


def status_of(entry: object) -> int:
    return ask(entry.upload_id, entry.seq)


def ask(upload: int, entry: int) -> int:
    """The status of the answer with the bytes of an entry."""
    from django.test import Client

    return Client().get(f"/api/v1/uploads/{upload}/entries/{entry}/source").status_code


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]))
