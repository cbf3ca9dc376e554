"""Statements of CSA as other programs and people write them."""

from __future__ import annotations

import re
from collections.abc import Callable

from tests.kifu_core.mutations.kinds import REPORTED, SAME_GAME, SAME_MOVES, Change, put, table


def moves(change: Callable[[str, str, str], str]) -> Change:
    """Write every move otherwise, by its sign, its squares and its piece."""
    return put(r"^([-+])([0-9]{4})([A-Z]{2})$", lambda match: change(match[1], match[2], match[3]))


def times(change: Callable[[str], str]) -> Change:
    """Write every time otherwise, by its seconds."""
    return put(r"^T([0-9.]+)$", lambda match: change(match[1]))


def joined(between: str) -> Change:
    """Put times on the lines of their moves."""
    return put(r"\nT(?=[0-9])", f"{between}T")


def even(change: Change) -> Change:
    """Apply to games from the usual start only."""
    return lambda text: change(text) if re.search("^PI$", text, re.MULTILINE) else None


def full_width(text: str) -> str:
    return "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in text)


def _with_remark(text: str) -> str:
    return re.sub(r"\n(?=[-+][0-9])", "\n'rating:1000\n", text, count=1)


def _parts(text: str) -> tuple[list[str], list[str]]:
    """The lines of headers, and the others."""
    lines = text.splitlines()
    headers = [line for line in lines if re.match(r"N[-+]|\$", line)]
    return headers, [line for line in lines if line not in headers]


def _headers_behind(text: str) -> str:
    headers, others = _parts(text)
    return "\n".join([*others, *headers]) + "\n"


def _headers_among(text: str) -> str:
    headers, others = _parts(text)
    middle = next(at for at, line in enumerate(others) if re.match("[-+][0-9]", line)) + 2
    return "\n".join([*others[:middle], *headers, *others[middle:]]) + "\n"


