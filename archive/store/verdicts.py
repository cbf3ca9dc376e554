"""Stored verdicts of engines on positions, and which of them replaces which.

Verdicts of one engine on one position compete. One with at least as many nodes and lines as another replaces
it, so that of each number of lines the verdict with the most nodes stays, and none that another one exceeds
in both. A repeated analysis with the same nodes changes nothing. Depth decides between verdicts whose nodes
are unknown. A verdict from a record's comments is left out where another record's is at least as good.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property, lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

from django.db import connection, transaction
from django.db.models import Max
from django.utils import timezone

from archive.derive.verdicts import RecordVerdict, record_verdicts
from archive.models import Engine, Game, Verdict
from archive.store.existing import batched
from archive.store.game_analyses import write_analyses
from kifu_core.classes import PUBLIC
from kifu_core.games import SHOGI

if TYPE_CHECKING:
    from archive.derive.verdicts import NewVerdict
    from kifu_core.game import Evaluation
    from kifu_core.jkf import Record

Strength = tuple[int, int]
"""Nodes and depth."""
Place = tuple[int, int, int]
"""Key, engine and number of lines."""

_COLUMNS: Final = (
    "key", "engine_id", "lines", "game", "space", "nodes", "depth", "history", "moves", "by_id", "made",
)  # fmt: skip
_UPSERT: Final = """
    INSERT INTO archive_verdict ({columns}) VALUES {places}
    ON CONFLICT (key, engine_id, lines, game) DO UPDATE SET
        nodes = excluded.nodes, depth = excluded.depth, history = excluded.history, moves = excluded.moves,
        by_id = excluded.by_id, made = excluded.made
    WHERE (excluded.nodes, excluded.depth) > (archive_verdict.nodes, archive_verdict.depth)
"""
_DELETE_EXCEEDED: Final = """
    DELETE FROM archive_verdict
    WHERE engine_id = %s AND game = 0 AND key IN ({places}) AND EXISTS (
        SELECT 1 FROM archive_verdict other
        WHERE other.key = archive_verdict.key AND other.engine_id = archive_verdict.engine_id
          AND other.game = 0 AND other.lines > archive_verdict.lines
          AND (other.nodes, other.depth) >= (archive_verdict.nodes, archive_verdict.depth)
    )
