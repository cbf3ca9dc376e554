"""Quoridor, as an archive needs to know it."""

from __future__ import annotations

from typing import Final

from kifu_core.game import Codec, Formats, GameKind, Picture, Replay, Rules, Text
from kifu_core.quoridor import board, draw, formats, keys, replay, rules, telling
from kifu_core.quoridor.formats.losses import losses
from kifu_core.quoridor.position import Position
from kifu_core.quoridor.record import from_jkf, packed_move, start

QUORIDOR: Final[GameKind[Position]] = GameKind(
    name=keys.KIND,
    rules=Rules(
        sides=("white", "black"),
        presets=("START", "OTHER"),
        initial=Position.initial,
        legal_moves=rules.legal_moves,
    ),
    codec=Codec(
        decode=keys.decode,
        encode=keys.encode,
        path_code=telling.path_code,
        identity=lambda code: keys.rule_key(keys.decode(code)),
        canonical=keys.canonical,
        same_class_keys=keys.same_class_keys,
        orient=board.orient,
        as_object=telling.as_object,
        of_object=telling.of_object,
    ),
    formats=Formats(
        names=formats.FORMATS,
        detect=formats.detect,
        load_source=formats.load_source,
        load=formats.load,
        dump=formats.dump,
        losses=losses,
        with_ply=frozenset(["qf"]),
        with_ending=frozenset(),
        ends={},
    ),
    replay=Replay(
        visits=lambda record: replay.visits(from_jkf(record)),
        main_line=lambda record: replay.main_line(from_jkf(record)),
        main_moves=lambda record: replay.main_moves(from_jkf(record)),
        packed_move=packed_move,
        start_text=lambda record: replay.start_text(from_jkf(record)),
        first_turn=lambda record: start(from_jkf(record)).position.turn,
        findings=lambda game: game.issues,
        evaluations=lambda record: [],
    ),
    text=Text(
        named=telling.named,
        texts=lambda position, ply: {},
        move_name=board.name,
        move_text=telling.move_text,
        move_facts=lambda position, move: {},
    ),
    picture=Picture(svg=draw.svg, words=draw.words),
)
