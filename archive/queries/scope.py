"""Which part of the archive may be read: what lists, counts or suggests is told so, without a default."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from archive.derive.game import PUBLIC as PUBLIC_SPACE
from archive.queries.sql import Sql

if TYPE_CHECKING:
    from django.http import HttpRequest


@dataclass(frozen=True, slots=True)
class Scope:
    """The spaces whose games may be read."""

    spaces: tuple[int, ...]

    def __str__(self) -> str:
        return "+".join(map(str, self.spaces))

    def condition(self, alias: str) -> Sql:
        """Return the condition on the table of games."""
        if len(self.spaces) == 1:
            return Sql(f"{alias}.space = %s", self.spaces)
        places = ", ".join(["%s"] * len(self.spaces))
        return Sql(f"{alias}.space IN ({places})", self.spaces)

    def check_public(self) -> None:
        """Raise ValueError for more or less than the public space: players, events and uploads, and the lists
        of their games, are in no other yet."""
        if self != PUBLIC:
            raise ValueError(f"there are no names of the spaces {self}")


PUBLIC: Final = Scope((PUBLIC_SPACE,))


def scope_of(request: HttpRequest) -> Scope:
    """Return what a request may read."""
    return PUBLIC
