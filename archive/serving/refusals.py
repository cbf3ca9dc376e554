"""Answers to requests that the front server refuses; they are logged and counted like all others."""

from typing import Final

from archive.api.problems import PROBLEM, problem
from archive.http.limits.addresses import is_proxy
from archive.observing import logs, requests
from archive.shapes.encoding import encode
from front_server import Headers, Refusal, Scope

PROBES: Final = ("/healthz", "/readyz", "/metrics")
"""Paths for monitoring."""


def render(refusal: Refusal, scope: Scope, seconds: float) -> tuple[Headers, bytes]:
    """Return headers and body: a problem detail under `/api/` and for probes, elsewhere a line of text.
    `seconds` is the age of the request."""
    received = {name: value.decode("latin-1") for name, value in scope["headers"]}
    identifier = logs.request_id(received.get(b"x-request-id") if is_proxy(scope["client"][0]) else None)
    requests.count(requests.REFUSED, scope["method"], refusal.status, seconds)
    with logs.context(request=identifier):
        path = scope["path"]
        content_type, data = _body(refusal, as_json=path.startswith("/api/") or path in PROBES)
        if logs.has_access_log():
            target = scope["raw_path"].decode("latin-1")
            agent = received.get(b"user-agent")
            accessed = logs.AccessedUrl(scope["client"][0], scope["method"], target, agent)
            logs.log_access(accessed, refusal.status, len(data), seconds)
    headers = [
        (b"content-type", content_type),
        (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
        (b"x-content-type-options", b"nosniff"),
        (b"x-request-id", identifier.encode()),
    ]
    return headers, data


def _body(refusal: Refusal, as_json: bool) -> tuple[bytes, bytes]:
    if not as_json:
        return b"text/plain; charset=utf-8", f"{refusal.detail}\n".encode()
    return PROBLEM.encode(), encode(problem(refusal.status, refusal.code, refusal.detail))
