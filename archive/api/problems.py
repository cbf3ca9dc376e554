"""Problem details as in RFC 9457. It does not use Django, since the front sends some of them, too."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from archive.observing import logs

PROBLEM: Final = "application/problem+json"
_FAULT: Final = 500

TOKEN: Final = "token"
"""The code of an `AuthenticationFailed` about a token, whose detail is kept."""

OF_STATUS: Final = {
    400: ("bad-request", "this request makes no sense"),
    401: ("not-authenticated", "sign in for this"),
    403: ("forbidden", "this is not allowed"),
    404: ("not-found", "there is nothing at this address"),
    405: ("method-not-allowed", "this address takes other methods: `Allow` lists them"),
    406: ("not-acceptable", "the address has nothing of the types in `Accept`"),
    410: ("gone", "this was taken down"),
    411: ("length-required", "a body in chunks is not read: send its Content-Length"),
    412: ("changed", "the archive has changed since: without `If-Match` the answer is what it is now"),
    413: ("too-large", "the request is too large"),
    415: ("unsupported-media-type", "a body is JSON (`application/json`) or a form here"),
    429: ("throttled", "these are too many requests: `Retry-After` tells when to go on"),
    500: ("internal-error", "this is a fault of the server: its log tells more under `request_id`"),
    503: ("unavailable", "the server cannot answer this at present"),
    507: ("disk-full", "there is no room for this on the server's disk at present: nothing of it was stored"),
}
"""Default code and detail by status."""


@dataclass(frozen=True, slots=True)
class Problem:
    """An error as it is answered."""

    status: int
    code: str
    detail: str
    errors: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def of_status(cls, status: int, code: str = "", detail: str = "") -> Problem:
        """Return the problem of a status; for empty texts it has the usual ones."""
        usual = OF_STATUS.get(status) or OF_STATUS[_FAULT if status >= _FAULT else 400]
        return cls(status, code or usual[0], detail or usual[1])

    def body(self) -> dict[str, Any]:
        """Return the members of the problem detail."""
        members = {
            "type": f"urn:kifu-archive:error:{self.code}",
            "title": self.code.replace("-", " "),
            "status": self.status,
            "detail": self.detail,
            "code": self.code,
            "errors": self.errors,
        }
        return members | ({"request_id": logs.current_request()} if self.status >= _FAULT else {})
