"""From a dump on its way to one that is offered: its manifest, its names, and which older ones stay."""

import json
import logging
import math
import os
import shutil
from datetime import timedelta
from pathlib import Path
from time import monotonic
from typing import Any, Final

from django.conf import settings
from django.utils import timezone

from archive.dumps.making import Making, alone, clean, is_begun
from archive.dumps.offered import (
    MANIFEST,
    SCHEMA,
    SUMS,
    TABLE,
    Dump,
    dump_named,
    dumps_folder,
    offered,
    remove,
)
from archive.dumps.packing import sha256_of, to_disk
from archive.dumps.parts import lines_file
from archive.dumps.tables import UnreadableTableError, ids_of, ids_without, write_table
from archive.models import SiteText
from archive.queries.games.dump_marks import left_of, merged_into
from archive.queries.scope import PUBLIC

TURN_SECONDS: Final = 20.0
"""How long a worker is at a dump before others have their turn."""

_DAY: Final = timedelta(days=1)

log = logging.getLogger(__name__)


def make(seconds: float = math.inf) -> Dump | None:
    """Go on with the dump that was begun, or begin one; return it once it is offered, None while it is not
    whole after so many seconds. Raises DumpIsMadeError where another process is at it."""
    with alone():
        deadline = monotonic() + seconds
        making = Making.resumed() or Making.begun()
        while not making.complete:
            making.write(deadline)
            if monotonic() > deadline:
                return None
        table = making.folder / TABLE
        while True:
            write_table(making.rows, table)
            if making.take_out(deadline):
                break
            if monotonic() > deadline:
                return None
        dump = _publish(making, table)
        _keep(settings.ARCHIVE_DUMPS_KEPT)
        return dump


def is_due() -> bool:
    """Tell whether there is a dump to go on with, or the newest one is old enough for another."""
    if is_begun():
        return True
    dumps = offered()
    age = timezone.now() - dumps[0].made if dumps else None
    return age is None or age >= settings.ARCHIVE_DUMP_DAYS * _DAY


def forget() -> list[str]:
    """Delete the dumps that have games which are public no more, at once; return their names.

    Raises DumpIsMadeError where a dump is being made.
    """
    with alone():
        found = [dump for dump in offered() if _has_left(dump)]
        for dump in found:
            remove(dump)
        return [dump.name for dump in found]


def _has_left(dump: Dump) -> bool:
    try:
        return any(left_of(PUBLIC, some) for some in ids_of(dump.table))
    except UnreadableTableError:
        log.exception("nobody can tell which games dump %s has: it is deleted", dump.name)
        return True


def _publish(making: Making, table: Path) -> Dump:
    """Give the files their names and the folder its own. Killed anywhere in here, nothing is offered."""
    whole = making.folder / "whole"
    whole.mkdir()
    day = making.name[:10]
    files = []
    for part in making.parts:
        number = f"-{part.number}" if len(making.parts) > 1 else ""
        name = f"games-{day}{number}.ndjson.zst"
        lines_file(making.folder, part.number).rename(whole / name)
        files.append({"name": name, "size": part.size, "sha256": part.sha256, "games": part.games})
    table.rename(whole / TABLE)
    size, sha256 = sha256_of(whole / TABLE)
    files.append({"name": TABLE, "size": size, "sha256": sha256, "games": making.games})
    manifest = _manifest(making, files, whole / TABLE)
    _write(whole / MANIFEST, json.dumps(manifest, ensure_ascii=False, indent=1) + "\n")
    names = [*(str(file["name"]) for file in files), MANIFEST]
    _write(whole / SUMS, "".join(f"{sha256_of(whole / name)[1]}  {name}\n" for name in names))
    making.forget()
    # The name of the folder is on the disk after all that is in it.
    whole.rename(dumps_folder() / making.name)
    _sync(dumps_folder())
    shutil.rmtree(making.folder)
    dump = dump_named(making.name)
    if dump is None:
        raise RuntimeError(f"dump {making.name} cannot be read")
    return dump


def _manifest(making: Making, files: list[dict[str, Any]], table: Path) -> dict[str, Any]:
    terms = SiteText.objects.filter(page=SiteText.Page.TERMS).order_by("language")
    return {
        "schema": SCHEMA,
        "name": making.name,
        "began": making.began.isoformat(),
        "made": timezone.now().replace(microsecond=0).isoformat(),
        "archive": {
            "url": None if settings.PUBLIC_URL is None else str(settings.PUBLIC_URL),
            "revision": making.revision,
        },
        "games": making.games,
        "last_game": making.after,
        "files": files,
        "terms": dict(terms.values_list("language", "text")),
        "taken_down": [_taken_down(dump, table) for dump in offered()],
    }


def _taken_down(older: Dump, table: Path) -> dict[str, Any]:
    """Return which games of an older dump this one has not; `merged` are those that became one with
    another."""
    try:
        gone = ids_without(older.table, table)
    except UnreadableTableError:
        log.exception("nobody can tell which games dump %s has", older.name)
        return {"dump": older.name, "games": None, "merged": {}}
    merged = {str(pk): into for pk, into in _merged(gone).items()}
    return {"dump": older.name, "games": [pk for pk in gone if str(pk) not in merged], "merged": merged}


def _merged(gone: list[int]) -> dict[int, int]:
    """Return the present ids of those of the games that are here under others."""
    found: dict[int, int] = {}
    for at in range(0, len(gone), 500):
        into = merged_into(PUBLIC, gone[at : at + 500])
        left = left_of(PUBLIC, {*into.values()})
        found |= {pk: present for pk, present in into.items() if present not in left}
    return found


def _write(path: Path, text: str) -> None:
    with path.open("wb") as file:
        file.write(text.encode())
        to_disk(file)


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _keep(number: int) -> None:
    """Delete all dumps but the newest."""
    for dump in offered()[number:]:
        remove(dump)
    clean()
