"""Training data of engines: positions or games with scores, moves and results (.hcpe, .hcpe3, .psv, .bin).

`kifu_core.shogi.packed` reads the bytes. Such files have millions of positions; `MOST` of them are read.
`kifu_core.shogi.training` writes such files, which have the positions of many games.
"""

from functools import partial
from typing import Final

from kifu_core.deadline import watched
from kifu_core.decoding import Notes, Source
from kifu_core.errors import DecodeError
from kifu_core.formats import Format
from kifu_core.record import ParsedGame
from kifu_core.shogi.binary import binary_mark
from kifu_core.shogi.formats.positions import PositionDraft
from kifu_core.shogi.formats.usi import packed_step
from kifu_core.shogi.move_resolution import EndingStep, UnreadableStep
from kifu_core.shogi.moves import to_usi
from kifu_core.shogi.packed import ENTRIES, Packing, decode, move_of
from kifu_core.shogi.rules import violation
from kifu_core.shogi.specials import find
from kifu_core.shogi.start import initial_of
from kifu_core.shogi.training import REASONS, GameOfHcpe3, games_of_hcpe3

MOST: Final = 5_000
"""Positions to read of a file."""

_UNKNOWN: Final = 3
"""The number of a result that is unknown."""


def _load(packing: Packing, source: Source, notes: Notes) -> list[ParsedGame]:
    """Return the positions of a file, whose text has a character for each byte."""
    size = ENTRIES[packing].size
    data = source.text[: (MOST + 1) * size].encode("latin-1")
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
    packed, score, packed_move, *rest = ENTRIES[packing].unpack(entry)
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


def _load_games(source: Source, notes: Notes) -> list[ParsedGame]:
    """Return the games of an `hcpe3` file, with the scores of moves that have candidates."""
    data, games, positions, end = source.text.encode("latin-1"), list[ParsedGame](), 0, 0
    for number, one in enumerate(watched(games_of_hcpe3(data)), start=1):
        positions, end = positions + len(one.moves), one.end
        if positions > MOST:
            notes.add("too-many-games", None, "error", limit=MOST)
            return games
        try:
            draft = _game_draft(source, one)
        except DecodeError as error:
            notes.add(error.code, None, "error", None, **{**error.params, "number": number})
            continue
        if (game := draft.finished(len(games), lambda block: [])) is not None:
            games.append(game)
    if end < len(data):
        notes.add("packed-rest", None, "error", count=len(data) - end)
    return games


def _game_draft(source: Source, one: GameOfHcpe3) -> PositionDraft:
    position = decode(one.start, "hcpe")
    draft = PositionDraft(Notes(source), position=position, initial=initial_of(position), started=True)
    for ply, (move, score) in enumerate(one.moves):
        if score is not None:
            comment = f"#評価値={score if position.turn == ply & 1 else -score}"
            (draft.line.comments.setdefault(ply - 1, []) if ply else draft.comments).append(comment)
        packed = move_of(move, "hcpe")
        draft.line.steps.append(packed_step(packed) if packed else UnreadableStep(f"{move:04x}"))
    winner = {1: 0, 2: 1}.get(one.result & 3)
    reason = next((name for name, bit in REASONS.items() if one.result & bit), None)
    if winner is not None and reason is None:
        draft.decide(winner, 0)
    elif one.result & 3 != _UNKNOWN:
        kind = find(reason or "HIKIWAKE")
        assert kind is not None
        draft.line.steps.append(EndingStep(kind.word, kind.special, winner))
    draft.line.times = [None] * len(draft.line.steps)
    return draft


def _format(packing: Packing) -> Format:
    return Format(packing, partial(_load, packing), [binary_mark(packing)])


HCPE: Final = _format("hcpe")
PSV: Final = _format("psv")
HCPE3: Final = Format("hcpe3", _load_games, [binary_mark("hcpe3")])
