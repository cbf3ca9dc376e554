"""Problem details (RFC 9457), also for errors outside of views and for requests that the front server
refuses."""

from __future__ import annotations

from typing import Annotated, Any, Final

from msgspec import UNSET

from archive.observing import logs
from archive.shapes.common import About, JSONObject, Omittable

PROBLEM: Final = "application/problem+json"
_FAULT: Final = 500

TOKEN: Final = "token"
"""The code of an `AuthenticationFailed` about a token; its detail is sent as it is."""

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


class Problem(JSONObject):
    """What went wrong (RFC 9457). `code` is stable; `detail` is for developers and always English."""

    type: Annotated[str, About("`urn:kifu-archive:error:` and the code.")]
    title: str
    status: Annotated[int, About(minimum=400, maximum=599)]
    detail: str
    code: Annotated[
        str, About("The answers of each operation list the codes that they may have in `x-codes`.")
    ]
    errors: Annotated[
        list[dict[str, Any]],
        About("`field` and `detail` of each wrong parameter, or findings as `IssueInfo` has them."),
    ]
    request_id: Omittable[
        Annotated[str, About("For a fault of the server: the id of the request in its log.")]
    ] = UNSET


def problem(
    status: int, code: str = "", detail: str = "", errors: list[dict[str, Any]] | None = None
) -> Problem:
    """Return the problem of a status, with the default code and detail of the status where these are
    empty."""
    default_code, default_detail = OF_STATUS.get(status) or OF_STATUS[_FAULT if status >= _FAULT else 400]
    code = code or default_code
    return Problem(
        type=f"urn:kifu-archive:error:{code}",
        title=code.replace("-", " "),
        status=status,
        detail=detail or default_detail,
        code=code,
        errors=errors or [],
        request_id=logs.current_request() if status >= _FAULT else UNSET,
    )
