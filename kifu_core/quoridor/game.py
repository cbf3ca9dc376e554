"""The `GameKind` of Quoridor."""

from typing import Final

from kifu_core.game import Codec, GameKind, Picture, Replay, Rules, Text
from kifu_core.quoridor import board, draw, formats, keys, qf_code, replay, rules, texts
from kifu_core.quoridor.position import QuoridorPosition
from kifu_core.quoridor.record import from_jkf, packed_move, start

QUORIDOR: Final[GameKind[QuoridorPosition]] = GameKind(
    name=keys.KIND,
    aliases=("コリドール",),
    rules=Rules(
        sides=("white", "black"),
        presets=("START", "OTHER"),
        initial=QuoridorPosition.initial,
        legal_moves=rules.legal_moves,
    ),
    codec=Codec(
        decode=keys.decode,
        encode=keys.encode,
        path_code=keys.path_code,
        code_of_path=keys.code_of_path,
        identity=lambda code: keys.rule_key(keys.decode(code)),
        canonical=keys.canonical,
        same_class_keys=keys.same_class_keys,
        orient=board.orient,
        as_object=texts.as_object,
        from_object=texts.from_object,
        schema=texts.SCHEMA,
        errors=(*qf_code.ERRORS, keys.NOT_A_POSITION),
    ),
    formats=formats.QUORIDOR,
    replay=Replay(
        visits=lambda record: replay.visits(from_jkf(record)),
        codes=lambda record: (keys.encode(one) for _, one, *_ in replay.main_line(from_jkf(record))),
        main_line=lambda record: replay.main_line(from_jkf(record)),
        main_moves=lambda record: replay.main_moves(from_jkf(record)),
        packed_move=packed_move,
        start_text=lambda record: replay.start_text(from_jkf(record)),
        first_turn=lambda record: start(from_jkf(record)).position.turn,
        findings=lambda game: game.issues,
        evaluations=lambda record: [],
        formations=lambda record, moves: [],
    ),
    text=Text(
        parse_position=texts.parse_position,
        parse_typed=texts.parse_typed,
        notations=lambda position, ply: {},
        move_name=board.name,
        move_text=texts.move_text,
        move_facts=lambda position, move: {},
        record_move_label=texts.record_move_label,
        next_move_label=texts.next_move_label,
    ),
    picture=Picture(svg=draw.svg, words=draw.words),
)
