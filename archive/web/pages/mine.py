"""My page: an account's uploads, drafts, games, collections, follows and notes, and the forms that change
follows and notes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from archive import libraries
from archive.drafts.own_drafts import own_drafts
from archive.following import follows, news, notes, own_names
from archive.following.errors import FollowError
from archive.libraries import LibraryError
from archive.models import NAMED, Collection, Follow, NameKind, Player, PositionNote, User
from archive.queries.games.filters import GameFilters, stored_parameters
from archive.queries.games.listing import latest_games
from archive.queries.paging import page_before
from archive.queries.scope import (
    CHOSEN,
    Scope,
    UnknownScopeError,
    chosen_name,
    read_private,
    readable_scope,
    readable_spaces,
    scope_by_names,
)
from archive.training import cards
from archive.web.accounts.own import own
from archive.web.collections.listing import rows_of
from archive.web.forms import ALL_KINDS, GameFilterForm, parse_number
from archive.web.lists.game_search import chips
from archive.web.pages.position_notes import NoteRow, note_rows, own_libraries
from archive.web.pages.training import upload_departures
from archive.web.pages.uploading import latest_uploads
from archive.web.pages.views import parse_position
from archive.web.pages.way_back import way_back
from kifu_core.classes import PUBLIC
from kifu_core.errors import DecodeError
from kifu_core.games import GAMES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

LATEST: Final = 5
"""Uploads, drafts, games and collections on the page; each section links to all of them."""
NOTES: Final = 30
"""Notes of one page."""


@dataclass(frozen=True, slots=True)
class FollowRow:
    """A follow in words, with its address, and its new games, if they could be counted."""

    follow: Follow
    text: str
    href: str
    news: news.News | None
    code: str
    """The code of a position in addresses."""


@own("GET", "HEAD")
def mine(request: HttpRequest, user: User) -> HttpResponse:
    """Show what is the account's own, with the new games of what it follows."""
    read_private(request)
    private = [space for space in readable_spaces(request).values() if space != PUBLIC]
    written, older = notes_before(request, user)
    uploads = latest_uploads(request, LATEST)
    context = {
        "uploads": uploads,
        "due": cards.counts(user).due,
        "departures": upload_departures(request, [row["upload"].pk for row in uploads]),
        "drafts": own_drafts(user)[:LATEST],
        "libraries": own_libraries(request),
        "games": latest_games(Scope(tuple(private)), GameFilters(), LATEST) if private else (),
        "collections": rows_of(request, own_collections(private)),
        "searches": follow_rows(request, user, searches=True),
        "follows": follow_rows(request, user, searches=False),
        "names": own_names.shown_names(readable_scope(request), user),
        "notes": written,
        "older": older,
        "section": "mine",
    }
    return render(request, "archive/mine.html", context)


def own_collections(private: Iterable[int]) -> Iterable[Collection]:
    """Return the collections of some libraries that changed last."""
    return Collection.objects.filter(space__in=private, parent=None).order_by("-changed", "-pk")[:LATEST]


def follow_rows(request: HttpRequest, user: User, *, searches: bool) -> list[FollowRow]:
    """Return the saved searches of an account, or the names and positions that it follows."""
    shown = follows.own_follows(user)
    of_kind = shown.filter if searches else shown.exclude
    found, readable = list(of_kind(kind=Follow.Kind.SEARCH)), readable_spaces(request)
    new = news.news_of(found, readable)
    return [follow_row(one, readable, new.get(one.pk)) for one in found]


def follow_row(follow: Follow, readable: Mapping[str, int], new: news.News | None) -> FollowRow:
    """Return a follow in words. A name that may no longer be read is not shown."""
    scope = news.scope_of_follow(follow, readable)
    if follow.kind == Follow.Kind.SEARCH:
        text = follow.title or search_text(scope or Scope((PUBLIC,)), follow)
        return FollowRow(follow, text, address_of_search(follow), new, "")
    if follow.kind == Follow.Kind.POSITION:
        code = GAMES[follow.game].codec.path_code(follow.code)
        return FollowRow(
            follow, follow.title or _("Position"), reverse("position", args=[follow.game, code]), new, code
        )
    row = news.name_of(follow, scope) if scope else None
    if row is None:
        return FollowRow(follow, _("no longer here"), "", None, "")
    return FollowRow(follow, row.name, reverse(str(follow.kind), args=[row.pk]), new, "")


def search_text(scope: Scope, follow: Follow) -> str:
    """Return a saved search in words."""
    form = GameFilterForm(QueryDict(urlencode(follow.search or {})), label_suffix="")
    form.is_valid()
    return " · ".join(f"{chip.label}: {chip.text}" for chip in chips(scope, form)) or _("All games")


def address_of_search(follow: Follow) -> str:
    """Return the address of the list of a saved search."""
    parameters = {"record_kind": ALL_KINDS, **(follow.search or {}), CHOSEN: follow.scope}
    return f"{reverse('games')}?{urlencode(parameters)}"


# --- follows -----------------------------------------------------------------------------------------------


