"""The pages that are read: home, the list of games, a game, a position."""

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
from archive.http.errors import invalid_code
from archive.http.limits.text_limits import check_text, limited_reading
from archive.project.garbage_collection import uncollected
from archive.queries.games.facets import SAMPLE, facets
from archive.queries.games.filters import GameFilters, game_filters, position_filters
from archive.queries.games.game_addresses import game_at
from archive.queries.games.keyset import InvalidCursorError, KeysetPage, Order, Sorting
from archive.queries.games.listing import GameRow, find_games, latest_games
from archive.queries.games.statistics import counts
from archive.queries.games.taken_down import game_called, game_shown
from archive.queries.games.totals import Total, total
from archive.queries.patterns.formation_counts import opening_of
from archive.queries.positions import position_lookup
from archive.queries.positions.explorer import explore
from archive.queries.positions.position_games import games_through
from archive.queries.positions.trend import trend
from archive.queries.scope import Scope, has_read_private, scope_of
from archive.queries.search import suggestions as offers
from archive.queries.search.box import filters_of_words, is_phrase, is_query
from archive.queries.search.errors import QueryError
from archive.queries.search.suggestions import is_short, similar_names
from archive.web.forms import ALL_KINDS, GameFilterForm, PositionFilterForm
from archive.web.game_registry import PAGES
from archive.web.lists.browsing import years_plot
from archive.web.lists.excerpt_lines import excerpts_of
from archive.web.lists.filtering import (
    downloads_of_list,
    feed_of_list,
    image_query,
    in_use,
    kept,
    list_address,
    query_of,
    reached_anyway,
    suggestions,
)
from archive.web.lists.game_search import by_moves, chips, facets_of, wrong_place
from archive.web.lists.in_text import in_text
from archive.web.pages.library_pages import library_of
from archive.web.pages.way_back import way_back
from archive.web.replay.game_page import CODE, game_context, look_up
from archive.web.replay.lines import read_line, read_squares, usual_start, walk_to
from archive.web.replay.record import node_key
from archive.web.shogi.editing import refused
from archive.web.shogi.patterns import places_in_list
from archive.web.wording import FOLLOWING, ORDERS, RECORDS, words_of
from kifu_core.classes import Match
from kifu_core.errors import DecodeError, KifuError
from kifu_core.games import GAMES, SHOGI
from kifu_core.shogi.keys import shogi64
from kifu_core.shogi.position import Position

_NOTHING: Final = SafeString("")
PAGE: Final = 50
MATCHES: Final[tuple[Match, ...]] = get_args(Match)
SIZES: Final = {"small": (320, 440), "medium": (440, 680), "large": (900, 620)}
"""Width and height of a frame on another site."""
_OFFERED: Final = [
    (name, f"{width}x{height}", f"{width} × {height}") for name, (width, height) in SIZES.items()
]
_YEAR: Final = 365 * 24 * 60 * 60
_HOME_GAMES: Final = 10
_HOME_MOVES: Final = 6
_PART_MOVES: Final = 12


