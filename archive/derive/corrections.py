"""Corrections of a game: operations that are applied, in order, to the union of its editions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import orjson

from archive.derive.editions import Edition
from archive.derive.game import DerivedGame
from archive.derive.game_limits import game_limits
from archive.derive.operations import MOVES_CHANGE, Document, Operation, OperationError, apply
from archive.models import codec
from kifu_core.errors import KifuError
from kifu_core.games import load
from kifu_core.jkf import Record
from kifu_core.shogi.record_union import fits

Attributed = tuple[int | None, int | None]
"""The people that the sides of a game are attributed to, by colour; None for those that headers name."""


@dataclass(frozen=True, slots=True)
class GameCorrection:
    """The operations of one applied correction. `failed` is the index of the operation whose prerequisite did
    not hold when the game was last written, None if all held."""

    id: int
    operations: Sequence[Operation] = field(hash=False)
    failed: int | None = None


@dataclass(frozen=True, slots=True)
class Corrected:
    """A game after its corrections, as an edition."""

    edition: Edition
    attributed: Attributed
    failures: Mapping[int, int]
    """For each correction that was left out the index of the operation that cannot be applied."""


def correct(base: Edition, corrections: Sequence[GameCorrection]) -> Corrected:
    """Apply corrections to an edition, in order. A correction is applied completely or left out."""
    current = base
    attributed: Attributed = (None, None)
    failures: dict[int, int] = {}
    for correction in corrections:
        try:
            current, attributed = _applied(current, attributed, correction.operations)
        except OperationError as error:
            failures[correction.id] = error.index
    return Corrected(current, attributed, failures)


def _applied(
    source: Edition, attributed: Attributed, operations: Sequence[Operation]
) -> tuple[Edition, Attributed]:
    """Return an edition and its attributions after one correction. Raises OperationError."""
    document = Document.of(codec.unpack(source.record), source.parsed_facts)
    document.attributed = [*attributed]
    apply(operations, document)
    if any(operation["op"] in MOVES_CHANGE for operation in operations):
        document.record = normalized(document.record)
    if not fits(document.record, game_limits()):
        raise OperationError("too-large", len(operations) - 1)
    black, white = document.attributed
    return Edition(codec.pack(document.record), document.facts(source.parsed_facts)), (black, white)


def normalized(record: Record) -> Record:
    """Return a record as it is read from a JKF file. Raises OperationError for one whose moves cannot all be
    played."""
    try:
        _kind, result = load(codec.to_json(record), "corrected.jkf")
    except KifuError as error:
        raise OperationError("unplayable") from error
    if len(result.games) != 1 or result.games[0].unread:
        raise OperationError("unplayable")
    # The reader shares objects between records.
    copy: Record = orjson.loads(codec.to_json(result.games[0].record))
    return copy


def attach(game: DerivedGame, base: DerivedGame, corrected: Corrected) -> DerivedGame:
    """Return a game that was derived from `corrected`, with its base, which needs no rows."""
    return replace(
        game,
        base=base,
        attributed=corrected.attributed,
        failures=corrected.failures,
    )


def document_of(edition: Edition, attributed: Attributed = (None, None)) -> Document:
    """Return an edition as a document."""
    document = Document.of(codec.unpack(edition.record), edition.parsed_facts)
    document.attributed = [*attributed]
    return document
