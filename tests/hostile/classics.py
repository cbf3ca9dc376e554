"""Requests that once did harm. They are sent in every run, whatever is drawn."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from urllib.parse import quote

from tests.hostile.bodies import FORM, JSON, MULTIPART, multipart, part
from tests.hostile.known import CSRF, Known
from tests.hostile.records import DROPS, NAMES, alg_of, usi_of
from tests.hostile.requests import Request
from tests.hostile.values import AUTHORIZATIONS, MARK_HEADER, PATTERNS

START = "poUAACMaqtYhwHgAAAAPQdTnd3vMgAA"


def classics(host: str, known: Known) -> Iterator[Request]:
    """All of them; `long` ones take minutes where nothing limits them."""
    upload, game = known.ids["uploads"][0], known.ids["games"][0]

    def get(target: str, *headers: tuple[str, bytes], method: str = "GET") -> Request:
        return Request(
            method,
            target.encode(),
            (("Host", host.encode()), *headers),
            route=target.partition("?")[0],
            twists=("classic",),
        )

    def post(target: str, body: bytes, kind: str = JSON, *headers: tuple[str, bytes]) -> Request:
        given = (("Host", host.encode()), ("Content-Type", kind.encode()), *headers)
        return Request("POST", target.encode(), given, body, route=target, twists=("classic",))

    entries = f"/api/v1/uploads/{upload}/entries"
    for cursor in ("--5", "=²", "²", "-", "%C2%B2", "9" * 19):
        yield get(f"{entries}?cursor={quote(cursor, safe='%')}")
    for number in ("9" * 4300, "9" * 4301, "0" * 4400, quote("²")):
        for address in (entries, "/api/v1/games", f"/api/v1/positions/shogi/{START}/games"):
            yield get(f"{address}?limit={number}")
    for name in ("match", "lines", "order", "format"):
        yield get(f"/api/v1/positions/shogi/{START}?{name}=%ED%A0%80")
        yield post("/api/v1/positions/shogi/batch", json.dumps({"codes": [START], name: "\ud800"}).encode())
    for address in (
        "/api/v1/uploads",
        "/api/v1/convert",
        "/api/v1/check",
        "/api/v1/positions/shogi/batch",
        "/api/v1/positions/shogi/find",
        "/api/v1/positions/quoridor/find",
    ):
        for nested in (
            "[" * 5000 + "]" * 5000,
            '{"position":' * 5000 + "1" + "}" * 5000,
            '{"text":' + "[" * 5000 + "]" * 5000 + "}",
        ):
            yield post(address, nested.encode())
        yield post(address, b'{"text":"\\ud800"}')
        yield post(address, b'{"text":NaN,"ply":1e400,"game_id":' + b"9" * 4400 + b"}")
    for address in (
        "/",
        "/games/",
        "/api/v1/games",
        "/healthz",
        "/sign-in/",
        f"/games/{game}/",
        f"/positions/shogi/{START}/",
    ):
        yield get(f"{address}?" + "&".join(f"p{number}=1" for number in range(1001)))
    for pattern in PATTERNS:
        for address in (
            "/patterns/?pattern=",
            "/api/v1/patterns?pattern=",
            "/positions/shogi/edit/?part=feedback&pattern=",
        ):
            yield get(address + quote(pattern))
    yield get("/games/?q=" + quote('pattern:"P7f then<=0 P6f"'))
    for value in AUTHORIZATIONS[:6]:
        yield get("/api/v1/games", ("Authorization", value))
    yield post("/api/v1/uploads", b'{"text":"x"}', JSON, ("Origin", b"http://["))
    yield post("/upload/", b"text=x", FORM, ("Origin", b"http://["))
    yield post(
        "/sign-in/",
        b"login=a%00b&password=c&csrfmiddlewaretoken=" + CSRF.encode(),
        FORM,
        ("Cookie", b"csrftoken=" + CSRF.encode()),
    )
    for text in DROPS.values():
        yield post("/api/v1/check", json.dumps({"text": text}).encode())
        for to in ("kif", "ki2", "csa", "usi", "jkf", "bod"):
            yield post("/api/v1/convert", json.dumps({"text": text, "to": to}).encode())
    newline = json.dumps({"header": {f"x\r\n{MARK_HEADER}": "y\r\nz"}, "moves": [{}]})
    for to in ("kif", "ki2", "csa"):
        yield post("/api/v1/convert", json.dumps({"text": newline, "to": to}).encode())
    yield from _nothing_understood(get, host)
    yield from _strange_bodies(post)


def _nothing_understood(get: Callable[..., Request], host: str) -> Iterator[Request]:
    for address in (
        "/api/v1/nothing",
        "/api/",
        "/api/v1/games/0",
        "/api/v1/games/x",
        "/api/v1/positions/chess/x",
    ):
        yield get(address)
    for parameters in ("plaer=x", "player=x&player=y", "min_plies=x", "limit=1&limit=2"):
        yield get(f"/api/v1/games?{parameters}")
    yield get(f"/api/v1/positions/shogi/{START}/tree?player=x")
    for name, value in (("Accept", b"application/xml"), ("Accept", b"text/csv")):
        yield get("/api/v1/games", (name, value))
    for method in ("HEAD", "PUT", "DELETE", "OPTIONS", "BREW"):
        yield get("/api/v1/games", method=method)
        yield get(f"/api/v1/positions/shogi/{START}", method=method)
    yield Request(
        "GET", b"/api/v1/games", (("Host", b"kifu-mark.example"),), route="/api/v1/games", twists=("classic",)
    )
    body = multipart(part(b"file", b"x", b"x"))
    given = (("Host", host.encode()), ("Content-Type", MULTIPART.encode()))
    about = ("/api/v1/uploads", ("classic", "chunked"))
    yield Request("POST", b"/api/v1/uploads", given, body, True, False, *about)


def _strange_bodies(post: Callable[..., Request]) -> Iterator[Request]:
    """Bodies that fall when somebody looks at them: a form's token, or the page that tells of the error."""
    cookie = ("Cookie", b"csrftoken=" + CSRF.encode())
    for address in ("/theme/", "/upload/", "/robots.txt", "/api/v1/check", "/api/v1/nothing", "/healthz"):
        for charset in ("utf-7", "hex", "zip", "undefined", "kifu"):
            yield post(address, b"x=1", f"{FORM}; charset={charset}", cookie)
        yield post(address, b"{}", "application/json; charset*=x'y'z", cookie)
        yield post(address, b"x", "multipart/form-data; boundary=", cookie)
        yield post(address, b"&".join(b"p%d=1" % number for number in range(1001)), FORM, cookie)
        yield post(address, multipart(*[part(b"x", b"1")] * 1001), MULTIPART, cookie)
        yield post(address, multipart(*[part(b"file", b"1", b"x")] * 101), MULTIPART, cookie)


def heavy(host: str) -> Iterator[Request]:
    """Those that are large: 15 MB to find, 4 MB of Quoridor, 1 MB to check and to convert, and a search box
    full of words that are names in one of the records."""

    def post(target: str, text: str, **more: str) -> Request:
        body = json.dumps({"text": text} | more).encode()
        given = (("Host", host.encode()), ("Content-Type", JSON.encode()))
        return Request(
            "POST", target.encode(), given, body, route=target, twists=("classic", f"{len(body) >> 20} MB")
        )

    yield post("/api/v1/positions/shogi/find", usi_of(15_000_000))
    yield post("/api/v1/positions/quoridor/find", alg_of(4_000_000))
    yield post("/api/v1/check", alg_of(1_000_000))
    yield post("/api/v1/convert", alg_of(1_000_000), to="json")
    yield post("/api/v1/check", usi_of(1_000_000))
    yield post("/api/v1/convert", usi_of(1_000_000), to="kif")
    for word in NAMES.values():
        yield post("/api/v1/find", f"{word} " * (131_000 // len(f"{word} ".encode())))
