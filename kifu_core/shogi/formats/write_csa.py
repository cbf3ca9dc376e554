"""Records as CSA; `kifu_core.shogi.formats.csa` reads them and names the source."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal

from kifu_core.deadline import watched
from kifu_core.decoding import BREAKS
from kifu_core.jkf import MoveEntry, Record
from kifu_core.record import Ending
from kifu_core.shogi.formats.csa import HEADERS, STATEMENT
from kifu_core.shogi.formats.writing import branches, ending_kind, one_line
from kifu_core.shogi.normalize import seconds
from kifu_core.shogi.pieces import (
    BY_CODE,
    CODES,
    HAND_KINDS,
    PROMOTED,
)
from kifu_core.shogi.position import Position
from kifu_core.shogi.specials import find
from kifu_core.shogi.start import start_position

_KEYS: Final = {name: key for key, name in HEADERS.items()}
_ENDS_HEAD: Final = re.compile(rf",(?=[ \t]*+{STATEMENT})")
_IS_KEY: Final = re.compile(r"[^:\n]{1,60}")
_PLAYER_SIGNS: Final = {"先手": "+", "下手": "+", "後手": "-", "上手": "-"}


def dump(
    record: Record,
    *,
    ending: Ending | None = None,
    version: Literal["2.2", "3"] = "2.2",
    fractions: Mapping[int, str] | None = None,
) -> str:
    """The record as CSA V2.2 or V3, which is UTF-8 and says so; forks are lost. `ending` is as for KIF.

    `fractions` are the digits beyond whole seconds by ply, which only V3 knows. Headers that CSA has no key
    for keep their names: readers pass over keys they do not know.
    """
    position = start_position(record.get("initial"))
    lines = ["'CSA encoding=UTF-8", "V3.0"] if version == "3" else ["V2.2"]
    lines += [*_header_lines(record), *_start_lines(position), "-" if position.turn else "+"]
    digits = fractions if fractions and version == "3" else {}
    for entry in record["moves"][:1]:
        lines += _comment_lines(entry)
    main = next(branches(record, ending))
    turn = main.turn
    for index, entry in enumerate(watched(main.entries)):
        statement, ply = _statement(entry, ending if index == main.closing else None, turn), index + 1
        turn ^= "move" in entry
        if statement:
            lines.append(statement)
        if statement and "time" in entry:
            lines.append(f"T{seconds(entry['time']['now'])}" + (f".{digits[ply]}" if ply in digits else ""))
        lines += _comment_lines(entry)
    return "\n".join(lines) + "\n"


def _header_lines(record: Record) -> list[str]:
    players: list[str] = []
    others: list[str] = []
    for name, text in kept_headers(record).items():
        if name in _PLAYER_SIGNS:
            players.append(f"N{_PLAYER_SIGNS[name]}{text}")
        else:
            others.append(f"${_KEYS.get(name, name)}:{text}")
    return sorted(players) + others


def kept_headers(record: Record) -> dict[str, str]:
    """The headers as they are read again: those whose name can be a key, and of two with one key the first.

    One that is called as a key is, such as EVENT, comes back under the name that the key stands for.
    """
    found: dict[str, str] = {}
    keys: set[str] = set()
    for name, value in record["header"].items():
        if name in _PLAYER_SIGNS and not one_line(value):
            continue
        key = _PLAYER_SIGNS.get(name) or _KEYS.get(name, name)
        if key not in keys and (name in _PLAYER_SIGNS or _IS_KEY.fullmatch(key)) and not BREAKS.search(name):
            keys.add(key)
            found[HEADERS.get(name, name)] = _ENDS_HEAD.sub("，", one_line(value))
    return found


def _start_lines(position: Position) -> list[str]:
    even = Position.initial()
    if position.board == even.board and not any(map(any, position.hands)):
        return ["PI"]
    lines = []
    for rank in range(9):
        cells = position.board[rank * 9 : rank * 9 + 9]
        lines.append(f"P{rank + 1}" + "".join(map(_cell, cells)))
    for sign, hand in zip("+-", position.hands, strict=True):
        items = "".join(f"00{CODES[kind]}" * hand[kind] for kind in reversed(HAND_KINDS))
        lines += [f"P{sign}{items}"] if items else []
    return lines


def _cell(piece: int) -> str:
    if not piece:
        return " * "
    return ("-" if piece < 0 else "+") + CODES[abs(piece)]


def _statement(entry: MoveEntry, ending: Ending | None, turn: int) -> str:
    if "move" in entry:
        move = entry["move"]
        source, kind = move.get("from"), BY_CODE[move["piece"]]
        origin = f"{source['x']}{source['y']}" if source else "00"
        after = PROMOTED[kind] if move.get("promote") else kind
        return f"{'-' if move['color'] else '+'}{origin}{move['to']['x']}{move['to']['y']}{CODES[after]}"
    if "special" not in entry and (ending is None or find(ending.word) is None):
        return ""
    kind_of_ending = ending_kind(entry, ending, turn)
    if kind_of_ending is not None and kind_of_ending.special == "ILLEGAL_ACTION":
        return f"%{'-+'[turn]}ILLEGAL_ACTION"
    if kind_of_ending is not None and kind_of_ending.csa:
        return f"%{kind_of_ending.csa}"
    return f"%{entry['special']}" if "special" in entry else ""


def _comment_lines(entry: MoveEntry) -> list[str]:
    return ["'" + line for comment in entry.get("comments", []) for line in (comment.splitlines() or [""])]
