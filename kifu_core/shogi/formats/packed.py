"""Training data of engines: positions with score, move and result (.hcpe, .psv, .bin).

`kifu_core.shogi.packed` reads the bytes. Such files have millions of positions; `MOST` of them are read.
There is no writer: records have no scores, and trainers make the files from their own games.
"""

import struct
from functools import partial
from typing import Final

from kifu_core.deadline import watched
from kifu_core.decoding import Notes, Source
from kifu_core.errors import DecodeError
from kifu_core.formats import Format, Mark, Stage
from kifu_core.record import ParsedGame
from kifu_core.shogi.formats.positions import PositionDraft
from kifu_core.shogi.moves import to_usi
from kifu_core.shogi.packed import HEAD_BYTES, SIZES, Packing, decode, move_of, packing_of
from kifu_core.shogi.rules import violation
from kifu_core.shogi.start import initial_of

MOST: Final = 5_000
"""Positions to read of a file."""

_LAYOUTS: Final[dict[Packing, str]] = {"hcpe": "<32sh2sbB", "psv": "<32sh2sHbB"}


def _load(packing: Packing, source: Source, notes: Notes) -> list[ParsedGame]:
    """Return the positions of a file, whose text has a character for each byte."""
    data, size = source.text[: (MOST + 1) * SIZES[packing]].encode("latin-1"), SIZES[packing]
    games: list[ParsedGame] = []
    if len(source.text) % size:
        notes.add("packed-rest", None, "error", count=len(source.text) % size)
    for number, at in enumerate(watched(range(0, len(data) - size + 1, size)), start=1):
        if number > MOST:
            notes.add("too-many-games", None, "error", limit=MOST)
            break
        try:
            draft = _draft(source, data[at : at + size], packing)
        except DecodeError as error:
            notes.add(error.code, None, "error", None, **{**error.params, "number": number})
            continue
        game = draft.finished(len(games), lambda block: [])
        if game is not None:
            games.append(game)
    return games


def _draft(source: Source, entry: bytes, packing: Packing) -> PositionDraft:
    packed, score, packed_move, *rest = struct.unpack(_LAYOUTS[packing], entry)
    position = decode(packed, packing)
    draft = PositionDraft(Notes(source), position=position, initial=initial_of(position), started=True)
    draft.comments.append(f"#評価値={score if position.turn == 0 else -score}")
    move = move_of(packed_move, packing)
    if move and violation(position, move) is None:
        draft.comments.append(f"#読み筋={to_usi(move)}")
    elif move:
        draft.notes.add("packed-move", None, "warning", text=to_usi(move))
    if packing == "psv":
        draft.comments.append(f"手数={rest[0]}")
    draft.comments.append(f"対局結果={_result(packing, rest[-2], position.turn)}")
    return draft


def _result(packing: Packing, number: int, turn: int) -> str:
    """Return the result in words; dlshogi adds the reason of a draw to Apery's number."""
    if packing == "hcpe":
        return ("引き分け", "先手の勝ち", "後手の勝ち", "不明")[number & 3]
    winner = {1: turn, -1: turn ^ 1}.get(number)
    return "引き分け" if winner is None else f"{('先手', '後手')[winner]}の勝ち"


def _is_packed(packing: Packing, text: str, name: str) -> bool:
    if not name:
        return False
    try:
        return packing_of(text[:HEAD_BYTES].encode("latin-1"), name) == packing
    except UnicodeEncodeError:
        return False


def _format(packing: Packing) -> Format:
    return Format(packing, partial(_load, packing), [Mark(Stage.WHOLE, partial(_is_packed, packing))])


HCPE: Final = _format("hcpe")
PSV: Final = _format("psv")
