"""Webhooks, and what became of what they were sent."""

from datetime import datetime
from typing import Annotated, NotRequired, TypedDict

from archive.api.shapes.common import Address, Number
from archive.api.telling import About
from archive.hooks.errors import TEXTS
from archive.models import Hook

_FAILURES = [*TEXTS, "connection", "timeout", "tls", "redirect", "answer", "nothing-left"]


class Delivery(TypedDict):
    """Games that were sent, or are to be sent, in one request."""

    id: Annotated[str, About(format="uuid")]
    made: datetime
    games: Annotated[int, About("How many.", minimum=0, maximum=100)]
    test: bool
    tries: Number
    next_try: Annotated[datetime | None, About("Null where it is over.")]
    last_try: datetime | None
    status: Annotated[int | None, About("What was answered last.")]
    error: Annotated[
        str, About("What went wrong last; empty for nothing but the status.", enum=["", *_FAILURES])
    ]


class HookTold(TypedDict):
    """A webhook; `secret` is told once, when it is made."""

    id: Number
    url: Address
    address: Address
    query: Annotated[str, About("In the search language; empty for all games.")]
    scope: Annotated[str, About("Names of spaces, by commas.")]
    made: datetime
    disabled: Annotated[
        str, About("Why it is switched off; empty where it is on.", enum=["", *Hook.Off.values])
    ]
    failing_since: datetime | None
    deliveries: Annotated[list[Delivery], About("The last 20, the newest first.")]
    secret: NotRequired[Annotated[str, About("What signatures are made with.")]]


class Hooks(TypedDict):
    """The webhooks of an account."""

    results: list[HookTold]
