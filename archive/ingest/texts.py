"""A text of many games cut into parts that can be read one by one, in bounded memory.

CSA files hold games between lines that begin with `/`, USI and SFEN files a game or position a line. Other
formats have no such border that could be found without reading them: they are read whole, up to a limit.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from typing import IO, Final

from django.conf import settings

from archive.ingest.refusals import RefusedError
from kifu_core.detect import detect

WHOLE_BYTES: Final = 256 * 1024
"""A file up to this size is read at once, whatever it holds."""

GROUP_BYTES: Final = 16 * 1024
"""Lines that are games are taken together up to about this size."""

_HEAD_BYTES: Final = 8 * 1024
_UTF_16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_ENGINE_LINE: Final = re.compile(
    rb"[ \t]*+(?:position|startpos|sfen|moves|[1-9][a-i][1-9][a-i]|[PLNSGBR]\*"
    rb"|[1-9KRBGSNLPkrbgsnlp+]{1,18}+/)"
)

Piece = tuple[int, bytes]
"""The number of its first line, from 1, and the bytes."""


def pieces(file: IO[bytes], size: int, name: str) -> Iterator[Piece]:
    """The bytes of a file as pieces that hold whole games.

    No more than one piece is in memory. Raises RefusedError `too-large` for a file, or a game of it, beyond
    ARCHIVE_MAX_TEXT_BYTES that cannot be cut.
    """
    cut = _cutter(file, size, name)
    if cut is None:
        if size > settings.ARCHIVE_MAX_TEXT_BYTES:
            raise _too_large(size)
        yield 1, file.read()
        return
    yield from cut(file)


def _cutter(file: IO[bytes], size: int, name: str) -> Callable[[IO[bytes]], Iterator[Piece]] | None:
    """How to cut the file; None if it is small or cannot be cut."""
    if size <= WHOLE_BYTES:
        return None
    head = file.read(_HEAD_BYTES)
    file.seek(0)
    if head.startswith(_UTF_16):
        return None
    kind, _ = detect(head.decode("utf-8", "replace").replace("\r\n", "\n"), name)
    if kind == "csa":
        return _games_of_csa
    return _lines if kind in ("usi", "sfen", "usen") else None


def _games_of_csa(file: IO[bytes]) -> Iterator[Piece]:
    """What stands between lines that begin with `/`; blank stretches hold nothing."""
    piece, first = bytearray(), 1
    for number, line in enumerate(_each_line(file), 1):
        if line.startswith(b"/"):
            if piece.strip():
                yield first, bytes(piece)
            piece, first = bytearray(), number + 1
        else:
            piece += line
            _check(piece)
    if piece.strip():
        yield first, bytes(piece)


def _lines(file: IO[bytes]) -> Iterator[Piece]:
    """Groups of lines, each beginning with a game: what follows a game belongs to it."""
    piece, first = bytearray(), 1
    for number, line in enumerate(_each_line(file), 1):
        if len(piece) >= GROUP_BYTES and _ENGINE_LINE.match(line):
            yield first, bytes(piece)
            piece, first = bytearray(), number
        piece += line
        _check(piece)
    if piece.strip():
        yield first, bytes(piece)


def _each_line(file: IO[bytes]) -> Iterator[bytes]:
    return iter(lambda: file.readline(settings.ARCHIVE_MAX_TEXT_BYTES), b"")


def _check(piece: bytearray) -> None:
    if len(piece) > settings.ARCHIVE_MAX_TEXT_BYTES:
        raise _too_large(len(piece))


def _too_large(size: int) -> RefusedError:
    return RefusedError("too-large", bytes=size, limit=settings.ARCHIVE_MAX_TEXT_BYTES)
