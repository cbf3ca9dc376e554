"""The union of a game's editions: the longest main line, with the variations, comments and headers of all.

Pure functions over packed records. `archive.store.plan` decides which editions are of one game.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from archive.derive import headers
from archive.derive.game import DerivedGame, derive_stored
from archive.derive.game_limits import game_limits
from archive.derive.headers import BEGINNINGS, ENDS, PLAYERS, Header
from archive.derive.headers.text import first
from archive.models import codec
from kifu_core.games import of_record
from kifu_core.jkf import Record
from kifu_core.shogi.record_union import fits, unite

_DAYS: Final = (*BEGINNINGS, *ENDS)
_RANKED: Final = ("problem", "position", "game", "tree")
"""Kinds of records in the order of precedence in a union."""


@dataclass(frozen=True, slots=True)
class Edition:
    """A packed record and its parsed facts (`archive.derive.game.derive_stored`)."""

    record: bytes
    parsed_facts: Mapping[str, Any]


def edition(game: DerivedGame) -> Edition:
    """Return a game as an edition, without its corrections."""
    return final_edition(game.base or game)


def final_edition(game: DerivedGame) -> Edition:
    """Return a game as an edition, with its corrections."""
    return Edition(game.record, game.parsed_facts)


def derive_edition(source: Edition, space: int, kept_rows: int | None = None) -> DerivedGame:
    """Derive a game from an edition. `kept_rows` as in `archive.derive.game.derive_game`."""
    return derive_stored(codec.unpack(source.record), source.parsed_facts, space, kept_rows)


def union(editions: Sequence[Edition]) -> Edition:
    """Return the union of editions of one game; the base itself if nothing is added. Linear in all records.

    The base is the edition with the longest main line, then the best known result, ending, players and day;
    the earliest of equals. It takes forks and comments of the editions whose main line begins its own, and
    headers that it lacks or knows less precisely.
    """
    if len(editions) == 1:
        return editions[0]
    unpacked = [(each, codec.unpack(each.record)) for each in editions]
    base, record = max(unpacked, key=lambda pair: _rank(*pair))
    merged = base
    for other, other_record in unpacked:
        if other is not base and is_beginning(other_record, record):
            merged = _joined(merged, other)
    return merged


def is_beginning(short: Record, long: Record) -> bool:
    """Return whether a main line, from the same start, is the beginning of another one or equal to it."""
    game, other = of_record(short), of_record(long)
    moves = game.replay.main_moves(short)
    return (
        game is other
        and moves == game.replay.main_moves(long)[: len(moves)]
        and game.replay.start_text(short) == game.replay.start_text(long)
    )


def compatible(one: Edition, other: Edition) -> bool:
    """Return whether two editions can be of one game: nothing that both say differs, and one's moves begin
    the other's."""
    records = codec.unpack(one.record), codec.unpack(other.record)
    names = zip(*(headers.player_keys(record["header"]) for record in records), strict=True)
    day, other_day = (headers.played(record["header"]).text for record in records)
    results = {_result(edition) for edition in (one, other)} - {None}
    return (
        all(not a or not b or a == b for a, b in names)
        and (day.startswith(other_day) or other_day.startswith(day))
        and len(results) < 2
        and (is_beginning(*records) or is_beginning(*reversed(records)))
    )


def same_text(old: Edition, new: Edition) -> bool:
    """Return whether two readings are probably of one text: the players are equal, or one line begins the
    other."""
    before, after = codec.unpack(old.record), codec.unpack(new.record)
    names = headers.player_keys(after["header"])
    if any(names) and headers.player_keys(before["header"]) == names:
        return True
    return is_beginning(before, after) or is_beginning(after, before)


def _result(source: Edition) -> tuple[int | None, bool] | None:
    ending = source.parsed_facts.get("ending")
    return (ending[3], bool(ending[4])) if ending and (ending[3] is not None or ending[4]) else None


def _rank(source: Edition, record: Record) -> tuple[int, bool, bool, int, int]:
    header, ended = record["header"], bool(source.parsed_facts.get("ending"))
    players = sum(map(bool, headers.players(header)))
    precision = len(headers.played(header).text)
    plies = len(of_record(record).replay.main_moves(record))
    return plies, _result(source) is not None, ended, players, precision


def _joined(base: Edition, other: Edition) -> Edition:
    if base.record == other.record:
        return Edition(base.record, _parsed_facts(base.parsed_facts, other.parsed_facts))
    record, other_record = codec.unpack(base.record), codec.unpack(other.record)
    changed = unite(record, other_record, of_record(record).replay.packed_move)
    if changed and not fits(record, game_limits()):
        record, changed = codec.unpack(base.record), False
    header = _header(record["header"], other_record["header"])
    if not changed and header == record["header"]:
        packed = base.record
    else:
        record["header"] = header
        packed = codec.pack(record)
    return Edition(packed, _parsed_facts(base.parsed_facts, other.parsed_facts))


def _header(base: Header, other: Header) -> dict[str, str]:
    """Return the headers of the base, completed by the other's; all headers of one player, or of the day,
    come from one edition."""
    header = dict(base)
    for colour, names in enumerate(PLAYERS):
        if headers.players(other)[colour] and not headers.players(base)[colour]:
            _take(header, other, names)
    day, other_day = headers.played(base).text, headers.played(other).text
    if len(other_day) > len(day):
        _take(header, other, _DAYS)
    for name, text in other.items():
        if text.strip() and not header.get(name, "").strip() and not _repeats(name, header):
            header[name] = text
    if len(other_day) > len(day) and headers.played(header).text != other_day:
        # The other's day is in a header that the base also has, such as at the end of the event.
        header[BEGINNINGS[0]] = other_day
    return header


def _take(header: dict[str, str], other: Header, names: Sequence[str]) -> None:
    spellings = [spelling for name in names for spelling in (name, f"*{name}")]
    for name in spellings:
        header.pop(name, None)
    header.update({name: other[name] for name in spellings if name in other})


def _repeats(name: str, header: Header) -> bool:
    """Return whether a header repeats players or day by another name: 下手 and 先手, 対局日 and 開始日時."""
    groups = (*PLAYERS, BEGINNINGS, ENDS)
    plain = name.removeprefix("*")
    return any(plain in group and first(header, group).strip() for group in groups)


def _parsed_facts(base: Mapping[str, Any], other: Mapping[str, Any]) -> Mapping[str, Any]:
    remarks = [*base.get("remarks", ())]
    remarks += [line for line in other.get("remarks", ()) if line not in remarks]
    kinds = [kind for kind in _RANKED if kind in (base.get("kind", "game"), other.get("kind", "game"))]
    # The ending is the base's: another edition's may belong to a shorter line.
    merged = {**base, "kind": kinds[0], "remarks": remarks}
    merged.setdefault("fractions", other.get("fractions"))
    return {name: value for name, value in merged.items() if value}
