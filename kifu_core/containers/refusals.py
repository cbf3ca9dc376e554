"""Reasons why a file of a container is not read, and the limits and the budget of a walk."""

import errno
import lzma
import tarfile
import tempfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO, Final, cast
from zipfile import BadZipFile

from kifu_core.deadline import check_time
from kifu_core.errors import KifuError

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


class RefusedError(KifuError):
    """A file is not read; `code` and `params` say why."""

    def __init__(self, code: str, **params: str | int) -> None:
        super().__init__(code, params=params)


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


@dataclass(frozen=True, slots=True)
class ContainerLimits:
    """The limits of a walk: bytes of an unpacked file, of all unpacked files and of dictionaries, times that
    a file may be larger than its packed bytes, and levels of containers.

    `folder` is for temporary files; None is the system's.
    """

    entry_bytes: int = 64 * 1024 * 1024
    total_bytes: int = 64 * 1024 * 1024 * 1024
    memory: int = DICTIONARY_BYTES
    ratio: int = 200
    depth: int = 2
    folder: str | None = None


def temporary_file(folder: str | None = None) -> IO[bytes]:
    """Return an empty file that is deleted when closed: in memory up to `MEMORY_BYTES`, beyond in the
    folder."""
    return cast(IO[bytes], tempfile.SpooledTemporaryFile(MEMORY_BYTES, dir=folder))


class Budget:
    """The remaining budget of a walk. The same walk always spends the same.

    `left` are bytes to unpack. Unpackers check the time limit of `kifu_core.deadline` piece by piece.
    """

    def __init__(self, limits: ContainerLimits) -> None:
        self.limits = limits
        self.left = limits.total_bytes

    @property
    def spent(self) -> bool:
        """Return whether the budget for unpacking is used up."""
        return self.left < 0

    def unpack(self, stream: IO[bytes], packed: Callable[[], int]) -> IO[bytes]:
        """Copy a stream to a file of our own; `packed` returns the packed bytes read so far.

        Raises RefusedError beyond the limits and for damage.
        """
        file = temporary_file(self.limits.folder)
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
                raise self.too_much()
            if size > self.limits.entry_bytes:
                raise RefusedError("entry-too-large", limit=self.limits.entry_bytes)
            self.check_ratio(size, packed())
            file.write(chunk)

    def check_ratio(self, unpacked: int, packed: int) -> None:
        """Raise RefusedError `bomb` for far more bytes than records unpack to."""
        if unpacked > FREE_BYTES and unpacked > self.limits.ratio * max(packed, 1):
            raise RefusedError("bomb", ratio=self.limits.ratio)

    def too_much(self) -> RefusedError:
        """Return the refusal for more unpacked bytes than all files together may have."""
        return RefusedError("unpacks-to-too-much", limit=self.limits.total_bytes)
