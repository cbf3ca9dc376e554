"""Bodies of requests: what an address takes, and what it does not."""

from __future__ import annotations

import json
from random import Random
from typing import Any
from urllib.parse import quote_from_bytes

from tests.hostile.known import Known
from tests.hostile.records import DROPS, LARGE, WRONG_JSON, hostile_texts, samples
from tests.hostile.values import CHOICES, MARKS, NUMBERS, SFENS, TEXTS, any_text

Body = tuple[str, bytes]
"""A media type and bytes."""

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
BOUNDARY = b"----kifu7MA4YWxk"
MULTIPART = f"multipart/form-data; boundary={BOUNDARY.decode()}"

FILE_NAMES = (
    b"game.kif", b"../../etc/passwd", b"a\x00b.kif", b"a%0d%0aX-Kifu-Mark: 1", b"x" * 4000, b"", b".",
    b"/", b"C:\\x\\y.csa", "\u202efik.exe".encode(), b"\xff\xfe.kif", "棋譜".encode("cp932"), b"a\\\"b.kif",
    b"CON", b"game.zip", b"\x1b[2J.kif",
    *(mark.replace(b"\r", b"%0D").replace(b"\n", b"%0A") for mark in MARKS),
)  # fmt: skip

_SAMPLES = samples()
_TEXTS = hostile_texts()


def text_of(dice: Random, *, fitting: bool = False) -> str:
    """A record, hostile in two of three."""
    if fitting or dice.random() < 0.33:
        return dice.choice(list(_SAMPLES.values()))
    return dice.choice(_TEXTS)


def drawn(dice: Random, known: Known, names: list[str]) -> Body:
    """A body that some address takes, with something wrong with it in two of three."""
    return dice.choices((_json, _form, _multipart, _nonsense), (8, 3, 5, 1))[0](dice, known, names)


def _fields(dice: Random, known: Known) -> dict[str, Any]:
    """What `convert`, `check`, `find`, `batch` and the forms take."""
    kind = dice.choice(("shogi", "quoridor"))
    codes = known.codes.get(kind) or ["poUAACMaqtYhwHgAAAAPQdTnd3vMgAA"]
    return {
        "text": dice.choice(SFENS).decode() if dice.random() < 0.3 else text_of(dice),
        "name": dice.choice(("game.kif", "x.csa", "", "a.jkf", "../x")),
        "to": dice.choice(known.formats),
        "codes": [dice.choice(codes) for _ in range(dice.choice((1, 2, 60)))],
        "match": dice.choice(("exact", "any")),
        "game_id": int(dice.choice(known.ids.get("games") or ["1"])),
        "ply": dice.randrange(60),
        "position": {"board": {"5e": "K"}, "turn": "black", "hands": {}},
        "next": dice.choice(MARKS).decode("utf-8", "replace"),
        "language": dice.choice(("ja", "en", "xx")),
        "theme": dice.choice(("dark", "light", "x")),
        "username": "staff",
        "password": dice.choice(any_text()).decode("utf-8", "replace"),
        "action": dice.choice(("delete_selected", "retry", "reread", "x")),
        # Not the first: among users those are our own.
        "_selected_action": dice.choice((known.ids.get("uploads") or [])[5:] or ["9", "²", "x"]),
        "post": "yes",
        "index": dice.choice(("0", "-1", "x")),
    }


_SHAPES = (
    ("text",), ("text", "to"), ("text", "name", "to"), ("text", "ply"), ("game_id", "ply"),
    ("codes", "match"), ("position",), ("next", "language"), ("next", "theme"),
    ("username", "password", "next"), ("action", "_selected_action", "index"),
    ("action", "_selected_action", "post"),
)  # fmt: skip
"""Which of these belong together."""


def _chosen(dice: Random, known: Known) -> dict[str, Any]:
    fields = _fields(dice, known)
    return {name: fields[name] for name in dice.choice((*_SHAPES, tuple(fields)))}


def _json(dice: Random, known: Known, names: list[str]) -> Body:
    if dice.random() < 0.25:
        return JSON, dice.choice(WRONG_JSON).encode("utf-8", "surrogatepass")
    fields = _chosen(dice, known)
    for _ in range(dice.choice((0, 1, 1, 2))):
        fields[dice.choice([*fields, dice.choice(names)])] = _json_value(dice)
    text = json.dumps(fields, ensure_ascii=dice.random() < 0.5)
    encoding = dice.choices(("utf-8", "utf-16", "utf-32", "cp932"), (20, 1, 1, 1))[0]
    data = text.encode(encoding, "surrogatepass" if encoding != "cp932" else "replace")
    if dice.random() < 0.08:
        data = data[: dice.randrange(len(data))]
    return JSON, data


def _json_value(dice: Random) -> Any:
    nested: Any = "x"
    for _ in range(dice.choice((1, 3, 200))):
        nested = [nested]
    plain: tuple[Any, ...] = (
        None, True, False, 0, -1, 2**31, 2**63, 10**400, 1.5, float("nan"), float("inf"), "\ud800", "\0",
        [], {}, [None], [[]], {"": 1}, nested,
    )  # fmt: skip
    if dice.random() < 0.6:
        return dice.choice(plain)
    return dice.choice(any_text()).decode("utf-8", "surrogateescape")


