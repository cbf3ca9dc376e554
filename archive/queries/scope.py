"""Scopes: the spaces that a request may read. Every query takes a scope, without a default."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from django.db.models import Exists, F, OuterRef, Q
from django.http import Http404

from archive.accounts import roles
from archive.models import Collection, Entry, Membership, Share, Space
from archive.queries.sql import Sql, one_of
from kifu_core.classes import PUBLIC as PUBLIC_SPACE

if TYPE_CHECKING:
    from django.http import HttpRequest

    from archive.models import Game


@dataclass(frozen=True, slots=True)
class Scope:
    """The spaces whose games and collections may be read, and collections of other spaces that are shared by
    a link."""

    spaces: tuple[int, ...]
    collections: tuple[int, ...] = ()
    account: int = 0
    """The account that the filter `me` is about; 0 for nobody. Only that filter, also in a query, depends on
    it, so that texts of scopes leave it out."""

    def __str__(self) -> str:
        linked = "".join(f" collection {pk}" for pk in self.collections)
        return "+".join(map(str, self.spaces)) + linked

    def condition(self, alias: str) -> Sql:
        """Return the condition on a table of games, names or uploads."""
        return Sql(f"{alias}.space {one_of(self.spaces)}", self.spaces)

    def scan_condition(self, alias: str) -> Sql:
        """Return `condition` for a query that has to look at every name. Most names are public: without the
        sign, SQLite would look up each of them by an index, which takes four times as long as the table."""
        return self.condition(f"+{alias}" if PUBLIC_SPACE in self.spaces else alias)


PUBLIC: Final = Scope((PUBLIC_SPACE,))

NOWHERE: Final = -1
"""Stands for a personal library that does not exist yet: it is created with its first games."""

CHOSEN: Final = "scope"
"""The parameter of addresses, and the key of sessions, for the chosen spaces."""

NAMES: Final = ("public", "mine", "all")
"""The names of scopes in addresses; others are `group-` with a group's number, and names joined by commas."""


class UnknownScopeError(Http404):
    """This request may read no scope of this name."""


def readable_spaces(request: HttpRequest) -> dict[str, int]:
    """Return the spaces that a request may read, by their names in addresses, the public one first: those of
    its account, unless its token excludes them."""
    spaces: dict[str, int] | None = getattr(request, "_readable_spaces", None)
    if spaces is None:
        spaces = spaces_of(request.user)
        request._readable_spaces = spaces  # type: ignore[attr-defined]
        if len(spaces) > 1:
            read_private(request)
    return spaces


def spaces_of(user: roles.AnyUser) -> dict[str, int]:
    """Return the spaces that a user may read, by their names, the public one first."""
    spaces = {"public": PUBLIC_SPACE}
    if roles.may_read_private(user):
        memberships = Membership.objects.filter(user=user.pk).order_by("space")
        for pk, kind in memberships.values_list("space", "space__kind"):
            spaces["mine" if kind == Space.Kind.PERSON else f"group-{pk}"] = pk
    return spaces


def selectable_spaces(request: HttpRequest) -> dict[str, int]:
    """Return the `readable_spaces` of a request, with the personal library even before it exists
    (NOWHERE)."""
    readable = readable_spaces(request)
    if "mine" in readable or not roles.may_read_private(request.user):
        return readable
    read_private(request)
    return readable | {"mine": NOWHERE}


def names_of(scope: Scope, readable: Mapping[str, int]) -> str:
    """Return a scope by the names of its spaces."""
    return ",".join(name for name, space in readable.items() if space in scope.spaces)


def space_name(request: HttpRequest, space: int) -> str:
    """Return the name of a space in addresses; `shared` if the request may read only single games of it."""
    if space == PUBLIC_SPACE:
        return "public"
    return next((name for name, pk in readable_spaces(request).items() if pk == space), "shared")


def scope_of(request: HttpRequest) -> Scope:
    """Return the scope of a request: of its address, or the choice of its session, or all readable spaces.
    Raises UnknownScopeError for the scope of an address."""
    return replace(
        _spaces_of(request), collections=linked_collections(request), account=_account_of(request.user)
    )


