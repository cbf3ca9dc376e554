"""The main pages: home, the list of games, a game, a position."""

from collections.abc import Iterable, Mapping
from typing import Any, Final, get_args
from urllib.parse import urlencode

from django.conf import settings
from django.core.exceptions import BadRequest
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponsePermanentRedirect,
    HttpResponseRedirect,
)
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.html import escape
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from archive.caching.entity_tags import tagged
from archive.caching.responses import PART
from archive.caching.values import cached_until_commit, one_snapshot
from archive.curation.batches import may_batch
from archive.curation.policy import may_propose
from archive.export.engine_files import TRAINING
from archive.http.errors import invalid_code
from archive.http.limits.text_limits import check_search_text, limited_reading
from archive.project.garbage_collection import gc_paused
from archive.queries.games.facets import SAMPLE, facets
from archive.queries.games.filters import GameFilters, game_filters, position_filters
from archive.queries.games.game_addresses import game_at
from archive.queries.games.keyset import InvalidCursorError, KeysetPage, Order, Sorting
from archive.queries.games.listing import GameRow, find_games, latest_games
from archive.queries.games.statistics import counts
from archive.queries.games.taken_down import game_called, game_shown
from archive.queries.games.totals import Total, total
from archive.queries.names.own_names import own_key
from archive.queries.patterns.formation_counts import opening_of
from archive.queries.positions import position_lookup
from archive.queries.positions.explorer import explore
from archive.queries.positions.position_games import games_through
from archive.queries.positions.trend import trend
from archive.queries.scope import Scope, has_read_private, scope_of
from archive.queries.search import suggestions
from archive.queries.search.box import filters_of_words, is_phrase, is_query
from archive.queries.search.errors import QueryError
from archive.queries.search.suggestions import is_short, similar_names
from archive.web.addresses import address_with
from archive.web.collections.links import (
    collecting_links,
    guess_context,
    place_in_collection,
    selecting_boxes,
)
from archive.web.forms import ALL_KINDS, GameFilterForm, PositionFilterForm
from archive.web.game_registry import PAGES
from archive.web.lists.browsing import years_plot
from archive.web.lists.excerpt_lines import excerpts_of
from archive.web.lists.filtering import (
    BOOK_TITLES,
    downloads_of_list,
    engine_inputs,
    feed_of_list,
    image_query,
    list_address,
    name_suggestions,
    other_parameters,
    query_of,
    unfiltered_total,
    values_in_use,
)
from archive.web.lists.game_search import by_moves, chips, error_parts, facets_of
from archive.web.lists.in_text import in_text
from archive.web.pages.analysis_queue import may_request, may_request_lists
from archive.web.pages.library_pages import library_of
from archive.web.pages.position_notes import form_context, notes_context
from archive.web.pages.training import game_departures, position_context
from archive.web.pages.way_back import way_back
from archive.web.replay.game_page import CODE, game_context, ply_of
from archive.web.replay.lines import line_to, read_line, read_squares, usual_start
from archive.web.replay.record import node_key
from archive.web.replay.verdict_lines import linked_thoughts, thoughts_at
from archive.web.shogi.editing import refusal
from archive.web.shogi.patterns import places_in_list
from archive.web.wording import FOLLOWING, ORDERS, RECORDS, words_of
from kifu_core.classes import PUBLIC, Match
from kifu_core.errors import DecodeError, KifuError
from kifu_core.games import GAMES, SHOGI
from kifu_core.shogi.keys import shogi64
from kifu_core.shogi.position import Position

_EMPTY: Final = SafeString("")
PAGE: Final = 50
MATCHES: Final[tuple[Match, ...]] = get_args(Match)
SIZES: Final = {"small": (320, 440), "medium": (440, 680), "large": (900, 620)}
"""Width and height of a frame on another site."""
_EMBED_SIZES: Final = [
    (name, f"{width}x{height}", f"{width} × {height}") for name, (width, height) in SIZES.items()
]
_YEAR: Final = 365 * 24 * 60 * 60
_HOME_GAMES: Final = 10
_HOME_MOVES: Final = 6
_PART_MOVES: Final = 12