def _form(dice: Random, known: Known, names: list[str]) -> Body:
    fields = [
        (name.encode(), str(value).encode("utf-8", "surrogatepass"))
        for name, value in _chosen(dice, known).items()
    ]
    for _ in range(dice.choice((0, 1, 2, 1500 if dice.random() < 0.1 else 3))):
        fields.append((dice.choice(names).encode(), dice.choice(any_text())))
    dice.shuffle(fields)
    return FORM, b"&".join(
        quote_from_bytes(name).encode() + b"=" + quote_from_bytes(value).encode() for name, value in fields
    )


def part(name: bytes, data: bytes, filename: bytes | None = None, kind: bytes = b"") -> bytes:
    """One part of a multipart body."""
    head = b'Content-Disposition: form-data; name="' + name + b'"'
    head += b'; filename="' + filename + b'"' if filename is not None else b""
    head += b"\r\nContent-Type: " + kind if kind else b""
    return b"--" + BOUNDARY + b"\r\n" + head + b"\r\n\r\n" + data + b"\r\n"


def multipart(*parts: bytes) -> bytes:
    """A whole multipart body."""
    return b"".join(parts) + b"--" + BOUNDARY + b"--\r\n"


def _multipart(dice: Random, known: Known, names: list[str]) -> Body:
    data = text_of(dice).encode("utf-8", "surrogatepass")
    parts = [
        part(
            b"file",
            data,
            dice.choice(FILE_NAMES),
            dice.choice((b"", b"text/plain", b"\xff", b"text/plain; charset=zip")),
        )
    ]
    for _ in range(dice.choices((0, 1, 3, 101, 1000), (8, 6, 3, 1, 1))[0]):
        filename = dice.choice((None, dice.choice(FILE_NAMES)))
        parts.append(
            part(
                dice.choice((b"file", b"text", b"to", dice.choice(names).encode(), dice.choice(TEXTS))),
                dice.choice(NUMBERS),
                filename,
            )
        )
    parts.append(part(b"to", dice.choice(known.formats).encode()))
    body = multipart(*parts)
    match dice.randrange(12):
        case 0:
            body = body[: dice.randrange(len(body))]
        case 1:
            body = body.replace(b"\r\n", b"\n")
        case 2:
            body = body.replace(b"--" + BOUNDARY, b"--x", 1)
        case 3:
            body = body.replace(b"\r\n\r\n", b"\r\nContent-Transfer-Encoding: base64\r\n\r\n", 1)
        case 4:
            body = body.replace(
                b"Content-Disposition", b"Content-Disposition: x\r\n" * 300 + b"Content-Disposition", 1
            )
        case 5:
            body = body.replace(b'name="', b"name*=utf-8''%00", 1)
        case _:
            pass
    return MULTIPART, body


def _nonsense(dice: Random, known: Known, names: list[str]) -> Body:
    kind = dice.choice((JSON, FORM, MULTIPART, "text/plain", "application/octet-stream", ""))
    return kind, dice.choice(
        (dice.randbytes(dice.choice((1, 50, 3000))), b"", b"\0" * 500, b"=" * 3000, b"&" * 3000, *CHOICES)
    )


def large(dice: Random) -> tuple[str, Body]:
    """What it is and a body of about 1 MB."""
    title = dice.choice(list(LARGE))
    data = LARGE[title]()
    kind = dice.randrange(3)
    if kind == 0:
        return title, (MULTIPART, multipart(part(b"file", data.encode(), b"large"), part(b"to", b"kif")))
    if kind == 1 and data[:1] in "[{":
        return title, (JSON, data.encode())
    return title, (
        JSON,
        json.dumps({"text": data, "to": dice.choice(("kif", "csa", "alg"))}, ensure_ascii=False).encode(),
    )


def huge(dice: Random) -> tuple[str, Body]:
    """What it is and a body of more than 16 MB."""
    size = 17 << 20
    return dice.choice(
        (
            ("17 MB of text", (JSON, b'{"text":"' + b"a" * size + b'"}')),
            ("17 MB of zeros", (JSON, bytes(size))),
            ("17 MB of a field", (MULTIPART, multipart(part(b"text", b"x" * size)))),
            ("17 MB of a form", (FORM, b"text=" + b"+" * size)),
            ("17 MB of numbers", (JSON, b"[" + b"1," * (size // 2) + b"1]")),
            (
                "17 MB of USI",
                (
                    JSON,
                    json.dumps(
                        {"text": "position startpos moves " + "2h3h 8b7b 3h2h 7b8b " * (size // 20)}
                    ).encode(),
                ),
            ),
        )
    )


def drop(dice: Random) -> str:
    """A record that drops what cannot be dropped."""
    return dice.choice(list(DROPS.values()))
