"""Makes dumps: completes an unfinished one, names its files and deletes the oldest dumps."""

import json
import logging
import math
import os
import shutil
from collections.abc import Iterator, Mapping
from datetime import timedelta
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import Any, Final

from django.conf import settings
from django.utils import timezone

from archive.dumps.offered import (
    MANIFEST,
    SCHEMA,
    SUMS,
    Dump,
    dump_by_name,
    dumps_folder,
    game_tables,
    offered_dumps,
    remove,
)
from archive.dumps.packing import sum_of_path, to_disk
from archive.dumps.parts import lines_file
from archive.dumps.tables import UnreadableTableError, ids_of, missing_ids, write_tables
from archive.dumps.unfinished import UnfinishedDump, clean, dump_lock, is_begun
from archive.models import SiteText
from archive.queries.games.dump_marks import merged_into, removed_games
from archive.queries.scope import PUBLIC

TURN_SECONDS: Final = 20.0
"""How long a worker continues with a dump before other tasks have their turn."""

_BATCH: Final = 500

log = logging.getLogger(__name__)


def make(seconds: float = math.inf) -> Dump | None:
    """Continue the unfinished dump, or begin one; return it when it is on offer.

    Returns None if it is not complete after that many seconds. Raises DumpInProgressError.
    """
    with dump_lock():
        deadline = monotonic() + seconds
        unfinished = UnfinishedDump.resume() or UnfinishedDump.begin()
        while not unfinished.complete:
            unfinished.write(deadline)
            if monotonic() > deadline:
                return None
        while True:
            tables = write_tables(unfinished.rows, unfinished.folder, _about(unfinished))
            if unfinished.remove_unpublished(deadline):
                break
            if monotonic() > deadline:
                return None
        dump = _publish(unfinished, tables)
        for older in offered_dumps()[settings.ARCHIVE_DUMPS_KEPT :]:
            remove(older)
        clean()
        return dump


def is_due() -> bool:
    """Return whether a dump is unfinished, or the newest is so old that another is due."""
    if is_begun():
        return True
    dumps = offered_dumps()
    return not dumps or timezone.now() - dumps[0].made >= timedelta(days=settings.ARCHIVE_DUMP_DAYS)


def delete_outdated() -> list[str]:
    """Delete the dumps with games that are no longer public; return their names. Raises
    DumpInProgressError."""
    with dump_lock():
        outdated = [dump for dump in offered_dumps() if _has_unpublished(dump)]
        for dump in outdated:
            remove(dump)
        return [dump.name for dump in outdated]


def _has_unpublished(dump: Dump) -> bool:
    try:
        return any(removed_games(PUBLIC, batch) for batch in ids_of(dump.tables))
    except UnreadableTableError:
        log.exception("nobody can tell which games dump %s has: it is deleted", dump.name)
        return True


def _publish(unfinished: UnfinishedDump, tables: Mapping[str, int]) -> Dump:
    """Give the files and the folder their names; `tables` are the numbers of games of the tables by name.

    If the process is killed here, nothing is on offer.
    """
    folder = unfinished.folder / "whole"
    folder.mkdir()
    files = []
    for part in unfinished.parts:
        number = f"-{part.number}" if len(unfinished.parts) > 1 else ""
        name = f"games-{unfinished.name[:10]}{number}.ndjson.zst"
        lines_file(unfinished.folder, part.number).rename(folder / name)
        files.append({"name": name, "size": part.size, "sha256": part.sha256, "games": part.games})
    for name, games in tables.items():
        (unfinished.folder / name).rename(folder / name)
        size, sha256 = sum_of_path(folder / name)
        files.append({"name": name, "size": size, "sha256": sha256, "games": games})
    manifest = _manifest(unfinished, files, game_tables(folder, tables))
    _write(folder / MANIFEST, json.dumps(manifest, ensure_ascii=False, indent=1) + "\n")
    names = [*(str(file["name"]) for file in files), MANIFEST]
    _write(folder / SUMS, "".join(f"{sum_of_path(folder / name)[1]}  {name}\n" for name in names))
    unfinished.delete_state()
    # The folder gets its name when all files in it are on the disk.
    folder.rename(dumps_folder() / unfinished.name)
    _sync(dumps_folder())
    shutil.rmtree(unfinished.folder)
    dump = dump_by_name(unfinished.name)
    if dump is None:
        raise RuntimeError(f"dump {unfinished.name} cannot be read")
    return dump


def _about(unfinished: UnfinishedDump) -> dict[str, str]:
    """Return the metadata inside the table, which stays with a copy of the file alone."""
    about = {"schema": str(SCHEMA), "dump": unfinished.name, "archive": str(settings.PUBLIC_URL or "")}
    return about | {f"terms.{language}": text for language, text in _terms().items()}


def _terms() -> dict[str, str]:
    terms = SiteText.objects.filter(page=SiteText.Page.TERMS).order_by("language")
    return dict(terms.values_list("language", "text"))


def _manifest(unfinished: UnfinishedDump, files: list[dict[str, Any]], tables: list[Path]) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "name": unfinished.name,
        "began": unfinished.began.isoformat(),
        "made": timezone.now().replace(microsecond=0).isoformat(),
        "archive": {
            "url": None if settings.PUBLIC_URL is None else str(settings.PUBLIC_URL),
            "revision": unfinished.revision,
        },
        "games": unfinished.games,
        "last_game": unfinished.after,
        "files": files,
        "terms": _terms(),
        "taken_down": [_taken_down(older, tables) for older in offered_dumps()],
    }


def _taken_down(older: Dump, tables: list[Path]) -> dict[str, Any]:
    """Return the games of an older dump that this one lacks; `merged` are those merged into another game."""
    try:
        missing = missing_ids(older.tables, tables)
    except UnreadableTableError:
        log.exception("nobody can tell which games dump %s has", older.name)
        return {"dump": older.name, "games": None, "merged": {}}
    merged = {str(pk): into for pk, into in _merged(missing)}
    return {"dump": older.name, "games": [pk for pk in missing if str(pk) not in merged], "merged": merged}


def _merged(games: list[int]) -> Iterator[tuple[int, int]]:
    remaining = iter(games)
    while batch := [*islice(remaining, _BATCH)]:
        merged = merged_into(PUBLIC, batch)
        unpublished = removed_games(PUBLIC, {*merged.values()})
        yield from ((pk, into) for pk, into in merged.items() if into not in unpublished)


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