def _account_of(user: roles.AnyUser) -> int:
    return user.pk or 0 if roles.may_read_private(user) else 0


def _spaces_of(request: HttpRequest) -> Scope:
    if not request.user.is_authenticated and CHOSEN not in request.GET:
        return PUBLIC
    if (names := request.GET.get(CHOSEN)) is not None:
        return scope_by_names(names, selectable_spaces(request))
    readable = readable_spaces(request)
    try:
        return scope_by_names(chosen_name(request), readable)
    except UnknownScopeError:  # a group that the user has left
        return scope_by_names("all", readable)


def scope_by_names(text: str, readable: dict[str, int]) -> Scope:
    """Return the scope of names separated by commas. Raises UnknownScopeError for names that are not
    readable."""
    names = text.split(",")
    if not set(names) <= {"all", *readable}:
        raise UnknownScopeError(f"this account, or this token, reads by `scope` {', '.join(readable)}")
    chosen = readable.values() if "all" in names else (readable[name] for name in names)
    return Scope(tuple(sorted({*chosen} - {NOWHERE})) or (NOWHERE,))


def readable_scope(request: HttpRequest) -> Scope:
    """Return the scope of all spaces that a request may read, whatever its choice."""
    spaces = tuple(sorted(readable_spaces(request).values()))
    return Scope(spaces, linked_collections(request), _account_of(request.user))


def chosen_name(request: HttpRequest) -> str:
    """Return the chosen scope of a session, by name."""
    return str(request.session.get(CHOSEN, "all"))


def asks_all(request: HttpRequest) -> bool:
    """Return whether a request is for all readable spaces, including future ones."""
    return "all" in request.GET.get(CHOSEN, chosen_name(request)).split(",")


def reads(request: HttpRequest, space: int) -> bool:
    """Return whether a request may read a space."""
    return space == PUBLIC_SPACE or space in readable_spaces(request).values()


def reads_game(request: HttpRequest, game: Game) -> bool:
    """Return whether a request may read a game: of a readable space, or shared with the request."""
    return reads(request, game.space) or _is_shared(request, game.pk)


KEY: Final = "key"
"""The parameter of addresses with the key of a link to a shared game or collection."""

FOLLOWED: Final = "shared"
"""The key of sessions for the hashes of the keys of followed links."""


def links_followed(request: HttpRequest) -> list[str]:
    """Return the hashes of the keys of links to shared games and collections that a request has."""
    key = request.GET.get(KEY)
    return [*request.session.get(FOLLOWED, ()), *([hash_of(key)] if key else ())]


def linked_collections(request: HttpRequest) -> tuple[int, ...]:
    """Return the collections that are shared with a request by a link, and their parts."""
    if not (links := links_followed(request)):
        return ()
    collections: tuple[int, ...] | None = getattr(request, "_linked_collections", None)
    if collections is None:
        linked = Collection.objects.filter(Q(key__in=links) | Q(parent__key__in=links))
        shared = linked.filter(visibility=Collection.Visibility.LINK)
        collections = tuple(shared.order_by("pk").values_list("pk", flat=True))
        request._linked_collections = collections  # type: ignore[attr-defined]
        if collections:
            read_private(request)
    return collections


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
"""The condition that a share is valid: its creator is an owner of the library, or the only sender of the
game, so that members cannot share what others sent."""

_PRIVATE: Final = "archive.read_private"


def read_private(request: HttpRequest) -> None:
    """Note that the response to this request has private content."""
    request.META[_PRIVATE] = True


def has_read_private(request: HttpRequest) -> bool:
    """Return whether private content was read for the response to this request."""
    return _PRIVATE in request.META


def is_stranger(request: HttpRequest) -> bool:
    """Return whether a request may read only public content."""
    return not request.user.is_authenticated and not links_followed(request)


def hash_of(key: str) -> str:
    """Return the stored hash of a link's key."""
    return sha256(key.encode(errors="surrogatepass")).hexdigest()
