"""Which part of the archive may be read: what lists, counts or suggests is told so, without a default."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from django.db.models import Exists, F, OuterRef, Q
from django.http import Http404

from archive.accounts import roles
from archive.models import Entry, Membership, Share, Space
from archive.queries.sql import Sql, one_of
from kifu_core.classes import PUBLIC as PUBLIC_SPACE

if TYPE_CHECKING:
    from django.http import HttpRequest

    from archive.models import Game


@dataclass(frozen=True, slots=True)
class Scope:
    """The spaces whose games may be read."""

    spaces: tuple[int, ...]

    def __str__(self) -> str:
        return "+".join(map(str, self.spaces))

    def condition(self, alias: str) -> Sql:
        """Return the condition on a table of games, names or uploads."""
        return Sql(f"{alias}.space {one_of(self.spaces)}", self.spaces)


PUBLIC: Final = Scope((PUBLIC_SPACE,))

NOWHERE: Final = -1
"""Stands for the own library of who has not needed it yet: it is made with the first games sent there."""

CHOSEN: Final = "scope"
"""The parameter of addresses that names the spaces that are asked, and where a session keeps its choice."""

NAMES: Final = ("public", "mine", "all")
"""What a scope is called in addresses: beside these `group-` and a group's number, and several by commas."""


class UnknownScopeError(Http404):
    """No scope that this request may read is called so."""


def readable_spaces(request: HttpRequest) -> dict[str, int]:
    """Return the spaces that a request may read, by what they are called in addresses, the public one first.

    They are those that its account is a member of; a token may leave them out.
    """
    found: dict[str, int] | None = getattr(request, "_readable_spaces", None)
    if found is None:
        found = spaces_of(request.user)
        request._readable_spaces = found  # type: ignore[attr-defined]
        if len(found) > 1:
            read_private(request)
    return found


def spaces_of(user: roles.Somebody) -> dict[str, int]:
    """Return the spaces that somebody may read, by what they are called, the public one first."""
    found = {"public": PUBLIC_SPACE}
    if roles.may_read_private(user):
        mine = Membership.objects.filter(user=user.pk).order_by("space")
        for pk, kind in mine.values_list("space", "space__kind"):
            found["mine" if kind == Space.Kind.PERSON else f"group-{pk}"] = pk
    return found


def spaces_to_ask(request: HttpRequest) -> dict[str, int]:
    """Return the spaces that a request may read as `readable_spaces`, and the own library also before it is
    made (NOWHERE)."""
    readable = readable_spaces(request)
    if "mine" in readable or not roles.may_read_private(request.user):
        return readable
    read_private(request)
    return readable | {"mine": NOWHERE}


def names_of(scope: Scope, readable: Mapping[str, int]) -> str:
    """Return a scope by the names of its spaces."""
    return ",".join(name for name, space in readable.items() if space in scope.spaces)


def space_name(request: HttpRequest, space: int) -> str:
    """Return what a space is called in addresses; `shared` where single games of it are all that is read."""
    if space == PUBLIC_SPACE:
        return "public"
    return next((name for name, pk in readable_spaces(request).items() if pk == space), "shared")


def scope_of(request: HttpRequest) -> Scope:
    """Return what lists, counts and suggestions of a request are asked of: what its address says, or the
    choice of its session, or all that it may read. Raises UnknownScopeError for an address."""
    if not request.user.is_authenticated and CHOSEN not in request.GET:
        return PUBLIC
    if (asked := request.GET.get(CHOSEN)) is not None:
        return scope_named(asked, spaces_to_ask(request))
    readable = readable_spaces(request)
    try:
        return scope_named(chosen_name(request), readable)
    except UnknownScopeError:  # that of a group which one has left
        return scope_named("all", readable)


def scope_named(text: str, readable: dict[str, int]) -> Scope:
    """Return the scope of names with commas between. Raises UnknownScopeError for what cannot be read."""
    names = text.split(",")
    if not set(names) <= {"all", *readable}:
        raise UnknownScopeError(f"this account, or this token, reads by `scope` {', '.join(readable)}")
    chosen = readable.values() if "all" in names else (readable[name] for name in names)
    return Scope(tuple(sorted({*chosen} - {NOWHERE})) or (NOWHERE,))


def readable_scope(request: HttpRequest) -> Scope:
    """Return all that a request may read, whatever it chose."""
    return Scope(tuple(sorted(readable_spaces(request).values())))


def chosen_name(request: HttpRequest) -> str:
    """Return what is chosen in the session of an account."""
    return str(request.session.get(CHOSEN, "all"))


def asks_all(request: HttpRequest) -> bool:
    """Tell whether a request asks for all that it may read, also what comes later."""
    return "all" in request.GET.get(CHOSEN, chosen_name(request)).split(",")


def reads(request: HttpRequest, space: int) -> bool:
    """Tell whether a request may read what lies in a space."""
    return space == PUBLIC_SPACE or space in readable_spaces(request).values()


def reads_game(request: HttpRequest, game: Game) -> bool:
    """Tell whether a request may read a game: one of a space of its own, or one that is shared with it."""
    return reads(request, game.space) or _is_shared(request, game.pk)


KEY: Final = "key"
"""The parameter of addresses that has the key of a link to a shared game."""

FOLLOWED: Final = "shared"
"""Where a session keeps what is known of the keys of such links that it followed."""


def links_followed(request: HttpRequest) -> list[str]:
    """Return what is known of the keys of links to shared games that a request has."""
    key = request.GET.get(KEY)
    return [*request.session.get(FOLLOWED, ()), *([hash_of(key)] if key else ())]


def _is_shared(request: HttpRequest, game: int) -> bool:
    shares, links = Share.objects.filter(_HOLDS, game=game), links_followed(request)
    shared = bool(links) and shares.filter(key__in=links).exists()
    if not shared and roles.may_read_private(request.user):
        shared = shares.filter(user=request.user.pk).exists()
    if shared:
        read_private(request)
    return shared


_OF_OTHERS: Final = Entry.objects.filter(game=OuterRef("game")).exclude(upload__uploader=OuterRef("by"))
_HOLDS: Final = Q(by__memberships__space=F("game__space"), by__memberships__owner=True) | ~Exists(_OF_OTHERS)
"""Whether a share holds: an owner of the library made it, or who alone sent the game: of what others send
later members tell nobody."""

_PRIVATE: Final = "archive.read_private"


def read_private(request: HttpRequest) -> None:
    """Note that what is not public goes into the answer to this request."""
    request.META[_PRIVATE] = True


def has_read_private(request: HttpRequest) -> bool:
    """Tell whether what is not public has been asked for an answer to this request."""
    return _PRIVATE in request.META


def is_stranger(request: HttpRequest) -> bool:
    """Tell whether a request may read what everybody may read and nothing else."""
    return not request.user.is_authenticated and not links_followed(request)


def hash_of(key: str) -> str:
    """Return what is kept of a link's key."""
    return sha256(key.encode(errors="surrogatepass")).hexdigest()
