"""The interface between the pages and a kind of game: its words, files and links.

Each game has a package next to this module: `pages` describes it, `urls` has its views and addresses, `tags`
the tags of its templates. Its templates and static files are in folders of its name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from kifu_core.jkf import Record

NamedValues = tuple[tuple[Any, str], ...]
"""Titles with values for programs."""

UNDECIDED: Final[tuple[Promise, Promise]] = (_("draw"), _("no result"))
OWN_START: Final = _("own start position")


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a kind of game."""

    game: Promise
    results: tuple[Promise, ...]
    """Words for the results: a win of colour 0, a win of colour 1, a draw, unknown."""
    marks: tuple[str, str]
    """The marks before the players of colours 0 and 1."""
    shape: str
    """The shape in which the marks are drawn."""
    sides: Mapping[str, Any]
    """Words for the sides by their names."""
    seats: tuple[Any, Any]
    """Words for colours 0 and 1 in totals of games with different starts."""
    starts: Mapping[str, Promise]
    """Words for the starts by their names in records."""
    usual: str
    """The name of the start that is not displayed."""
    endings: Mapping[str, Promise]
    """Words for the endings by their names in records."""
    first_moves: Promise
    """The heading of a player's first moves."""


class MenuLink(NamedTuple):
    """A link in the menu: title and name of the route. Wide screens show the `foremost` ones in the
    header."""

    title: Promise
    name: str
    foremost: bool = False


@dataclass(frozen=True, slots=True)
class GamePages:
    """The parts of pages that depend on the kind of game."""

    words: Words
    full_format: str
    """The name of the format that holds everything in a record."""
    header: Callable[[str], str]
    """Returns the title of a record's header."""
    side_names: Callable[[str], tuple[str, str]]
    """Returns the names of the sides with a start, for games without players."""
    board: Callable[[Any, int], dict[str, str]]
    """Returns the context for showing a position after a number of moves."""
    diagram: Callable[[Any, int | None, bool], SafeString]
    """Returns a small board of a position with what is in hand, for lists; the packed move that led to the
    position is marked, and pieces have letters if the last argument is true."""
    beginning: Callable[[Record, Any, int, int], dict[str, str]]
    """Returns the data for scripts about the position with which the displayed part of a record begins, by
    its ply and by the number of moves."""
    programs: NamedValues = ()
    """Sites that take a position or a game in their address."""
    bulk: Mapping[str, str | Promise] = field(default_factory=dict)
    """More formats for downloading lists of games, by the names of forms (`archive.export`)."""
    styles: tuple[str, ...] = ()
    """Style sheets for pages with boards of any kind of game."""
    links: tuple[MenuLink, ...] = ()
    """Links for the menu of every page."""
    squares: Mapping[str, int] = field(default_factory=dict)
    """The names of squares that an address can mark on the board."""
