"""Webhooks and their deliveries."""

from datetime import datetime
from typing import Annotated

from msgspec import UNSET

from archive.hooks.errors import TEXTS
from archive.models import Hook
from archive.shapes.common import About, Address, JSONObject, Number, Omittable

_FAILURES = [*TEXTS, "connection", "timeout", "tls", "redirect", "answer", "nothing-left"]


class DeliveryInfo(JSONObject):
    """A request with games that was sent, or will be sent."""

    id: Annotated[str, About(format="uuid")]
    made: datetime
    games: Annotated[int, About("How many.", minimum=0, maximum=100)]
    test: bool
    tries: Number
    next_try: Annotated[datetime | None, About("Null if there will be no further try.")]
    last_try: datetime | None
    status: Annotated[int | None, About("The status of the last answer.")]
    error: Annotated[
        str,
        About("The last error; empty without one, or if only the status is wrong.", enum=["", *_FAILURES]),
    ]


class HookInfo(JSONObject):
    """A webhook; `secret` is shown once, when it is made."""

    id: Number
    url: Address
    target_url: Address
    query: Annotated[str, About("In the search language; empty for all games.")]
    scope: Annotated[str, About("Names of spaces, separated by commas.")]
    made: datetime
    disabled: Annotated[str, About("Why it is switched off; empty if it is on.", enum=["", *Hook.Off.values])]
    failing_since: datetime | None
    deliveries: Annotated[list[DeliveryInfo], About("The last 20, the newest first.")]
    secret: Omittable[Annotated[str, About("The secret with which deliveries are signed.")]] = UNSET


class Hooks(JSONObject):
    """The webhooks of an account."""

    results: list[HookInfo]
