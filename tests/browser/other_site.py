"""A site of somebody else, for what is offered to other sites."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from playwright.sync_api import Route


class OtherSite(ThreadingHTTPServer):
    """A site of somebody else: it answers with the pages that it was given."""

    pages: dict[str, tuple[str, bytes]]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Answer(BaseHTTPRequestHandler):
    server: OtherSite

    def do_GET(self) -> None:
        kind, body = self.server.pages.get(self.path, ("text/plain", b""))
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_arguments: object) -> None:
        """Nothing: tests tell what they need."""


def as_whitenoise(route: Route) -> None:
    """The server of these tests leaves out the header with which the archive serves static files."""
    answer = route.fetch()
    route.fulfill(response=answer, headers=answer.headers | {"Access-Control-Allow-Origin": "*"})
