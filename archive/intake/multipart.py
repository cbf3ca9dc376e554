"""Files in forms whose names are not UTF-8. Django's parser silently skips such parts.

Programs on Japanese Windows send names in code page 932 (curl without Unicode, as that of Windows: its issues
345 and 3675), those on old Unix systems in EUC-JP, on European ones in ISO 8859-1.
"""

import io
import re
from typing import IO, Any, Final

from django.core.files.uploadhandler import FileUploadHandler
from django.http import QueryDict
from django.http.multipartparser import MultiPartParser
from django.utils.datastructures import MultiValueDict
from django.utils.http import parse_header_parameters

_HEADERS_END: Final = b"\r\n\r\n"
_MAX_HEADERS: Final = 1024
"""Django's limit for the headers of a part in bytes; beyond it Django refuses the request."""
_DISPOSITION: Final = re.compile(rb"content-disposition[ \t]*:", re.IGNORECASE)
_EXTENDED_NAME: Final = re.compile(r";\s*filename\*[0-9*]*\s*=\s*(?:\"[^\"]*\"|[^;]*)", re.IGNORECASE)
_ESCAPED: Final = re.compile(rb"([\x81-\x9f\xe0-\xfc]\\)\\")
"""In code page 932, 表 ends with the byte of a backslash, which curl before 7.81 escapes with another."""
_HALF_WIDTH_KANA: Final = re.compile("[\uff61-\uff9f]")
_PRIVATE: Final = re.compile("[\ue000-\uf8ff]")
_NAMELESS: Final = "record"


class EveryFileHandler(FileUploadHandler):
    """The first upload handler, which passes every file to the others, whatever its name is."""

    def handle_raw_input(
        self,
        input_data: IO[bytes],
        META: dict[str, str],
        content_length: int,
        boundary: str,
        encoding: str | None = None,
    ) -> tuple[QueryDict, MultiValueDict[str, Any]]:
        """Return the fields and the files of the form."""
        if self.request is None:
            raise RuntimeError("Django gives each handler its request")
        others = [handler for handler in self.request.upload_handlers if handler is not self]
        # Django passes bytes, although its annotation says str.
        mark = boundary.encode() if isinstance(boundary, str) else boundary
        return _Parser(META, ReadableNamesStream(input_data, mark), others, encoding).parse()


class _Parser(MultiPartParser):
    def sanitize_file_name(self, file_name: str) -> str:
        """Return a file's name without its path; a default name if nothing remains."""
        return super().sanitize_file_name(file_name) or _NAMELESS


class ReadableNamesStream(io.BufferedIOBase):
    """The body of a form, with its unreadable headers rewritten in UTF-8."""

    def __init__(self, body: IO[bytes], boundary: bytes) -> None:
        self._body = body
        self._mark = b"--" + boundary
        self._held = b""

    def read(self, size: int | None = -1, /) -> bytes:
        """Return about as many bytes as requested; none at the end."""
        while True:
            data = self._body.read(-1 if size is None else size)
            ready, self._held = self._split(self._held + data, at_end=not data)
            if ready or not data:
                return ready

    def _split(self, data: bytes, at_end: bool) -> tuple[bytes, bytes]:
        """Return bytes with rewritten headers, and bytes that must wait for more data: the start of a
        boundary, or one with incomplete headers."""
        ready: list[bytes] = []
        done = 0
        while (boundary := data.find(self._mark, done)) >= 0:
            begin = boundary + len(self._mark)
            end = data.find(_HEADERS_END, begin, begin + _MAX_HEADERS)
            if end < 0 and len(data) < begin + _MAX_HEADERS and not at_end:
                return b"".join([*ready, data[done:boundary]]), data[boundary:]
            headers = data[begin : max(begin, end)]
            if self._mark in headers:
                headers = b""
            ready += [data[done:begin], _readable(headers)]
            done = begin + len(headers)
        until = len(data) if at_end else max(done, len(data) - len(self._mark) + 1)
        return b"".join([*ready, data[done:until]]), data[until:]


def _readable(headers: bytes) -> bytes:
    return b"\r\n".join(_readable_line(line) for line in headers.split(b"\r\n"))


def _readable_line(line: bytes) -> bytes:
    """Return a readable header; a name in an unknown charset is replaced by a default name."""
    try:
        text = line.decode()
    except UnicodeDecodeError:
        text = decoded(line)
    if _DISPOSITION.match(line) and not _can_be_read(text):
        text = f'{_EXTENDED_NAME.sub("", text)}; filename="{_NAMELESS}"'
    return text.encode()


def _can_be_read(line: str) -> bool:
    try:
        parse_header_parameters(line)
    except ValueError:
        return False
    return True


def decoded(line: bytes) -> str:
    """Return a header that is not UTF-8 as text: code page 932, else EUC-JP, else ISO 8859-1.

    Nearly all EUC-JP is also valid in code page 932, but becomes half-width kana, which are rare in names.
    Such a header is read as EUC-JP if that is possible.
    """
    windows, unix = _decoded(_ESCAPED.sub(rb"\1", line), "cp932"), _decoded(line, "euc_jp")
    text = unix if windows is None or (unix and _HALF_WIDTH_KANA.search(windows)) else windows
    return text if text is not None else line.decode("latin-1")


def _decoded(line: bytes, encoding: str) -> str | None:
    """Return the text in one encoding; None if it is invalid, or has characters for private use."""
    try:
        text = line.decode(encoding)
    except UnicodeDecodeError:
        return None
    return None if _PRIVATE.search(text) else text
