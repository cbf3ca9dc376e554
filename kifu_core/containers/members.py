"""The files of a container, with their names."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import IO

from kifu_core.containers.refusals import RefusedError


@dataclass(frozen=True, slots=True)
class Member:
    """A file in a container: its name, and either a way to read it or the reason why it is not read.

    `packed` is the number of bytes of the container read for it so far.
    """

    path: str
    open: Callable[[], IO[bytes]] | None = None
    packed: Callable[[], int] = int
    refusal: RefusedError | None = None


def text_of(raw: bytes) -> str:
    """Return a name's bytes as text: UTF-8, or the encoding of Japanese Windows."""
    for encoding in ("utf-8", "cp932"):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    return raw.decode("cp437")
