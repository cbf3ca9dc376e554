"""Verdicts that accounts store in their own libraries, such as those of the engine in the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from archive import libraries, store
from archive.accounts.roles import may_dispose
from archive.analysis.errors import OWN_VERDICTS, AnalysisError
from archive.analysis.volunteers import read_lines
from archive.derive.verdicts import NewVerdict
from archive.models import Verdict
from kifu_core.games import SHOGI

if TYPE_CHECKING:
    from collections.abc import Mapping

    from archive.models import User
    from kifu_core.shogi.position import Position


def save(user: User, position: Position, given: Mapping[str, Any]) -> None:
    """Store a verdict in a user's library: `engine`, `version`, `nodes`, `depth`, and `lines` as
    `volunteers.read_lines` takes them. Its engine is none of the public ones, whatever its name. Raises
    AnalysisError, and KifuError for a position that no code can hold."""
    if not may_dispose(user):
        raise AnalysisError("no-analysis-right")
    if Verdict.objects.filter(by=user).count() >= OWN_VERDICTS:
        raise AnalysisError("too-many-verdicts")
    lines = read_lines(position, 0, given["lines"])
    space = libraries.own_library(user).pk
    engine = store.engine_of(store.EngineIdentity(given["engine"], version=given["version"], space=space))
    (key,) = SHOGI.codec.same_class_keys(position, "exact", SHOGI.name, space)
    verdict = NewVerdict(tuple(lines), given["nodes"], given.get("depth", 0))
    store.write_verdicts(engine, {key: verdict}, space, user.pk)