@one_snapshot()
def home(request: HttpRequest) -> HttpResponse:
    """Show the home page: numbers of records, the newest games, moves from the usual start."""
    scope = scope_of(request)
    start = Position.initial()
    code = shogi64.encode(start)
    record_counts = counts(scope)
    numbers = dict(record_counts.kinds)
    newest, explorer = cached_until_commit(
        f"home {scope}",
        lambda: (
            latest_games(scope, GameFilters(), _HOME_GAMES),
            explore(scope, "shogi", code),
        ),
    )
    context = {
        "counts": record_counts,
        "plus": "" if record_counts.exact else "+",
        # An inexact number may be older than the explorer's total.
        "games": max(numbers.pop("game", 0), explorer.total),
        "others": [(kind, RECORDS[kind], n) for kind, n in numbers.items()],
        "newest": newest,
        "position": start,
        "code": code,
        "explorer": explorer,
        "move_limit": _HOME_MOVES,
    }
    return render(request, "archive/home.html", context)


@one_snapshot()
def games(request: HttpRequest) -> HttpResponse:
    """Show the list of games.

    Text in the search box that is no query of the search language redirects: a position or an address of a
    game to its page, other words to the list with filters.
    """
    scope = scope_of(request)
    if (words := request.GET.get("q", "").strip()) and (response := _redirect_of(request, scope, words)):
        return response
    form = GameFilterForm(request.GET, label_suffix="")
    if not form.is_valid():
        return _invalid_form(request, form)
    try:
        return _games(request, scope, form)
    except QueryError as error:
        form.add_error("q", error.message())
        return _invalid_form(request, form, 422)


def _redirect_of(request: HttpRequest, scope: Scope, words: str) -> HttpResponse | None:
    """Return the response to text in the search box; None for a query, which the list itself answers."""
    try:
        check_search_text(words)
        if addressed := game_at(scope, words, request.get_host()):
            address = reverse("game", args=[addressed.id])
            return redirect(f"{address}?{addressed.query}" if addressed.query else address)
        with limited_reading():
            located = position_lookup.position_of_words(words)
    except KifuError as error:
        return refusal(request, words, error)
    if located:
        code = located.game.codec.encode(located.position)
        return redirect("position", located.game.name, located.game.codec.path_code(code))
    if is_query(words) or is_phrase(scope, words):
        return None
    return redirect(list_address(filters_of_words(scope, words)))


def _invalid_form(request: HttpRequest, form: GameFilterForm, status: int = 400) -> HttpResponse:
    """Show the filters with their errors, and the position of an error in a query."""
    context = {"form": form, "section": "games", "wrong": error_parts(request.GET.get("q", ""))}
    return render(request, "archive/games.html", context, status=status)


def _games(request: HttpRequest, scope: Scope, form: GameFilterForm) -> HttpResponse:
    """Show the list of games for a valid form. Raises QueryError for a slow query."""
    filters, order = game_filters(form.cleaned_data), form.sorting()
    try:
        page = find_games(scope, filters, order, request.GET.get("cursor"), PAGE)
    except InvalidCursorError as error:
        raise BadRequest("cursor") from error
    places, queries = places_in_list(scope, filters.q, page.items)
    excerpts = excerpts_of(scope, filters.q, page.items)
    facet_counts = facets(scope, filters)
    single_page, short = "cursor" not in request.GET and page.next is None, is_short(page)
    no_games = single_page and not page.items
    collecting = collecting_links(request)
    boxes = selecting_boxes(page.items) if collecting.get("selecting") else {}
    context = {
        "form": form,
        "page": page,
        "chips": chips(scope, form),
        "collecting": collecting,
        "below": {
            pk: places.get(pk, _EMPTY) + excerpts.get(pk, _EMPTY) + boxes.get(pk, _EMPTY)
            for pk in (*places, *excerpts, *boxes)
        },
        "queries": queries,
        "facets": facets_of(form, facet_counts),
        "counted": SAMPLE if facet_counts.sampled else 0,
        "matching": facet_counts.games,
        "not_games_alone": any(kind != "game" for kind, _n in facet_counts.kinds),
        "total": Total(len(page.items)) if single_page else total(scope, filters, facet_counts, _least(page)),
        "sorting": sorting(request, order, form.orders()),
        "downloads": [(str(text), href) for text, href in downloads_of_list(request, form)],
        "engine_inputs": engine_inputs(request, form),
        "training_formats": TRAINING,
        "book_formats": BOOK_TITLES.items(),
        "similar": similar_names(scope, form.cleaned_data, apart=not page.items) if short else [],
        "mistyped": mistyped(scope, form) if no_games else [],
        "in_text": in_text(request, scope, form, len(page.items)) if single_page and short else None,
        "elsewhere": elsewhere(form) if no_games else [],
        "by_moves": by_moves(form),
        **next_link(request, page, order),
        "feed": feed_of_list(request),
        "edits": may_batch(request.user, PUBLIC),
        "analyses": may_request_lists(request),
        "beyond": _beyond(request, scope, form, page),
        "section": "games",
    }
    return render(request, "archive/games.html", context)