@one_snapshot()
def home(request: HttpRequest) -> HttpResponse:
    """Show what the archive is, in one look."""
    scope = scope_of(request)
    start = Position.initial()
    code = shogi64.encode(start)
    found = counts(scope)
    numbers = dict(found.kinds)
    newest, explorer = cached_until_commit(
        f"home {scope}",
        lambda: (
            latest_games(scope, GameFilters(), _HOME_GAMES),
            explore(scope, "shogi", code),
        ),
    )
    context = {
        "counts": found,
        "plus": "" if found.exact else "+",
        # Where the number is not exact, the table beside it is newer.
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
    """Show the list of games, or go where the search box leads.

    A position or an address pasted into the search box leads to its page, other words to filters; a query of
    the search language is the list's own.
    """
    scope = scope_of(request)
    if (words := request.GET.get("q", "").strip()) and (leading := _leading(request, scope, words)):
        return leading
    form = GameFilterForm(request.GET, label_suffix="")
    if not form.is_valid():
        return _wrong_form(request, form)
    try:
        return _games(request, scope, form)
    except QueryError as error:
        form.add_error("q", error.message())
        return _wrong_form(request, form, 422)


def _leading(request: HttpRequest, scope: Scope, words: str) -> HttpResponse | None:
    """Return where the words of the search box lead; None for a query."""
    try:
        check_text(words, settings.ARCHIVE_MAX_FIND_BYTES)
        if own := game_at(scope, words, request.get_host()):
            address = reverse("game", args=[own.id])
            return redirect(f"{address}?{own.query}" if own.query else address)
        with limited_reading():
            meant = position_lookup.position_of_words(words)
    except KifuError as error:
        return refused(request, words, error)
    if meant:
        code = meant.game.codec.encode(meant.position)
        return redirect("position", meant.game.name, meant.game.codec.path_code(code))
    if is_query(words) or is_phrase(scope, words):
        return None
    return redirect(list_address(filters_of_words(scope, words)))


def _wrong_form(request: HttpRequest, form: GameFilterForm, status: int = 400) -> HttpResponse:
    """Show the filters with what is wrong with them, and where a query is."""
    context = {"form": form, "section": "games", "wrong": wrong_place(request.GET.get("q", ""))}
    return render(request, "archive/games.html", context, status=status)


def _games(request: HttpRequest, scope: Scope, form: GameFilterForm) -> HttpResponse:
    """Show the list of games that a valid form asks for. Raises QueryError for a query that is slow."""
    filters, order = game_filters(form.cleaned_data), form.sorting()
    try:
        page = find_games(scope, filters, order, request.GET.get("cursor"), PAGE)
    except InvalidCursorError as error:
        raise BadRequest("cursor") from error
    places, queries = places_in_list(scope, filters.q, page.items)
    excerpts = excerpts_of(scope, filters.q, page.items)
    found = facets(scope, filters)
    following, short = "cursor" in request.GET or page.next is not None, is_short(page)
    context = {
        "form": form,
        "page": page,
        "chips": chips(scope, form),
        "below": {pk: places.get(pk, _NOTHING) + excerpts.get(pk, _NOTHING) for pk in (*places, *excerpts)},
        "queries": queries,
        "facets": facets_of(form, found),
        "counted": SAMPLE if found.sampled else 0,
        "matching": found.games,
        "not_games_alone": any(kind != "game" for kind, _n in found.kinds),
        "total": total(scope, filters, found, _least(page)) if following else Total(len(page.items)),
        "sorting": sorting(request, order),
        "downloads": [(str(text), href) for text, href in downloads_of_list(request, form)],
        "similar": similar_names(scope, form.cleaned_data, apart=not page.items) if short else [],
        "mistyped": [] if page.items or following else mistyped(scope, form),
        "in_text": None
        if following or not is_short(page)
        else in_text(request, scope, form, len(page.items)),
        "elsewhere": [] if page.items or following else elsewhere(form),
        "by_moves": by_moves(form),
        "next": next_page(request, page.next),
        "feed": feed_of_list(request),
        "beyond": _beyond(request, scope, form, page),
        "next_text": next_text(page, order),
        "section": "games",
    }
    return render(request, "archive/games.html", context)


def _beyond(request: HttpRequest, scope: Scope, form: GameFilterForm, page: KeysetPage[GameRow]) -> str:
    """Return the address of the list with records of every kind; empty where it has games alone as well, or
    was asked for a kind."""
    asked = form.cleaned_data
    if not form.usual_kind or asked["record_kind"] != form.usual_kind:
        return ""
    if page.items:
        others = any(n for kind, n in counts(scope).kinds if kind != asked["record_kind"])
    else:
        others = bool(find_games(scope, game_filters({**asked, "record_kind": ""}), limit=1).items)
    return address_with(request, record_kind=ALL_KINDS, cursor="") if others else ""


def _least(page: KeysetPage[Any]) -> int:
    """Return how many games a list has at least, as a page of it tells."""
    return len(page.items) + (page.next is not None and not page.searching)


def sorting(request: HttpRequest, order: Sorting) -> list[dict[str, Any]]:
    """Return the orders of the list: what each is called, its address, whether it is the chosen one."""
    return [
        {
            "text": text,
            "href": address_with(request, order="" if name == "newest" else name, cursor=""),
            "chosen": name == order,
        }
        for name, text in ORDERS.items()
    ]


def mistyped(scope: Scope, form: GameFilterForm) -> list[tuple[str, str]]:
    """Return players likely meant by a name that nobody here has: the name, and the list with it."""
    also = in_use(form)
    found = offers.similar_players(scope, form.cleaned_data)
    return [(name, f"?{urlencode({**also, asked: name})}") for asked, name in found]


def elsewhere(form: GameFilterForm) -> list[tuple[str, str]]:
    """Return other places to look for words that are no player's name: their titles and addresses."""
    used = in_use(form)
    words = used.pop("player", "")
    return [
        (str(form[name].label), f"?{urlencode({**used, name: words})}")
        for name in offers.other_filters(form.cleaned_data)
    ]


def next_text(page: KeysetPage[Any], order: Sorting) -> str:
    """Return what the link to the next page says."""
    return _("Continue the search") if page.searching else str(FOLLOWING.get(order, _("More games")))


def next_page(request: HttpRequest, cursor: str | None) -> str:
    """Return the address of the next page; empty on the last."""
    if cursor is None:
        return ""
    query = request.GET.copy()
    query["cursor"] = cursor
    return f"?{query.urlencode()}"


@uncollected()
def game(request: HttpRequest, game_id: int) -> HttpResponse:
    """Show the replay of one game. Former ids lead to the present one for good."""
    found = game_shown(request, game_id)
    if found is None:
        return _alias(request, game_id)
    known = look_up(request, found)

    flipped = request.GET.get("flip") == "1"
    path, first = request.GET.get("fork", ""), asked_choice(request)
    context = game_context(known, path, asked_ply(request), flipped, first_choice=first)
    context["tried"] = [
        {"move": played.name, "text": played.text}
        for played in read_line(found.kind, context["position"], request.GET.get("try", ""))
    ]
    context |= _marked(request, found.kind, context)
    context["library"] = library_of(request, found)
    context |= share_context(
        request,
        reverse("embed-game", args=[game_id]) + context["here"],
        str(context["title"]),
        found.kind,
        context["path_code"],
    )
    words = (context["event"], context["date"], str(context["result"]))
    context["og_description"] = " · ".join(word for word in words if word)
    return render(request, template_of(found.kind, "game"), context)


def _marked(request: HttpRequest, kind: str, context: dict[str, Any]) -> dict[str, Any]:
    """Return the squares that are marked where the address leads, by name; none where the game goes not so
    far."""
    node, asked = context["node"], (request.GET.get("fork", ""), asked_ply(request))
    found = read_squares(PAGES[kind].squares, request.GET.get("marked", ""))
    there = asked[1] is not None and node.key == node_key(asked[0], asked[1])
    return {"marked": found if there else {}}


def _alias(request: HttpRequest, game_id: int) -> HttpResponse:
    address = reverse("game", args=[game_called(request, game_id)])
    query = request.GET.urlencode()
    return HttpResponsePermanentRedirect(address + (f"?{query}" if query else ""))


def asked_ply(request: HttpRequest) -> int | None:
    """Return the ply that the address names; None where it names none."""
    return _ply(request.GET["ply"]) if "ply" in request.GET else None


def asked_choice(request: HttpRequest) -> int:
    """Return the number of the first of a node's continuations that the address asks for."""
    return _ply(request.GET.get("from", ""))


def share_context(request: HttpRequest, embed: str, title: str, kind: str, path: str) -> dict[str, Any]:
    """Return what the copyable code for other sites and their previews of links are made of.

    `path` is the picture's position as addresses have it, empty for none.
    """
    picture = reverse("api:position-picture", args=[kind, path]) if path else ""
    return {
        "og_url": request.build_absolute_uri(),
        "og_image": request.build_absolute_uri(picture) if picture else "",
        "picture": picture,
        "picture_pattern": reverse("api:position-picture", args=[kind, CODE]),
        "embed_code": frame_code(request.build_absolute_uri(embed), title),
        "embed_sizes": _OFFERED,
    }


def frame_code(address: str, title: str) -> str:
    """Return HTML that shows a page on another site, as text to be read: pages escape it once more."""
    width, height = SIZES["medium"]
    source, name = escape(address), escape(title)
    return f'<iframe src="{source}" width="{width}" height="{height}" title="{name}" loading="lazy"></iframe>'


def _ply(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 7 else 0


@one_snapshot()
def position(request: HttpRequest, kind: str, code: str) -> HttpResponse:
    """Show a position: how many games reach it, how they ended, what was played, the games.

    The page's scripts ask with the header `PART` for what changes from one position to the next.
    """
    path = code
    try:
        shown, code = decoded(kind, path)
    except DecodeError as error:
        return invalid_code(request, kind, path, error)
    match = match_asked(request.GET.get("match", ""))
    part = request.headers.get(PART) == "position"
    if request.GET.get("part") == "moves":
        return _moves_part(request, shown, kind, code, match)
    form = PositionFilterForm(request.GET, kind=kind, label_suffix="")
    order: Order = "oldest" if request.GET.get("order") == "oldest" else "newest"
    others = kept(request, form)
    found = _found_of_position(request, kind, code, match, order, form, others)

    context = _position_context(request, kind, path, shown, match, form, others) | found
    context |= {
        "code": code,
        "order": order,
        "next": next_page(request, found["page"].next),
        "next_text": next_text(found["page"], order),
        "layout": "archive/part.html" if part else "archive/base.html",
    }
    status = 200 if form.is_valid() else 400
    response = render(request, template_of(kind, "position"), context, status=status)
    return _as_part(response) if part else response


def _found_of_position(
    request: HttpRequest,
    kind: str,
    code: str,
    match: Match,
    order: Order,
    form: PositionFilterForm,
    others: dict[str, str],
) -> dict[str, Any]:
    """Return what the archive has about a position: a page of its games, moves, years, the opening.

    `others` is what the address asks for besides the form's filters. Raises BadRequest for a wrong cursor.
    """
    scope = scope_of(request)
    filters = position_filters(kind, form.cleaned_data) if form.is_valid() else None
    cursor = request.GET.get("cursor")
    try:
        page = games_through(scope, kind, code, match, order, cursor=cursor, limit=PAGE, filters=filters)
    except InvalidCursorError as error:
        raise BadRequest("cursor") from error
    # All pages of a position share these, however it is shown and whichever games are listed.
    explorer, years, opening = cached_until_commit(
        f"position {scope} {kind} {code} {match} {filters}",
        lambda: (
            explore(scope, kind, code, match, filters=filters, transpositions=True),
            () if filters else trend(scope, kind, code, match).years,
            None if filters else opening_of(scope, kind, code, match),
        ),
    )
    return {
        "explorer": explorer,
        "opening": opening,
        "page": page,
        "chips": chips(scope, form, others),
        "anyway": reached_anyway(scope, explorer, bool(filters)),
        "suggestions": [] if explorer.total or not filters else suggestions(scope, form, others),
        "trend": years_plot(years) if len(years) > 1 else None,
    }


def _position_context(
    request: HttpRequest,
    kind: str,
    path: str,
    shown: Any,
    match: Match,
    form: PositionFilterForm,
    others: dict[str, str],
) -> dict[str, Any]:
    """Return what a position's page has of its address alone."""
    flipped = request.GET.get("flip") == "1"
    order = "" if request.GET.get("order") == "oldest" else "oldest"
    return {
        "position": shown,
        "kind": kind,
        "words": words_of(kind, shown),
        "match": match,
        "matches": match_links(request, match),
        "images": [
            (name, image, image_query(kind, form, match, turned=turned))
            for name, image, turned in images(kind, shown, match)
        ],
        "feed": reverse("position-feed", args=[kind, path]) + ("" if match == "exact" else f"?match={match}"),
        "any_href": address_with(request, match="any", cursor=""),
        "order_href": address_with(request, order=order, cursor=""),
        "flipped": flipped,
        "flip_href": address_with(request, flip="" if flipped else "1"),
        "form": form,
        "kept": others,
        "unfiltered": query_of(others),
        "walk": (walk := walk_to(request, kind, shown)),
        "last": walk.last,
        "section": "positions",
        "legal_url_pattern": reverse("api:position-legal", args=[kind, CODE]),
        **PAGES[kind].board(shown, 0),
        **share_context(request, reverse("embed-position", args=[kind, path]), _("Position"), kind, path),
    }


def _as_part(response: HttpResponse) -> HttpResponse:
    """Forbid caches to keep a part of a page, which they might show for the page."""
    response["Cache-Control"] = "no-store"
    return response


@require_safe
def positions(request: HttpRequest) -> HttpResponse:
    """Lead to the usual start of shogi."""
    return start_position(request, SHOGI.name)


@require_safe
def start_position(request: HttpRequest, kind: str) -> HttpResponse:
    """Lead to the usual start of a game."""
    if kind not in GAMES:
        raise Http404(_("There is no game of this name here."))
    return redirect("position", kind, GAMES[kind].codec.path_code(usual_start(kind)))


def decoded(kind: str, path: str) -> tuple[Any, str]:
    """Return the position of an address and its code.

    Raise Http404 for an unknown game, DecodeError for a wrong code.
    """
    if kind not in GAMES:
        raise Http404(_("There is no game of this name here."))
    code = GAMES[kind].codec.code_of_path(path)
    return GAMES[kind].codec.decode(code), code


def template_of(kind: str, page: str) -> str:
    """Return the name of the template of a page about one kind of game."""
    return f"{kind}/{page}.html"


def _moves_part(request: HttpRequest, shown: Any, kind: str, code: str, match: Match) -> HttpResponse:
    """Show only the table of moves, for the replay of a game."""
    found = explore(scope_of(request), kind, code, match)
    context = {"position": shown, "explorer": found, "moves": found.moves[:_PART_MOVES]}
    response = render(request, "archive/parts/moves_part.html", context)
    response["Cache-Control"] = "private, max-age=60"
    return response if has_read_private(request) else tagged(request, response)


def address_with(request: HttpRequest, **changes: str) -> str:
    """Return the address of the same page with other parameters; an empty one is left out."""
    query = request.GET.copy()
    for name, value in changes.items():
        query.pop(name, None)
        if value:
            query[name] = value
    return f"?{query.urlencode()}" if query else "."


def match_asked(text: str) -> Match:
    """Return the match that an address asks for; exact for anything unknown."""
    return next((match for match in MATCHES if match == text), "exact")


def match_links(request: HttpRequest, chosen: str) -> list[dict[str, Any]]:
    """Return the links of the match toggle: words, address, and whether it is the chosen one."""
    words = (_("Exact"), _("Mirrored"), _("Sides swapped"), _("Any of these"))
    return [
        {
            "text": text,
            "href": address_with(request, match="" if name == "exact" else name, cursor=""),
            "chosen": name == chosen,
        }
        for name, text in zip(MATCHES, words, strict=True)
    ]


def images(kind: str, position: Any, match: Match) -> list[tuple[str, str, bool]]:
    """Return the other positions that a match counts too.

    Each comes with its name, its code in addresses, and whether its colours are exchanged.
    """
    mirrored, turned = position.mirrored(), position.turned()
    found = {
        "mirror": [(_("Mirrored"), mirrored, False)],
        "color": [(_("Sides swapped"), turned, True)],
        "any": [
            (_("Mirrored"), mirrored, False),
            (_("Sides swapped"), turned, True),
            (_("Mirrored, sides swapped"), turned.mirrored(), True),
        ],
    }.get(match, [])
    game = GAMES[kind]
    codes = {
        game.codec.path_code(game.codec.encode(image)): (name, exchanged)
        for name, image, exchanged in reversed(found)
    }
    codes.pop(game.codec.path_code(game.codec.encode(position)), None)
    return [(name, code, exchanged) for code, (name, exchanged) in reversed(codes.items())]


@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    """Switch between light and dark, for browsers without JavaScript."""
    return _remember(request, "theme", "light" if request.COOKIES.get("theme") == "dark" else "dark")


@require_POST
def pieces(request: HttpRequest) -> HttpResponse:
    """Switch between kanji and letters on the pieces."""
    return _remember(request, "pieces", "kanji" if request.COOKIES.get("pieces") == "letters" else "letters")


def _remember(request: HttpRequest, name: str, chosen: str) -> HttpResponse:
    """Lead back to where one was, with a cookie for a year."""
    response = HttpResponseRedirect(way_back(request))
    response.set_cookie(name, chosen, max_age=_YEAR, samesite="Lax", secure=settings.SESSION_COOKIE_SECURE)
    return response
