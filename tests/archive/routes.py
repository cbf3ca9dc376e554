"""Every address of the site, from its URL configuration, with hostile values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from django.urls import URLPattern, URLResolver, get_resolver

_GROUP = re.compile(r"\(\?P<(\w+)>[^)]*\)")
_PART = re.compile(r"<(?:(\w+):)?(\w+)>")


@dataclass(frozen=True)
class Route:
    """An address with places for values: `template` has `{name}`, `parts` the kind of each."""

    template: str
    parts: dict[str, str] = field(hash=False)

    def address(self, **values: str) -> str:
        """The address with these values, already quoted."""
        return self.template.format(**values)


def routes(*, admin: bool = False) -> list[Route]:
    """All routes, with `admin` also those of the admin."""
    matches = [
        Route("/" + _PART.sub(r"{\2}", text), {name: kind or "str" for kind, name in _PART.findall(text)})
        for text in map(_plain, _walk(get_resolver().url_patterns, ""))
    ]
    return [route for route in matches if admin or not route.template.startswith("/admin/")]


def _plain(text: str) -> str:
    """Return a pattern in which groups of regular expressions are written like parts of a path."""
    return _GROUP.sub(r"<\1>", text).replace("^", "").replace("$", "")


def _walk(patterns: list[URLPattern | URLResolver], before: str) -> Iterator[str]:
    for one in patterns:
        text = before + str(one.pattern)
        if isinstance(one, URLResolver):
            yield from _walk(one.url_patterns, text)
        else:
            yield text
