"""Feeds of new games (Atom, RFC 4287): of every list of games, and of those that reach a position."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from functools import wraps
from typing import Any, Final

from django.conf import settings
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.utils.feedgenerator import Atom1Feed
from django.utils.html import escape
from django.utils.http import http_date, parse_http_date_safe
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from archive.accounts import tokens
from archive.caching.entity_tags import not_modified
from archive.http.errors import error_page as error_page
from archive.http.limits.signing_in import count_failure
from archive.queries.games.arrivals import arrived_at, moved_last
from archive.queries.games.filters import GameFilters, filters_of, game_filters
from archive.queries.games.keyset import InvalidCursorError
from archive.queries.games.listing import GameRow, find_games, games_among
from archive.queries.scope import scope_of
from archive.queries.search.errors import QueryError
from archive.queries.search.printing import text_of
from archive.queries.search.terms import ReachesPosition
from archive.web.forms import GameFilterForm
from archive.web.lists.game_search import chips
from archive.web.lists.rows import game_address
from archive.web.pages.views import match_of, parse_position
from archive.web.wording import RESULTS_OF, day_text, nameless, opening_text, plies_text
from kifu_core.errors import DecodeError
from kifu_core.games import GAMES

MOST: Final = 50
"""Games of one page of a feed."""
UNKNOWN: Final = datetime(1970, 1, 1, tzinfo=UTC)
"""The time of games whose arrival is unknown, and of feeds without games."""

_FORBIDDEN: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML document may contain (XML 1.0, 2.2)."""
_NO_FILTERS: Final = {filter_.name for filter_ in filters_of("positions")}

View = Callable[..., HttpResponse]


class GamesFeed(Atom1Feed):
    """An Atom feed with the time of its last change and a link to its next page (RFC 5005)."""

    content_type = "application/atom+xml; charset=utf-8"

    def latest_post_date(self) -> datetime:
        last: datetime = self.feed["last"]
        return last

    def add_root_elements(self, handler: Any) -> None:
        super().add_root_elements(handler)
        if self.feed["following"]:
            handler.addQuickElement("link", "", {"rel": "next", "href": self.feed["following"]})


def feed_of(view: View) -> View:
    """Decorate a view of a feed: a token gives access as its account; errors are pages."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **parts: Any) -> HttpResponse:
        if (refused := _authenticate(request)) is not None:
            return refused
        try:
            response = view(request, *args, **parts)
        except QueryError as error:
            return error_page(request, 422, str(error.message()))
        patch_vary_headers(response, ("Authorization",))
        return _conditional(request, response)

    return wrapped


def _authenticate(request: HttpRequest) -> HttpResponse | None:
    """Set the user of a request with a token. Return a 401 for a wrong token, and for a missing one if the
    archive requires a login."""
    scheme, _blank, key = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        token = tokens.find(key.strip())
        if token is not None:
            request.user = token.user
            return None
        count_failure(request)
    elif request.user.is_authenticated or not settings.ARCHIVE_LOGIN_REQUIRED:
        return None
    response = error_page(request, 401, _("This feed needs a valid token."))
    response.headers["WWW-Authenticate"] = 'Bearer realm="kifu-archive"'
    return response


def _conditional(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Return 304 for an If-Modified-Since that is not older than the response, unless the request has
    If-None-Match (RFC 9110, 13.1.3)."""
    header = request.headers.get("If-Modified-Since")
    last = response.headers.get("Last-Modified")
    if not header or not last or response.status_code != 200 or "If-None-Match" in request.headers:
        return response
    since, changed = parse_http_date_safe(header), parse_http_date_safe(last)
    if since is None or changed is None or changed > since:
        return response
    return not_modified(response.headers.get("ETag", ""), dict(response.headers.items()))