def _beyond(request: HttpRequest, scope: Scope, form: GameFilterForm, page: KeysetPage[GameRow]) -> str:
    """Return the address of the list with records of every kind; empty if it would have no others, or if the
    form selects a kind."""
    data = form.cleaned_data
    if not form.usual_kind or data["record_kind"] != form.usual_kind:
        return ""
    if page.items:
        others = any(n for kind, n in counts(scope).kinds if kind != data["record_kind"])
    else:
        others = bool(find_games(scope, game_filters({**data, "record_kind": ""}), limit=1).items)
    return address_with(request, record_kind=ALL_KINDS, cursor="") if others else ""


def _least(page: KeysetPage[Any]) -> int:
    """Return a lower bound of the games in a list, by one page of it."""
    return len(page.items) + (page.next is not None and not page.searching)


def sorting(request: HttpRequest, order: Sorting, orders: Iterable[Sorting]) -> list[dict[str, Any]]:
    """Return links to the orders of the list."""
    return _choices(request, "order", {name: ORDERS[name] for name in orders}, order)


def _choices(
    request: HttpRequest, name: str, texts: Mapping[Any, object], chosen: str
) -> list[dict[str, Any]]:
    """Return links to the values of a parameter, the first of which addresses leave out."""
    usual = next(iter(texts))
    return [
        {
            "text": text,
            "href": address_with(request, **{name: "" if value == usual else value, "cursor": ""}),
            "chosen": value == chosen,
        }
        for value, text in texts.items()
    ]


def mistyped(scope: Scope, form: GameFilterForm) -> list[tuple[str, str]]:
    """Return players with names similar to one that nobody has: the name, and the address of the list."""
    used = values_in_use(form)
    similar = suggestions.similar_players(scope, form.cleaned_data)
    return [(name, f"?{urlencode({**used, field: name})}") for field, name in similar]


def elsewhere(form: GameFilterForm) -> list[tuple[str, str]]:
    """Return other filters for words that are no player's name: their labels and addresses."""
    used = values_in_use(form)
    words = used.pop("player", "")
    return [
        (str(form[name].label), f"?{urlencode({**used, name: words})}")
        for name in suggestions.other_filters(form.cleaned_data)
    ]


def next_link(request: HttpRequest, page: KeysetPage[Any], order: Sorting) -> dict[str, str]:
    """Return address and text of the link to the next page; the address is empty on the last one."""
    text = _("Continue the search") if page.searching else str(FOLLOWING.get(order, _("More games")))
    return {"next": address_with(request, cursor=page.next) if page.next else "", "next_text": text}


@gc_paused()
def game(request: HttpRequest, game_id: int) -> HttpResponse:
    """Show the replay of one game. Former ids redirect permanently to the current one."""
    game = game_shown(request, game_id)
    if game is None:
        return _redirect_from_alias(request, game_id)
    context = game_context(request, game)
    moves = read_line(game.kind, context["position"], request.GET.get("try", ""))
    context["tried"] = [{"move": move.name, "text": move.text} for move in moves]
    context["marked"] = _marked_squares(request, game.kind, context["node"].key)
    context["library"] = library_of(request, game)
    context["may_analyse"] = may_request(request, game.kind, game.space)
    context["may_correct"] = not request.user.is_authenticated or may_propose(request.user, game)
    context["in_collection"] = place_in_collection(request, game_id)
    context |= guess_context(request, game) | game_departures(request, game)
    embed = reverse("embed-game", args=[game_id]) + context["here"]
    context |= share_context(request, embed, str(context["title"]), game.kind, context["path_code"])
    words = (context["event"], context["date"], str(context["result"]))
    context["og_description"] = " · ".join(filter(None, words))
    return render(request, template_of(game.kind, "game"), context)


def _marked_squares(request: HttpRequest, kind: str, shown_key: str) -> dict[str, int]:
    """Return the squares to mark, by name; none if the record has no such node and another is shown."""
    ply = ply_of(request)
    if ply is None or shown_key != node_key(request.GET.get("fork", ""), ply):
        return {}
    return read_squares(PAGES[kind].squares, request.GET.get("marked", ""))


