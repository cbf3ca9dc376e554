"""Draws hostile requests: which one a number stands for depends on the seed and on what is known alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from urllib.parse import quote_from_bytes

from tests.hostile import bodies
from tests.hostile.known import CSRF, Known
from tests.hostile.requests import Request
from tests.hostile.routes import Route
from tests.hostile.values import (
    CHOICES,
    CODES,
    CONTENT_TYPES,
    DATES,
    HEADERS,
    MARKS,
    METHODS,
    NUMBERS,
    PATTERNS,
    SFENS,
    SQUARES,
    any_text,
)

TWISTS = (0, 1, 1, 1, 1, 2, 2, 3)
LARGE_SHARE, HUGE_SHARE = 0.004, 0.0008
WRITING = {"POST", "PUT", "PATCH", "DELETE"}
USUAL = {
    "patterns/": ("pattern", PATTERNS),
    "api/v1/patterns": ("pattern", PATTERNS),
    "positions/shogi/edit/": ("pattern", PATTERNS),
    "games/%(game_id)s/": ("marked", SQUARES),
}
"""Parameters without which addresses tell little, with values for them."""
USUAL_SHARE = 0.8


@dataclass
class Draft:
    """A request that is being made."""

    dice: Random
    known: Known
    route: Route
    method: str
    values: dict[str, bytes]
    query: list[tuple[bytes, bytes]] = field(default_factory=list)
    headers: list[tuple[str, bytes]] = field(default_factory=list)
    body: bytes = b""
    kind: str = ""
    chunked: bool = False
    broken: bool = False
    twists: list[str] = field(default_factory=list)

    def set(self, name: str, value: bytes) -> None:
        """One header of that name and no other."""
        self.headers = [(key, old) for key, old in self.headers if key.lower() != name.lower()]
        self.headers.append((name, value))

    def address(self) -> bytes:
        """Path and query, escaped in one of several ways."""
        path = self.route.template.replace("%%", "%")
        for name, value in self.values.items():
            path = path.replace(f"%({name})s", self._escaped(value))
        asked = (f"{self._escaped(name)}={self._escaped(value)}".encode() for name, value in self.query)
        # Half of what has no value has no sign of equality either.
        query = b"&".join(
            one[:-1] if one.endswith(b"=") and self.dice.random() < 0.5 else one for one in asked
        )
        return b"/" + path.encode("latin-1", "replace") + (b"?" + query if self.query else b"")

    def _escaped(self, value: bytes) -> str:
        safe = self.dice.choice(("", "", "", "/", "/:@!$'()*,;", "%"))
        return quote_from_bytes(value, safe=safe)


Twist = Callable[[Draft], str]


class Drawer:
    """Draws requests to an archive at `host`; `cookies` are those of signed-in browsers by their role."""

    def __init__(
        self, routes: list[Route], names: list[str], host: str, seed: int, cookies: dict[str, str]
    ) -> None:
        self.routes, self.names, self.host, self.seed, self.cookies = routes, names, host, seed, cookies
        self.known = Known()
        self.twists: tuple[tuple[Twist, int], ...] = (
            (self._address, 6), (self._asked, 8), (self._asked_much, 1), (self._header, 7),
            (self._written, 6), (self._other_method, 2), (self._framing, 2),
        )  # fmt: skip

    def draw(self, number: int) -> Request:
        """The request with that number."""
        dice = Random(f"{self.seed}:{number}")
        route = dice.choice(self.routes)
        draft = Draft(dice, self.known, route, self._method(dice, route), self._fitting(dice, route))
        draft.headers.append(("Host", self.host.encode()))
        self._ask(draft)
        self._sign_in(draft)
        if draft.method in WRITING:
            self._write(draft)
        kinds, weights = zip(*self.twists, strict=True)
        for twist in dice.choices(kinds, weights, k=dice.choice(TWISTS)):
            draft.twists.append(twist(draft))
        if draft.kind and not any(name == "Content-Type" for name, _ in draft.headers):
            draft.headers.append(("Content-Type", draft.kind.encode()))
        return Request(
            draft.method, draft.address(), tuple(draft.headers), draft.body, draft.chunked, draft.broken,
            route.title, tuple(draft.twists),
        )  # fmt: skip

    # --- a request that fits -----------------------------------------------------------------------------

    def _method(self, dice: Random, route: Route) -> str:
        if route.methods and dice.random() < 0.75:
            return dice.choice(route.methods)
        return dice.choices(("GET", "HEAD", "POST", "DELETE", "OPTIONS"), (12, 2, 4, 1, 1))[0]

    def _fitting(self, dice: Random, route: Route) -> dict[str, bytes]:
        """A value for each parameter that leads somewhere."""
        found, known = {}, self.known
        upload, seq = dice.choice(known.entries) if known.entries else ("1", "0")
        kind = dice.choice(("shogi", "quoridor"))
        special = {
            "kind": kind,
            "code": dice.choice(known.codes.get(kind) or ["gkwAAIAA"]),
            "seq": seq,
            "name": dice.choice(known.formats),
            "formation": dice.choice(known.formations),
            "dump": "columns",
            "file": dice.choice(known.columns),
            "app_label": dice.choice(("archive", "auth")),
            "path": dice.choice(known.statics),
            "url": "archive/game/",
        }
        for name, converter in route.parameters:
            before = route.template.partition(f"%({name})s")[0].rstrip("/").rpartition("/")[2]
            ids = known.ids.get(before) or ["1", "2", "3"]
            value = special.get(name) or (
                dice.choice(ids) if before != "uploads" or not known.entries else upload
            )
            found[name] = value.encode() if converter != "IntConverter" or value.isdigit() else b"1"
        return found

    def _ask(self, draft: Draft) -> None:
        usual = USUAL.get(draft.route.template)
        if usual and draft.dice.random() < USUAL_SHARE:
            draft.query.append((usual[0].encode(), draft.dice.choice(usual[1])))
        for _ in range(draft.dice.choice((0, 0, 1, 2))):
            draft.query.append(
                (
                    draft.dice.choice(self.names).encode(),
                    draft.dice.choice((*CHOICES, b"1", b"10", *self.known.cursors)),
                )
            )

    def _sign_in(self, draft: Draft) -> None:
        role = draft.dice.choices(
            ("", "user", "staff"), (6, 1, 3 if draft.route.template.startswith("admin") else 1)
        )[0]
        cookie = self.cookies.get(role, f"csrftoken={CSRF}" if draft.dice.random() < 0.5 else "")
        if cookie:
            draft.headers.append(("Cookie", cookie.encode()))
        if draft.method in WRITING and draft.dice.random() < 0.8:
            draft.headers += [("X-CSRFToken", CSRF.encode())]

    def _write(self, draft: Draft) -> None:
        roll = draft.dice.random()
        if roll < HUGE_SHARE:
            title, (draft.kind, draft.body) = bodies.huge(draft.dice)
        elif roll < HUGE_SHARE + LARGE_SHARE:
            title, (draft.kind, draft.body) = bodies.large(draft.dice)
        elif draft.method != "DELETE" or roll > 0.8:
            title, (draft.kind, draft.body) = "a body", bodies.drawn(draft.dice, self.known, self.names)
        else:
            return
        draft.twists.append(title)

    # --- twists: each makes the draft worse and says how --------------------------------------------------

    def _address(self, draft: Draft) -> str:
        if not draft.values:
            return self._asked(draft)
        name = draft.dice.choice(list(draft.values))
        draft.values[name] = draft.dice.choice(
            draft.dice.choice((NUMBERS, NUMBERS, CODES, any_text(), CHOICES))
        )
        return "a parameter of the path"

    def _asked(self, draft: Draft) -> str:
        dice = draft.dice
        for _ in range(dice.choice((1, 1, 2, 3))):
            values = dice.choice(
                (
                    NUMBERS, any_text(), DATES, CHOICES, SFENS, CODES, MARKS, PATTERNS,
                    self.known.cursors or MARKS,
                )
            )  # fmt: skip
            # A name that is there already is repeated.
            names = [dice.choice(self.names).encode(), *(name for name, _ in draft.query[:1])]
            name = dice.choice(names)
            draft.query.append((name, dice.choice(values)))
        return "a parameter of the query"

    def _asked_much(self, draft: Draft) -> str:
        dice = draft.dice
        match dice.randrange(4):
            case 0:
                draft.query = [
                    (b"p%d" % number, b"1") for number in range(dice.choice((999, 1000, 1001, 3000)))
                ]
            case 1:
                draft.query = [(dice.choice(self.names).encode(), dice.choice(NUMBERS)) for _ in range(200)]
            case 2:
                draft.query.append((dice.choice(any_text()), dice.choice(any_text())))
            case _:
                draft.query.append(
                    (dice.choice(self.names).encode(), b"x" * dice.choice((1000, 7000, 30_000)))
                )
        return "many parameters"

    def _header(self, draft: Draft) -> str:
        name = draft.dice.choice(list(HEADERS))
        draft.set(name, draft.dice.choice(HEADERS[name]))
        draft.broken = draft.broken or name in {"Transfer-Encoding", "Upgrade", "Expect"}
        return name

    def _written(self, draft: Draft) -> str:
        if draft.method not in WRITING:
            draft.method = "POST"
        draft.kind, draft.body = bodies.drawn(draft.dice, self.known, self.names)
        if draft.dice.random() < 0.2:
            draft.set("Content-Type", draft.dice.choice(CONTENT_TYPES))
            return "a body of another type"
        return "a body"

    def _other_method(self, draft: Draft) -> str:
        draft.method = draft.dice.choice(METHODS)
        return f"method {draft.method}"

    def _framing(self, draft: Draft) -> str:
        """Wrong about where the request ends: no server need answer it, none may hang or fall."""
        match draft.dice.randrange(7):
            case 0:
                draft.chunked, draft.body = True, draft.body or b'{"text":"x"}'
                draft.method = draft.method if draft.method in WRITING else "POST"
                return "chunked"
            case 1:
                draft.set(
                    "Content-Length", str(len(draft.body) + draft.dice.choice((1, 100, 10**9))).encode()
                )
            case 2:
                draft.set("Content-Length", draft.dice.choice(NUMBERS))
            case 3:
                draft.headers += [("Content-Length", b"0"), ("Content-Length", b"7")]
            case 4:
                draft.headers.append(("X-Long", b"x" * draft.dice.choice((8000, 70_000, 500_000))))
            case 5:
                draft.headers += [
                    (f"X-{number}", b"1") for number in range(draft.dice.choice((99, 101, 2000)))
                ]
            case _:
                draft.headers.append((draft.dice.choice(("", "a b", "X\x00", "é", "X:Y", " X")), b"1"))
        draft.broken = True
        return "framing"
