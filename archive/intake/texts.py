"""Cuts a text of many games into parts that can be read one by one, in bounded memory.

`Format.cut` has the rules. Formats without recognizable borders are read in one part, up to a limit.
"""

import codecs
from collections.abc import Iterator
from typing import IO, Final

from django.conf import settings

from kifu_core.containers.refusals import RefusedError
from kifu_core.cutting import Chunk, Cutter
from kifu_core.deadline import check_time
from kifu_core.games import kind_of

UNCUT_BYTES: Final = 256 * 1024
"""Files up to this size are not cut."""

GROUP_BYTES: Final = 16 * 1024
"""Lines that are games are grouped up to about this size."""

_CHECK_LINES: Final = 4096
_HEAD_BYTES: Final = 8 * 1024
_UTF_16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def cut_text(file: IO[bytes], size: int, name: str) -> Iterator[Chunk]:
    """Yield the bytes of a file in pieces of complete games; one piece is in memory at a time.

    Raises RefusedError `too-large` for a file, or a game of it, beyond ARCHIVE_MAX_TEXT_BYTES that cannot be
    cut.
    """
    cut = _cutter(file, size, name)
    if cut is None:
        if size > settings.ARCHIVE_MAX_TEXT_BYTES:
            raise _too_large(size)
        yield 1, file.read()
        return
    yield from cut(_each_line(file), GROUP_BYTES, _check)


def _cutter(file: IO[bytes], size: int, name: str) -> Cutter | None:
    """Return a function that cuts the file; None if it is small or cannot be cut."""
    if size <= UNCUT_BYTES:
        return None
    head = file.read(_HEAD_BYTES)
    file.seek(0)
    if head.startswith(_UTF_16):
        return None
    text = head.decode("utf-8", "replace").replace("\r\n", "\n")
    formats = kind_of(text, name).formats
    file_format, _ = formats.detect(text, name)
    return formats.readers[file_format].cut if file_format else None


def _each_line(file: IO[bytes]) -> Iterator[bytes]:
    for number, line in enumerate(iter(lambda: file.readline(settings.ARCHIVE_MAX_TEXT_BYTES), b"")):
        if number % _CHECK_LINES == 0:
            check_time()  # any number of lines may have no game
        yield line


def _check(size: int) -> None:
    if size > settings.ARCHIVE_MAX_TEXT_BYTES:
        raise _too_large(size)


def _too_large(size: int) -> RefusedError:
    return RefusedError("too-large", bytes=size, limit=settings.ARCHIVE_MAX_TEXT_BYTES)
