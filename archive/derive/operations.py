"""Typed operations on a record: how two records differ, and the application of operations to a record.

A correction of a game is a list of operations. Each is a JSON object with the name of its type in `op` and
the values before and after, and applies only where the value before is the present one.

A node of a record has an address: `34` is ply 34 of the main line, `12:2h7h/15` is ply 15 of the variation
that begins with 2h7h in place of ply 12. Addresses survive additions and new orders of variations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Final, cast

from archive.derive.game import ending_values, storable
from kifu_core.games import of_record
from kifu_core.jkf import FORK_LEVELS, SPECIALS, Consumption, MoveEntry, Record
from kifu_core.record import Ending

Operation = Mapping[str, Any]
Line = list[MoveEntry]
NameOf = Callable[[MoveEntry], str]

MOST_OPERATIONS: Final = 2_000
"""Operations of one correction."""


class OperationError(Exception):
    """An operation cannot be applied; `code` is the reason, `index` its place in the list."""

    def __init__(self, code: str, index: int = 0) -> None:
        super().__init__(code)
        self.code = code
        self.index = index


class PrerequisiteError(OperationError):
    """The value that an operation replaces is not the present one."""


@dataclass(slots=True)
class Document:
    """What operations change: a record, its ending (as `archive.derive.game` stores it), the decimals of its
    times by ply, and the people that its sides are attributed to."""

    record: Record
    ending: list[Any] | None = None
    fractions: dict[str, str] = field(default_factory=dict)
    attributed: list[int | None] = field(default_factory=lambda: [None, None])

    @classmethod
    def of(cls, record: Record, parsed_facts: Mapping[str, Any]) -> Document:
        """Return a document of a record, which must not be used any more, and its parsed facts."""
        ending = parsed_facts.get("ending")
        return cls(record, list(ending) if ending else None, dict(parsed_facts.get("fractions", {})))

    def facts(self, parsed_facts: Mapping[str, Any]) -> dict[str, Any]:
        """Return parsed facts with the ending and the decimals of this document."""
        facts = {**parsed_facts, "ending": self.ending, "fractions": self.fractions}
        return {name: value for name, value in facts.items() if value}


def name_of(record: Record) -> NameOf:
    """Return the function that names an entry of a record: its move as programs write it, or `%` and its
    ending; empty for an entry with neither."""
    game = of_record(record)

    def name(entry: MoveEntry) -> str:
        if "move" in entry:
            return game.text.move_name(game.replay.packed_move(entry["move"]))
        return f"%{entry['special']}" if "special" in entry else ""

    return name


# --- addresses -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a line: `line[index]` is the entry of an address, or would be after the last one."""

    line: Line
    index: int
    prefix: str
    """The address of the line, with a slash behind it; empty for the main line."""
    first: int
    """The ply of the line's first entry."""

    @property
    def entry(self) -> MoveEntry:
        """Return the entry. Raises PrerequisiteError if there is none."""
        if not 0 <= self.index < len(self.line):
            raise PrerequisiteError("no-node")
        return self.line[self.index]


def place(record: Record, address: str, name: NameOf) -> Place:
    """Return the place of an address. Raises OperationError for a text that is no address, PrerequisiteError
    if a variation does not exist. Linear in the length of the address and in parallel variations."""
    *variations, last = address.split("/")
    if len(variations) > FORK_LEVELS:
        raise OperationError("no-address")
    line, first = record["moves"], 0
    prefix = ""
    for variation in variations:
        ply, _, move = variation.partition(":")
        forks = Place(line, _ply(ply, address) - first, prefix, first).entry.get("forks", [])
        found = next((fork for fork in forks if fork and name(fork[0]) == move), None)
        if found is None:
            raise PrerequisiteError("no-variation")
        line, first, prefix = found, _ply(ply, address), f"{prefix}{variation}/"
    return Place(line, _ply(last, address) - first, prefix, first)


def _ply(text: str, address: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 7):
        raise OperationError("no-address")
    return int(text)


# --- application -----------------------------------------------------------------------------------------


def apply(operations: Sequence[Operation], document: Document) -> None:
    """Apply operations to a document, in order.

    Raises PrerequisiteError and OperationError, with the index of the operation; the document is then partly
    changed. Each operation is linear in the lines that it reads.
    """
    name = name_of(document.record)
    for index, operation in enumerate(operations):
        try:
            _APPLY[operation["op"]](document, operation, name)
        except OperationError as error:
            error.index = index
            raise
        except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
            raise OperationError("malformed", index) from error


