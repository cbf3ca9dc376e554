"""The pages of all collections and of one collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from django.core.exceptions import BadRequest
from django.core.signing import BadSignature, Signer
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import mark_safe

from archive import libraries
from archive.caching.values import one_snapshot
from archive.collections import rights
from archive.collections.errors import TITLE_LENGTH
from archive.models import Collection, Game, GameRecord, User, codec
from archive.project.garbage_collection import gc_paused
from archive.queries.collections import (
    CollectedGame,
    collection_shown,
    count_of,
    find_collections,
    games_of,
)
from archive.queries.scope import CHOSEN, is_stranger, readable_scope, scope_of
from archive.web.addresses import address_with
from archive.web.collections.links import address_in, query_in
from archive.web.forms import parse_number
from archive.web.game_registry import PAGES
from archive.web.lists.rows import linkify, with_marks
from archive.web.pages.analysis_queue import may_request_lists
from archive.web.pages.library_pages import private_names
from archive.web.pages.training import adding_context
from archive.web.pages.views import frame_code
from archive.web.replay.embedding import theme_of
from archive.web.replay.lines import usual_start
from archive.web.templatetags.kifu import with_letters
from archive.web.wording import RESULTS_OF, played_text
from kifu_core.games import GAMES, SHOGI, of_record
from kifu_core.lines import NO_MOVE

if TYPE_CHECKING:
    from django.utils.safestring import SafeString

    from archive.queries.games.listing import GameRow
    from kifu_core.jkf import Record

PAGE: Final = 50
BOARDS: Final = 24
"""Games of a page with boards."""
PRINTED: Final = 12
"""Games of a printed page."""
ROWS: Final = 100
"""Games of a page without boards."""


@dataclass(frozen=True, slots=True)
class Card:
    """A game of a collection for the page: its number, its address, and its board, if boards are shown."""

    number: int
    game: CollectedGame
    address: str
    board: SafeString | None
    moves: SafeString | str = ""
    """The main line, for paper."""


@one_snapshot()
def collections(request: HttpRequest) -> HttpResponse:
    """List the collections of the chosen spaces, the last changed first."""
    scope = scope_of(request)
    found, more = find_collections(scope, _place(request.GET.get("cursor")), PAGE)
    last = (
        Signer(salt="collections").sign_object([found[-1].changed.isoformat(), found[-1].pk]) if more else ""
    )
    context = {
        "collections": rows_of(request, found),
        "next": f"?{urlencode({'cursor': last})}" if more else "",
        "targets": editable_libraries(request),
        "most": TITLE_LENGTH,
        "section": "collections",
    }
    return render(request, "collections/collections.html", context)


def _place(cursor: str | None) -> tuple[datetime, int] | None:
    if cursor is None:
        return None
    try:
        changed, pk = Signer(salt="collections").unsign_object(cursor)
    except BadSignature as error:
        raise BadRequest("cursor") from error
    return datetime.fromisoformat(changed), int(pk)


def rows_of(request: HttpRequest, found: Iterable[Collection]) -> list[tuple[Collection, int, str]]:
    """Return collections with their numbers of games and the names of the libraries that are not public."""
    found, scope = list(found), readable_scope(request)
    private = {one.space_id for one in found if one.visibility != Collection.Visibility.PUBLIC}
    names = private_names(request, private)
    return [
        (one, count_of(scope, one.pk), names.get(one.space_id, "") if one.space_id in private else "")
        for one in found
    ]


def editable_libraries(request: HttpRequest) -> list[tuple[str, str]]:
    """Return name in addresses and title of the libraries in which the visitor can create collections."""
    return libraries.own_targets(request.user) if isinstance(request.user, User) else []


@one_snapshot()
@gc_paused()
def collection(request: HttpRequest, collection: int) -> HttpResponse:
    """Show a collection: its description, its parts, and a page of its games with boards."""
    shown, scope = collection_shown(request, collection), readable_scope(request)
    boards = request.GET.get("view") != "list"
    size = BOARDS if boards else ROWS
    total, page = count_of(scope, shown.pk, parts=False), page_of(request)
    last = max(1, -(-total // size))
    if page > last:
        raise Http404
    games, _more = games_of(scope, shown.pk, 0, size, skip=size * (page - 1))
    start, kind = size * (page - 1) + 1, games[0].row.kind if games else SHOGI.name
    context = {
        "collection": shown,
        "library": rows_of(request, [shown])[0][2],
        "parts": rows_of(request, shown.parts.order_by("place", "pk")),
        "cards": cards_of(request, shown.pk, games, start, boards=boards),
        "boards": boards,
        "rows": [one.row for one in games],
        "queries": {one.row.id: query_in(shown.pk, one) for one in games},
        "below": {one.row.id: note_of(one) for one in games if one.note},
        "own": total,
        "total": count_of(scope, shown.pk),
        **pages_of(request, page, last),
        **links_of(request, shown, kind),
        "may_edit": rights.may_edit(request.user, shown),
        "analyses": may_request_lists(request),
        **adding_context(request),
        "may_own": shown.parent_id is None and rights.may_own(request.user, shown),
        "may_hide": hides(request, shown),
        "og_url": request.build_absolute_uri(),
        "embed_code": frame_code(
            request.build_absolute_uri(reverse("embed-collection", args=[shown.pk])), shown.title
        ),
        "section": "collections",
    }
    return render(request, "collections/collection.html", context)


def _page_of_games(
    request: HttpRequest, shown: Collection, size: int
) -> tuple[Sequence[CollectedGame], int, int]:
    """Return the games of the requested page of a collection, its number, and that of the last page. Raises
    Http404."""
    scope, page = readable_scope(request), page_of(request)
    last = max(1, -(-count_of(scope, shown.pk, parts=False) // size))
    if page > last:
        raise Http404
    return games_of(scope, shown.pk, 0, size, skip=size * (page - 1))[0], page, last


def embedded(request: HttpRequest, collection: int) -> HttpResponse:
    """Show the games of a collection without the site around them."""
    shown = collection_shown(request, collection)
    games, page, last = _page_of_games(request, shown, PAGE)
    context = {
        "collection": shown,
        "rows": [one.row for one in games],
        "queries": {one.row.id: query_in(shown.pk, one) for one in games},
        "below": {one.row.id: note_of(one) for one in games if one.note},
        "parts": rows_of(request, shown.parts.order_by("place", "pk")),
        **pages_of(request, page, last),
        "theme": theme_of(request),
    }
    return render(request, "collections/embed.html", context)


def course(request: HttpRequest, collection: int) -> HttpResponse:
    """List the games of a collection, whose moves the reader guesses one after the other."""
    shown = collection_shown(request, collection)
    games, page, last = _page_of_games(request, shown, ROWS)
    context = {
        "collection": shown,
        "rows": [one.row for one in games],
        "queries": {one.row.id: query_in(shown.pk, one, "both") for one in games},
        "below": {one.row.id: _GUESSED for one in games},
        **pages_of(request, page, last),
        "section": "collections",
    }
    return render(request, "collections/course.html", context)


_GUESSED: Final = mark_safe('<p class="excerpt guessed" hidden></p>')


@gc_paused()
def printed(request: HttpRequest, collection: int) -> HttpResponse:
    """Show a page of games for paper: diagrams, moves and notes."""
    shown, scope = collection_shown(request, collection), readable_scope(request)
    total, page = count_of(scope, shown.pk, parts=False), page_of(request)
    last = max(1, -(-total // PRINTED))
    if page > last:
        raise Http404
    first = PRINTED * (page - 1)
    games, _more = games_of(scope, shown.pk, 0, PRINTED, skip=first)
    moves = moves_of(games)
    context = {
        "collection": shown,
        "cards": [
            replace(card, moves=moves.get(card.game.row.id, ""))
            for card in cards_of(request, shown.pk, games, first + 1)
        ],
        **pages_of(request, page, last),
        "section": "collections",
    }
    return render(request, "collections/print.html", context)


def moves_of(games: Sequence[CollectedGame]) -> dict[int, SafeString]:
    """Return the main line of each game in the usual notation, with its end, by id; a problem has none, since
    its moves are the solution."""
    rows = {one.row.id: one.row for one in games if one.row.record_kind != Game.RecordKind.PROBLEM}
    return {
        pk: _main_line(codec.unpack(record), rows[pk])
        for pk, record in GameRecord.objects.filter(pk__in=rows.keys()).values_list("pk", "record")
    }


def _main_line(record: Record, row: GameRow) -> SafeString:
    game = of_record(record)
    line = game.replay.main_line(record)
    texts: list[str] = []
    last: int | None = None
    for ply, position, move, _entry in line:
        if move != NO_MOVE:
            text = played_text(game.name, position, move, game.text.move_text(position, move), last)
            texts.append(f"{ply + 1} {text}")
        last = move
    ending = PAGES[row.kind].words.endings.get(row.special, row.special)
    end = (ending, with_marks(RESULTS_OF[row.kind][row.result])) if row.special else ()
    # A line never ends within a move.
    return format_html_join(" ", "<span>{}</span>", ((text,) for text in (*texts, *end)))


def hides(request: HttpRequest, shown: Collection) -> bool:
    """Return whether the visitor may hide the collection of others from the public."""
    public = shown.visibility == Collection.Visibility.PUBLIC
    return public and rights.may_show(request.user, shown, Collection.Visibility.PRIVATE)


def page_of(request: HttpRequest) -> int:
    """Return the number of the requested page. Raises BadRequest."""
    number = parse_number(request.GET.get("page", "1"), 6)
    if not number:
        raise BadRequest("page")
    return number


def pages_of(request: HttpRequest, page: int, last: int) -> dict[str, Any]:
    """Return the links to the pages around a page."""
    return {
        "page_number": page,
        "last_page": last,
        "previous_page": address_with(request, page=str(page - 1)) if page > 1 else "",
        "next_page": address_with(request, page=str(page + 1)) if page < last else "",
    }


def links_of(request: HttpRequest, shown: Collection, kind: str) -> dict[str, Any]:
    """Return the addresses of pages about the games of a collection."""
    # Of everything that the visitor can read, whatever scope is chosen.
    scope = {} if is_stranger(request) else {CHOSEN: "all"}
    query = urlencode({"collection": shown.pk, **scope})
    start = reverse("position", args=[kind, GAMES[kind].codec.path_code(usual_start(kind))])
    export = reverse("api:games-export")
    return {
        "explorer_url": f"{start}?{query}",
        "games_url": f"{reverse('games')}?{query}",
        "feed": f"{reverse('games-feed')}?{query}",
        "export_url": f"{export}?{query}&order=collection",
        "formats": [(str(text), name) for name, text in PAGES[kind].bulk.items()]
        + [("CSV", "csv"), ("JSON", "ndjson")],
    }


def cards_of(
    request: HttpRequest, collection: int, games: Sequence[CollectedGame], start: int, *, boards: bool = True
) -> list[Card]:
    """Return the games of a collection as cards, numbered from `start`."""
    positions = boards_of(request, games) if boards else {}
    return [
        Card(number, one, address_in(collection, one), positions.get(one.row.id))
        for number, one in enumerate(games, start=start)
    ]


def note_of(game: CollectedGame) -> SafeString:
    """Return the note on a game, shown below its row."""
    return format_html('<p class="excerpt">{}</p>', linkify(game.note))


def boards_of(request: HttpRequest, games: Sequence[CollectedGame]) -> Mapping[int, SafeString]:
    """Return a small board for each game, by id: at the ply that is shown first, else at the end; a problem
    at its beginning, since its end is the solution."""
    records = dict(
        GameRecord.objects.filter(pk__in=[one.row.id for one in games]).values_list("pk", "record")
    )
    letters = with_letters({"request": request})
    return {
        one.row.id: _board(one, codec.unpack(records[one.row.id]), letters=letters)
        for one in games
        if one.row.id in records
    }


def _board(game: CollectedGame, record: Record, *, letters: bool) -> SafeString:
    kind, hidden = game.row.kind, game.row.record_kind == Game.RecordKind.PROBLEM
    ply = game.ply if game.ply or hidden else None
    position, last = position_at(kind, record, ply)
    return PAGES[kind].diagram(position, last, letters)


def position_at(kind: str, record: Record, ply: int | None) -> tuple[Any, int | None]:
    """Return the position of the main line at a ply, or at the end for None, and the packed move that led to
    it."""
    line = GAMES[kind].replay.main_line(record)
    last: int | None = None
    following: int | None = None
    for _ply, one, move, _entry in line if ply is None else islice(line, ply + 1):
        position, last, following = one, following, move
    return position, last
