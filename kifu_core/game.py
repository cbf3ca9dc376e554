"""What an archive needs to know of a kind of game, in six groups.

Each game's own module `game` fills them in. `P` is the type of the game's positions. Moves are packed into
whole numbers in all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from kifu_core.classes import Canonical
    from kifu_core.errors import Issue
    from kifu_core.formats import Formats
    from kifu_core.jkf import Record
    from kifu_core.lines import Visit
    from kifu_core.picture import Language
    from kifu_core.record import ParsedGame
    from kifu_core.shogi.evaluations import Evaluation
    from kifu_core.shogi.formations import Arisen

P = TypeVar("P")


@dataclass(frozen=True, slots=True)
class Rules(Generic[P]):
    """Who plays, where a game begins, and what may be played.

    `sides` are the names of colours 0 and 1, `presets` those of starts; `initial` makes the usual start.
    """

    sides: tuple[str, str]
    presets: tuple[str, ...]
    initial: Callable[[], P]
    legal_moves: Callable[[P], list[int]]


@dataclass(frozen=True, slots=True)
class Codec(Generic[P]):
    """Positions as codes and as JSON, and the classes that they are found by.

    `decode` and `encode` convert codes, `path_code` a code to the form it has in addresses, `code_of_path`
    back, `identity` to what all codes of one position share. `canonical` gives a position's class,
    `same_class_keys` the index keys of a code; `orient` turns a move as a class lies. `as_object` and
    `of_object` turn positions to JSON and back, of which `schema` is the JSON schema, under its title.
    `errors` are the codes of what `decode` raises.
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
    of_object: Callable[[Mapping[str, Any]], P]
    schema: Mapping[str, Any]
    errors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Replay(Generic[P]):
    """What is played in a record.

    `visits` lists its positions with their classes; `main_line` is its main line, position by position, and
    `main_moves` that line's moves, `packed_move` one of a record's. `start_text` is where it begins (an SFEN,
    a display key), `first_turn` who moves there. `findings` are a game's issues with what the rules say of
    its moves, `evaluations` what engines wrote into its comments, `formations` the castles and openings that
    its sides have, found by its main line's moves.
    """

    visits: Callable[[Record], list[Visit]]
    main_line: Callable[[Record], Iterator[tuple[int, P, int, Any]]]
    main_moves: Callable[[Record], list[int]]
    packed_move: Callable[[Any], int]
    start_text: Callable[[Record], str]
    first_turn: Callable[[Record], int]
    findings: Callable[[ParsedGame], tuple[Issue, ...]]
    evaluations: Callable[[Record], list[Evaluation]]
    formations: Callable[[Record, Sequence[int]], list[Arisen]]


@dataclass(frozen=True, slots=True)
class Text(Generic[P]):
    """Positions and moves as people and programs write them.

    `named` is the position of a text that is no record, `typed` that of words in which somebody names one
    otherwise, None for others, and both raise KifuError for one that is wrong; `texts` are names that a
    position has beside its code, after so many half-moves. `move_name` writes a move in the game's
    notation, `move_text` one about to be played as people write it, and `move_facts` are what else is
    told of that. With the mark of its side, as a language has it, `written` is a move of a record, after
    the one before it; `played` is one about to be played, by its `move_text`, after the one before it.
    """

    named: Callable[[str], P | None]
    typed: Callable[[str], P | None]
    texts: Callable[[P, int], dict[str, str]]
    move_name: Callable[[int], str]
    move_text: Callable[[P, int], str]
    move_facts: Callable[[P, int], dict[str, Any]]
    written: Callable[[Any, Any | None, Language], str]
    played: Callable[[P, int, str, Language, int | None], str]


@dataclass(frozen=True, slots=True)
class Picture(Generic[P]):
    """A position to be looked at: as an SVG document, and in `words` for those who do not see it."""

    svg: Callable[..., str]
    words: Callable[[P, Language], str]


@dataclass(frozen=True, slots=True)
class GameKind(Generic[P]):
    """One kind of game: its name in codes and addresses, what else it is `called`, and its groups."""

    name: str
    called: tuple[str, ...]
    rules: Rules[P]
    codec: Codec[P]
    formats: Formats
    replay: Replay[P]
    text: Text[P]
    picture: Picture[P]