def _require(present: object, expected: object) -> None:
    if present != expected:
        raise PrerequisiteError("changed-since")


def _text(value: object) -> str:
    """Return a text. Raises OperationError for other values and for texts that the database refuses."""
    if not isinstance(value, str) or storable(value) != value:
        raise OperationError("malformed")
    return value


def _duration(value: Mapping[str, Any]) -> dict[str, int]:
    duration = {unit: value[unit] for unit in "hms" if unit in value}
    wrong = [number for number in duration.values() if type(number) is not int or not 0 <= number < 10**6]
    if wrong or not {"m", "s"} <= duration.keys() == value.keys():
        raise OperationError("malformed")
    return duration


def _header(document: Document, operation: Operation, _name: NameOf) -> None:
    header = document.record["header"]
    _require(header.get(operation["name"]), operation["old"])
    if operation["new"] is None:
        del header[operation["name"]]
    else:
        header[_text(operation["name"])] = _text(operation["new"])


def _node(document: Document, operation: Operation, name: NameOf) -> MoveEntry:
    entry = place(document.record, operation["at"], name).entry
    _require(name(entry), operation["move"])
    return entry


def _comments(document: Document, operation: Operation, name: NameOf) -> None:
    entry = _node(document, operation, name)
    _require(entry.get("comments", []), list(operation["old"]))
    if new := [_text(line) for line in operation["new"]]:
        entry["comments"] = new
    else:
        entry.pop("comments", None)


def _time(document: Document, operation: Operation, name: NameOf) -> None:
    entry = _node(document, operation, name)
    _require(entry.get("time"), operation["old"])
    if operation["new"] is None:
        entry.pop("time", None)
    else:
        time = operation["new"]
        if "move" not in entry or not {"now"} <= time.keys() <= {"now", "total"}:
            raise OperationError("malformed")
        entry["time"] = cast(Consumption, {part: _duration(value) for part, value in time.items()})
    if operation["at"].isdigit():
        document.fractions.pop(operation["at"], None)


def _line(document: Document, operation: Operation, name: NameOf) -> None:
    at = place(document.record, operation["at"], name)
    if not 1 <= at.index <= len(at.line):
        raise PrerequisiteError("no-node")
    _require([*map(name, at.line[at.index :])], list(operation["old"]))
    at.line[at.index :] = deepcopy(list(operation["new"]))
    if not at.prefix:
        document.fractions = {ply: text for ply, text in document.fractions.items() if int(ply) < at.index}


def _add_variation(document: Document, operation: Operation, name: NameOf) -> None:
    entry = _node(document, operation, name)
    line: Line = deepcopy(list(operation["line"]))
    if not line:
        raise OperationError("malformed")
    entry.setdefault("forks", []).insert(max(0, int(operation["index"])), line)


def _remove_variation(document: Document, operation: Operation, name: NameOf) -> None:
    entry, index = _variation(document, operation, name)
    forks = entry["forks"]
    _require([*map(name, forks[index])], list(operation["old"]))
    del forks[index]
    if not forks:
        del entry["forks"]


def _variation(document: Document, operation: Operation, name: NameOf) -> tuple[MoveEntry, int]:
    """Return the entry that a variation replaces, and the variation's place among its variations."""
    before, _, last = str(operation["at"]).rpartition("/")
    ply, _, move = last.partition(":")
    entry = place(document.record, f"{before}/{ply}" if before else ply, name).entry
    for index, fork in enumerate(entry.get("forks", [])):
        if fork and name(fork[0]) == move:
            return entry, index
    raise PrerequisiteError("no-variation")


def _order_variations(document: Document, operation: Operation, name: NameOf) -> None:
    entry = _node(document, operation, name)
    forks = entry.get("forks", [])
    names = [name(fork[0]) for fork in forks]
    _require(names, list(operation["old"]))
    new = list(operation["new"])
    if Counter(new) != Counter(names):
        raise OperationError("malformed")
    by_name: dict[str, list[Line]] = {}
    for fork in forks:
        by_name.setdefault(name(fork[0]), []).append(fork)
    entry["forks"] = [by_name[each].pop(0) for each in new]


