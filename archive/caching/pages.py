"""Avoid making pages again that a visitor already has (304) or that were made a moment ago.

A page is identified by its inputs: the rows read for it, and everything that depends on the visitor, such
as language, address, colours, pieces and the requested part. Nothing has to be invalidated when something
changes, because the changed page is another page. Until something is committed, nothing has to be read
either (`archive.caching.answers`). Visitors who are signed in or have a message waiting get pages of their
own, which are never cached.

The tokens of forms are masked differently on every page, even on kept ones. The tag of a page depends on the
token's secret; an answer that gives a visitor a new secret has no tag.
"""

import re
from collections.abc import Callable
from functools import wraps
from typing import Any, Final

from django.contrib.messages import get_messages
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers
from django.utils.translation import get_language

from archive.caching.answers import Answer, Question, answers
from archive.caching.entity_tags import ALWAYS_ASK, is_known, not_modified, of_parts
from archive.http.limits.throttling import costs_nothing
from archive.queries.scope import is_stranger
from archive.queries.site_texts import written

PART: Final = "X-Part"
"""The header that asks for a part of a page: the address is the page's, and so are its links."""

_COOKIES: Final = ("theme", "pieces")
_VARY: Final = ("Accept-Language", "Accept-Encoding", "Cookie", PART)
_TOKEN: Final = re.compile(rb'<input type="hidden" name="csrfmiddlewaretoken" value="(\w{64})">')
"""Texts of others are escaped, so that none of them can look like this."""

_QUESTION: Final = "archive.question"


def remembered(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Wrap a view so that strangers are answered from memory until the archive changes.

    The view says with `conditional` what its answer is made of. Of a stranger's request it may read only what
    `_visitor` names.
    """

    @wraps(view)
    def answered(request: HttpRequest, *args: Any, **parts: Any) -> HttpResponse:
        question = request.META[_QUESTION] = Question.of(_visitor(request))
        name, page = question.known()
        if page is None:
            return view(request, *args, **parts)
        tag = _tag(request, name, page.forms)
        if tag and is_known(request, tag):
            costs_nothing(request)
            return _finished(not_modified(tag), "")
        return _finished(page.response(request), tag)

    return answered


def conditional(
    request: HttpRequest, make: Callable[[], HttpResponse], *parts: object, forms: bool = True
) -> HttpResponse:
    """Return what `make` returns, with its tag, in a view that is `remembered`.

    If the visitor has the page already, answer 304; if it was made before, answer with it again; both without
    calling `make`.

    `parts` are everything that the page is made of besides the request and the links in its foot, as values
    whose `repr` is complete. `forms` says that the page has forms with tokens.
    """
    question: Question = request.META[_QUESTION]
    name = of_parts(question.said, parts, written()) if question.said else ""
    if name:
        question.note(name)
    tag = _tag(request, name, forms) if name else ""
    if tag and is_known(request, tag):
        return _finished(not_modified(tag), "")
    return _finished(_answer(request, make, name, forms), tag)


def _finished(response: HttpResponse, tag: str) -> HttpResponse:
    if tag and response.status_code == 200:
        response.headers["ETag"] = tag
    response.headers.setdefault("Cache-Control", ALWAYS_ASK)
    patch_vary_headers(response, _VARY)
    return response


def _visitor(request: HttpRequest) -> str:
    """Return what distinguishes a stranger's page from all others; empty for a page of one visitor's own."""
    if not is_stranger(request) or len(get_messages(request)):
        return ""
    return of_parts(
        get_language(),
        request.build_absolute_uri(),
        [request.COOKIES.get(name) for name in _COOKIES],
        request.headers.get(PART),
    )


def _tag(request: HttpRequest, name: str, forms: bool) -> str:
    """Return the tag of a page; empty if its forms get a token that this visitor did not have before."""
    if not forms:
        return name
    token = request.META.get("CSRF_COOKIE")
    return of_parts(name, token) if token and not request.META.get("CSRF_COOKIE_NEEDS_UPDATE") else ""


def _around_tokens(content: bytes) -> tuple[bytes, ...]:
    """Return the pieces of a page before, between and after the tokens of its forms."""
    edges = [0, *(edge for found in _TOKEN.finditer(content) for edge in found.span(1)), len(content)]
    return tuple(content[first:last] for first, last in zip(edges[::2], edges[1::2], strict=True))


def _answer(request: HttpRequest, make: Callable[[], HttpResponse], name: str, forms: bool) -> HttpResponse:
    """Return a page that is kept, or make a new one and keep it if others may see it."""
    page = answers.get(name) if name else None
    if page is not None:
        return page.response(request)
    response = make()
    if name and response.status_code == 200 and not response.cookies:
        page = Answer(_around_tokens(response.content), dict(response.headers.items()), forms)
        answers.keep(name, page)
        return page.response(request)
    return response
