"""Derives the stored form of a game from a parsed record: pure functions, no database.

A game's identity is its digest: the same game in another format has the same one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import date
from functools import cache
from hashlib import blake2b
from operator import attrgetter
from typing import Any, Final, NamedTuple

from archive.columns.lines import pack_lines
from archive.derive import formations, headers, series, text
from archive.derive.formations import FormationRow
from archive.derive.headers import HeaderParts
from archive.index import schema
from archive.index.schema import BLACK_WINS, DRAW, FIRST, FORK, NOT_A_GAME, UNKNOWN, UNKNOWN_DAY, WHITE_WINS
from archive.models import codec
from kifu_core.classes import PUBLIC, key
from kifu_core.errors import Issue
from kifu_core.games import GAMES, of_record
from kifu_core.jkf import Record
from kifu_core.record import Ending, ParsedGame
from kifu_core.shogi import specials

DIGEST_VERSION: Final = 4
SHORT_PLIES: Final = 10
"""Records with fewer plies, no players and no day are the same game only if their texts are equal."""

SHOGI: Final = "shogi"

_ENDING: Final = attrgetter(*(part.name for part in fields(Ending)))


Identity = tuple[int, bytes]
"""Space and digest of a game."""


class DerivedRow(NamedTuple):
    """A row of the index before the game has a slot."""

    key: int
    ply: int
    move: int
    flags: int


@dataclass(frozen=True, slots=True)
class DerivedGame:
    """A game ready to be stored."""

    kind: str
    record_kind: str
    space: int
    digest: bytes
    record: bytes
    """The packed record (`archive.models.codec`)."""
    players: tuple[str, str]
    """The normalized names of colours 0 and 1; empty if unknown."""
    ratings: tuple[int | None, int | None]
    """The ratings of the players of colours 0 and 1."""
    event: str
    site: str
    played_from: date | None
    played_to: date | None
    precision: str
    handicap: str
    result: int
    special: str
    plies: int
    rows: tuple[DerivedRow, ...]
    """The rows of the game in the index; empty if `kept_rows` is set."""
    codes: tuple[str, ...]
    """The canonical code of the key of each of the `rows`."""
    calendar: str = ""
    round: str = ""
    opening: str = ""
    header_data: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """Headers in the form of `headers.header_data`."""
    series: bytes = b""
    """Packed by `archive.derive.series`."""
    digest_version: int = DIGEST_VERSION
    stem: bytes = b""
    """The hash of the moves alone."""
    parsed_facts: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """Facts of the parsed game, which `derive_stored` needs besides the record."""
    kept_rows: int | None = None
    """The number of rows of a stored game in the index, if these do not change. Otherwise None."""
    text: str = ""
    """The searchable text (`archive.derive.text`)."""
    features: int = 0
    lines: bytes | None = None
    """The packed lines for files of columns (`archive.columns.lines`); None without `rows`."""
    formations: tuple[FormationRow, ...] = ()
    base: DerivedGame | None = None
    """The game without its corrections and without rows; None if no corrections apply to it."""
    attributed: tuple[int | None, int | None] = (None, None)
    """People that corrections name as the players of colours 0 and 1."""
    masked: int = 0
    """The sides that are shown by initials (`Game.masked`)."""
    shown_digest: bytes = b""
    """The digest of the record with initials; empty if no side has them."""
    failures: Mapping[int, int] = field(default_factory=dict, hash=False)
    """Corrections that were left out, with the index of the operation that cannot be applied."""

    @property
    def place(self) -> str:
        """Return the name of the place; empty if it is unknown, or the address of the game."""
        return "" if "://" in self.site else self.site

    @property
    def identity(self) -> Identity:
        """Return space and digest: games with the same ones are the same game."""
        return self.space, self.digest

    @property
    def row_count(self) -> int:
        """Return the number of rows of the game in the index."""
        return len(self.rows) if self.kept_rows is None else self.kept_rows

    @property
    def played(self) -> int:
        """Return the ordinal of the first day, `UNKNOWN_DAY` if it is unknown."""
        return self.played_from.toordinal() if self.played_from else UNKNOWN_DAY


@dataclass(frozen=True, slots=True)
class DerivedEntry:
    """An entry of an upload ready to be stored. One without a `game` failed, and `issues` are the reasons."""

    seq: int
    game: DerivedGame | None = None
    path: str = ""
    index: int = 0
    part: int = 0
    issues: tuple[Issue, ...] = ()
    beyond_jkf: Mapping[str, Any] = field(default_factory=dict)
    encoding: str = ""
    format: str = ""
    program: str = ""


def derive_game(parsed: ParsedGame, space: int = PUBLIC, kept_rows: int | None = None) -> DerivedGame:
    """Derive a game from a parsed record; with `kept_rows` without its rows, the most expensive part.

    Linear in its nodes, forks included. Raises ParseError for a record without a start position.
    """
    record, header = parsed.record, parsed.record["header"]
    game = of_record(record)
    kind = game.name
    parts = headers.header_parts(header)
    remarks = [*parsed.remarks, *(record["moves"][0].get("comments", ()) if record["moves"] else ())]
    result = _result(parsed.record_kind, parsed.ending)
    line = _main_line(record, kind)
    rows, codes = index_rows(record, kind, space) if kept_rows is None else ((), ())
    header_data = _header_data(parsed, remarks, parts)
    game_series = series.series_of(record, header_data)
    features = text.features(record, evaluated=bool(game_series.evaluations))
    only_line = None if features & text.FORKS else line.moves
    return DerivedGame(
        kind=kind,
        record_kind=parsed.record_kind,
        space=space,
        digest=_digest(line, record, result, parts.names, parts.day.text),
        record=codec.pack(record),
        players=parts.names,
        ratings=headers.ratings(header, remarks, parts.people),
        handicap=_preset(record),
        result=result,
        special=_special(parsed.ending),
        plies=len(line.moves),
        rows=rows,
        codes=codes,
        header_data=header_data,
        series=series.pack(game_series),
        stem=_stem(line),
        parsed_facts=_parsed_facts(parsed),
        kept_rows=kept_rows,
        text=text.text(record, parts),
        features=features,
        lines=pack_lines(record, only_line) if rows and kind == SHOGI else None,
        formations=formations.formation_rows(record, parsed.record_kind, line.moves),
        event=parts.event.name,
        round=parts.event.round,
        site=headers.site(header),
        opening=headers.opening(header),
        played_from=parts.day.start,
        played_to=parts.day.end,
        precision=parts.day.precision,
        calendar=parts.day.calendar,
    )


def _header_data(parsed: ParsedGame, remarks: Sequence[str], parts: HeaderParts) -> dict[str, Any]:
    """Return the facts from headers and remarks that have no column, and the fractions of its times."""
    data: dict[str, Any] = storable(headers.header_data(parsed.record["header"], remarks, parts))
    if parsed.fractions:
        data["fractions"] = {str(ply): digits for ply, digits in parsed.fractions.items()}
    return data


def _special(ending: Ending | None) -> str:
    """Return the word for a game's ending: JKF's name, or the one in the table of special moves, or the
    record's own."""
    if ending is None:
        return ""
    kind = specials.find(ending.word)
    name = ending.special or specials.special_of(kind, None) or (kind.word if kind else "")
    return headers.plain(name or ending.word)


