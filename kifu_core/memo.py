"""A cache of functions of texts."""

from collections.abc import Callable, Iterable
from typing import Final, TypeVar

from kifu_core.deadline import PIECE, check_time

Key = TypeVar("Key")
Value = TypeVar("Value")


class Memo(dict[Key, Value]):
    """A cache of a function's results, emptied when it has grown large.

    A dictionary's own lookup is the fastest call in Python, and the same few texts make up most records.
    """

    LIMIT: Final = 1 << 14

    def __init__(self, read: Callable[[Key], Value]) -> None:
        super().__init__()
        self.read = read

    def __missing__(self, key: Key) -> Value:
        if len(self) >= self.LIMIT:
            self.clear()
        if not len(self) % PIECE:
            check_time()
        value = self[key] = self.read(key)
        return value

    def each(self, keys: Iterable[Key]) -> list[Value]:
        """Return the results for several keys."""
        return list(map(self.__getitem__, keys))
