"""The file of ARCHIVE_ENGINES: engines that analyse positions, and rules of their work, in TOML."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final

from django.core.exceptions import ImproperlyConfigured
from msgspec import Meta, Struct, ValidationError, convert

Option = Annotated[str, Meta(pattern=r"^[^\x00-\x1f]*$")] | int | bool
_Text = Annotated[str, Meta(max_length=200, pattern=r"^[^\x00-\x1f]*$")]
_Word = Annotated[str, Meta(min_length=1, max_length=4_096, pattern=r"^[^\x00]*$")]
_Name = Annotated[str, Meta(max_length=60, pattern=r"^[^\x00-\x1f ][^\x00-\x1f]*$")]


class EngineSetting(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A USI engine.

    `name`, `version`, `network` and `options` are its identity: verdicts are compared with those of the same
    identity only. A version must occur in the name that the program states.
    """

    name: _Name
    command: Annotated[tuple[_Word, ...], Meta(min_length=1)]
    version: _Text = ""
    network: _Text = ""
    options: Mapping[_Name, Option] = {}
    """Set as they are, before the first search."""
    hash_mb: Annotated[int, Meta(ge=1, le=65_536)] = 16
    threads: Annotated[int, Meta(ge=1, le=256)] = 1
    """With more than one, a repeated analysis may give another verdict."""
    nodes: Annotated[int, Meta(ge=1, le=10**12)] = 100_000
    """Nodes of a position, unless a request has another number."""
    most_nodes: Annotated[int, Meta(ge=1, le=10**12)] = 10_000_000
    """Nodes that a request may have."""
    lines: Annotated[int, Meta(ge=1, le=10)] = 1
    """Lines of play that a request may have."""
    seconds: Annotated[int, Meta(ge=1, le=30)] = 20
    """Seconds of a search after which it is stopped."""
    memory_mb: Annotated[int, Meta(ge=16)] = 2_048
    """Memory of the process."""
    counts_nodes: bool = True
    """Whether the program has `go nodes`. One without it is stopped after that many nodes."""
    default: bool = False


class EngineFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The engines, and who may have what analysed."""

    engine: tuple[EngineSetting, ...] = ()
    workers: Annotated[int, Meta(ge=0, le=256)] = 1
    """Processes that `manage.py serve` starts for engines."""
    new_public_games: bool = False
    """Whether new public games are analysed."""
    games_a_day: Annotated[int, Meta(ge=0)] = 100
    """Games that an account may have analysed in 24 hours; curators have no limit."""
    checked_share: Annotated[float, Meta(ge=0, le=1)] = 0.05
    """The share of volunteers' verdicts that our own engine repeats."""

    @property
    def default(self) -> EngineSetting | None:
        """Return the engine of requests that name none: the one that says so, or the first."""
        return next((one for one in self.engine if one.default), next(iter(self.engine), None))

    def by_name(self, name: str) -> EngineSetting | None:
        return next((one for one in self.engine if one.name == name), None)


NAME: Final = "ARCHIVE_ENGINES"


def read(path: Path, *, needed: bool) -> EngineFile:
    """Return the content of a file; without engines if there is none and it is not `needed`. Raises
    ImproperlyConfigured with one sentence."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        if needed:
            raise ImproperlyConfigured(f"{NAME}: there is no file {path}") from None
        return EngineFile()
    except (OSError, UnicodeDecodeError) as error:
        raise ImproperlyConfigured(f"{NAME}: {path} cannot be read ({error})") from None
    try:
        file = convert(tomllib.loads(text), EngineFile)
    except (tomllib.TOMLDecodeError, ValidationError) as error:
        raise ImproperlyConfigured(f"{NAME}: {path}: {error}") from None
    if reason := _contradiction(file):
        raise ImproperlyConfigured(f"{NAME}: {path}: {reason}")
    return file


def _contradiction(file: EngineFile) -> str:
    names = [one.name for one in file.engine]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        return f"there are two engines of the name {twice[0]!r}"
    if sum(one.default for one in file.engine) > 1:
        return "two engines are the default"
    wrong = next((one.name for one in file.engine if one.nodes > one.most_nodes), None)
    return f"the nodes of {wrong!r} are more than its most_nodes" if wrong else ""
