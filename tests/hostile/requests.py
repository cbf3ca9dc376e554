"""A request as bytes, whatever is wrong with it, and how to send it again by hand."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

Header = tuple[str, bytes]

INLINE_BYTES = 600
"""Bodies up to this size are printed; larger ones, and what curl would not send, are written to a file."""

LONGEST_COMMAND = 1500
LONGEST_HEAD = 16_000
MOST_HEADERS = 50
"""Beyond these, a server may refuse a request before any application sees it."""

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_TARGET = re.compile(rb"/[A-Za-z0-9\-._~!$&'()*+,;=:@%/?]*")
_VALUE = re.compile(rb"[\x20-\x7e\x80-\xff\t]*")


@dataclass(frozen=True)
class Request:
    """`target` is sent as it is. `chunked` sends the body in pieces without saying its size. `broken` marks
    what no server needs to understand: an answer of the application is then not asked for."""

    method: str
    target: bytes
    headers: tuple[Header, ...] = ()
    body: bytes = b""
    chunked: bool = False
    broken: bool = False
    route: str = ""
    """The address it was made for, with the names of its parameters."""
    twists: tuple[str, ...] = ()
    """What is hostile about it."""

    @property
    def valid(self) -> bool:
        """Whether it is a request as RFC 9112 has them, of a size that every server takes."""
        return (
            not self.broken
            and bool(_TOKEN.fullmatch(self.method))
            and self.method not in {"CONNECT", "TRACE"}
            and bool(_TARGET.fullmatch(self.target))
            and len(self.headers) <= MOST_HEADERS
            and len(self.head()) <= LONGEST_HEAD
            and all(_TOKEN.fullmatch(name) and _VALUE.fullmatch(value) for name, value in self.headers)
        )

    @property
    def path(self) -> str:
        """The path as it is sent."""
        return self.target.partition(b"?")[0].decode("latin-1")

    def head(self) -> bytes:
        """The request line and the headers."""
        lines = [f"{self.method} ".encode("latin-1", "replace") + self.target + b" HTTP/1.1"]
        lines += [name.encode("latin-1", "replace") + b": " + value for name, value in self._headers()]
        return b"\r\n".join(lines) + b"\r\n\r\n"

    def _headers(self) -> list[Header]:
        given = {name.lower() for name, _ in self.headers}
        added: list[Header] = [] if "connection" in given else [("Connection", b"close")]
        if self.chunked:
            added.append(("Transfer-Encoding", b"chunked"))
        elif "content-length" not in given and (self.body or self.method in {"POST", "PUT", "PATCH"}):
            added.append(("Content-Length", str(len(self.body)).encode()))
        return [*self.headers, *added]

    def raw(self) -> bytes:
        """All of it."""
        if not self.chunked:
            return self.head() + self.body
        pieces = [self.body[at : at + 4096] for at in range(0, len(self.body), 4096)]
        chunks = (b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)
        return self.head() + b"".join(chunks) + b"0\r\n\r\n"

    def again(self, address: str, folder: Path, name: str) -> str:
        """A command that sends it again to `address` (`host:port`); what is large goes to the folder."""
        command = self._curl(address, folder, name) if self.valid and not self.chunked else ""
        if 0 < len(command) <= LONGEST_COMMAND:
            return command
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(self.raw())
        return f"nc {address.replace(':', ' ')} < {folder / name}"

    def _curl(self, address: str, folder: Path, name: str) -> str:
        words = ["curl -sSi --path-as-is"]
        words.append("-I" if self.method == "HEAD" else f"-X {shlex.quote(self.method)}")
        for header, value in self.headers:
            words.append("-H " + quoted(f"{header}: ".encode() + value if value else f"{header};".encode()))
        if len(self.body) > INLINE_BYTES or b"\0" in self.body:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(self.body)
            words.append(f"--data-binary @{folder / name}")
        elif self.body:
            words.append("--data-binary " + quoted(self.body))
        words.append(quoted(b"http://" + address.encode() + self.target))
        return " ".join(words)


def quoted(data: bytes) -> str:
    """The bytes as a word of a shell."""
    if all(0x20 <= byte < 0x7F for byte in data):
        return shlex.quote(data.decode())
    escaped = "".join(
        chr(byte) if 0x20 <= byte < 0x7F and chr(byte) not in "\\'" else f"\\x{byte:02x}" for byte in data
    )
    return f"$'{escaped}'"
