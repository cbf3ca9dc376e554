"""Raw JKF: a record with no more fields than its format writes, as json-kifu-format's parsers return it.

It is made from the finished record, so that corrections of the reading are kept.
"""

from collections.abc import Mapping
from typing import Any

from kifu_core.jkf import Move, MoveEntry, Record
from kifu_core.shogi.pieces import BY_CODE, CODES, PROMOTED
from kifu_core.shogi.start import drawn_initial, start_position


def raw_record(record: Record, file_format: str) -> dict[str, Any]:
    """Return the record as the parser of a format returns it, before it is normalized.

    KIF names source, target or 同, piece and promotion; KI2 no source but the relative words; CSA the piece
    after the move, always a board, and no totals; JKF is unchanged; the others (USI, SFEN, USEN, books) have
    the minimal form of source and target. BOD has no moves.

    >>> moves = [{}, {"move": {"color": 0, "from": {"x": 7, "y": 7}, "to": {"x": 7, "y": 6}, "piece": "FU"}}]
    >>> raw_record({"header": {}, "moves": moves}, "usi")["moves"][1]
    {'move': {'from': {'x': 7, 'y': 7}, 'to': {'x': 7, 'y': 6}}}
    """
    if file_format == "jkf":
        return dict(record)
    raw: dict[str, Any] = {"header": record["header"], "moves": _entries(record["moves"], file_format)}
    if file_format in ("csa", "csa1"):
        raw["initial"] = drawn_initial(start_position(record.get("initial")))
    elif "initial" in record:
        raw["initial"] = record["initial"]
    return raw


def _entries(entries: list[MoveEntry], file_format: str) -> list[dict[str, Any]]:
    return [_entry(entry, file_format) for entry in entries]


def _entry(entry: MoveEntry, file_format: str) -> dict[str, Any]:
    raw: dict[str, Any] = dict(entry)
    if "move" in entry:
        raw["move"] = _move(entry["move"], file_format)
    if "special" in entry and file_format in ("kif", "ki2"):
        raw["special"] = entry["special"].lstrip("+-")  # its rows do not say whose foul it was
    if "time" in entry and file_format == "csa":
        raw["time"] = {"now": entry["time"]["now"]}
    if "forks" in entry:
        raw["forks"] = [_entries(fork, file_format) for fork in entry["forks"]]
    return raw


def _move(move: Move, file_format: str) -> dict[str, Any]:
    if file_format in ("csa", "csa1"):
        return _csa_move(move)
    if file_format in ("kif", "ki2"):
        return _kakinoki_move(move, file_format)
    source = move.get("from")
    raw: dict[str, Any] = {"from": source, "to": move["to"]} if source else _picked(move, "to", "piece")
    return raw | ({"promote": True} if move.get("promote") else {})


def _csa_move(move: Move) -> dict[str, Any]:
    kind = BY_CODE[move["piece"]]
    after = CODES[PROMOTED[kind]] if move.get("promote") else move["piece"]
    return _picked(move, "from", "to") | {"piece": after}


def _kakinoki_move(move: Move, file_format: str) -> dict[str, Any]:
    raw = _picked(move, "piece", "same" if move.get("same") else "to")
    if file_format == "kif":
        return raw | _picked(move, "from") | ({"promote": True} if move.get("promote") else {})
    return raw | _picked(move, "relative", "promote")


def _picked(move: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: move[name] for name in names if move.get(name) is not None}
