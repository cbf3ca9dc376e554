"""Entity tags: a client that has a response already gets 304 instead.

A tag is a hash of the response's body (`of_body`), or of everything that the response is made of
(`of_parts`). Tags are weak: a compressed response has the same tag as a plain one.
"""

import hashlib
from functools import cache
from pathlib import Path
from typing import Final

import django
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseNotModified
from django.utils.cache import patch_vary_headers
from django.utils.http import parse_etags

_HERE: Final = Path(__file__).resolve().parents[1]
_PROGRAM: Final = ("*.py", "*.html", "*.mo")
_LENGTH: Final = 16
_REPEATED: Final = ("Cache-Control", "Content-Location", "Vary")
"""Headers that a 304 repeats (RFC 9110, 15.4.5)."""

ALWAYS_ASK: Final = "private, no-cache"
"""The client may store the response but must revalidate it."""

NOBODY: Final = "private, no-store"
"""Nobody may store the response."""


def of_body(content_type: str, *pieces: bytes) -> str:
    """Return the tag of a response body."""
    return _tag(content_type.encode(), *pieces)


def of_parts(*parts: object) -> str:
    """Return the tag of a response that this program makes of these parts. Parts are compared by `repr`; a
    part with a default `repr` makes every tag unique."""
    return _tag(program(), repr(parts).encode("utf-8", "surrogatepass"))


def _tag(*pieces: bytes) -> str:
    digest = hashlib.blake2b(digest_size=_LENGTH, key=_key())
    for piece in pieces:
        digest.update(len(piece).to_bytes(8, "big") + piece)
    return f'W/"{digest.hexdigest()}"'


@cache
def _key() -> bytes:
    """Return the key of all hashes, so that tags reveal nothing about cookies."""
    return hashlib.sha256(f"tags {settings.SECRET_KEY}".encode()).digest()


@cache
def program() -> bytes:
    """Hash the program: its code, templates, texts and settings. Read once per process."""
    digest = hashlib.blake2b(django.get_version().encode(), digest_size=_LENGTH)
    for folder in (_HERE, _HERE.parent / "kifu_core"):
        for path in sorted(path for pattern in _PROGRAM for path in folder.rglob(pattern)):
            digest.update(f"{path.relative_to(folder.parent)}\0".encode() + path.read_bytes())
    values = ((name, getattr(settings, name)) for name in sorted(dir(settings)) if name.isupper())
    # The repr of other values may contain an address in memory, which differs between processes.
    plain = [(name, value) for name, value in values if isinstance(value, str | int | list | None)]
    digest.update(repr(plain).encode())
    return digest.digest()


def is_known(request: HttpRequest, tag: str) -> bool:
    """Return whether the client has the response with this tag, by the weak comparison of RFC 9110."""
    if request.method not in ("GET", "HEAD"):
        return False
    tags = parse_etags(request.META.get("HTTP_IF_NONE_MATCH", ""))
    return tags == ["*"] or tag.removeprefix("W/") in [one.removeprefix("W/") for one in tags]


def not_modified(tag: str, headers: dict[str, str] | None = None) -> HttpResponse:
    """Return a 304 with those headers of the response that belong to it."""
    repeated = {name: value for name, value in (headers or {}).items() if name in _REPEATED}
    return HttpResponseNotModified(headers=repeated | {"ETag": tag})


def taggable(request: HttpRequest, response: HttpResponseBase) -> bool:
    """Return whether a response can get a tag: a complete one with status 200 that sets no cookies."""
    complete = response.status_code == 200 and not response.streaming and not response.cookies
    return complete and request.method in ("GET", "HEAD") and "ETag" not in response.headers


def tagged(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Return a response with the tag of its body, or 304 if the client has it."""
    if not taggable(request, response):
        return response
    response.headers.setdefault("Cache-Control", ALWAYS_ASK)
    patch_vary_headers(response, ("Accept-Language", "Accept-Encoding"))
    tag = response.headers["ETag"] = of_body(response.headers.get("Content-Type", ""), response.content)
    return not_modified(tag, dict(response.headers.items())) if is_known(request, tag) else response
