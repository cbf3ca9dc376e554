"""Types of bodies that nobody can read are refused, by whichever server: through the WSGI application."""

from __future__ import annotations

import io
import json
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import RequestFactory

from archive.http.content_types import CHARSETS
from archive.project.wsgi import application

pytestmark = pytest.mark.django_db

FORM = "application/x-www-form-urlencoded"
TOKEN = "k" * 32
NO_TYPES = [
    "application/json; charset*=x'y'z",
    f"{FORM}; a*=idna'b'%41",
    "text/plain; x*=undefined'y'%41",
    "multipart/form-data; boundary=a; boundary*=x''b",
]
NO_CHARSETS = [
    "utf-7",
    "hex",
    "zip",
    "bz2",
    "rot13",
    "undefined",
    "idna",
    "unicode_escape",
    "x",
    "utf-16",
    "a\0b",
]
ADDRESSES = [
    ("GET", "/healthz"), ("GET", "/"), ("POST", "/theme/"), ("POST", "/robots.txt"), ("POST", "/nothing"),
    ("GET", "/players/?q=a"), ("POST", "/sign-in/"), ("POST", "/api/v1/check"),
    ("GET", "/api/v1/games?q=a"), ("PUT", "/api/nothing"),
]  # fmt: skip


def send(
    method: str, path: str, content_type: str, body: bytes = b"x=y"
) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of the answer of the WSGI application."""
    environ = RequestFactory(headers={"Cookie": f"csrftoken={TOKEN}"}).generic(method, path, body).environ
    environ |= {
        "CONTENT_TYPE": content_type,
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.input": io.BytesIO(body),
    }
    began: list[Any] = []
    answer = application(environ, lambda status, headers: began.extend((int(status[:3]), dict(headers))))
    content = b"".join(answer)
    answer.close()  # type: ignore[attr-defined]
    return began[0], began[1], content


@pytest.mark.parametrize("content_type", NO_TYPES)
@pytest.mark.parametrize(("method", "path"), ADDRESSES)
def test_a_type_that_makes_no_sense_is_refused_at_every_address(method, path, content_type):
    refused(400, method, path, content_type)


@pytest.mark.parametrize("kind", [FORM, "application/json", "multipart/form-data; boundary=a"])
@pytest.mark.parametrize("charset", NO_CHARSETS)
def test_a_charset_that_no_form_has_is_refused(charset, kind):
    for method, path in ADDRESSES:
        refused(415, method, path, f"{kind}; charset={charset}")


def refused(expected: int, method: str, path: str, content_type: str) -> None:
    status, headers, content = send(method, path, content_type)
    assert status == expected
    assert headers["X-Request-ID"]
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    if path.startswith("/api/"):
        assert headers["Content-Type"] == "application/problem+json"
        assert json.loads(content)["status"] == expected


@pytest.mark.parametrize("charset", sorted({*CHARSETS, "UTF-8", "Latin_1"}))
def test_usual_charsets_are_read(charset):
    assert "a".encode(charset) == b"a"
    body = json.dumps({"text": "position startpos moves 7g7f"}).encode()
    status, _, content = send("POST", "/api/v1/check", f"application/json; charset={charset}", body)
    assert (status, json.loads(content)["format"]) == (200, "usi")


@pytest.mark.parametrize("charset", ["Shift_JIS", "cp932", "EUC-JP", "ISO-2022-JP"])
def test_a_form_can_be_in_a_japanese_charset(charset):
    body = (
        b'--a\r\nContent-Disposition: form-data; name="text"\r\n\r\n'
        + "手合割：平手\r\n   1 ７六歩(77)\r\n".encode(charset)
        + b"\r\n--a--\r\n"
    )
    status, _, content = send(
        "POST", "/api/v1/check", f"multipart/form-data; boundary=a; charset={charset}", body
    )
    assert (status, json.loads(content)["format"]) == (200, "kif")


def test_a_form_with_another_charset_than_utf_8_is_no_fault():
    body = urlencode({"x": "y"}).encode()
    assert send("POST", "/theme/", f"{FORM}; charset=shift_jis", body)[0] in (400, 403)
