"""Forms that create and change collections, and that add games to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from archive import libraries
from archive.collections import editing, rights, searching
from archive.collections import games as collecting
from archive.collections.errors import TEXT_LENGTH, TITLE_LENGTH, CollectionError
from archive.libraries import LibraryError
from archive.models import Collection, Membership, User
from archive.project.site_address import public_address
from archive.queries.collections import collection_shown, count_of, games_of, neighbours
from archive.queries.games.filters import game_filters, stored_parameters
from archive.queries.scope import (
    CHOSEN,
    Scope,
    read_private,
    readable_scope,
    scope_by_names,
    selectable_spaces,
)
from archive.queries.search.errors import QueryError
from archive.web.collections.listing import cards_of, editable_libraries, page_of, pages_of, rows_of
from archive.web.forms import GameFilterForm, parse_number
from archive.web.lists.game_search import chips
from archive.web.wording import number_text

if TYPE_CHECKING:
    from collections.abc import Callable

ROWS: Final = 25
"""Games of a page of the form."""
MOST_CHOSEN: Final = 500
"""Games that a form names."""
MOST_OFFERED: Final = 200
"""Collections that a form offers."""


def _user(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # login_required
    return request.user


def _added_text(number: int) -> str:
    text = ngettext("%(n)s game was added.", "%(n)s games were added.", number)
    return text % {"n": number_text(number)}


@require_POST
def create(request: HttpRequest) -> HttpResponse:
    """Create a collection, or a part of one."""
    user, fields = _user(request), request.POST
    title, text = fields.get("title", ""), fields.get("description", "")
    try:
        if parent := parse_number(fields.get("parent", "")):
            made = editing.create_part(user, collection_shown(request, parent), title, text)
        else:
            space = libraries.target_space(user, fields.get("space", "mine"))
            made = editing.create(user, space, title, text)
    except (CollectionError, LibraryError) as error:
        messages.error(request, error.text)
        return redirect("collections")
    return redirect("collection-edit", made.pk)


# --- one collection ----------------------------------------------------------------------------------------


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, collection: int) -> HttpResponse:
    """Show the forms for a collection and its games; POST changes them."""
    shown = collection_shown(request, collection)
    if request.method == "POST":
        return _change(request, shown)
    if not rights.may_edit(request.user, shown):
        raise Http404
    scope, page = readable_scope(request), page_of(request)
    total = count_of(scope, shown.pk, parts=False)
    last = max(1, -(-total // ROWS))
    if page > last:
        raise Http404
    skipped = ROWS * (page - 1)
    games, _more = games_of(scope, shown.pk, 0, ROWS, skip=skipped)
    context = {
        "collection": shown,
        "cards": cards_of(request, shown.pk, games, skipped + 1, boards=False),
        "own": total,
        "parts": rows_of(request, shown.parts.order_by("place", "pk")),
        **pages_of(request, page, last),
        "visibilities": [
            (value, title)
            for value, title in Collection.Visibility.choices
            if rights.may_show(request.user, shown, value)
        ],
        "may_own": rights.may_own(request.user, shown),
        "search": _search_of(request, shown),
        "title_length": TITLE_LENGTH,
        "text_length": TEXT_LENGTH,
        "section": "collections",
    }
    return render(request, "collections/edit.html", context)


def _search_of(request: HttpRequest, shown: Collection) -> dict[str, Any] | None:
    """Return the search of a collection: its filters in words, and the address of its list."""
    if shown.search is None:
        return None
    form = GameFilterForm(QueryDict(urlencode(shown.search)), label_suffix="")
    form.is_valid()
    return {
        "chips": chips(readable_scope(request), form),
        "url": f"{reverse('games')}?{urlencode(shown.search)}",
    }


def _change(request: HttpRequest, shown: Collection) -> HttpResponse:
    user, fields = _user(request), request.POST
    deeds: dict[str, Callable[[], object]] = {
        "describe": lambda: editing.describe(
            user, shown, fields.get("title", ""), fields.get("description", "")
        ),
        "show": lambda: _show(request, user, shown, fields.get("visibility", "")),
        "delete": lambda: editing.delete(user, shown),
        "place": lambda: editing.place_part(user, shown, parse_number(fields.get("place", "")) or 1),
        "sort": lambda: _sort(user, shown, fields.get("order", "")),
        "repeat": lambda: messages.success(request, _added_text(searching.repeat(user, shown))),
        "stop": lambda: searching.keep_up(user, shown, None),
        "note": lambda: collecting.annotate(
            user, shown, _game(request), fields.get("note", ""), parse_number(fields.get("ply", "")) or 0
        ),
        "remove": lambda: collecting.remove(user, shown, [_game(request)]),
        "move": lambda: _move(request, user, shown),
    }
    action = fields.get("action", "")
    if action not in deeds:
        raise BadRequest("action")
    try:
        deeds[action]()
    except CollectionError as error:
        messages.error(request, error.text)
    except QueryError as error:
        messages.error(request, str(error.message()))
    return _after(request, shown, action)


def _after(request: HttpRequest, shown: Collection, action: str) -> HttpResponse:
    """Redirect to where the visitor sees the change."""
    gone = not Collection.objects.filter(pk=shown.pk).exists()
    if shown.parent_id and (gone or action == "place"):
        return redirect("collection-edit", shown.parent_id)
    if gone or not rights.may_edit(request.user, shown):
        return redirect("collections")
    page, game = (parse_number(request.POST.get(name, ""), 18) for name in ("page", "game"))
    query = f"?page={page}" if page and page > 1 else ""
    place = f"#game-{game}" if game and action != "remove" else ""
    return redirect(f"{reverse('collection-edit', args=[shown.pk])}{query}{place}")


def _game(request: HttpRequest) -> int:
    game = parse_number(request.POST.get("game", ""), 18)
    if game is None:
        raise BadRequest("game")
    return game


def _show(request: HttpRequest, user: User, shown: Collection, visibility: str) -> None:
    if visibility not in Collection.Visibility.values:
        raise BadRequest("visibility")
    if key := editing.show(user, shown, visibility):
        address = public_address(request.build_absolute_uri(reverse("shared", args=[key])))
        messages.success(request, address, extra_tags="collection-link")


def _sort(user: User, shown: Collection, order: str) -> None:
    orders: dict[str, collecting.Order] = {"oldest": "oldest", "newest": "newest", "added": "added"}
    if order not in orders:
        raise BadRequest("order")
    collecting.sort(user, shown, orders[order])


def _move(request: HttpRequest, user: User, shown: Collection) -> None:
    """Move a game to a number among the games that the visitor sees, from 1."""
    game, scope = _game(request), readable_scope(request)
    here = neighbours(scope, shown.pk, game)
    if here is None:
        raise CollectionError("not-collected", game=game)
    number = min(parse_number(request.POST.get("number", "")) or 1, here.total)
    if number in (0, 1):
        collecting.move(user, shown, game, None)
        return
    # Without the game itself, those behind it move up.
    skipped = number - 1 if here.number < number else number - 2
    before, _more = games_of(scope, shown.pk, 0, 1, skip=skipped)
    collecting.move(user, shown, game, before[0].row.id if before else None)


# --- adding ------------------------------------------------------------------------------------------------


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def add(request: HttpRequest) -> HttpResponse:
    """Ask to which collection games are added: chosen ones, or those of a search; POST adds them."""
    user = _user(request)
    games, search = _chosen(request.POST or request.GET)
    form = GameFilterForm(QueryDict(search), label_suffix="") if search is not None else None
    if form is not None and not form.is_valid():
        raise BadRequest("search")
    if request.method == "POST":
        return _add(request, user, games, form)
    context = {
        "games": games,
        "search": search,
        "event": (form.cleaned_data.get("event") or "")[:TITLE_LENGTH] if form else "",
        "chips": chips(readable_scope(request), form) if form else [],
        "collections": _editable(request),
        "targets": editable_libraries(request),
        "title_length": TITLE_LENGTH,
        "section": "collections",
    }
    return render(request, "collections/add.html", context)


def _chosen(fields: QueryDict) -> tuple[list[int], str | None]:
    """Return the chosen games and the text of the search in a form; the latter is None for games. Raises
    BadRequest."""
    search = fields.get("search")
    numbers = fields.getlist("game")[: MOST_CHOSEN + 1]
    games = [number for text in numbers if (number := parse_number(text, 18)) is not None]
    if len(games) != len(numbers) or len(games) > MOST_CHOSEN:
        raise BadRequest("game")
    return games, None if games else search or ""


def _editable(request: HttpRequest) -> list[tuple[int, str, str]]:
    """Return id, title and library of the collections that the visitor may change; parts follow theirs."""
    spaces = Membership.objects.filter(user=request.user.pk).values("space")
    mine = Collection.objects.filter(space__in=spaces).select_related("parent")
    rows = sorted(
        mine.order_by("-changed")[:MOST_OFFERED], key=lambda one: (one.parent_id or one.pk, one.place)
    )
    names = libraries.space_names({one.space_id for one in rows})
    read_private(request)
    return [
        (one.pk, f"{one.parent.title} › {one.title}" if one.parent else one.title, names[one.space_id])
        for one in rows
    ]


def _add(request: HttpRequest, user: User, games: list[int], form: GameFilterForm | None) -> HttpResponse:
    try:
        collection = _target(request, user)
        added = _add_to(request, user, collection, games, form)
    except (CollectionError, LibraryError) as error:
        messages.error(request, error.text)
        return redirect("collections")
    except QueryError as error:
        messages.error(request, str(error.message()))
        return redirect("collections")
    messages.success(request, _added_text(added))
    return redirect("collection", collection.pk)


def _target(request: HttpRequest, user: User) -> Collection:
    if pk := parse_number(request.POST.get("collection", ""), 18):
        return collection_shown(request, pk)
    space = libraries.target_space(user, request.POST.get("space", "mine"))
    return editing.create(user, space, request.POST.get("title", ""))


def _add_to(
    request: HttpRequest, user: User, collection: Collection, games: list[int], form: GameFilterForm | None
) -> int:
    if form is None:
        return collecting.add(user, readable_scope(request), collection, games)
    if request.POST.get("keep"):
        return searching.keep_up(user, collection, stored_parameters(form.cleaned_data))
    return collecting.add_search(user, _scope_of_search(request), collection, game_filters(form.cleaned_data))


def _scope_of_search(request: HttpRequest) -> Scope:
    """Return the scope in which a search was made, or all that the visitor may read."""
    names = QueryDict(request.POST.get("search", "")).get(CHOSEN)
    return scope_by_names(names, selectable_spaces(request)) if names else readable_scope(request)
