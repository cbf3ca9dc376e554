"""Entity tags: what has not changed is not sent again, and where that can be known early, not made again.

A tag stands for everything that an answer depends on. Answers of the API are named by their body (`of_body`);
pages, whose forms have tokens that are masked anew each time, by what they are made of (`of_parts`,
`archive.caching.pages`). Tags are weak: compressed or not, it is the same answer.
"""

import hashlib
from functools import cache
from pathlib import Path
from typing import Final

import django
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.utils.cache import patch_vary_headers
from django.utils.http import parse_etags

_HERE: Final = Path(__file__).resolve().parents[1]
_PROGRAM: Final = ("*.py", "*.html", "*.mo")
_LENGTH: Final = 16
_KEPT: Final = ("Cache-Control", "Content-Location", "Vary")
"""Headers that are told again with 304 (RFC 9110, 15.4.5)."""

ALWAYS_ASK: Final = "private, no-cache"
"""Kept by whoever asked, and not shown again without asking whether it is still so."""

NOBODY: Final = "private, no-store"
"""Kept by nobody at all."""


def of_body(response: HttpResponse) -> str:
    """Return the tag of a finished answer that depends on nothing but what it says."""
    return _tag(response.headers.get("Content-Type", "").encode(), response.content)


def of_parts(*parts: object) -> str:
    """Return the tag of what is made of these parts by this program. They are told apart by their `repr`: a
    part that has none of its own is never the same again."""
    return _tag(program(), repr(parts).encode("utf-8", "surrogatepass"))


def _tag(*pieces: bytes) -> str:
    digest = hashlib.blake2b(digest_size=_LENGTH, key=_key())
    for piece in pieces:
        digest.update(len(piece).to_bytes(8, "big") + piece)
    return f'W/"{digest.hexdigest()}"'


@cache
def _key() -> bytes:
    """Return the key of all tags, without which they tell nothing of the visitors' cookies in them."""
    return hashlib.sha256(f"tags {settings.SECRET_KEY}".encode()).digest()


@cache
def program() -> bytes:
    """Hash what this program is: its code, its templates, its texts and its settings. Read once a process."""
    digest = hashlib.blake2b(django.get_version().encode(), digest_size=_LENGTH)
    for folder in (_HERE, _HERE.parent / "kifu_core"):
        for path in sorted(path for pattern in _PROGRAM for path in folder.rglob(pattern)):
            digest.update(f"{path.relative_to(folder.parent)}\0".encode() + path.read_bytes())
    values = ((name, getattr(settings, name)) for name in sorted(dir(settings)) if name.isupper())
    # Others may be told apart by where they lie in memory: every process would have tags of its own.
    plain = [(name, value) for name, value in values if isinstance(value, str | int | list | None)]
    digest.update(repr(plain).encode())
    return digest.digest()


def is_known(request: HttpRequest, tag: str) -> bool:
    """Return whether who asks has the answer of this tag already, by the weak comparison of RFC 9110."""
    if request.method not in ("GET", "HEAD"):
        return False
    asked = parse_etags(request.META.get("HTTP_IF_NONE_MATCH", ""))
    return asked == ["*"] or tag.removeprefix("W/") in [one.removeprefix("W/") for one in asked]


def not_modified(tag: str, headers: dict[str, str] | None = None) -> HttpResponse:
    """Answer 304, with those of the headers of the answer that belong to it."""
    kept = {name: value for name, value in (headers or {}).items() if name in _KEPT}
    return HttpResponseNotModified(headers=kept | {"ETag": tag})


def tagged(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Return a finished answer with the tag of its body, or 304 where who asks has it already."""
    plain = response.status_code == 200 and not response.streaming and not response.cookies
    if request.method not in ("GET", "HEAD") or not plain or "ETag" in response.headers:
        return response
    response.headers.setdefault("Cache-Control", ALWAYS_ASK)
    patch_vary_headers(response, ("Accept-Language", "Accept-Encoding"))
    tag = response.headers["ETag"] = of_body(response)
    return not_modified(tag, dict(response.headers.items())) if is_known(request, tag) else response