@own("POST")
def follow(request: HttpRequest, user: User) -> HttpResponse:
    """Follow a name or a position, or save a search."""
    try:
        _follow(request, user)
    except FollowError as error:
        messages.error(request, error.text)
    else:
        messages.success(request, _("You find it on your page, with new games."))
    return redirect(way_back(request))


def _follow(request: HttpRequest, user: User) -> None:
    fields = request.POST
    kind, title = fields.get("kind", ""), fields.get("title", "")
    if kind == Follow.Kind.SEARCH:
        follows.save_search(user, _search(fields.get("search", "")), title, _scope_name(request))
    elif kind == Follow.Kind.POSITION:
        follows.follow_position(user, *_position(fields), title)
    elif (named := next((one for one in NAMED if one == kind), None)) is not None:
        follows.follow_name(user, named, _readable_name(request, named))
    else:
        raise BadRequest("kind")


def _search(text: str) -> dict[str, Any]:
    """Return the stored parameters of the list with these parameters. Raises BadRequest."""
    form = GameFilterForm(QueryDict(text), label_suffix="")
    if not form.is_valid():
        raise BadRequest("search")
    return stored_parameters(form.cleaned_data)


def _scope_name(request: HttpRequest) -> str:
    """Return the names of the spaces of a saved search: those of its list. Raises UnknownScopeError."""
    name = request.POST.get(CHOSEN) or chosen_name(request)
    try:
        scope_by_names(name, readable_spaces(request))
    except UnknownScopeError:
        if request.POST.get(CHOSEN):
            raise
        return "all"
    return name


def _position(fields: QueryDict) -> tuple[str, str]:
    """Return the kind of game of a position and its code. Raises BadRequest, Http404 for an unknown game."""
    kind = fields.get("game", "")
    try:
        _shown, code = parse_position(kind, fields.get("code", ""))
    except DecodeError as error:
        raise BadRequest("code") from error
    return kind, code


def _readable_name(request: HttpRequest, kind: NameKind) -> int:
    """Return the id of the name in a form. Raises Http404 if it cannot be read."""
    pk = parse_number(request.POST.get("target", ""), 18) or 0
    row = NAMED[kind]._default_manager.filter(pk=pk, space__in=readable_scope(request).spaces).first()
    if row is None:
        raise Http404
    return row.home_id or row.pk


@own("POST")
def change_follow(request: HttpRequest, user: User, follow_id: int) -> HttpResponse:
    """Open the new games of a follow, which then count as seen, or end it."""
    found = get_object_or_404(Follow, pk=follow_id, user=user)
    if request.POST.get("action") == "remove":
        follows.unfollow(user, found.pk)
        return redirect(way_back(request))
    games = news.open_news(found, readable_spaces(request))
    if not games:
        return redirect("mine")
    parameters = {"ids": ",".join(map(str, games)), "record_kind": ALL_KINDS, CHOSEN: "all"}
    return redirect(f"{reverse('games')}?{urlencode(parameters, safe=',')}")


@own("POST")
def add_name(request: HttpRequest, user: User) -> HttpResponse:
    """Note that the account's owner is a player."""
    player = get_object_or_404(Player, pk=_readable_name(request, "player"))
    try:
        own_names.add_own_name(user, player, request.POST.get("site", ""))
    except FollowError as error:
        messages.error(request, error.text)
    return redirect(way_back(request))


@own("POST")
def remove_name(request: HttpRequest, user: User, own_name_id: int) -> HttpResponse:
    """Remove one of the account owner's names."""
    if not own_names.remove_own_name(user, own_name_id):
        raise Http404
    return redirect(way_back(request))


# --- notes -------------------------------------------------------------------------------------------------


@own("POST")
def write_note(request: HttpRequest, user: User) -> HttpResponse:
    """Write a note on a position; a note without text is a bookmark."""
    kind, code = _position(request.POST)
    try:
        space = libraries.target_space(user, request.POST.get("space", "mine"))
        notes.write_note(user, space, kind, code, request.POST.get("text", ""))
    except (FollowError, LibraryError) as error:
        messages.error(request, error.text)
    return redirect(way_back(request))


@own("POST")
def change_note(request: HttpRequest, user: User, note_id: int) -> HttpResponse:
    """Change the text of a note, or remove it."""
    try:
        if request.POST.get("action") == "remove":
            done = notes.remove_note(user, note_id)
        else:
            done = notes.change_note(user, note_id, request.POST.get("text", "")) is not None
    except FollowError as error:
        messages.error(request, error.text)
        return redirect(way_back(request))
    if not done:
        raise Http404
    return redirect(way_back(request))


def notes_before(request: HttpRequest, user: User) -> tuple[list[NoteRow], int | None]:
    """Return a page of the account's notes, the latest first, and the number in the address of the next
    page."""
    before = parse_number(request.GET.get("before", ""), 18)
    written = PositionNote.objects.filter(author=user).select_related("author")
    page, following = page_before(written, before or None, NOTES)
    return note_rows(request, page), following
