"""Shogi, as an archive needs to know it."""

from __future__ import annotations

from typing import Final

from kifu_core.game import Codec, Formats, GameKind, Picture, Replay, Rules, Text
from kifu_core.shogi import detect, draw, evaluations, formats, legality, moves, replay, rules, telling
from kifu_core.shogi.formats.losses import losses
from kifu_core.shogi.handicaps import PRESETS
from kifu_core.shogi.keys import canonical, shogi64
from kifu_core.shogi.position import Position

SHOGI: Final[GameKind[Position]] = GameKind(
    name="shogi",
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
        identity=lambda code: code,
        canonical=canonical.canonical,
        same_class_keys=canonical.same_class_keys,
        orient=moves.orient,
        as_object=shogi64.as_object,
        of_object=telling.of_object,
    ),
    formats=Formats(
        names=formats.FORMATS,
        detect=detect.detect,
        load_source=formats.load_source,
        load=formats.load,
        dump=formats.dump,
        losses=losses,
        with_ply=frozenset(["sfen", "bod"]),
        with_ending=frozenset(["kif", "kifu", "ki2", "ki2u", "csa"]),
        ends=telling.ENDS,
    ),
    replay=Replay(
        visits=replay.visits,
        main_line=replay.main_line,
        main_moves=replay.main_moves,
        packed_move=replay.packed_move,
        start_text=lambda record: replay.start(record).sfen(None),
        first_turn=lambda record: replay.start(record).turn,
        findings=legality.findings,
        evaluations=evaluations.evaluations,
    ),
    text=Text(
        named=telling.named,
        texts=telling.texts,
        move_name=moves.to_usi,
        move_text=telling.move_text,
        move_facts=telling.move_facts,
    ),
    picture=Picture(svg=draw.svg, words=draw.words),
)