def _parsed_facts(parsed: ParsedGame) -> dict[str, Any]:
    """Return the inputs of a game besides its record, as JSON without empty values."""
    facts = {
        "kind": parsed.record_kind,
        "ending": ending_values(parsed.ending),
        "remarks": list(parsed.remarks),
        "fractions": {str(ply): text for ply, text in parsed.fractions.items()},
    }
    result: dict[str, Any] = storable({name: value for name, value in facts.items() if value})
    return result


def ending_values(ending: Ending | None) -> list[Any] | None:
    """Return the ending of parsed facts: the values of `Ending`."""
    return list(_ENDING(ending)) if ending else None


def derive_stored(
    record: Record, parsed_facts: Mapping[str, Any], space: int = PUBLIC, kept_rows: int | None = None
) -> DerivedGame:
    """Derive a game from a stored record and its parsed facts. `kept_rows` as in `derive_game`."""
    ending = parsed_facts.get("ending")
    parsed = ParsedGame(
        record,
        parsed_facts.get("kind", "game"),
        Ending(*ending) if ending else None,
        fractions={int(ply): text for ply, text in parsed_facts.get("fractions", {}).items()},
        remarks=tuple(parsed_facts.get("remarks", ())),
    )
    return derive_game(parsed, space, kept_rows)