def _promote(document: Document, operation: Operation, name: NameOf) -> None:
    entry, index = _variation(document, operation, name)
    before, _, last = str(operation["at"]).rpartition("/")
    ply = last.partition(":")[0]
    at = place(document.record, f"{before}/{ply}" if before else ply, name)
    _require(name(entry), operation["move"])
    promoted, replaced = entry["forks"][index], at.line[at.index :]
    others = entry.pop("forks")
    others[index] = replaced
    promoted[0]["forks"] = [*others, *promoted[0].get("forks", [])]
    at.line[at.index :] = promoted
    if not at.prefix:
        document.fractions = {
            number: text for number, text in document.fractions.items() if int(number) < at.index
        }


def _ending(document: Document, operation: Operation, _name: NameOf) -> None:
    _require(document.ending, operation["old"])
    document.ending = _checked_ending(operation["new"])


def _checked_ending(values: Sequence[Any] | None) -> list[Any] | None:
    if values is None:
        return None
    word, special, ply, winner, draw = values
    known = special is None or special in SPECIALS
    if not known or type(ply) is not int or winner not in (None, 0, 1) or not isinstance(draw, bool):
        raise OperationError("malformed")
    return ending_values(Ending(_text(word), special, ply, winner, draw))


def _start(document: Document, operation: Operation, _name: NameOf) -> None:
    _require(document.record.get("initial"), operation["old"])
    if operation["new"] is None:
        document.record.pop("initial", None)
    else:
        document.record["initial"] = deepcopy(operation["new"])


def _player(document: Document, operation: Operation, _name: NameOf) -> None:
    colour = int(operation["colour"])
    _require(document.attributed[colour], operation["old"])
    new = operation["new"]
    if colour not in (0, 1) or not (new is None or type(new) is int):
        raise OperationError("malformed")
    document.attributed[colour] = new


_APPLY: Final[Mapping[str, Callable[[Document, Operation, NameOf], None]]] = {
    "header": _header,
    "comments": _comments,
    "time": _time,
    "line": _line,
    "add-variation": _add_variation,
    "remove-variation": _remove_variation,
    "order-variations": _order_variations,
    "promote": _promote,
    "ending": _ending,
    "start": _start,
    "player": _player,
}

OPERATIONS: Final = tuple(_APPLY)
"""The types of operations."""

MOVES_CHANGE: Final = frozenset({"line", "add-variation", "promote", "start"})
"""Types of operations after which a record is normalized again."""


def is_addition(operation: Operation) -> bool:
    """Return whether an operation only adds to a record and removes nothing."""
    match operation["op"]:
        case "header":
            return not (operation["old"] or "").strip() and bool(operation["new"])
        case "comments":
            rest = iter(operation["new"])
            return all(line in rest for line in operation["old"])
        case "time" | "ending":
            return operation["old"] is None
        case "line":
            return not operation["old"]
        case kind:
            return bool(kind == "add-variation")


# --- difference ------------------------------------------------------------------------------------------


def difference(before: Document, after: Document) -> list[Operation]:
    """Return operations that turn one document into another one, of the same kind of game.

    A move that is replaced replaces its line from there on; a variation that became the line is promoted.
    Linear in the nodes of both records, times the number of promotions.
    """
    work = Document(deepcopy(before.record), before.ending, dict(before.fractions), list(before.attributed))
    difference = _Difference(work, name_of(work.record))
    difference.headers(after.record["header"])
    difference.start(after)
    if not difference.restarted:
        difference.lines("", 0, work.record["moves"], after.record["moves"])
    if work.ending != after.ending:
        difference.emit({"op": "ending", "old": work.ending, "new": after.ending})
    for colour in (0, 1):
        old, new = before.attributed[colour], after.attributed[colour]
        if old != new:
            difference.emit({"op": "player", "colour": colour, "old": old, "new": new})
    return difference.operations