"""


@dataclass(frozen=True)
class EngineIdentity:
    """All that tells an engine from others: verdicts of equal identities can be compared."""

    name: str
    source: Engine.Source = Engine.Source.ENGINE
    version: str = ""
    network: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    kind: str = SHOGI.name
    space: int = PUBLIC

    @cached_property
    def digest(self) -> bytes:
        text = json.dumps(asdict(self), sort_keys=True, ensure_ascii=False)
        return blake2b(text.encode(), digest_size=16).digest()


def engine_of(identity: EngineIdentity) -> int:
    """Return the id of an engine, which is inserted if it is new."""
    return _engines([identity])[identity.digest]


def _engines(identities: Iterable[EngineIdentity]) -> dict[bytes, int]:
    """Return the ids of engines by digest; new ones are inserted."""
    by_digest = {identity.digest: identity for identity in identities}
    ids = _existing_engines(by_digest)
    if missing := sorted(by_digest.keys() - ids.keys()):
        rows = [Engine(digest=digest, **asdict(by_digest[digest])) for digest in missing]
        Engine.objects.bulk_create(rows, ignore_conflicts=True)
        ids |= _existing_engines(missing)
    return ids


def _existing_engines(digests: Iterable[bytes]) -> dict[bytes, int]:
    rows = Engine.objects.filter(digest__in=[*digests]).values_list("digest", "pk")
    return {bytes(digest): pk for digest, pk in rows}


def write_verdicts(
    engine: int, verdicts: Mapping[int, NewVerdict], space: int = PUBLIC, by: int | None = None
) -> None:
    """Store verdicts of an engine by the keys of positions in a space; weaker ones are replaced.

    `by` is the account of a volunteer. Linear in the verdicts.
    """
    rows = [_row(key, engine, 0, space, verdicts[key], by) for key in sorted(verdicts) if verdicts[key].lines]
    with transaction.atomic():
        _upsert(rows)
        with connection.cursor() as cursor:
            for part in batched(sorted(verdicts)):
                places = ", ".join(["%s"] * len(part))
                cursor.execute(_DELETE_EXCEEDED.format(places=places), [engine, *part])


def write_first_opinion(game: Game, engine: int, verdicts: Mapping[int, NewVerdict], version: int) -> None:
    """Store the verdicts of a network on the positions of a game, its analysis, and that the game has them,
    unless it got other moves or moved meanwhile."""
    with transaction.atomic():
        write_verdicts(engine, verdicts, game.space)
        same = Game.objects.filter(pk=game.pk, space=game.space, digest=game.digest)
        if same.update(network_version=version):
            write_analyses([game.pk], engine)


def _row(key: int, engine: int, game: int, space: int, one: NewVerdict, by: int | None) -> tuple[Any, ...]:
    moves = json.dumps([line.as_json() for line in one.lines])
    return (
        key, engine, len(one.lines), game, space, one.nodes, one.depth, one.history, moves, by,
        timezone.now(),
    )  # fmt: skip


def _upsert(rows: Iterable[tuple[Any, ...]]) -> None:
    place = f"({', '.join(['%s'] * len(_COLUMNS))})"
    with connection.cursor() as cursor:
        for part in batched([*rows]):
            places = ", ".join([place] * len(part))
            statement = _UPSERT.format(columns=", ".join(_COLUMNS), places=places)
            cursor.execute(statement, [value for row in part for value in row])


def write_record_verdicts(games: Iterable[tuple[Game, Record, Iterable[Evaluation]]]) -> None:
    """Replace the verdicts that the comments of games hold; linear in the games that hold any."""
    games = [*games]
    remove_record_verdicts([game.pk for game, _record, _evaluations in games])
    for game, record, evaluations in games:
        insert_record_verdicts(game.pk, game.space, record_verdicts(record, evaluations, game.space))


def insert_record_verdicts(game: int, space: int, verdicts: Collection[RecordVerdict]) -> None:
    """Insert the verdicts in the comments of a game without any, except those that another game of the space
    exceeds."""
    if not verdicts:
        return
    best = _by_place(verdicts, _engines(_identity(one.engine, space) for one in verdicts), space)
    stored = _strengths(best)
    _upsert(
        _row(key, engine, game, space, best[key, engine, lines], None)
        for key, engine, lines in sorted(best)
        if stored.get((key, engine, lines), (-1, 0)) < _strength(best[key, engine, lines])
    )


def has_record_verdicts(game: Game, verdicts: Collection[RecordVerdict]) -> bool:
    """Return whether the stored verdicts of a game are some of those in its comments, and the others are left
    out because of stored ones that are at least as good."""
    engines = _existing_engines({_identity(one.engine, game.space).digest for one in verdicts})
    best = _by_place(verdicts, engines, game.space)
    rows = Verdict.objects.filter(game=game.pk).values_list("key", "engine_id", "lines", "nodes", "depth")
    own = {(key, engine, lines): (nodes, depth) for key, engine, lines, nodes, depth in rows}
    stored = _strengths(best)
    return all(
        place in best and _strength(best[place]) == strength for place, strength in own.items()
    ) and all(stored.get(place, (-1, 0)) >= _strength(one) for place, one in best.items())


def _by_place(
    verdicts: Iterable[RecordVerdict], engines: Mapping[bytes, int], space: int
) -> dict[Place, NewVerdict]:
    """Return the best verdicts of a record by their places; an engine that is not stored is 0."""
    best: dict[Place, NewVerdict] = {}
    for key, name, verdict in verdicts:
        place = key, engines.get(_identity(name, space).digest, 0), len(verdict.lines)
        if place not in best or _strength(best[place]) < _strength(verdict):
            best[place] = verdict
    return best


@lru_cache(1_000)
def _identity(name: str, space: int) -> EngineIdentity:
    return EngineIdentity(name[:200], Engine.Source.RECORD, space=space)


def _strength(verdict: NewVerdict) -> Strength:
    return verdict.nodes, verdict.depth


def _strengths(places: Collection[Place]) -> dict[Place, Strength]:
    """Return the strength of the best stored verdict from records at each place."""
    result: dict[Place, Strength] = {}
    for part in batched(sorted({key for key, _engine, _lines in places})):
        rows = (
            Verdict.objects.filter(key__in=part, game__gt=0)
            .order_by()
            .values_list("key", "engine_id", "lines")
        )
        for key, engine, lines, nodes, depth in rows.annotate(Max("nodes"), Max("depth")):
            result[key, engine, lines] = nodes, depth
    return result


def remove_record_verdicts(games: Collection[int]) -> None:
    """Remove the verdicts that the comments of games, by id, hold."""
    Verdict.objects.filter(game__in=[pk for pk in games if pk]).delete()
