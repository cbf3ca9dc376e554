"""What is wrong with an answer, whatever was asked."""

from __future__ import annotations

import json
import platform
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import NamedTuple
from urllib.parse import urlsplit

from tests.hostile.client import Answer
from tests.hostile.requests import Request
from tests.hostile.values import MARK, MARK_ATTRIBUTE, MARK_HEADER

LARGEST_PAGE = 1 << 20
"""Bytes that a page may have."""
EVERYWHERE = ("X-Request-ID", "Content-Security-Policy", "X-Content-Type-Options")
"""Headers of every answer of the application."""
MEMBERS = ("type", "title", "status", "detail", "code")
MARKUP = {"text/html", "image/svg+xml", "application/xml", "text/xml", "application/xhtml+xml"}

_NAME = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_CONTROL = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")


class Fault(NamedTuple):
    """`kind` is one of few words; `detail` says what exactly."""

    kind: str
    detail: str


def faults(request: Request, answer: Answer) -> Iterator[Fault]:
    """Everything that must not be in the answer to any request."""
    if answer.problem:
        # Who sends no HTTP may find the connection closed.
        if request.valid or "out of time" in answer.problem or "cut off" in answer.problem:
            yield Fault("no answer", answer.problem)
        return
    if answer.status >= 500:
        yield Fault("5xx", str(answer.status))
    yield from _headers(answer)
    yield from _leads_away(request, answer)
    yield from _content(answer)
    if not request.valid:
        return
    for name in EVERYWHERE:
        if not answer.header(name):
            yield Fault("missing header", name)
    if request.path.startswith("/api/") and answer.status >= 400:
        yield from _problem(request, answer)
    if request.method == "HEAD" and answer.status == 405 and "GET" in answer.header("Allow"):
        yield Fault("HEAD refused", "where GET is answered")


def _headers(answer: Answer) -> Iterator[Fault]:
    for name, value in answer.headers:
        if not _NAME.fullmatch(name) or _CONTROL.search(value):
            yield Fault("header injection", repr((name, value))[:80])
        if name.lower() == MARK_HEADER.lower().encode():
            yield Fault("header injection", repr((name, value))[:80])


def _leads_away(request: Request, answer: Answer) -> Iterator[Fault]:
    """A redirect to another site, in any spelling that browsers understand."""
    location = answer.header("Location")
    if not location:
        return
    given = [value.decode("latin-1") for name, value in request.headers if name.lower() == "host"]
    own = {host.lower() for host in given} | {""}
    understood = re.sub(r"[\t\r\n]", "", location).strip().replace("\\", "/")
    try:
        parts = urlsplit(understood)
    except ValueError:
        yield Fault("redirect elsewhere", location[:80])
        return
    if parts.netloc.lower() not in own or parts.scheme not in {"", "http", "https"}:
        yield Fault("redirect elsewhere", location[:80])


def _content(answer: Answer) -> Iterator[Fault]:
    if answer.kind not in MARKUP and not answer.kind.startswith("text/"):
        return
    text = answer.text
    if answer.kind in MARKUP:
        yield from _markup(text)
    if answer.kind == "text/html" and len(text) > LARGEST_PAGE:
        yield Fault("large page", "over 1 MiB")
    if b"Traceback (most recent call last)" in text:
        yield Fault("traceback shown", answer.kind)
    if platform.python_version().encode() in text:
        yield Fault("version shown", "of the interpreter")


def _markup(text: bytes) -> Iterator[Fault]:
    """What a visitor sent and stands in the page as it came."""
    if b"<" + MARK.encode() in text:
        yield Fault("unescaped", f"<{MARK}>")
    if MARK_ATTRIBUTE.encode() in text or b"javascript:" in text.lower():
        found = _Attributes()
        found.feed(text.decode("utf-8", "replace"))
        for name in sorted(found.wrong):
            yield Fault("unescaped", f"attribute {name}")


class _Attributes(HTMLParser):
    """Collects attributes that only a visitor can have made."""

    def __init__(self) -> None:
        super().__init__()
        self.wrong: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            script = (value or "").strip().lower().startswith("javascript:")
            if name == MARK_ATTRIBUTE or (script and name in {"href", "src", "action", "formaction"}):
                self.wrong.add(name)


def _problem(request: Request, answer: Answer) -> Iterator[Fault]:
    """An error of the API is a problem detail."""
    if answer.kind != "application/problem+json":
        yield Fault("no problem details", f"{answer.status} as {answer.kind or 'nothing'}")
        return
    if request.method == "HEAD":
        return
    try:
        body = json.loads(answer.text)
    except (ValueError, RecursionError):
        yield Fault("no problem details", f"{answer.status} is no JSON")
        return
    missing = [name for name in MEMBERS if name not in body] if isinstance(body, dict) else list(MEMBERS)
    if missing:
        yield Fault("no problem details", f"{answer.status} without {', '.join(missing)}")
    elif body["status"] != answer.status:
        yield Fault("no problem details", f"{answer.status} says {body['status']}")
