"""The union of a game's editions: the longest main line, with the variations, comments and headers of all.

Pure functions over packed records. `archive.store.plan` decides which editions are of one game.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from archive.derive import headers
from archive.derive.game import DerivedGame
from archive.derive.game_limits import game_limits
from archive.derive.headers import BEGINNINGS, ENDS, PLAYERS, Header
from archive.derive.headers.text import first
from archive.derive.record_union import fits, unite
from archive.models import codec
from kifu_core.games import of_record
from kifu_core.jkf import Record

_DAYS: Final = (*BEGINNINGS, *ENDS)
_RANKED: Final = ("problem", "position", "game", "tree")
"""What editions of different kinds are together: a problem says so itself."""


@dataclass(frozen=True, slots=True)
class Edition:
    """A packed record and its parsed facts (`archive.derive.game.derive_stored`)."""

    record: bytes
    parsed_facts: Mapping[str, Any]


def edition(game: DerivedGame) -> Edition:
    """Return a game as an edition."""
    return Edition(game.record, game.parsed_facts)


def union(editions: Sequence[Edition]) -> Edition:
    """Return the union of editions of one game; the base itself if nothing is added. Linear in all records.

    The base is the edition with the longest main line, then the best known result, ending, players and day;
    the earliest of equals. It takes forks and comments of the editions whose main line begins its own, and
    headers that it lacks or knows less precisely.
    """
    if len(editions) == 1:
        return editions[0]
    opened = [(found, codec.unpack(found.record)) for found in editions]
    base, record = max(opened, key=lambda pair: _rank(*pair))
    merged = base
    for other, more in opened:
        if other is base or not is_beginning(more, record):
            continue
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
    first_, second = codec.unpack(one.record), codec.unpack(other.record)
    names = zip(headers.player_keys(first_["header"]), headers.player_keys(second["header"]), strict=True)
    days = headers.played(first_["header"]).text, headers.played(second["header"]).text
    results = {_result(edition) for edition in (one, other)} - {None}
    return (
        all(not a or not b or a == b for a, b in names)
        and days[0][: len(days[1])] == days[1][: len(days[0])]
        and len(results) < 2
        and (is_beginning(first_, second) or is_beginning(second, first_))
    )


def same_text(old: Edition, new: Edition) -> bool:
    """Return whether two readings are probably of one text: the players are equal, or one line begins the
    other."""
    before, after = codec.unpack(old.record), codec.unpack(new.record)
    names = headers.player_keys(after["header"])
    if any(names) and headers.player_keys(before["header"]) == names:
        return True
    return is_beginning(before, after) or is_beginning(after, before)


def _result(found: Edition) -> tuple[int | None, bool] | None:
    """Return winner and draw; None if neither is known."""
    ending = found.parsed_facts.get("ending")
    return (ending[3], bool(ending[4])) if ending and (ending[3] is not None or ending[4]) else None


def _rank(found: Edition, record: Record) -> tuple[int, bool, bool, int, int]:
    header, ended = record["header"], bool(found.parsed_facts.get("ending"))
    named = sum(map(bool, headers.players(header)))
    known = len(headers.played(header).text)
    return len(of_record(record).replay.main_moves(record)), _result(found) is not None, ended, named, known


def _joined(base: Edition, other: Edition) -> Edition:
    if base.record == other.record:
        return Edition(base.record, _parsed_facts(base.parsed_facts, other.parsed_facts))
    record, more = codec.unpack(base.record), codec.unpack(other.record)
    changed = unite(record, more)
    if changed and not fits(record, game_limits()):
        record, changed = codec.unpack(base.record), False
    header = _header(record["header"], more["header"])
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
    day, theirs = headers.played(base).text, headers.played(other).text
    if len(theirs) > len(day):
        _take(header, other, _DAYS)
    for name, text in other.items():
        if text.strip() and not header.get(name, "").strip() and not _names_again(name, header):
            header[name] = text
    if len(theirs) > len(day) and headers.played(header).text != theirs:
        # The other's day stands where the base has something else, such as at the end of an event's name.
        header[BEGINNINGS[0]] = theirs
    return header


def _take(header: dict[str, str], other: Header, names: Sequence[str]) -> None:
    marked = [key for name in names for key in (name, f"*{name}")]
    for key in marked:
        header.pop(key, None)
    header.update({key: other[key] for key in marked if key in other})


def _names_again(name: str, header: Header) -> bool:
    """Return whether a header repeats players or day by another name: 下手 and 先手, 対局日 and 開始日時."""
    groups = (*PLAYERS, BEGINNINGS, ENDS)
    plain = name.removeprefix("*")
    return any(plain in group and first(header, group).strip() for group in groups)


def _parsed_facts(base: Mapping[str, Any], other: Mapping[str, Any]) -> Mapping[str, Any]:
    remarks = [*base.get("remarks", ())]
    remarks += [line for line in other.get("remarks", ()) if line not in remarks]
    kinds = [kind for kind in _RANKED if kind in (base.get("kind", "game"), other.get("kind", "game"))]
    # An ending is the base's own: another one's may be that of a shorter line.
    merged = {**base, "kind": kinds[0], "remarks": remarks}
    merged.setdefault("fractions", other.get("fractions"))
    return {name: value for name, value in merged.items() if value}
