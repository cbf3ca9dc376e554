"""Keep answers that were given before, and find them again by question until something is committed.

An address is asked for again far more often than the archive changes. One look at the database tells whether
it has changed (`Engine.revision`): no writer has to announce a change, so none can forget to.
"""

from __future__ import annotations

import secrets
import struct
import time
import zlib
from collections import OrderedDict
from dataclasses import dataclass, field
from threading import Lock
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.middleware.gzip import GZipMiddleware, re_accepts_gzip

from archive.caching import values as caching
from archive.index.engine import engine

KEPT_BYTES: Final = 24 * 1024 * 1024
"""The answers that a process keeps take at most this much: some three hundred pages."""

KEPT_NAMES: Final = 10_000
"""Questions whose answers are known: about 3 MB."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer in pieces, with room between them for the tokens of its forms, and its headers.

    `forms` says that it may have forms.
    """

    pieces: tuple[bytes, ...]
    headers: dict[str, str]
    forms: bool = False
    packed: tuple[bytes, ...] = field(init=False)
    """The compressed pieces, with tokens to go between them; empty if compression saves nothing."""

    def __post_init__(self) -> None:
        length = sum(map(len, self.pieces))
        packed = _packed(self.pieces) if length <= KEPT_BYTES // 10 else ()
        shorter = sum(map(len, packed)) + GZipMiddleware.max_random_bytes < length
        object.__setattr__(self, "packed", packed if shorter else ())

    @property
    def size(self) -> int:
        return sum(map(len, (*self.pieces, *self.packed)))

    def response(self, request: HttpRequest) -> HttpResponse:
        """Return the answer for a visitor, with the visitor's own tokens, and compressed if the visitor
        accepts that.
        """
        token = get_token(request).encode() if len(self.pieces) > 1 else b""
        content = token.join(self.pieces)
        if not self.packed or not re_accepts_gzip.search(request.META.get("HTTP_ACCEPT_ENCODING", "")):
            return HttpResponse(content, headers=self.headers)
        return HttpResponse(
            _zipped(self.packed, token, content), headers=self.headers | {"Content-Encoding": "gzip"}
        )


_BEGIN: Final = struct.pack("<HBBIBB", 0x8B1F, 8, 8, 0, 0, 255)
_END: Final = b"\x03\x00"


_NO_TOKEN: Final = b"\xff" * 64
"""As long as a token, but made of bytes that no text has, so that nothing compressed refers to them."""


def _packed(pieces: tuple[bytes, ...]) -> tuple[bytes, ...]:
    """Compress pieces as one stream of DEFLATE (RFC 1951), with room for a token after all but the last."""
    compressor = zlib.compressobj(wbits=-15)

    def packed(text: bytes) -> bytes:
        return compressor.compress(text) + compressor.flush(zlib.Z_SYNC_FLUSH)

    return tuple([packed(text) for piece in pieces for text in (piece, _NO_TOKEN)][::2])


def _zipped(packed: tuple[bytes, ...], token: bytes, content: bytes) -> bytes:
    """Write the content as a gzip file (RFC 1952), with the token uncompressed between the pieces.

    As in Django, the file name in it has a random length, so that the length of an answer reveals nothing
    about the token.
    """
    name = b"a" * secrets.randbelow(GZipMiddleware.max_random_bytes) + b"\0"
    between = struct.pack("<BHH", 0, len(token), len(token) ^ 0xFFFF) + token
    sums = struct.pack("<II", zlib.crc32(content), len(content) & 0xFFFFFFFF)
    return b"".join((_BEGIN, name, between.join(packed), _END, sums))


class Answers:
    """The latest answers of this process by their names, up to so many bytes of them.

    It also knows which answer each question had in the current revision of the archive; when the revision
    changes, it forgets that.
    """

    def __init__(self, most: int = KEPT_BYTES) -> None:
        self.most = most
        self.size = 0
        self.answers: OrderedDict[str, Answer] = OrderedDict()
        self.names: dict[str, tuple[str, float]] = {}
        self.revision: object = None
        self.lock = Lock()

    def get(self, name: str) -> Answer | None:
        """Return the answer with a name; None if it is not kept."""
        with self.lock:
            if name in self.answers:
                self.answers.move_to_end(name)
            return self.answers.get(name)

    def keep(self, name: str, answer: Answer) -> None:
        """Keep an answer; those that have not been asked for the longest are dropped."""
        with self.lock:
            if name in self.answers or answer.size > self.most // 10:
                return
            self.answers[name] = answer
            self.size += answer.size
            while self.size > self.most:
                self.size -= self.answers.popitem(last=False)[1].size

    def name(self, question: str, revision: object) -> str:
        """Return the name of the answer that a question had in this revision; empty if it is not known."""
        with self.lock:
            if revision != self.revision:
                self.names.clear()
                self.revision = revision
            name, until = self.names.get(question, ("", 0.0))
            return name if time.monotonic() < until else ""

    def note(self, question: str, revision: object, name: str, until: float) -> None:
        """Note the name of a question's answer, with the revision from before the answer was looked up."""
        with self.lock:
            if revision == self.revision:
                self.names[question] = (name, until)
            while len(self.names) > KEPT_NAMES:
                del self.names[next(iter(self.names))]

    def clear(self) -> None:
        """Forget all answers."""
        with self.lock:
            self.answers.clear()
            self.names.clear()
            self.size = 0


answers: Final = Answers()


@dataclass(frozen=True, slots=True)
class Question:
    """What a stranger asks for, with everything about the visitor that the answer depends on.

    `said` is empty if the answer is for one visitor alone.
    """

    said: str
    revision: object

    @classmethod
    def of(cls, said: str) -> Question:
        """Return a question that is asked now."""
        caching.begin()
        return cls(said, engine().revision() if said else None)

    def known(self) -> tuple[str, Answer | None]:
        """Return the name of its answer, and the answer itself, if it was given since the last change."""
        name = answers.name(self.said, self.revision) if self.revision is not None else ""
        return name, answers.get(name) if name else None

    def note(self, name: str) -> None:
        """Note the name of its answer."""
        if self.revision is not None:
            answers.note(self.said, self.revision, name, caching.until())
