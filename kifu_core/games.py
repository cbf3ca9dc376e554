"""What an archive needs to know of a kind of game; one table entry per kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar, cast

from kifu_core.classes import Canonical, key
from kifu_core.errors import Issue
from kifu_core.jkf import Record
from kifu_core.limits import UNLIMITED, Limits
from kifu_core.lines import Visit
from kifu_core.quoridor import board as quoridor_board
from kifu_core.quoridor import draw as quoridor_draw
from kifu_core.quoridor import formats as quoridor_formats
from kifu_core.quoridor import keys as quoridor_keys
from kifu_core.quoridor import replay as quoridor_replay
from kifu_core.quoridor import rules as quoridor_rules
from kifu_core.quoridor import telling as quoridor_telling
from kifu_core.quoridor.formats.losses import losses as quoridor_losses
from kifu_core.quoridor.position import Position as QuoridorPosition
from kifu_core.quoridor.record import from_jkf, packed_move, start
from kifu_core.reading import open_source
from kifu_core.record import FormatName, ParsedGame, ParseResult
from kifu_core.shogi import detect as shogi_detect
from kifu_core.shogi import draw, evaluations, formats, legality, moves, replay, rules, telling
from kifu_core.shogi.formats.losses import losses
from kifu_core.shogi.handicaps import PRESETS
from kifu_core.shogi.keys import canonical, shogi64
from kifu_core.shogi.packed import is_packed
from kifu_core.shogi.position import Position

P = TypeVar("P")


@dataclass(frozen=True, slots=True)
class GameKind(Generic[P]):
    """The functions of one kind of game, whose positions are of the type `P`.

    `sides` are the names of colours 0 and 1, `presets` those of starts; `initial` makes the usual start.

    `detect` names the format of a text and the reason, `load_source` reads an opened source, `load` a file,
    `dump` writes a record in one of `formats`, `losses` tells what it loses there. The option `ply` chooses a
    position in formats of `with_ply`, `ending` brings what records have no name for to those of
    `with_ending`. `findings` are a game's issues with what the rules say of its moves. `visits` lists the
    positions of a record with their classes; `main_line` is its main line, position by position, and
    `main_moves` that line's packed moves, `packed_move` those of a record's move. `start_text` is where it
    begins (an SFEN, a display key), `first_turn` who moves there; `evaluations` are what engines wrote into
    its comments.

    `orient` turns a packed move as a class lies. `decode` and `encode` convert codes, `path_code` a code to
    the form it has in addresses and back, `identity` to what all codes of one position share. `canonical`
    gives a position's class, `key` and `same_class_keys` the index keys of a code.

    `named` is the position of a text that is no record, None for others; `ends` makes a record of a text that
    only sets up a board, by format. `texts` are names that a position has beside its code, after so many
    half-moves; `as_object` and `of_object` turn positions to JSON and back.

    `legal_moves` are packed; `move_name` writes a move in the game's notation, `move_text` one about to be
    played as people write it, and `move_facts` are what else is told of that.
    `svg` is the picture of a position.
    """

    name: str
    sides: tuple[str, str]
    presets: tuple[str, ...]
    initial: Callable[[], P]
    formats: tuple[str, ...]
    detect: Callable[[str, str], tuple[FormatName | None, str]]
    load_source: Callable[..., ParseResult]
    load: Callable[[bytes | str, str | None], ParseResult]
    dump: Callable[..., str]
    losses: Callable[..., tuple[Issue, ...]]
    with_ply: frozenset[str]
    with_ending: frozenset[str]
    findings: Callable[[ParsedGame], tuple[Issue, ...]]
    visits: Callable[[Record], list[Visit]]
    main_line: Callable[[Record], Iterator[tuple[int, P, int, Any]]]
    main_moves: Callable[[Record], list[int]]
    packed_move: Callable[[Any], int]
    start_text: Callable[[Record], str]
    first_turn: Callable[[Record], int]
    evaluations: Callable[[Record], list[evaluations.Evaluation]]
    orient: Callable[[int, int], int]
    decode: Callable[[str], P]
    encode: Callable[[P], str]
    path_code: Callable[[str], str]
    identity: Callable[[str], str]
    canonical: Callable[[P], Canonical]
    key: Callable[..., int]
    same_class_keys: Callable[..., tuple[int, ...]]
    named: Callable[[str], P | None]
    ends: Mapping[str, str]
    texts: Callable[[P, int], dict[str, str]]
    as_object: Callable[[P], Mapping[str, Any]]
    of_object: Callable[[Mapping[str, Any]], P]
    legal_moves: Callable[[P], list[int]]
    move_name: Callable[[int], str]
    move_text: Callable[[P, int], str]
    move_facts: Callable[[P, int], dict[str, Any]]
    svg: Callable[..., str]


SHOGI: Final[GameKind[Position]] = GameKind(
    name="shogi",
    sides=("black", "white"),
    presets=(*PRESETS, "OTHER"),
    initial=Position.initial,
    formats=formats.FORMATS,
    detect=shogi_detect.detect,
    load_source=formats.load_source,
    load=formats.load,
    dump=formats.dump,
    losses=losses,
    with_ply=frozenset(["sfen", "bod"]),
    with_ending=frozenset(["kif", "kifu", "ki2", "ki2u", "csa"]),
    findings=legality.findings,
    visits=replay.visits,
    main_line=replay.main_line,
    main_moves=replay.main_moves,
    packed_move=replay.packed_move,
    start_text=lambda record: replay.start(record).sfen(None),
    first_turn=lambda record: replay.start(record).turn,
    evaluations=evaluations.evaluations,
    orient=moves.orient,
    decode=shogi64.decode,
    encode=shogi64.encode,
    path_code=lambda code: code,
    identity=lambda code: code,
    canonical=canonical.canonical,
    key=key,
    same_class_keys=canonical.same_class_keys,
    named=telling.named,
    ends=telling.ENDS,
    texts=telling.texts,
    as_object=shogi64.as_object,
    of_object=telling.of_object,
    legal_moves=rules.legal_moves,
    move_name=moves.to_usi,
    move_text=telling.move_text,
    move_facts=telling.move_facts,
    svg=draw.svg,
)

QUORIDOR: Final[GameKind[QuoridorPosition]] = GameKind(
    name=quoridor_keys.KIND,
    sides=("white", "black"),
    presets=("START", "OTHER"),
    initial=QuoridorPosition.initial,
    formats=quoridor_formats.FORMATS,
    detect=quoridor_formats.detect,
    load_source=quoridor_formats.load_source,
    load=quoridor_formats.load,
    dump=quoridor_formats.dump,
    losses=quoridor_losses,
    with_ply=frozenset(["qf"]),
    with_ending=frozenset(),
    findings=lambda game: game.issues,
    visits=lambda record: quoridor_replay.visits(from_jkf(record)),
    main_line=lambda record: quoridor_replay.main_line(from_jkf(record)),
    main_moves=lambda record: quoridor_replay.main_moves(from_jkf(record)),
    packed_move=packed_move,
    start_text=lambda record: quoridor_replay.start_text(from_jkf(record)),
    first_turn=lambda record: start(from_jkf(record)).position.turn,
    evaluations=lambda record: [],
    orient=quoridor_board.orient,
    decode=quoridor_keys.decode,
    encode=quoridor_keys.encode,
    path_code=quoridor_telling.path_code,
    identity=lambda code: quoridor_keys.rule_key(quoridor_keys.decode(code)),
    canonical=quoridor_keys.canonical,
    key=quoridor_keys.key,
    same_class_keys=quoridor_keys.same_class_keys,
    named=quoridor_telling.named,
    ends={},
    texts=lambda position, ply: {},
    as_object=quoridor_telling.as_object,
    of_object=quoridor_telling.of_object,
    legal_moves=quoridor_rules.legal_moves,
    move_name=quoridor_board.name,
    move_text=quoridor_telling.move_text,
    move_facts=lambda position, move: {},
    svg=quoridor_draw.svg,
)

GAMES: Final[dict[str, GameKind[Any]]] = {SHOGI.name: SHOGI, QUORIDOR.name: QUORIDOR}
"""Every kind of game by the name it has in codes, columns and addresses."""

_CERTAIN: Final = "rows"


def of_record(record: Record) -> GameKind[Any]:
    """The kind of game of a complete record: those of Quoridor say so themselves."""
    return GAMES[cast(dict[str, Any], record).get("game", SHOGI.name)]


def kind_of(text: str, name: str = "") -> GameKind[Any]:
    """The kind of game that a text holds: shogi where it has rows of shogi, or where nothing is recognised.

    JSON is Quoridor's only if it says so.
    """
    format_name, reason = SHOGI.detect(text, name)
    if format_name is not None and reason == _CERTAIN:
        return SHOGI
    return QUORIDOR if QUORIDOR.detect(text, name)[0] is not None else SHOGI


JSON: Final = frozenset(["jkf", "json"])
"""The formats that are a record itself; several games are one list in them."""


def last_position(record: Record) -> tuple[int, dict[str, str]]:
    """How long a record's main line is, and where it ends: its other names, or the code of games that have
    none."""
    kind = of_record(record)
    *_, (plies, position, _, _) = kind.main_line(record)
    return plies, kind.texts(position, plies) or {"code": kind.encode(position)}


def load(
    data: bytes | str, name: str | None = None, *, strict: bool = False, limits: Limits = UNLIMITED
) -> tuple[GameKind[Any], ParseResult]:
    """All games of a file of any kind of game, and the kind; raises as `kifu_core.load` does.

    What a game has beyond the `limits` becomes its unread text, with an issue.
    """
    source, notes = open_source(data, name, limits, is_packed)
    kind = kind_of(source.text, source.name)
    return kind, kind.load_source(source, notes, strict=strict)
