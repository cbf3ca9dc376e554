"""A text of many games cut into parts that can be read one by one, in bounded memory.

CSA files hold games between lines that begin or end with `/` or one after the other, USI and SFEN files a
game or position a line; games of Quoridor begin with lines that tell. Other formats have no such border that
could be found without reading them: they are read whole, up to a limit.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import IO, Final

from django.conf import settings

from archive.intake.walk.refusals import RefusedError
from kifu_core.deadline import check_time
from kifu_core.games import QUORIDOR, kind_of
from kifu_core.quoridor.formats.cutting import begins_game

WHOLE_BYTES: Final = 256 * 1024
"""A file up to this size is read at once, whatever it holds."""

GROUP_BYTES: Final = 16 * 1024
"""Lines that are games are taken together up to about this size."""

_LOOK_LINES: Final = 4096
_HEAD_BYTES: Final = 8 * 1024
_UTF_16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_ENGINE_LINE: Final = re.compile(
    rb"[ \t]*+(?:position|startpos|sfen|moves|[1-9][a-i][1-9][a-i]|[PLNSGBR]\*"
    rb"|[1-9KRBGSNLPkrbgsnlp+]{1,18}+/)"
)

_CSA_HEAD: Final = re.compile(rb"V[0-9.]{1,8}[ \t]*+[,\r\n]|N[-+]|PI|P[1-9][-+ *]|P[-+][0-9]")
_CSA_STEP: Final = re.compile(rb"[-+][0-9]|%[-+_A-Za-z]")
"""A version, a player or a board, and what is a move or an ending."""

_SET_HEAD: Final = re.compile(rb"[ \t]*+[0-9]{1,9}[ \t]++[^ \t\n]")
"""The first of the two lines of a game in a set of CSA on one line."""

_CSA_LAST: Final = re.compile(rb"[^'][^\n]*,[ \t]*+/[ \t]*+\r?\n?\Z")
"""A line of statements behind which another game begins, as Bonanza's books have it."""

_CSA_ON_LINE: Final = re.compile(rb"\A[VNP][^\n]*,[ \t]*+(?:[-+][0-9]{4}[A-Z]{2}|%[A-Z])")
"""Statements with a move on one line."""

Begins = Callable[[bytes, bytes, int], bool]
"""Whether a game begins with a line, after the last line with text, where so many braces are open."""

_OPENING: Final = (b"{", b"(")
_CLOSING: Final = (b"}", b")")

Piece = tuple[int, bytes]
"""The number of its first line, from 1, and the bytes."""


def pieces(file: IO[bytes], size: int, name: str) -> Iterator[Piece]:
    """Yield the bytes of a file as pieces that hold whole games.

    No more than one piece is in memory. Raises RefusedError `too-large` for a file, or a game of it, beyond
    ARCHIVE_MAX_TEXT_BYTES that cannot be cut.
    """
    cut = _cutter(file, size, name)
    if cut is None:
        if size > settings.ARCHIVE_MAX_TEXT_BYTES:
            raise _too_large(size)
        yield 1, file.read()
        return
    yield from cut(_each_line(file))


def _cutter(file: IO[bytes], size: int, name: str) -> Callable[[Iterable[bytes]], Iterator[Piece]] | None:
    """Return a function that cuts the file; None if it is small or cannot be cut."""
    if size <= WHOLE_BYTES:
        return None
    head = file.read(_HEAD_BYTES)
    file.seek(0)
    if head.startswith(_UTF_16):
        return None
    text = head.decode("utf-8", "replace").replace("\r\n", "\n")
    kind = kind_of(text, name)
    file_format, _ = kind.formats.detect(text, name)
    if file_format == "csa":
        return _games_of_csa
    if kind is QUORIDOR and file_format in ("qf", "alg"):
        return partial(_lines, begins=partial(_begins_game, file_format))
    if file_format == "csa1":
        return partial(_lines, begins=_begins_set)
    if file_format == "psn":
        return partial(_lines, begins=_begins_psn)
    return partial(_lines, begins=_is_engine_line) if file_format in ("usi", "sfen", "usen") else None


def _games_of_csa(lines: Iterable[bytes]) -> Iterator[Piece]:
    """Yield what stands between lines that begin or end with `/`, or begins with a version, a player or a
    board behind moves; blank stretches hold nothing."""
    piece, first, played = bytearray(), 1, False
    for number, line in enumerate(lines, 1):
        separates = line.startswith(b"/")
        if separates or (played and _CSA_HEAD.match(line)):
            if piece.strip():
                yield first, bytes(piece)
            piece, first, played = bytearray(), number + separates, False
        if not separates:
            piece += line
            played = played or _CSA_STEP.match(line) is not None or _CSA_ON_LINE.search(line) is not None
            _check(piece)
            if _CSA_LAST.match(line):
                played = False
                if len(piece) >= GROUP_BYTES:
                    yield first, bytes(piece)
                    piece, first = bytearray(), number + 1
    if piece.strip():
        yield first, bytes(piece)


def _is_engine_line(line: bytes, _before: bytes, _depth: int) -> bool:
    return _ENGINE_LINE.match(line) is not None


def _begins_set(line: bytes, _before: bytes, _depth: int) -> bool:
    return _SET_HEAD.match(line) is not None


def _begins_psn(line: bytes, before: bytes, depth: int) -> bool:
    return line.startswith(b"[") and not before.startswith(b"[") and not depth


def _begins_game(file_format: str, line: bytes, before: bytes, depth: int) -> bool:
    text, last = (one.decode("utf-8", "replace").rstrip("\r\n") for one in (line, before))
    return begins_game(file_format, text, last, depth)


def _lines(lines: Iterable[bytes], begins: Begins) -> Iterator[Piece]:
    """Yield groups of lines, each beginning with a game: what follows a game belongs to it."""
    piece, first, before, depth = bytearray(), 1, b"", 0
    for number, line in enumerate(lines, 1):
        if len(piece) >= GROUP_BYTES and begins(line, before, depth):
            yield first, bytes(piece)
            piece, first, depth = bytearray(), number, 0
        piece += line
        before = line if line.strip() else before
        depth = max(0, depth + sum(map(line.count, _OPENING)) - sum(map(line.count, _CLOSING)))
        _check(piece)
    if piece.strip():
        yield first, bytes(piece)


def _each_line(file: IO[bytes]) -> Iterator[bytes]:
    for number, line in enumerate(iter(lambda: file.readline(settings.ARCHIVE_MAX_TEXT_BYTES), b"")):
        if number % _LOOK_LINES == 0:
            check_time()  # there may be no game in any number of lines
        yield line


def _check(piece: bytearray) -> None:
    if len(piece) > settings.ARCHIVE_MAX_TEXT_BYTES:
        raise _too_large(len(piece))


def _too_large(size: int) -> RefusedError:
    return RefusedError("too-large", bytes=size, limit=settings.ARCHIVE_MAX_TEXT_BYTES)
