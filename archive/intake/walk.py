"""The walk through an upload: its files, those in its containers, the games of large files."""

import re
from collections.abc import Generator
from typing import IO, Final

from django.conf import settings

from archive.intake.texts import cut_text
from kifu_core.containers import walk as containers
from kifu_core.containers.refusals import DICTIONARY_BYTES, ContainerLimits

NAME_LIMIT: Final = 255


def walk(
    file: IO[bytes], name: str, memory: int = DICTIONARY_BYTES, only: str | None = None
) -> Generator[containers.FilePart, None, None]:
    """Yield the parts of an upload, numbered from 0; at least one. `name` is the upload's.

    The limits are settings (ARCHIVE_MAX_*), and `memory`, the largest dictionary in bytes. With `only`, files
    of containers that do not lead to this path are skipped, and parts have no numbers. Raises the errors of
    `kifu_core.containers.walk`.
    """
    limits = ContainerLimits(
        settings.ARCHIVE_MAX_ENTRY_BYTES,
        settings.ARCHIVE_MAX_TOTAL_BYTES,
        memory,
        settings.ARCHIVE_MAX_RATIO,
        settings.ARCHIVE_MAX_DEPTH,
        temporary_folder(),
    )

    def leads_to_it(path: str) -> bool:
        return only is None or path == only or only.startswith(f"{path}/")

    return containers.walk(file, name, limits, cut_text, leads_to_it)


def temporary_folder() -> str:
    """Return the folder for temporary files, which is in the data folder."""
    return str(settings.DATA_DIR / "tmp")


def clean_name(name: str) -> str:
    """Return the last part of a file's name without invisible characters; never a path."""
    last = re.split(r"[/\\]", name)[-1]
    return containers.UNSHOWN.sub("", last).strip()[:NAME_LIMIT] or "record"