table(
    "csa",
    SAME_GAME,
    {
        "no signs": moves(lambda sign, squares, piece: squares + piece),
        "lower-case pieces": moves(lambda sign, squares, piece: sign + squares + piece.lower()),
        "lower-case endings": put("^%[A-Z_]+", lambda match: match[0].lower()),
        "full-width moves": moves(lambda *parts: full_width("".join(parts))),
        "full-width endings": put("^%[A-Z_]+", lambda match: full_width(match[0])),
        "full-width signs": moves(lambda sign, squares, piece: full_width(sign) + squares + piece),
        "minus signs of mathematics": moves(
            lambda sign, squares, piece: sign.replace("-", "−") + squares + piece
        ),
        "dashes for minus signs": moves(
            lambda sign, squares, piece: sign.replace("-", "–") + squares + piece
        ),
        "a blank behind signs": moves(lambda sign, squares, piece: f"{sign} {squares}{piece}"),
        "a blank before pieces": moves(lambda sign, squares, piece: f"{sign}{squares} {piece}"),
        "times behind a comma": joined(","),
        "times behind a comma and a blank": joined(", "),
        "times behind a blank": joined(" "),
        "times behind a tab": joined("\t"),
        "lower-case times": times("t{}".format),
        "a blank within times": times("T {}".format),
        "times with zeros": times("T000{}".format),
        "no PI": even(put("^PI\n", "")),
        "no version": put("^V[0-9.]+\n", ""),
        "lower-case PI": even(put("^PI$", "pi")),
        "commas for line ends": lambda text: (
            None if "'" in text else text.replace("\n", ",").rstrip(",") + "\n"
        ),
        "commas and blanks for line ends": lambda text: (
            None if "'" in text else text.replace("\n", ", ").rstrip(", ") + "\n"
        ),
        "commas before line ends": put("^(?!')(.+)$", r"\1,"),
        "semicolons before line ends": moves(lambda *parts: "".join(parts) + ";"),
        "no blanks on boards": put("^P[1-9].*", lambda match: re.sub(r"(?<=\*) | (?=\*)", "", match[0])),
        "blanks behind ranks' numbers": put("^P[1-9]", r"\g<0> "),
        "all headers behind the moves": _headers_behind,
        "a blank behind signs of players": put(r"^N([-+])", r"N\1 "),
        "lower-case signs of players": put(r"^N([-+])", r"n\1"),
        "full-width colons": put(r"^(\$[A-Z_]+):", r"\1："),
        "ends of the statements by the server": put(r"^%TORYO$", "#RESIGN"),
        "an English word for resigning": put("^%TORYO$", "%RESIGNED"),
    },
)
table(
    "csa",
    SAME_MOVES,
    {
        "no times": put(r"^T[0-9.]+\n", ""),
        "no side to move": even(put(r"^\+\n", "")),
        "neither PI nor side to move": even(put(r"^(?:PI|\+)\n", "")),
        "moves on a line": put(r"^([-+][0-9]{4}[A-Z]{2})\n(?:T[0-9.]+\n)?(?=[-+][0-9])", r"\1 "),
        "moves joined on a line": put(r"^([-+][0-9]{4}[A-Z]{2})\n(?:T[0-9.]+\n)?(?=[-+][0-9])", r"\1"),
        "times without numbers": times(lambda seconds: "T"),
        "comments joined with moves": moves(lambda *parts: "".join(parts) + "'好手"),
        "comments behind moves": moves(lambda *parts: "".join(parts) + " '好手"),
        "comments behind moves and a comma": moves(lambda *parts: "".join(parts) + ",'好手"),
        "comments behind times": times("T{},'好手".format),
        "comments by a full-width sign": moves(lambda *parts: "".join(parts) + "\n’好手"),
        "the moves of KIF behind moves": moves(lambda *parts: "".join(parts) + ",'1手目 ▲７六歩"),
        "the time left behind moves": moves(lambda *parts: "".join(parts) + "\n'left 0:10"),
    },
)
table(
    "csa",
    REPORTED,
    {
        "headers among the moves": _headers_among,  # another game's, where moves fit the start again
        "numbers before moves": put(r"^(?=[-+][0-9])", "1 "),
        "numbers with a dot before moves": put(r"^(?=[-+][0-9])", "1. "),
        "numbers with a colon before moves": put(r"^(?=[-+][0-9])", "1: "),
        "▲ and △ for signs": moves(lambda sign, squares, piece: "▲△"["+-".index(sign)] + squares + piece),
        "a hyphen within squares": moves(
            lambda sign, squares, piece: f"{sign}{squares[:2]}-{squares[2:]}{piece}"
        ),
        "names of pieces": moves(lambda sign, squares, piece: sign + squares + "歩"),
        "unknown pieces": moves(lambda sign, squares, piece: sign + squares + "XX"),
        "no pieces": moves(lambda sign, squares, piece: sign + squares),
        "wrong signs": moves(lambda sign, squares, piece: "-+"["+-".index(sign)] + squares + piece),
        "times in brackets": times("({})".format),
        "times with s": times("T{}s".format),
        "times with a colon": times("T:{}".format),
        "times as minutes": times("T0:{}".format),
        "times of letters": times(lambda seconds: "Tx"),
        "endings without %": put("^%", ""),
        "endings in Japanese": put("^%[A-Z_]+", "投了"),
        "endings of other words": put("^%[A-Z_]+", "%FINISHED"),
        "headers without a colon": put(r"^(\$[A-Z_]+):", r"\1 "),
        "headers of KIF": put(r"^N([-+])", lambda match: ("先手：", "後手：")["+-".index(match[1])]),
        "the first move behind a remark": lambda text: re.sub(
            r"\n(?=[-+][0-9])", "", _with_remark(text), count=1
        ),
        "the first move behind a remark, without PI and side to move": lambda text: re.sub(
            r"\n(?=[-+][0-9])", "", _with_remark(re.sub(r"(?m)^(?:PI|\+)\n", "", text)), count=1
        ),
        "moves behind #": moves(lambda *parts: "#" + "".join(parts)),
        "comments by ;": put("^'", ";"),
        "comments by #": put("^'", "#"),
        "comments by //": put("^'", "//"),
        "moves broken by a line end": moves(lambda sign, squares, piece: f"{sign}{squares}\n{piece}"),
        "a wrong piece": put(r"^([-+][0-9]{4})FU$", r"\1KI", 1),
        "a wrong square": put(r"^([-+])[0-9]{2}([0-9]{2}FU)$", r"\g<1>55\2", 1),
    },
)