def _redirect_from_alias(request: HttpRequest, game_id: int) -> HttpResponse:
    address = reverse("game", args=[game_called(request, game_id)])
    query = request.GET.urlencode()
    return HttpResponsePermanentRedirect(address + (f"?{query}" if query else ""))


def share_context(request: HttpRequest, embed: str, title: str, kind: str, path: str) -> dict[str, Any]:
    """Return the context for embedding a board on other sites and for previews of links.

    `path` is the code of the picture's position in addresses, empty for none.
    """
    picture = reverse("api:position-picture", args=[kind, path]) if path else ""
    return {
        "og_url": request.build_absolute_uri(),
        "og_image": request.build_absolute_uri(picture) if picture else "",
        "picture": picture,
        "picture_pattern": reverse("api:position-picture", args=[kind, CODE]),
        "embed_code": frame_code(request.build_absolute_uri(embed), title),
        "embed_sizes": _EMBED_SIZES,
    }


def frame_code(address: str, title: str) -> str:
    """Return the HTML of a frame for another site, as text: templates escape it again."""
    width, height = SIZES["medium"]
    source, name = escape(address), escape(title)
    return f'<iframe src="{source}" width="{width}" height="{height}" title="{name}" loading="lazy"></iframe>'


@one_snapshot()
def position(request: HttpRequest, kind: str, code: str) -> HttpResponse:
    """Show a position: number and results of its games, the moves played from it, the games.

    For requests of scripts with the header `PART` the page has no frame.
    """
    path = code
    try:
        shown, code = parse_position(kind, path)
    except DecodeError as error:
        return invalid_code(request, kind, path, error)
    if request.GET.get("part") == "moves":
        return _moves_part(request, shown, kind, code)
    part = request.headers.get(PART) == "position"
    form = PositionFilterForm(request.GET, kind=kind, label_suffix="")
    context = _position_context(request, kind, path, shown, form) | _games_context(request, kind, code, form)
    context |= form_context(request, kind, code)
    context["layout"] = "archive/part.html" if part else "archive/base.html"
    status = 200 if form.is_valid() else 400
    response = render(request, template_of(kind, "position"), context, status=status)
    if part:  # a cache might serve it for the page
        response["Cache-Control"] = "no-store"
    return response


def _games_context(request: HttpRequest, kind: str, code: str, form: PositionFilterForm) -> dict[str, Any]:
    """Return a page of a position's games, with moves, years and opening. Raises BadRequest for a wrong
    cursor."""
    scope, match, cursor = scope_of(request), match_of(request), request.GET.get("cursor")
    others = other_parameters(request, form)
    order: Order = "oldest" if request.GET.get("order") == "oldest" else "newest"
    filters = position_filters(kind, form.cleaned_data) if form.is_valid() else None
    try:
        page = games_through(scope, kind, code, match, order, cursor=cursor, limit=PAGE, filters=filters)
    except InvalidCursorError as error:
        raise BadRequest("cursor") from error
    # Shared by all pages of the position, for any orientation and any page of its games.
    explorer, years, opening = cached_until_commit(
        f"position {scope} {kind} {code} {match} {filters} {own_key(scope, filters)}",
        lambda: (
            explore(scope, kind, code, match, filters=filters, transpositions=True),
            () if filters else trend(scope, kind, code, match).years,
            None if filters else opening_of(scope, kind, code, match),
        ),
    )
    return {
        "code": code,
        "explorer": explorer,
        "opening": opening,
        "page": page,
        "order": order,
        **next_link(request, page, order),
        "chips": chips(scope, form, others),
        "unfiltered_total": unfiltered_total(scope, explorer, bool(filters)),
        "suggestions": [] if explorer.total or not filters else name_suggestions(scope, form, others),
        "trend": years_plot(years) if len(years) > 1 else None,
    }


