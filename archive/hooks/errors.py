"""Errors of hooks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from django.utils import translation
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

TEXTS: Final[dict[str, Promise]] = {
    "hook-address": _("This is not the address of a web server, such as https://example.com/games."),
    "hook-http": _("Webhooks go to addresses with https:// only."),
    "hook-port": _("A hook goes to port 443, 80, or one from 1024 on."),
    "hook-user": _("The address of a hook has neither name nor password in it: check the signature instead."),
    "hook-unknown-host": _("No host of this name was found in time."),
    "hook-private-host": _("This host is in a private network, to which this archive sends nothing."),
    "too-many-hooks": _("An account cannot have more webhooks: remove one first."),
    "hooks-off": _("This archive has no hooks."),
    "unknown-hook-scope": _("You cannot read there."),
}
"""By stable code."""


class HookError(Exception):
    """A hook cannot be made, or nothing can be sent to it. `code` is one of `TEXTS`; `possible` are valid
    values."""

    def __init__(self, code: str, possible: Iterable[str] = ()) -> None:
        super().__init__(code)
        self.code = code
        self.possible = tuple(possible)

    @property
    def text(self) -> str:
        """Return the text in the language of the page."""
        text = str(TEXTS[self.code])
        return f"{text} ({', '.join(self.possible)})" if self.possible else text

    @property
    def english(self) -> str:
        """Return the text for developers."""
        with translation.override("en"):
            return self.text

    @property
    def field(self) -> str:
        """Return the name of the wrong field; empty if no field is."""
        if self.code.startswith("hook-"):
            return "target_url"
        return "scope" if self.code == "unknown-hook-scope" else ""
