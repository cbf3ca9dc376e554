"""Containers made for tests, good ones and hostile ones."""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Iterable

from py7zr import SevenZipFile

Files = Iterable[tuple[str, bytes]]


def zipped(*files: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A ZIP of these files; names twice are two files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in files:
            archive.NameToInfo.clear()  # the library warns of names that are there already
            archive.writestr(Named(name), data, method)
    return out.getvalue()


class Named(zipfile.ZipInfo):
    """A member whose name is written as its bytes in cp932 where it has such, without the flag for UTF-8."""

    def __init__(self, name: str) -> None:
        super().__init__("x")
        self.filename = self.orig_filename = name

    def _encodeFilenameFlags(self) -> tuple[bytes, int]:
        try:
            return self.filename.encode("cp932"), self.flag_bits & ~0x800
        except UnicodeEncodeError:
            return self.filename.encode("utf-8", "surrogatepass"), self.flag_bits | 0x800


def seven_zipped(
    *files: tuple[str, bytes], filters: list[dict[str, int]] | None = None, password: str | None = None
) -> bytes:
    """A 7z archive: one solid block, unless it is encrypted."""
    out = io.BytesIO()
    with SevenZipFile(out, "w", filters=filters, password=password) as archive:
        for name, data in files:
            archive._writestr(data, name)  # without its look at the name
    return out.getvalue()


def tarred(*files: tuple[str, bytes], mode: str = "w") -> bytes:
    """A tar file, compressed as `mode` says (`w:gz`, `w:bz2`, `w:xz`)."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:  # type: ignore[call-overload]
        for name, data in files:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()
