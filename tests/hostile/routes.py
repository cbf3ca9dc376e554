"""Every address of the archive, out of its URL configuration: what is added there is attacked by itself."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django import forms
from django.urls import URLPattern, URLResolver, get_resolver
from django.urls.resolvers import RoutePattern
from django.utils.regex_helper import normalize
from rest_framework import serializers

import archive
from archive.queries.games.filters import FILTERS

_PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")
_ASKED_FOR = re.compile(r"""(?:GET|POST|query_params|data|fields)(?:\.get(?:list)?\(|\[)["'](\w+)["']""")

OTHERS = (
    "static/%(path)s", "%(path)s", "api/%(path)s", "api/v1/%(path)s", "admin/%(path)s", "games/%(path)s",
    "robots.txt", "favicon.ico", ".well-known/security.txt", ".env", ".git/config", "static/../manage.py",
    "api", "api/v1", "api/v2/games", "admin", "games", "wp-login.php",
)  # fmt: skip
"""What the configuration does not tell: static files, and addresses that there are not."""


@dataclass(frozen=True)
class Route:
    """`template` has its parameters as `%(name)s`; `methods` are those its view is known to take."""

    template: str
    parameters: tuple[tuple[str, str], ...]
    """Names, and the classes of their converters."""
    methods: tuple[str, ...]

    @property
    def title(self) -> str:
        return "/" + re.sub(r"%\((\w+)\)s", r"{\1}", self.template)


def routes() -> list[Route]:
    """All of them, sorted."""
    found = {route.template: route for route in _of(get_resolver().url_patterns, "", {})}
    for template in OTHERS:
        names = re.findall(r"%\((\w+)\)s", template)
        found.setdefault(template, Route(template, tuple((name, "path") for name in names), ()))
    return [found[template] for template in sorted(found)]


def _of(
    patterns: Iterable[URLPattern | URLResolver], before: str, converters: dict[str, str]
) -> Iterator[Route]:
    for entry in patterns:
        known = converters | {name: type(one).__name__ for name, one in entry.pattern.converters.items()}
        for template in _templates(entry.pattern):
            if isinstance(entry, URLResolver):
                yield from _of(entry.url_patterns, before + template, known)
            else:
                names = re.findall(r"%\((\w+)\)s", before + template)
                parameters = tuple((name, known.get(name, "text")) for name in names)
                yield Route(before + template, parameters, _methods(entry.callback))


def _templates(pattern: Any) -> list[str]:
    if isinstance(pattern, RoutePattern):
        return [_PARAMETER.sub(r"%(\1)s", str(pattern).replace("%", "%%"))]
    return [template for template, _ in normalize(pattern.regex.pattern)]


def _methods(view: Any) -> tuple[str, ...]:
    shown = getattr(view, "cls", None) or getattr(view, "view_class", None)
    names = getattr(shown, "http_method_names", ())
    return tuple(sorted(name.upper() for name in names if name != "options")) if len(names) < 7 else ()


def parameter_names() -> list[str]:
    """The parameters that views know: fields of forms and serializers, and what is asked for by name."""
    found = {"from", "to", "next", "page", "language", "format", "_method", "csrfmiddlewaretoken", "action"}
    for path in Path(archive.__file__).parent.rglob("*.py"):
        found.update(_ASKED_FOR.findall(path.read_text()))
    found.update(one.name for one in FILTERS)
    kinds: tuple[type[Any], ...] = (serializers.Serializer, forms.Form)
    for kind in kinds:
        for one in _subclasses(kind):
            if one.__module__.startswith("archive."):
                found.update(getattr(one, "_declared_fields", None) or getattr(one, "base_fields", {}))
    return sorted(found)


def _subclasses(kind: type[Any]) -> Iterator[type[Any]]:
    for one in kind.__subclasses__():
        yield one
        yield from _subclasses(one)