def _position_context(
    request: HttpRequest, kind: str, path: str, shown: Any, form: PositionFilterForm
) -> dict[str, Any]:
    """Return the part of a position's context that depends on the address alone."""
    match, others = match_of(request), other_parameters(request, form)
    flipped = request.GET.get("flip") == "1"
    order = "" if request.GET.get("order") == "oldest" else "oldest"
    walk = line_to(request, kind, shown)
    return {
        "position": shown,
        "linked_thoughts": linked_thoughts(scope_of(request), shown, walk),
        "kind": kind,
        "path_code": path,
        "words": words_of(kind, shown),
        "match": match,
        "matches": match_links(request, match),
        "images": [
            (name, image, image_query(kind, form, match, turned=turned))
            for name, image, turned in images(kind, shown, match)
        ],
        **notes_context(request, kind, _codes(kind, shown, match)),
        "feed": reverse("position-feed", args=[kind, path]) + ("" if match == "exact" else f"?match={match}"),
        "any_href": address_with(request, match="any", cursor=""),
        "order_href": address_with(request, order=order, cursor=""),
        "flipped": flipped,
        "flip_href": address_with(request, flip="" if flipped else "1"),
        "form": form,
        "others": others,
        "unfiltered": query_of(others),
        "walk": walk,
        **position_context(request, kind, shown, walk),
        "last": walk.last,
        "section": "positions",
        "legal_url_pattern": reverse("api:position-legal", args=[kind, CODE]),
        **PAGES[kind].board(shown, 0),
        **share_context(request, reverse("embed-position", args=[kind, path]), _("Position"), kind, path),
    }


@require_safe
def start_position(request: HttpRequest, kind: str = SHOGI.name) -> HttpResponse:
    """Redirect to the usual start of a game."""
    if kind not in GAMES:
        raise Http404(_("There is no game of this name here."))
    return redirect("position", kind, GAMES[kind].codec.path_code(usual_start(kind)))


def parse_position(kind: str, path: str) -> tuple[Any, str]:
    """Return the position of an address and its code. Raises Http404 for an unknown game, DecodeError for a
    wrong code."""
    if kind not in GAMES:
        raise Http404(_("There is no game of this name here."))
    code = GAMES[kind].codec.code_of_path(path)
    return GAMES[kind].codec.decode(code), code


def template_of(kind: str, page: str) -> str:
    """Return the template of a page for one kind of game."""
    return f"{kind}/{page}.html"


def _moves_part(request: HttpRequest, shown: Any, kind: str, code: str) -> HttpResponse:
    """Return only the table of moves, for the replay of a game."""
    explorer = explore(scope_of(request), kind, code, match_of(request))
    notes = notes_context(request, kind, _codes(kind, shown, match_of(request)))
    context = {"position": shown, "explorer": explorer, "moves": explorer.moves[:_PART_MOVES], **notes}
    context["thoughts"] = thoughts_at(scope_of(request), kind, shown)
    response = render(request, "archive/parts/moves_part.html", context)
    response["Cache-Control"] = "private, max-age=60"
    return response if has_read_private(request) else tagged(request, response)


def match_of(request: HttpRequest) -> Match:
    """Return the match in the address; exact for an unknown one."""
    return next((match for match in MATCHES if match == request.GET.get("match")), "exact")


def match_links(request: HttpRequest, match: Match) -> list[dict[str, Any]]:
    """Return the links of the match toggle."""
    texts = (_("Exact"), _("Mirrored"), _("Sides swapped"), _("Any of these"))
    return _choices(request, "match", dict(zip(MATCHES, texts, strict=True)), match)


def images(kind: str, position: Any, match: Match) -> list[tuple[str, str, bool]]:
    """Return name, code in addresses, and whether colours are exchanged, of the other positions of a
    match."""
    mirrored, turned = position.mirrored(), position.turned()
    variants = [
        (_("Mirrored"), mirrored, False, "mirror"),
        (_("Sides swapped"), turned, True, "color"),
        (_("Mirrored, sides swapped"), turned.mirrored(), True, ""),
    ]
    codec = GAMES[kind].codec
    codes = {codec.path_code(codec.encode(position))}
    images = []
    for name, image, exchanged, own_match in variants:
        code = codec.path_code(codec.encode(image))
        if match in (own_match, "any") and code not in codes:
            codes.add(code)
            images.append((name, code, exchanged))
    return images


def _codes(kind: str, position: Any, match: Match) -> list[str]:
    """Return the codes of a position and of the others that count as the same."""
    codec = GAMES[kind].codec
    others = (codec.code_of_path(path) for _name, path, _turned in images(kind, position, match))
    return [codec.encode(position), *others]


@require_POST
def toggle(request: HttpRequest, cookie: str, values: tuple[str, str]) -> HttpResponse:
    """Switch a cookie between two values, of which the second is the default; redirect back to the page."""
    value = values[1] if request.COOKIES.get(cookie) == values[0] else values[0]
    response = HttpResponseRedirect(way_back(request))
    response.set_cookie(cookie, value, max_age=_YEAR, samesite="Lax", secure=settings.SESSION_COOKIE_SECURE)
    return response
