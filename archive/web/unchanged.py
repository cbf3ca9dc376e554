"""Pages that need not be made: those that a visitor has (304), and those that were drawn a moment ago.

Both are known by what a page is made of: all that was found for it in the database, and all that it has of
its visitor: language, address, colours, pieces, the part that is asked for. So nothing has to be forgotten
when something changes: what has changed is another page. Who is signed in or has a message waiting gets a
page of their own, made anew every time and kept by nobody.

The tokens of forms are masked anew with every page, kept ones too. A page's tag goes with the token's secret;
an answer that gives a visitor a new one has no tag.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Final

from django.contrib.messages import get_messages
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.utils.cache import patch_vary_headers
from django.utils.translation import get_language

from archive.entity_tags import ALWAYS_ASK, is_known, not_modified, of_parts

PART: Final = "X-Part"
"""The header that asks for a part of a page: the address is the page's, and so are its links."""
KEPT_BYTES: Final = 16 * 1024 * 1024
"""What the pages that a process keeps may take together: some three hundred."""

_HEADERS: Final = (PART, "HX-Request")
_COOKIES: Final = ("theme", "pieces")
_VARY: Final = ("Accept-Language", "Accept-Encoding", "Cookie", PART)
_TOKEN: Final = re.compile(rb'(?<=<input type="hidden" name="csrfmiddlewaretoken" value=")\w{64}(?=">)')
"""Texts of others are escaped, so that none of them can look like this."""


def conditional(
    request: HttpRequest, make: Callable[[], HttpResponse], *parts: object, forms: bool = True
) -> HttpResponse:
    """What `make` answers, with its tag; 304 where who asks has that page already, and the page as it was
    where it was made before, both without calling it.

    `parts` are all that the page is made of beside the request, as values whose `repr` says all of them;
    `forms` tells that the page has forms with tokens.
    """
    name = _name(request, parts)
    tag = _tag(request, name, forms) if name else ""
    if tag and is_known(request, tag):
        response = not_modified(tag)
    else:
        response = _answer(request, make, name)
        if tag and response.status_code == 200:
            response.headers["ETag"] = tag
    response.headers.setdefault("Cache-Control", ALWAYS_ASK)
    patch_vary_headers(response, _VARY)
    return response


def _name(request: HttpRequest, parts: tuple[object, ...]) -> str:
    """What tells a page that strangers see from all others; empty for a page of one visitor's own."""
    if request.user.is_authenticated or len(get_messages(request)):
        return ""
    visitor = (
        get_language(),
        request.build_absolute_uri(),
        [request.COOKIES.get(name) for name in _COOKIES],
        [request.headers.get(name) for name in _HEADERS],
    )
    return of_parts(visitor, parts)


def _tag(request: HttpRequest, name: str, forms: bool) -> str:
    """The tag of a page; empty where its forms get a token that this visitor did not have."""
    if not forms:
        return name
    token = request.META.get("CSRF_COOKIE")
    return of_parts(name, token) if token and not request.META.get("CSRF_COOKIE_NEEDS_UPDATE") else ""


# --- pages that were made --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Drawn:
    """A page: what stands around the tokens of its forms, and its headers."""

    pieces: tuple[bytes, ...]
    headers: dict[str, str]

    @property
    def size(self) -> int:
        return sum(map(len, self.pieces))

    def answer(self, request: HttpRequest) -> HttpResponse:
        """The page for a visitor, with tokens of their own."""
        token = get_token(request).encode() if len(self.pieces) > 1 else b""
        return HttpResponse(token.join(self.pieces), headers=self.headers)


class DrawnPages:
    """The pages that this process has made last, by their names; at most so many bytes of them."""

    def __init__(self, most: int = KEPT_BYTES) -> None:
        self.most = most
        self.size = 0
        self.pages: OrderedDict[str, Drawn] = OrderedDict()
        self.lock = Lock()

    def get(self, name: str) -> Drawn | None:
        with self.lock:
            if name in self.pages:
                self.pages.move_to_end(name)
            return self.pages.get(name)

    def keep(self, name: str, page: Drawn) -> None:
        """Keep a page; those that nobody has asked for the longest go."""
        with self.lock:
            if name in self.pages or page.size > self.most // 10:
                return
            self.pages[name] = page
            self.size += page.size
            while self.size > self.most:
                self.size -= self.pages.popitem(last=False)[1].size

    def clear(self) -> None:
        with self.lock:
            self.pages.clear()
            self.size = 0


drawn: Final = DrawnPages()


def _answer(request: HttpRequest, make: Callable[[], HttpResponse], name: str) -> HttpResponse:
    """A page that is kept, or a new one, which is kept if it is one that others may see."""
    page = drawn.get(name) if name else None
    if page is not None:
        return page.answer(request)
    response = make()
    if name and response.status_code == 200 and not response.cookies:
        drawn.keep(name, Drawn(tuple(_TOKEN.split(response.content)), dict(response.headers.items())))
    return response