def games(request: HttpRequest) -> HttpResponse:
    """Return the feed of the newest games of a list."""
    form = GameFilterForm(request.GET, label_suffix="")
    if not form.is_valid():
        raise BadRequest("filters")
    filters = [f"{chip.label}: {chip.text}" for chip in chips(scope_of(request), form)]
    title = " · ".join([_("New games"), *filters])
    return _feed(request, game_filters(form.cleaned_data), title, reverse("games"), ("order",))


def position(request: HttpRequest, kind: str, code: str) -> HttpResponse:
    """Return the feed of the newest games that reach a position on their main line."""
    try:
        _position, code = parse_position(kind, code)
    except DecodeError as error:
        raise BadRequest("code") from error
    if not _NO_FILTERS.isdisjoint(request.GET):
        raise BadRequest("a feed of a position takes no filters: ask for a search with `reaches:`")
    filters = GameFilters(q=text_of(ReachesPosition(kind, code, match_of(request))))
    title = _("New games that reach a position")
    path = GAMES[kind].codec.path_code(code)
    return _feed(request, filters, title, reverse("position", args=[kind, path]))


def _feed(
    request: HttpRequest, filters: GameFilters, title: str, address: str, without: tuple[str, ...] = ()
) -> HttpResponse:
    """Return the feed of the games that pass filters. `address` is the page with the same games and
    parameters, except those in `without`. Raises QueryError."""
    scope, cursor = scope_of(request), request.GET.get("cursor")
    try:
        page = find_games(scope, filters, "added", cursor, MOST)
    except InvalidCursorError as error:
        raise BadRequest("cursor") from error
    rows = {row.id: row for row in page.items}
    if cursor is None:
        rows |= {row.id: row for row in games_among(scope, filters, moved_last(scope))}
    times = arrived_at(scope, rows)
    newest = sorted(((times.get(pk, UNKNOWN), pk) for pk in rows), reverse=True)[:MOST]
    entries = [(when, rows[pk]) for when, pk in newest]
    root = str(settings.PUBLIC_URL or request.build_absolute_uri("/")).rstrip("/")
    last = max((when for when, _row in entries), default=UNKNOWN)

    query = request.GET.copy()
    for name in ("cursor", *without):
        query.pop(name, None)
    link = _with_query(root + address, query.urlencode())
    if page.next is not None:
        query["cursor"] = page.next
    feed = GamesFeed(
        title=_clean(title),
        link=link,
        description=None,
        language=get_language(),
        feed_url=root + request.get_full_path(),
        feed_guid=root + request.get_full_path(),
        author_name=_("Kifu Archive"),
        last=last,
        following=_with_query(root + request.path, query.urlencode()) if page.next is not None else "",
    )
    return _response(feed, entries, root, last)


def _response(
    feed: GamesFeed, entries: list[tuple[datetime, GameRow]], root: str, last: datetime
) -> HttpResponse:
    for when, row in entries:
        link = root + game_address(row.id)
        feed.add_item(
            _clean(title_of(row)), link, escape(_clean(_summary(row))), updateddate=when, unique_id=link
        )
    response = HttpResponse(feed.writeString("utf-8"), content_type=feed.content_type)
    response.headers["Last-Modified"] = http_date(last.timestamp())
    return response


def _with_query(address: str, query: str) -> str:
    return f"{address}?{query}" if query else address


def _clean(text: str) -> str:
    """Remove characters that XML forbids."""
    return _FORBIDDEN.sub("", text)


def title_of(row: GameRow) -> str:
    """Return the players of a game and its event."""
    words = {"first": row.first or "–", "second": row.second or "–"}
    names = _("%(first)s vs %(second)s") % words if row.first or row.second else nameless(row.record_kind)
    event = " ".join(filter(None, (row.event, row.round)))
    return f"{names} ({event})" if event else str(names)


def _summary(row: GameRow) -> str:
    """Return the day of a game, its length, its opening and its result."""
    result = str(RESULTS_OF[row.kind][row.result]) if row.record_kind == "game" else ""
    day, opening = day_text(row.played_from, row.precision), opening_text(row.opening)
    return " · ".join(filter(None, (day, row.site, opening, plies_text(row.plies), result)))
