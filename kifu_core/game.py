"""The protocol of a game: all that an archive uses of one, in six groups.

The module `game` of each game fills in a `GameKind`. `P` is the type of the game's positions. Every game
packs a move into an integer.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from kifu_core.classes import Canonical
from kifu_core.errors import Issue
from kifu_core.formats import Formats
from kifu_core.jkf import Record
from kifu_core.lines import Visit
from kifu_core.messages import Language
from kifu_core.record import ParsedGame

P = TypeVar("P")

Role = Literal["player", "analysis", "alternative"]
"""Whose thought an evaluation is: the player's own, a later analysis, or a line that was not played."""


class Evaluation(NamedTuple):
    """One evaluation of the position after `ply` half-moves of the main line.

    `score` is in hundredths of a pawn from the side of colour 0, as written even if it stands for a mate.
    `winner` is the colour that mates, `mate` in how many plies (None: not stated). `pv` is the line as
    written, `moves` as much of it as can be played from this position, in the game's notation. `time` is in
    seconds. `candidate` numbers an engine's lines from 1; it is 0 if only one is written.
    """

    ply: int
    source: str
    role: Role
    score: int | None = None
    winner: int | None = None
    mate: int | None = None
    depth: int | None = None
    nodes: int | None = None
    time: float | None = None
    candidate: int = 0
    engine: str = ""
    pv: str = ""
    moves: tuple[str, ...] = ()


class FormationOccurrence(NamedTuple):
    """A formation (castle, opening) of one side by name and colour, and the ply at which it first arises."""

    name: str
    color: int
    ply: int


@dataclass(frozen=True, slots=True)
class Rules(Generic[P]):
    """The sides, the starts and the legal moves.

    `sides` names colours 0 and 1, `presets` names the starts. `initial` returns the usual start.
    """

    sides: tuple[str, str]
    presets: tuple[str, ...]
    initial: Callable[[], P]
    legal_moves: Callable[[P], list[int]]


@dataclass(frozen=True, slots=True)
class Codec(Generic[P]):
    """Positions as codes and as JSON, and their classes.

    `decode` and `encode` convert codes. `path_code` returns the form of a code in URLs, `code_of_path` is its
    inverse. `identity` returns a text that all codes of one position share. `canonical` returns the class of
    a position, `same_class_keys` the index keys of a code. `orient` turns a move to the orientation of a
    class. `as_object` and `from_object` convert positions to JSON values and back; `schema` is the JSON
    schema of these, under its title. `errors` are the codes of the errors that `decode` raises.
    """

    decode: Callable[[str], P]
    encode: Callable[[P], str]
    path_code: Callable[[str], str]
    code_of_path: Callable[[str], str]
    identity: Callable[[str], str]
    canonical: Callable[[P], Canonical]
    same_class_keys: Callable[..., tuple[int, ...]]
    orient: Callable[[int, int], int]
    as_object: Callable[[P], Mapping[str, Any]]
    from_object: Callable[[Mapping[str, Any]], P]
    schema: Mapping[str, Any]
    errors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Replay(Generic[P]):
    """The replay of a record.

    `visits` lists the positions of a record with their classes. `codes` yields the codes of the positions of
    the main line, up to the first that has none. `main_line` yields ply, position, next move
    and entry; `main_moves` lists the packed moves of that line. `packed_move` packs one move of a record.
    `start_text` is the start (an SFEN, a display key), `first_turn` the side to move there. `findings` are
    the issues of reading a game and those of its legality. `evaluations` reads engines' comments.
    `formations` finds castles and openings by the packed moves of the main line.
    """

    visits: Callable[[Record], list[Visit]]
    codes: Callable[[Record], Iterator[str]]
    main_line: Callable[[Record], Iterator[tuple[int, P, int, Any]]]
    main_moves: Callable[[Record], list[int]]
    packed_move: Callable[[Any], int]
    start_text: Callable[[Record], str]
    first_turn: Callable[[Record], int]
    findings: Callable[[ParsedGame], tuple[Issue, ...]]
    evaluations: Callable[[Record], list[Evaluation]]
    formations: Callable[[Record, Sequence[int]], list[FormationOccurrence]]


@dataclass(frozen=True, slots=True)
class Text(Generic[P]):
    """Positions and moves as people and programs write them.

    `parse_position` reads a text that is one position (an SFEN, a qf_code); `parse_typed` reads any words
    that lead to a position, such as moves from the usual start. Both return None for other texts and raise
    KifuError for an invalid position. `notations` returns the texts of a position other than its code, by
    their names; its second argument is the ply.

    `move_name` writes a packed move for programs, `move_text` a move about to be played for people.
    `move_facts` returns further fields of such a move for JSON. A label is a move with the mark of its side:
    `record_move_label` takes a move of a record and the move before it, `next_move_label` takes a position,
    a packed move, its `move_text`, and the packed move before it.
    """

    parse_position: Callable[[str], P | None]
    parse_typed: Callable[[str], P | None]
    notations: Callable[[P, int], dict[str, str]]
    move_name: Callable[[int], str]
    move_text: Callable[[P, int], str]
    move_facts: Callable[[P, int], dict[str, Any]]
    record_move_label: Callable[[Any, Any | None, Language], str]
    next_move_label: Callable[[P, int, str, Language, int | None], str]


@dataclass(frozen=True, slots=True)
class Picture(Generic[P]):
    """A position as an SVG document, and in `words` for readers who cannot see it."""

    svg: Callable[..., str]
    words: Callable[[P, Language], str]


@dataclass(frozen=True, slots=True)
class GameKind(Generic[P]):
    """One kind of game: its name in codes and URLs, further names, and its groups."""

    name: str
    aliases: tuple[str, ...]
    rules: Rules[P]
    codec: Codec[P]
    formats: Formats
    replay: Replay[P]
    text: Text[P]
    picture: Picture[P]
