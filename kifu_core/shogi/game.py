"""The `GameKind` of shogi."""

from typing import Final

from kifu_core.game import Codec, GameKind, Picture, Replay, Rules, Text
from kifu_core.shogi import (
    draw,
    evaluations,
    formations,
    formats,
    legality,
    moves,
    notation,
    replay,
    rules,
    texts,
    typed_moves,
)
from kifu_core.shogi.handicaps import PRESETS
from kifu_core.shogi.keys import canonical, shogi64
from kifu_core.shogi.position import Position

SHOGI: Final[GameKind[Position]] = GameKind(
    name="shogi",
    aliases=("将棋",),
    rules=Rules(
        sides=("black", "white"),
        presets=(*PRESETS, "OTHER"),
        initial=Position.initial,
        legal_moves=rules.legal_moves,
    ),
    codec=Codec(
        decode=shogi64.decode,
        encode=shogi64.encode,
        path_code=lambda code: code,
        code_of_path=lambda path: path,
        identity=lambda code: code,
        canonical=canonical.canonical,
        same_class_keys=canonical.same_class_keys,
        orient=moves.orient,
        as_object=shogi64.as_object,
        from_object=texts.from_object,
        schema=shogi64.SCHEMA,
        errors=shogi64.ERRORS,
    ),
    formats=formats.SHOGI,
    replay=Replay(
        visits=replay.visits,
        codes=replay.codes,
        main_line=replay.main_line,
        main_moves=replay.main_moves,
        packed_move=replay.packed_move,
        start_text=lambda record: replay.start(record).sfen(None),
        first_turn=lambda record: replay.start(record).turn,
        findings=legality.findings,
        evaluations=evaluations.evaluations,
        formations=formations.find_in_record,
    ),
    text=Text(
        parse_position=texts.parse_position,
        parse_typed=typed_moves.parse_position,
        notations=texts.notations,
        move_name=moves.to_usi,
        move_text=notation.move_text,
        move_facts=notation.move_facts,
        record_move_label=notation.record_move_label,
        next_move_label=notation.next_move_label,
    ),
    picture=Picture(svg=draw.svg, words=draw.words),
)
