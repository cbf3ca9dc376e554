"""Errors outside of views: problem details below `/api/`, pages in the site's design elsewhere.

Error pages use only cookies and the language of the request, neither session nor database, so that they
cannot fail themselves.
"""

from types import SimpleNamespace
from typing import Final

from django.db.utils import DatabaseError
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.template import loader
from django.utils import translation
from django.utils.translation import gettext_lazy as _

from archive.api.errors import describe, problem_response
from archive.api.problems import problem
from archive.derive.issues import language
from archive.index.availability import RETRY_SECONDS, UndecidedError
from archive.observing import logs
from archive.queries.games.taken_down import GoneError
from kifu_core.errors import DecodeError
from kifu_core.messages import message

API: Final = "/api/"
FRAMES: Final = "/embed/"
_FAULT: Final = 500
_GONE: Final = 410
_WORDS: Final = {
    400: (_("Bad request"), _("Check the address, or start from the list of games.")),
    403: (_("This is not allowed"), _("You may need to sign in first.")),
    404: (_("Page not found"), _("The address may be mistyped, or the page was deleted.")),
    405: (_("Not possible here"), _("This address does not accept this kind of request.")),
    410: (_("No longer available"), _("It was taken down.")),
    411: (_("Bad request"), _("The request does not give its length.")),
    413: (_("Too large"), _("Send it in smaller parts.")),
    422: (_("This takes too long"), _("Choose fewer with a filter or the search, then try again.")),
    429: (_("Too many requests"), _("Please wait a moment, then try again.")),
    500: (_("Something went wrong"), _("Please try again in a moment.")),
    507: (
        _("There is no room left"),
        _("The disk of the archive is full. Nothing of this was stored; please try again later."),
    ),
    503: (
        _("Part of the archive cannot be reached"),
        _("The rest works. Please try again in a moment."),
    ),
}
_NO_TOKEN: Final = _("Your browser sent no valid form token. Go back, load the page again, and repeat.")


def error_response(request: HttpRequest, status: int, code: str = "", detail: str = "") -> HttpResponse:
    """Return an error of a status: a problem detail below `/api/`, a page elsewhere. `code` and `detail` of
    the problem detail default to those of the status."""
    below_api = request.path_info.startswith(API)
    details = problem(status, code, detail)
    response = problem_response(details) if below_api else error_page(request, status)
    response.headers["Content-Length"] = str(len(response.content))
    return response


def with_body(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """Add the body of its status to an error response without one."""
    if not isinstance(response, HttpResponse) or response.status_code < 400 or response.content:
        return response
    error = error_response(request, response.status_code)
    for name, value in response.items():
        if name != "Content-Length":
            error.headers.setdefault(name, value)
    error.cookies = response.cookies
    return error


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 400, or 413 for a request that is too large."""
    details = describe(exception) or problem(400)
    return error_response(request, details.status, details.code, details.detail)


def unavailable(request: HttpRequest, exception: Exception) -> HttpResponse | None:
    """Answer 503 with `Retry-After` if the database, or a server with a part of the tables, does not answer,
    507 if a disk is full; return None for other errors."""
    known = isinstance(exception, UndecidedError | DatabaseError | OSError)
    details = describe(exception) if known else None
    if details is None:
        return None
    response = error_response(request, details.status, details.code)
    response.headers["Retry-After"] = str(RETRY_SECONDS)
    return response


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    return error_response(request, 403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 404, or 410 if it was taken down."""
    return error_response(request, 410 if isinstance(exception, GoneError) else 404)


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer 500 with the request's id, under which the log has the error."""
    return error_response(request, _FAULT)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    if request.path_info.startswith(API):
        return error_response(request, 403, "csrf", "a session needs its CSRF token for this")
    return error_page(request, 403, str(_NO_TOKEN))


def error_page(request: HttpRequest, status: int, text: str = "") -> HttpResponse:
    """Return the error page of a status, with its default text or another one.

    In frames of other sites the page lacks the site's header, except for statuses from 500 on.
    """
    framed = status < _FAULT and request.path_info.startswith(FRAMES)
    title, default = _WORDS.get(status) or _WORDS[_FAULT if status >= _FAULT else 400]
    context = {
        # Not the request itself, because its address may be invalid.
        "request": SimpleNamespace(COOKIES=request.COOKIES, GET={}),
        "title": title,
        "text": text or default,
        "request_id": logs.current_request(),
        "restores": status == _GONE and _game_to_restore(request),
    }
    template = "500.html" if status >= _FAULT else f"archive/{'embed_' if framed else ''}error.html"
    with translation.override(translation.get_language_from_request(request)):
        content = loader.get_template(template).render(context)
    response = HttpResponse(content, status=status)
    response.xframe_options_exempt = framed
    return response


def _game_to_restore(request: HttpRequest) -> int | None:
    """Return the id of the game that the page shows once a curator restores it; None for other visitors."""
    match = request.resolver_match
    if match is None or match.url_name != "game" or not request.user.has_perm("archive.delete_game"):
        return None
    return int(match.kwargs["game_id"])


def invalid_code(request: HttpRequest, kind: str, code: str, error: DecodeError) -> HttpResponse:
    """Answer 400 with the error in a position's code."""
    context = {
        "kind": kind,
        "code": code,
        "error": error.code,
        "text": message(error, language=language()),
        "section": "positions",
    }
    return render(request, "archive/position_invalid.html", context, status=400)
