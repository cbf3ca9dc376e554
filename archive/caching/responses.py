"""Send a response again until something is committed, and 304 to clients that have it already.

One query for `Engine.revision` detects commits, so no writer has to announce its changes.
The cache belongs to the process. Signed-in visitors and visitors with a waiting message get responses of
their own, which are not cached.

Every copy of a page masks the CSRF tokens of its forms anew. The tag of a page with forms depends on the
secret behind the visitor's tokens; a response that gives a visitor a new secret has no tag.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, Final, TypeVar

from django.contrib.messages import get_messages
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.middleware.csrf import get_token
from django.template.response import SimpleTemplateResponse
from django.utils.cache import patch_vary_headers
from django.utils.translation import get_language

from archive.caching import values
from archive.caching.entity_tags import (
    ALWAYS_ASK,
    is_known,
    not_modified,
    of_body,
    of_parts,
    taggable,
    tagged,
)
from archive.http.limits.throttling import mark_unchanged
from archive.index.engine import engine
from archive.queries.scope import has_read_private, is_stranger

PART: Final = "X-Part"
"""The request header for a part of a page, at the address of the page."""

LARGEST: Final = 256 * 1024
"""Bytes of the largest response that is cached: three hundred of them fit into the memory of a process."""

_COOKIES: Final = ("theme", "pieces")
_VARY: Final = ("Accept-Language", "Accept-Encoding", "Cookie", PART)
_TOKEN: Final = re.compile(rb'<input type="hidden" name="csrfmiddlewaretoken" value="(\w{64})">')
"""Texts of visitors are escaped, so none of them can look like this."""


@dataclass(frozen=True, slots=True)
class CachedResponse:
    """A response with status 200; `pieces` is its body without the CSRF tokens between them."""

    pieces: tuple[bytes, ...]
    headers: dict[str, str]
    tag: str

    @classmethod
    def of(cls, response: HttpResponse) -> "CachedResponse":
        """Return a response in a form that suits every visitor."""
        response.headers.setdefault("Cache-Control", ALWAYS_ASK)
        patch_vary_headers(response, ("Accept-Language", "Accept-Encoding"))
        body = response.content
        edges = [0, *(edge for token in _TOKEN.finditer(body) for edge in token.span(1)), len(body)]
        pieces = tuple(body[first:last] for first, last in zip(edges[::2], edges[1::2], strict=True))
        headers = dict(response.headers.items())
        return cls(pieces, headers, of_body(headers.get("Content-Type", ""), *pieces))

    def for_visitor(self, request: HttpRequest, secret: str) -> HttpResponse:
        """Return the response with tokens of the visitor's own, or 304 if the visitor has it. `secret` is
        behind the tokens that the visitor has; empty if there is none."""
        tag = self.tag if len(self.pieces) == 1 else of_parts(self.tag, secret) if secret else ""
        if tag and is_known(request, tag):
            return not_modified(tag, self.headers)
        token = get_token(request).encode() if len(self.pieces) > 1 else b""
        headers = self.headers | ({"ETag": tag} if tag else {})
        return HttpResponse(token.join(self.pieces), headers=headers)


def _csrf_secret(request: HttpRequest) -> str:
    """Return the secret that the request came with. Must be called before `get_token`, which renews it."""
    return "" if request.META.get("CSRF_COOKIE_NEEDS_UPDATE") else request.META.get("CSRF_COOKIE", "")


R = TypeVar("R", bound=HttpResponseBase)


def cached_response(request: HttpRequest, key: str, make: Callable[[], R]) -> R | HttpResponse:
    """Return the cached response of `key`, or that of `make`; 304 if the visitor has it.

    `key` names everything in the request on which the response depends. With an empty key the response gets a
    tag but is not cached. Responses with something private have no tag.
    """
    values.begin()
    revision = engine().revision() if key else None
    name, secret = of_parts(key, revision), _csrf_secret(request)
    cached: CachedResponse | None = cache.get(name) if revision is not None else None
    if cached is not None:
        again = cached.for_visitor(request, secret)
        if again.status_code == 304:
            mark_unchanged(request)
        return again

    def finish(response: HttpResponse) -> HttpResponse:
        if has_read_private(request) or not taggable(request, response):
            return response
        if not key:
            return tagged(request, response)
        cacheable = CachedResponse.of(response)
        if revision is not None and len(response.content) <= LARGEST:
            cache.set(name, cacheable, values.seconds_left())
        return cacheable.for_visitor(request, secret)

    response = make()
    if isinstance(response, SimpleTemplateResponse):
        response.add_post_render_callback(finish)
        return response
    return finish(response) if isinstance(response, HttpResponse) else response


def cached_page(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Wrap the view of a page so that strangers get cached pages.

    For a stranger the view may read only what `_page_key` names.
    """

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        def make() -> HttpResponse:
            response = view(request, *args, **kwargs)
            response.headers.setdefault("Cache-Control", ALWAYS_ASK)
            patch_vary_headers(response, _VARY)
            return response

        key = _page_key(request)
        return cached_response(request, key, make) if key else make()

    return wrapped


def _page_key(request: HttpRequest) -> str:
    """Return the cache key of a stranger's page; empty for a visitor with a page of their own."""
    if not is_stranger(request) or len(get_messages(request)):
        return ""
    return of_parts(
        get_language(),
        request.build_absolute_uri(),
        [request.COOKIES.get(name) for name in _COOKIES],
        request.headers.get(PART),
    )
