"""The interface between the pages and a kind of game: its words, files and links.

Each game has a package next to this module: `pages` describes it, `urls` has its views and addresses, `tags`
the tags of its templates. Its templates and static files are in folders of its name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from kifu_core.jkf import Record

NamedValues = tuple[tuple[Any, str], ...]
"""Titles with values for programs."""

UNDECIDED: Final[tuple[Promise, Promise]] = (_("draw"), _("no result"))
OWN_START: Final = _("own start position")


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a game.

    `results` are by the number of the result (colour 0, colour 1, draw, unknown), `marks` precede the players
    of both colours and are drawn in a `shape`, `sides` are by the names of sides, and `seats` are the words
    for colours 0 and 1 in totals over all starts. `starts` and `endings` are by their names in records; the
    start `usual` is not displayed. `first_moves` is the heading of a player's first moves.
    """

    game: Promise
    results: tuple[Promise, ...]
    marks: tuple[str, str]
    shape: str
    sides: Mapping[str, Any]
    seats: tuple[Any, Any]
    starts: Mapping[str, Promise]
    usual: str
    endings: Mapping[str, Promise]
    first_moves: Promise


class MenuLink(NamedTuple):
    """A link in the menu: title and name of the route. Wide screens show the `foremost` ones in the
    header."""

    title: Promise
    name: str
    foremost: bool = False


@dataclass(frozen=True, slots=True)
class GamePages:
    """The parts of pages that depend on the kind of game.

    `full_format` is the format that holds everything in a record; `bulk` are additional formats for
    downloading lists of games, by the names of forms (`archive.export`). `programs` are sites that take a
    position or a game in their address. `styles` are for pages with boards of any game, `links` for the menu
    of every page.

    `header` returns the title of a record's header, `side_names` the names of the sides by the start, for
    games without players. `board` returns the context for showing a position after a number of moves,
    `beginning` the data for scripts about the position with which the shown piece of a record begins, by ply
    and number of moves. `squares` are the names of squares that an address can mark on the board.
    """

    words: Words
    full_format: str
    header: Callable[[str], str]
    side_names: Callable[[str], tuple[str, str]]
    board: Callable[[Any, int], dict[str, str]]
    beginning: Callable[[Record, Any, int, int], dict[str, str]]
    programs: NamedValues = ()
    bulk: Mapping[str, str | Promise] = field(default_factory=dict)
    styles: tuple[str, ...] = ()
    links: tuple[MenuLink, ...] = ()
    squares: Mapping[str, int] = field(default_factory=dict)