def row_result(record_kind: str, result: int) -> int:
    """Return the result in a game's index rows: only records of kind "game" have one."""
    return result if record_kind == "game" else NOT_A_GAME


def _result(record_kind: str, ending: Ending | None) -> int:
    if ending is None or record_kind != "game":
        return UNKNOWN
    if ending.winner is not None:
        return WHITE_WINS if ending.winner else BLACK_WINS
    return DRAW if ending.draw else UNKNOWN


class _MainLine(NamedTuple):
    """The moves of a record: `text` is JSON of kind, start and moves, without the outer brackets."""

    text: str
    moves: list[int]


def _main_line(record: Record, kind: str) -> _MainLine:
    moves = of_record(record).replay.main_moves(record)
    # `str` writes a list of numbers as JSON does, in less time.
    return _MainLine(f"{json.dumps([kind, _start_text(record)])[1:-1]}, {moves}", moves)


def _preset(record: Record) -> str:
    return record["initial"]["preset"] if "initial" in record else "HIRATE"


def _start_text(record: Record) -> str:
    game, preset = of_record(record), _preset(record)
    return game.replay.start_text(record) if preset == "OTHER" else _named_start(game.name, preset)


@cache
def _named_start(kind: str, preset: str) -> str:
    return GAMES[kind].replay.start_text({"header": {}, "initial": {"preset": preset}, "moves": []})


def digest(record: Record, kind: str, result: int) -> bytes:
    """Return the identity of a game, 16 bytes: a hash of kind, start, main line, result, players and day.

    It ignores everything that editions of a game may write differently: titles, variants of characters in
    names, comments, times, forks, the word for the ending. A change needs a new `DIGEST_VERSION`.
    """
    header = record["header"]
    players, day = headers.players(header), headers.played(header).text
    return _digest(_main_line(record, kind), record, result, players, day)


def _digest(line: _MainLine, record: Record, result: int, players: tuple[str, str], day: str) -> bytes:
    anonymous = len(line.moves) < SHORT_PLIES and not any(players) and not day
    text = codec.to_json(record, sort=True).decode() if anonymous else ""
    keys = map(headers.folded, players)
    identity = f"[{DIGEST_VERSION}, {line.text}, {json.dumps([result, *keys, day, text])[1:]}"
    return blake2b(identity.encode(), digest_size=16).digest()


def stem(record: Record, kind: str) -> bytes:
    """Return the hash of kind, start and main line, 16 bytes: all editions of a game have the same. A change
    needs a migration that fills the column again."""
    return _stem(_main_line(record, kind))


def _stem(line: _MainLine) -> bytes:
    return blake2b(f"[{line.text}]".encode(), digest_size=16).digest()


def index_rows(
    record: Record, kind: str = SHOGI, space: int = PUBLIC, version: int | None = None
) -> tuple[tuple[DerivedRow, ...], tuple[str, ...]]:
    """Return the rows of a record in a version of the index (None: the current one), and the code of each.

    One row for the first visit of each key on the main line; then, in reading order, one for each new pair of
    key and move in the forks.
    """
    key_version = schema.KEY_VERSIONS[schema.INDEX_VERSION if version is None else version]
    rows: list[DerivedRow] = []
    codes: list[str] = []
    visited: set[int] = set()
    moves: set[tuple[int, int]] = set()
    for ply, fork, code, orientation, _, move in GAMES[kind].replay.visits(record):
        position = key(code, orientation, kind, space, key_version)
        first = position not in visited
        if first or (fork and (position, move) not in moves):
            visited.add(position)
            moves.add((position, move))
            rows.append(DerivedRow(position, ply, move, fork * FORK | first * FIRST))
            codes.append(code)
    return tuple(rows), tuple(codes)


def storable(value: Any) -> Any:
    """Return a JSON value without NUL and lone surrogates, which jsonb refuses: they become U+FFFD."""
    if isinstance(value, str):
        return _UNSTORABLE.sub("\ufffd", value)
    if value is None or isinstance(value, int | float):
        return value
    if isinstance(value, Mapping):
        return {storable(str(name)): storable(item) for name, item in value.items()}
    if isinstance(value, Sequence):
        return [storable(item) for item in value]
    return value


_UNSTORABLE: Final = re.compile(r"[\x00\ud800-\udfff]")
