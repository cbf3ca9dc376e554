"""Reasons why a part of an upload is not read, and the budget of an upload.

The texts of the codes are in `archive.derive.issues`.
"""

import errno
import lzma
import tarfile
import tempfile
import zlib
from collections.abc import Callable
from typing import IO, Final, cast
from zipfile import BadZipFile

from django.conf import settings

from kifu_core.deadline import check_time
from kifu_core.errors import Issue

CHUNK: Final = 64 * 1024
MEMORY_BYTES: Final = 1024 * 1024
"""An unpacked file up to this size stays in memory, a larger one is a temporary file."""

FREE_BYTES: Final = 1024 * 1024
"""Bytes that may be unpacked at any ratio: small files of blanks are no bombs."""

DICTIONARY_BYTES: Final = 256 * 1024 * 1024
"""The limit for dictionaries and models of unpackers; 7-Zip's largest preset."""

DAMAGE: Final = (BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError)
"""Errors of the unpackers for damaged bytes."""

TOO_MUCH_MEMORY: Final = "too-much-memory"
"""The code of a part that needs too much memory."""

_LOCAL_ERRORS: Final = frozenset(
    {errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EMFILE, errno.ENFILE, errno.EROFS, errno.ENOENT}
)
"""Errors of temporary files: a full or broken disk, too many open files."""


class RefusedError(Exception):
    """A file of an upload is not read; `code` and `params` say why."""

    def __init__(self, code: str, **params: str | int) -> None:
        super().__init__(code)
        self.code = code
        self.params = params

    @property
    def issue(self) -> Issue:
        """Return the refusal as an issue of the entry."""
        return Issue(self.code, "error", params=self.params)


def is_local_error(error: BaseException) -> bool:
    """Return whether an error is caused by this machine, so that the bytes can be read later."""
    return isinstance(error, OSError) and error.errno in _LOCAL_ERRORS


def damaged(error: Exception) -> RefusedError:
    """Return the refusal for an error of an unpacker; raise the error if it is local."""
    if is_local_error(error):
        raise error
    if isinstance(error, MemoryError):
        return RefusedError(TOO_MUCH_MEMORY)
    return RefusedError("damaged", text=(str(error) or type(error).__name__)[:80])


def temporary_file() -> IO[bytes]:
    """Return an empty file that is deleted when closed: in memory up to `MEMORY_BYTES`, beyond in the data
    folder."""
    folder = str(settings.DATA_DIR / "tmp")
    return cast(IO[bytes], tempfile.SpooledTemporaryFile(MEMORY_BYTES, dir=folder))


class Budget:
    """The remaining budget of a walk. The same walk always spends the same.

    `left` are bytes to unpack, `memory` is the largest dictionary in bytes. Unpackers check the time limit of
    `kifu_core.deadline` piece by piece.
    """

    def __init__(self, memory: int = DICTIONARY_BYTES) -> None:
        self.left: int = settings.ARCHIVE_MAX_TOTAL_BYTES
        self.memory = memory

    @property
    def spent(self) -> bool:
        """Return whether the budget for unpacking is used up."""
        return self.left < 0

    def unpack(self, stream: IO[bytes], packed: Callable[[], int]) -> IO[bytes]:
        """Copy a stream to a file of our own; `packed` returns the packed bytes read so far.

        Raises RefusedError beyond the limits and for damage.
        """
        file = temporary_file()
        try:
            self._copy(stream, packed, file)
        except BaseException as error:
            file.close()
            if isinstance(error, DAMAGE):
                raise damaged(error) from error
            raise
        file.seek(0)
        return file

    def _copy(self, stream: IO[bytes], packed: Callable[[], int], file: IO[bytes]) -> None:
        size = 0
        while chunk := stream.read(CHUNK):
            check_time()
            size += len(chunk)
            self.left -= len(chunk)
            if self.spent:
                raise RefusedError("unpacks-to-too-much", limit=settings.ARCHIVE_MAX_TOTAL_BYTES)
            if size > settings.ARCHIVE_MAX_ENTRY_BYTES:
                raise RefusedError("entry-too-large", limit=settings.ARCHIVE_MAX_ENTRY_BYTES)
            check_ratio(size, packed())
            file.write(chunk)


def check_ratio(unpacked: int, packed: int) -> None:
    """Raise RefusedError `bomb` for far more bytes than records unpack to."""
    if unpacked > FREE_BYTES and unpacked > settings.ARCHIVE_MAX_RATIO * max(packed, 1):
        raise RefusedError("bomb", ratio=settings.ARCHIVE_MAX_RATIO)
