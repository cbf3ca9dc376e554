"""What the pages need to know about a kind of game besides what `kifu_core` provides: its words, files and
links.

Each game has a package beside this module: `pages` describes it, `urls` has its views and addresses, `tags`
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

Named = tuple[tuple[Any, str], ...]
"""What people read and what programs do."""

UNDECIDED: Final[tuple[Promise, Promise]] = (_("draw"), _("no result"))
OWN_START: Final = _("own start position")


@dataclass(frozen=True, slots=True)
class Words:
    """What things of a game are called.

    `results` are the words for results by number (colour 0, colour 1, draw, unknown), `marks` stand before
    the players of both colours and are drawn in a `shape`, `sides` are words for the names of sides, and
    `seats` for colours 0 and 1 where games from all starts are added up. `starts` and `endings` are by their
    names in records, the start `usual` needs no word. `first_moves` heads those of a player.
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
    """A link in the menu: its title and the name of its address. The header of a wide screen has room for
    those that are `foremost`."""

    title: Promise
    name: str
    foremost: bool = False


@dataclass(frozen=True, slots=True)
class GamePages:
    """What pages of one game offer besides what those of all games do.

    `whole` is the format that holds everything in its records; `bulk` are the further formats for downloading
    a list of its games, by the names of forms (`archive.export`). `programs` are sites that take a position
    or a game in their address. `styles` are for pages with boards of any game, `links` lead to the game's own
    pages from every page.

    `header` gives the title of a record's header, `side_names` the sides of a game without names, by its
    start. `board` is what a template needs to show a position after so many moves. `beginning` is what
    scripts need for the position with which the shown piece of a record begins, at a ply, after so many
    moves. `squares` are the names of squares that an address can mark on the board.
    """

    words: Words
    whole: str
    header: Callable[[str], str]
    side_names: Callable[[str], tuple[str, str]]
    board: Callable[[Any, int], dict[str, str]]
    beginning: Callable[[Record, Any, int, int], dict[str, str]]
    programs: Named = ()
    bulk: Mapping[str, str | Promise] = field(default_factory=dict)
    styles: tuple[str, ...] = ()
    links: tuple[MenuLink, ...] = ()
    squares: Mapping[str, int] = field(default_factory=dict)