@dataclass(slots=True)
class _Difference:
    """Operations that were emitted, and the document after them."""

    work: Document
    name: NameOf
    operations: list[Operation] = field(default_factory=list)
    restarted: bool = False

    def emit(self, operation: Operation) -> None:
        apply([operation], self.work)
        self.operations.append(operation)

    def headers(self, new: Mapping[str, str]) -> None:
        old = dict(self.work.record["header"])
        for name in [*old, *(name for name in new if name not in old)]:
            if old.get(name) != new.get(name):
                self.emit({"op": "header", "name": name, "old": old.get(name), "new": new.get(name)})

    def start(self, after: Document) -> None:
        old, new = self.work.record.get("initial"), after.record.get("initial")
        if old == new:
            return
        self.restarted = True
        names = [*map(self.name, self.work.record["moves"][1:])]
        if names:
            self.emit({"op": "line", "at": "1", "old": names, "new": []})
        self.emit({"op": "start", "old": old, "new": new})
        self.node("0", self.work.record["moves"][0], after.record["moves"][0])
        self.emit({"op": "line", "at": "1", "old": [], "new": after.record["moves"][1:]})

    def lines(self, prefix: str, first: int, mine: Line, theirs: Line) -> None:
        """Compare two lines that begin at a ply."""
        index = 0
        while index < max(len(mine), len(theirs)):
            address = f"{prefix}{first + index}"
            if index < min(len(mine), len(theirs)):
                wanted = self.name(theirs[index])
                if self.name(mine[index]) != wanted and self._has_variation(mine[index], wanted):
                    self.emit({"op": "promote", "at": f"{address}:{wanted}", "move": self.name(mine[index])})
                if self.name(mine[index]) == wanted:
                    self.node(address, mine[index], theirs[index])
                    index += 1
                    continue
            names = [*map(self.name, mine[index:])]
            self.emit({"op": "line", "at": address, "old": names, "new": theirs[index:]})
            return

    def _has_variation(self, entry: MoveEntry, name: str) -> bool:
        return any(fork and self.name(fork[0]) == name for fork in entry.get("forks", ()))

    def node(self, address: str, mine: MoveEntry, theirs: MoveEntry) -> None:
        """Compare the comments, times and variations of two entries with the same move."""
        name = self.name(mine)
        for op, kind in (("comments", "comments"), ("time", "time")):
            empty: Any = [] if op == "comments" else None
            old, new = mine.get(kind, empty), theirs.get(kind, empty)
            if old != new:
                self.emit({"op": op, "at": address, "move": name, "old": deepcopy(old), "new": new})
        self.variations(address, mine, theirs)

    def variations(self, address: str, mine: MoveEntry, theirs: MoveEntry) -> None:
        if mine.get("forks", []) == theirs.get("forks", []):
            return
        wanted = [fork for fork in theirs.get("forks", []) if fork]
        for name, forks in _grouped(mine.get("forks", []), self.name).items():
            others = [fork for fork in wanted if self.name(fork[0]) == name]
            if forks == others:
                continue
            if len(forks) == len(others) == 1:
                self.lines(f"{address}:{name}/", int(address.rpartition("/")[2]), forks[0], others[0])
                continue
            for fork in forks:
                names = [*map(self.name, fork)]
                self.emit({"op": "remove-variation", "at": f"{address}:{name}", "old": names})
        self._add(address, mine, wanted)

    def _add(self, address: str, mine: MoveEntry, wanted: list[Line]) -> None:
        present = Counter(self.name(fork[0]) for fork in mine.get("forks", []))
        move = self.name(mine)
        for index, fork in enumerate(wanted):
            name = self.name(fork[0])
            if present[name]:
                present[name] -= 1
            else:
                self.emit({"op": "add-variation", "at": address, "move": move, "line": fork, "index": index})
        old = [self.name(fork[0]) for fork in mine.get("forks", [])]
        new = [self.name(fork[0]) for fork in wanted]
        if old != new:
            self.emit({"op": "order-variations", "at": address, "move": move, "old": old, "new": new})


def _grouped(forks: Sequence[Line], name: NameOf) -> dict[str, list[Line]]:
    groups: dict[str, list[Line]] = {}
    for fork in forks:
        if fork:
            groups.setdefault(name(fork[0]), []).append(fork)
    return groups


def addresses(record: Record) -> Iterator[tuple[str, MoveEntry]]:
    """Yield the address of every node with its entry, variations behind the entry that they replace."""
    name = name_of(record)
    waiting = [("", 0, record["moves"])]
    while waiting:
        prefix, first, line = waiting.pop()
        for ply, entry in enumerate(line, first):
            yield f"{prefix}{ply}", entry
            for fork in entry.get("forks", ()):
                if fork:
                    waiting.append((f"{prefix}{ply}:{name(fork[0])}/", ply, fork))
