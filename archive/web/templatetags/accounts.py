"""Template tags of the pages of accounts."""

from __future__ import annotations

import re
from typing import Final

from django import template
from django.conf import settings
from django.template import Context
from django.utils.translation import gettext as _

from archive.web.accounts.passkeys import passkeys_of
from archive.web.accounts.relying import passkeys_work

register = template.Library()

_BROWSERS: Final = (
    ("Edg", "Edge"), ("OPR", "Opera"), ("SamsungBrowser", "Samsung Internet"), ("Firefox", "Firefox"),
    ("FxiOS", "Firefox"), ("CriOS", "Chrome"), ("Chrome", "Chrome"), ("Safari", "Safari"),
)  # fmt: skip
_SYSTEMS: Final = (
    ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("Windows", "Windows"),
    ("Mac OS", "macOS"), ("Linux", "Linux"),
)  # fmt: skip
"""Marks and names, the more specific first: user agents of the earlier also contain later marks."""


@register.simple_tag
def registration() -> str:
    """Return who may create an account: `closed`, `invitation` or `open`."""
    return str(settings.ARCHIVE_REGISTRATION)


@register.simple_tag(takes_context=True)
def passkeys_possible(context: Context) -> bool:
    """Return whether passkeys work on this page."""
    return passkeys_work(context["request"])


@register.simple_tag(takes_context=True)
def has_passkey(context: Context) -> bool:
    """Return whether the user has a passkey."""
    return bool(passkeys_of(context["user"]))


@register.filter
def browser(agent: str) -> str:
    """Return a browser and its system, by its user agent."""
    name = next((name for mark, name in _BROWSERS if f"{mark}/" in agent), "")
    system = next((name for mark, name in _SYSTEMS if mark in agent), "")
    program = name or re.split(r"[/ (]", agent, maxsplit=1)[0][:40]
    return " · ".join(filter(None, (program, system))) or _("unknown browser")
